import type { R2Bucket } from "@cloudflare/workers-types";
import { withLocalDatabases } from "./local-database.ts";
import { hasData, openDataFolder } from "../src/serve/data-folder.ts";
import { type Databases, withDatabasesIn } from "../src/serve/databases.ts";

/** Which databases the operator means. */
export type Target =
  | { readonly kind: "local"; readonly persistTo: string }
  | { readonly kind: "served"; readonly data: string }
  | { readonly kind: "remote"; readonly env: string };

/**
 * Opens the databases where the accounts are, and the bucket of their files: the one place that knows which those are. Deployed buckets stay closed.
 * `adds`: whether a data folder that does not exist is made.
 */
export async function withAccountDatabases<T>(
  target: Target,
  work: (databases: Databases, bucket?: R2Bucket) => Promise<T>,
  adds = false,
): Promise<T> {
  if (target.kind === "local") return withLocalDatabases(target.persistTo, work);
  if (target.kind === "served") {
    const { data } = target;
    if (!hasData(data)) {
      if (!adds) throw new Error(`${data} (--data) has no data of npm run serve.`);
      console.error(`${data} (--data) had no data: this makes a new data folder.`);
    }
    if (adds) await openDataFolder(data);
    const { findApp } = await import("./find-server.ts");
    return withDatabasesIn({ app: await findApp(data, { current: false }), data }, work);
  }
  const { openAllThroughWrangler } = await import("./wrangler-database.ts");
  return work(await openAllThroughWrangler(target.env));
}
