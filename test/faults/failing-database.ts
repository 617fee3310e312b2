import { watchedDatabase } from "./watched-database.ts";

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
  return { database: watchedDatabase(pass), trips: () => count };
}
