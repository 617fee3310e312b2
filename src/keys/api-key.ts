import { and, eq, getTableColumns, type SQL } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { type Scope, scopes as allScopes } from "../accounts/scopes.ts";
import { hashToken, newId, newToken, shardOfAccount } from "../accounts/token.ts";
import type { Database } from "../db/client.ts";
import { apiKeys } from "../db/schema.ts";

/** The visible part of a key: never the key itself, never its hash. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly livemode: boolean;
  readonly scopes: readonly Scope[];
  readonly lastFour: string;
  readonly createdAt: Date;
  /** The key is rejected from this instant on. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

const { hash: _hash, account: _account, ...shown } = getTableColumns(apiKeys);

/** The columns of an `ApiKey`. The hash is not among them, so it is not even read. */
export const shownColumns = shown;

type Row = Pick<typeof apiKeys.$inferSelect, keyof typeof shown>;

export function apiKeyOf(row: Row): ApiKey {
  return { ...row, scopes: allScopes.filter((scope) => row.scopes.includes(scope)) };
}

/** The keys visible to a caller: those of its own account and mode. Every query about keys has this condition. */
export const visibleTo = ({ account, livemode }: Caller): SQL | undefined =>
  and(eq(apiKeys.account, account), eq(apiKeys.livemode, livemode));

/** The key with this ID, if the caller can see it. */
export const visibleAs = (caller: Caller, id: string): SQL | undefined => and(eq(apiKeys.id, id), visibleTo(caller));

export const noSuchKey = (): AccountRefusal => new AccountRefusal("not_found", "No such API key.");

/**
 * The key with this ID. Throws `not_found` for a key of another account or mode exactly as for one that never existed: it is
 * the same query, whatever the ID looks like.
 */
export async function visibleKey(db: Database, caller: Caller, id: string) {
  const [row] = await db.select(shownColumns).from(apiKeys).where(visibleAs(caller, id));
  if (row === undefined) throw noSuchKey();
  return row;
}

/**
 * The key with this ID, if the caller may change it. Throws `not_found`, or `forbidden` if it has scopes that the caller lacks.
 * A key's scopes never change, so the statement that changes the key need not check again.
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

/** A new key that is not stored yet, and the columns of its row. */
export async function newKey(account: string, livemode: boolean, now: Date) {
  const token = newToken(livemode, shardOfAccount(account) ?? 0);
  const [id, hash] = [newId("key"), await hashToken(token)];
  return { token, row: { id, hash, lastFour: token.slice(-4), createdAt: now, revokedAt: null } };
}
