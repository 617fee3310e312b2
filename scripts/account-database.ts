import type { R2Bucket } from "@cloudflare/workers-types";
import { withLocalDatabases } from "./local-database.ts";
import { type Databases, withDatabasesIn } from "../src/serve/databases.ts";

/** Which databases the operator means. */
export type Target =
  | { readonly kind: "local"; readonly persistTo: string }
  | { readonly kind: "served"; readonly data: string }
  | { readonly kind: "remote"; readonly env: string };

/** Opens the databases where the accounts are, and the bucket of their files: the one place that knows which those are. Deployed buckets stay closed. */
export async function withAccountDatabases<T>(
  target: Target,
  work: (databases: Databases, bucket?: R2Bucket) => Promise<T>,
): Promise<T> {
  if (target.kind === "local") return withLocalDatabases(target.persistTo, work);
  if (target.kind === "served") {
    const { findApp } = await import("./find-server.ts");
    return withDatabasesIn({ app: await findApp(target.data, { current: false }), data: target.data }, work);
  }
  const { openAllThroughWrangler } = await import("./wrangler-database.ts");
  return work(await openAllThroughWrangler(target.env));
}
