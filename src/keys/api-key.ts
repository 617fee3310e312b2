import { and, eq, getTableColumns, type SQL } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { type Scope, scopes as allScopes } from "../accounts/scopes.ts";
import { hashToken, newId, newToken, shardOfAccount } from "../accounts/token.ts";
import type { Database } from "../db/client.ts";
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

/** The keys that a caller sees: those of its own account and mode. Every query about keys has this condition. */
export const visibleTo = ({ account, livemode }: Caller): SQL | undefined =>
  and(eq(apiKeys.account, account), eq(apiKeys.livemode, livemode));

/** The key of this id, where the caller sees it. */
export const visibleAs = (caller: Caller, id: string): SQL | undefined => and(eq(apiKeys.id, id), visibleTo(caller));

export const noSuchKey = (): AccountRefusal => new AccountRefusal("not_found", "No such API key.");

/**
 * The key of this id. Throws `not_found` for one of another account or mode, exactly as for one that never was: it is the same
 * query, whatever the id looks like.
 */
export async function visibleKey(db: Database, caller: Caller, id: string) {
  const [row] = await db.select(shownColumns).from(apiKeys).where(visibleAs(caller, id));
  if (row === undefined) throw noSuchKey();
  return row;
}

/**
 * The key of this id, where the caller may change it. Throws `not_found`, or `forbidden` where it has scopes that the caller
 * lacks. A key's scopes never change, so the statement that changes it need not look again.
 */
export async function manageableKey(db: Database, caller: Caller, id: string) {
  const row = await visibleKey(db, caller, id);
  requireScopesOf(caller, row.scopes);
  return row;
}

/** Throws `forbidden` unless the caller has all of the scopes. */
export function requireScopesOf(caller: Caller, scopes: readonly string[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.some((own) => own === scope));
  if (missing.length === 0) return;
  throw new AccountRefusal("forbidden", `This API key lacks these scopes: ${missing.join(", ")}.`, {
    requiredScope: missing[0],
  });
}

/** A key that no row has yet, and what its row holds of it. */
export async function newKey(account: string, livemode: boolean, now: Date) {
  const token = newToken(livemode, shardOfAccount(account) ?? 0);
  const [id, hash] = [newId("key"), await hashToken(token)];
  return { token, row: { id, hash, lastFour: token.slice(-4), createdAt: now, revokedAt: null } };
}
