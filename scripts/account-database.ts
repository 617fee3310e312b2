import { type Databases, withLocalDatabases } from "./local-database.ts";
import { openAllThroughWrangler } from "./wrangler-database.ts";

/** Which databases the operator means. */
export type Target =
  | { readonly kind: "local"; readonly persistTo: string }
  | { readonly kind: "remote"; readonly env: string };

/** Opens the databases where the accounts are: the one place that knows which those are. */
export async function withAccountDatabases<T>(target: Target, work: (databases: Databases) => Promise<T>): Promise<T> {
  if (target.kind === "local") return withLocalDatabases(target.persistTo, work);
  return work(await openAllThroughWrangler(target.env));
}
