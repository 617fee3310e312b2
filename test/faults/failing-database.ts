import { env } from "cloudflare:workers";

/** How a round trip to the database fails: it does not reach it, or its response is lost on the way back. */
export type Fault = "unreachable" | "response lost" | "response lost, then unreachable";

/** The database, of which one round trip fails, or all from that one on. The first is number 0. */
export function failing(fault: Fault, trip: number, times: "once" | "for good") {
  let count = 0;
  async function pass<T>(run: () => Promise<T>): Promise<T> {
    const at = count++;
    const fails = times === "once" ? at === trip : at >= trip;
    if (!fails) return run();
    if (fault === "response lost" || (fault === "response lost, then unreachable" && at === trip)) await run();
    throw new Error("D1_ERROR: Network connection lost.");
  }
  const originals = new WeakMap<object, D1PreparedStatement>();
  function watched(statement: D1PreparedStatement): D1PreparedStatement {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => watched(target.bind(...values));
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...values: unknown[]): unknown => pass(async () => Reflect.apply(member, target, values) as unknown);
      },
    });
    originals.set(proxy, statement);
    return proxy;
  }
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => watched(target.prepare(sql));
      if (name !== "batch") throw new Error(`D1's ${String(name)} is not watched`);
      return (statements: D1PreparedStatement[]) =>
        pass(() => target.batch(statements.map((statement) => originals.get(statement) ?? statement)));
    },
  });
  return { database, trips: () => count };
}
