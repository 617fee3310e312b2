import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import { type ApiKey, apiKeyOf, newKey, shownColumns } from "./api-key.ts";
import { type Authentication, callerOf } from "../accounts/caller.ts";
import { type Scope, scopes as allScopes } from "../accounts/scopes.ts";
import { hashToken, shardOfToken } from "../accounts/token.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys } from "../db/schema.ts";

export interface NewKey {
  readonly name: string;
  readonly livemode: boolean;
  /** Default: every scope. */
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date;
}

/** The statement that creates a key, and the key itself, which cannot be read again later. */
export async function insertKey(db: Database, account: string, key: NewKey, now: Date) {
  const { token, row } = await newKey(account, key.livemode, now);
  const { name, livemode, scopes = allScopes, expiresAt = null } = key;
  return {
    id: row.id,
    token,
    statement: db.insert(apiKeys).values({ ...row, account, name, livemode, scopes, expiresAt }),
  };
}

/** Creates a key; `token` is the full key, which cannot be read again later. */
export async function createKey(
  db: Database,
  account: string,
  key: NewKey,
  now: Date,
): Promise<{ readonly id: string; readonly token: string }> {
  const { id, token, statement } = await insertKey(db, account, key, now);
  await statement;
  return { id, token };
}

/** Gives keys every scope. Not for keys of clients: theirs never change. */
export async function grantAllScopes(db: Database, keys: readonly string[]): Promise<void> {
  await db.update(apiKeys).set({ scopes: allScopes }).where(inArray(apiKeys.id, keys));
}

/** Looks up the owner of a token without counting a request, for the operator's tools. Requests go through `authenticate`. */
export async function findKey(db: Database, token: string, now: Date): Promise<Authentication> {
  if (shardOfToken(token) === undefined) return { ok: false, reason: "bad" };
  const hash = await hashToken(token);
  const [found] = await db
    .select({ key: apiKeys, plan: accounts.plan })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.account))
    .where(eq(apiKeys.hash, hash));
  return callerOf(found, hash, now);
}

/** All keys of an account in both modes, newest first; undefined if there is no such account. */
export async function keysOf(db: Database, account: string): Promise<ApiKey[] | undefined> {
  const { known, rows } = await batch(db, {
    known: db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, account)),
    rows: db
      .select(shownColumns)
      .from(apiKeys)
      .where(eq(apiKeys.account, account))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
  });
  return known.length === 0 ? undefined : rows.map(apiKeyOf);
}

export interface Revoked {
  readonly account: string;
  /** The keys that this call revoked. */
  readonly revoked: readonly ApiKey[];
}

/** Revokes one key of any account; undefined if there is none. */
export async function revokeAnyKey(db: Database, key: string, now: Date): Promise<Revoked | undefined> {
  const {
    found: [found],
    revoked,
  } = await batch(db, {
    found: db.select({ account: apiKeys.account }).from(apiKeys).where(eq(apiKeys.id, key)),
    revoked: db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.id, key), isNull(apiKeys.revokedAt)))
      .returning(shownColumns),
  });
  return found && { account: found.account, revoked: revoked.map(apiKeyOf) };
}

/** Revokes all keys of an account in both modes; undefined if there is no such account. */
export async function revokeAllKeys(db: Database, account: string, now: Date): Promise<Revoked | undefined> {
  const { known, revoked } = await batch(db, {
    known: db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, account)),
    revoked: db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.account, account), isNull(apiKeys.revokedAt)))
      .returning(shownColumns),
  });
  return known.length === 0 ? undefined : { account, revoked: revoked.map(apiKeyOf) };
}
