import { env } from "cloudflare:workers";

/** The test's database: `pass` carries out each round trip, a batch or a statement sent alone. */
export function watchedDatabase(pass: <T>(run: () => Promise<T>) => Promise<T>): D1Database {
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
  return new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => watched(target.prepare(sql));
      if (name !== "batch") throw new Error(`D1's ${String(name)} is not watched`);
      return (statements: D1PreparedStatement[]) =>
        pass(() => target.batch(statements.map((statement) => originals.get(statement) ?? statement)));
    },
  });
}
