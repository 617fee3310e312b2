import { eq } from "drizzle-orm";
import { isPlanName, type PlanName } from "./plans.ts";
import { scopes as allScopes, type Scope } from "./scopes.ts";
import { hashToken, newAccountId, newId, newToken, sameHash, shardOfAccount, shardOfToken } from "./token.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys } from "../db/schema.ts";

/** Who a request acts for. */
export interface Caller {
  readonly account: string;
  readonly plan: PlanName;
  /** The id of the key, `key_...`. */
  readonly key: string;
  readonly livemode: boolean;
  readonly scopes: readonly Scope[];
  /** When the key expires: nothing that it makes may outlive it. */
  readonly expiresAt: Date | null;
}

/** Why a key is not accepted: made up or unknown, revoked, or past its `expiresAt`. */
export type Rejection = "bad" | "revoked" | "expired";

export type Authentication =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly reason: Rejection };

export interface NewKey {
  readonly name: string;
  readonly livemode: boolean;
  /** Every scope where it is not given. */
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date;
}

/** The statement that makes an account, unsent so that a caller can put it into a batch of its own. */
export function insertAccount(db: Database, account: { name: string; plan: PlanName; shard?: number }, now: Date) {
  const id = newAccountId(account.shard ?? 0);
  return { id, statement: db.insert(accounts).values({ id, name: account.name, plan: account.plan, createdAt: now }) };
}

/** The statement that makes a key, and the key itself: this is the only time that it is known. */
export async function insertKey(db: Database, account: string, key: NewKey, now: Date) {
  const token = newToken(key.livemode, shardOfAccount(account) ?? 0);
  const row = {
    id: newId("key"),
    account,
    name: key.name,
    livemode: key.livemode,
    scopes: key.scopes ?? allScopes,
    hash: await hashToken(token),
    lastFour: token.slice(-4),
    createdAt: now,
    expiresAt: key.expiresAt ?? null,
    revokedAt: null,
  };
  return { id: row.id, token, statement: db.insert(apiKeys).values(row) };
}

/** Makes an account and returns its id. */
export async function createAccount(
  db: Database,
  account: { name: string; plan: PlanName },
  now: Date,
): Promise<string> {
  const { id, statement } = insertAccount(db, account, now);
  await statement;
  return id;
}

/** Makes a key; `token` is the full key, which cannot be had again. */
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

/** Whose key a token is. Counts nothing: for the operator's tools. Requests go through `authenticate`. */
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

/** Who a key that was looked up by its hash acts for, if it is good. */
export function callerOf(
  found: { readonly key: typeof apiKeys.$inferSelect; readonly plan: string } | undefined,
  hash: string,
  now: Date,
): Authentication {
  // The index was asked for 256 bits that nobody can choose; what decides is this comparison, which takes the same time always.
  if (found === undefined || !sameHash(found.key.hash, hash)) return { ok: false, reason: "bad" };
  const { key, plan } = found;
  if (key.revokedAt !== null) return { ok: false, reason: "revoked" };
  if (key.expiresAt !== null && key.expiresAt <= now) return { ok: false, reason: "expired" };
  // A plan this version does not know is a fault of the deployment, never of the caller: not a 401.
  if (!isPlanName(plan)) throw new Error(`account ${key.account} has the unknown plan "${plan}"`);
  return {
    ok: true,
    caller: {
      account: key.account,
      plan,
      key: key.id,
      livemode: key.livemode,
      scopes: allScopes.filter((scope) => key.scopes.includes(scope)),
      expiresAt: key.expiresAt,
    },
  };
}
