import { withLocalDatabase } from "./local-database.ts";
import { openThroughWrangler } from "./wrangler-database.ts";
import type { Database } from "../src/db/client.ts";

/** Which database the operator means. */
export type Target =
  | { readonly kind: "local"; readonly persistTo: string }
  | { readonly kind: "remote"; readonly env: string };

/** Opens the database where the accounts are: the one place that knows which that is. */
export async function withAccountDatabase<T>(target: Target, work: (db: Database) => Promise<T>): Promise<T> {
  if (target.kind === "local") return withLocalDatabase(target.persistTo, work);
  return work(openThroughWrangler(["--remote", "--env", target.env]));
}
