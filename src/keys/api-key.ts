import { getTableColumns } from "drizzle-orm";
import { scopes as allScopes, type Scope } from "../accounts/scopes.ts";
import { apiKeys } from "../db/schema.ts";

/** What is shown of a key (SPEC.md, ApiKey): never the key itself, never its hash. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly livemode: boolean;
  readonly scopes: readonly Scope[];
  readonly lastFour: string;
  readonly createdAt: Date;
  /** The instant from which on it is refused. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

const { hash: _hash, account: _account, ...shown } = getTableColumns(apiKeys);

/** The columns that an `ApiKey` is made of. The hash is not among them, so that it is not even read. */
export const shownColumns = shown;

type Row = Pick<typeof apiKeys.$inferSelect, keyof typeof shown>;

export function apiKeyOf(row: Row): ApiKey {
  return { ...row, scopes: allScopes.filter((scope) => row.scopes.includes(scope)) };
}
