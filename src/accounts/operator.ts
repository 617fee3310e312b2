import { and, desc, eq, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import { type ApiKey, apiKeyOf, shownColumns } from "./api-key.ts";
import type { PlanName } from "./plans.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys } from "../db/schema.ts";

/** What the operator sees of an account. */
export interface AccountSummary {
  readonly account: string;
  readonly name: string;
  readonly plan: string;
  readonly createdAt: Date;
  /** Keys that are neither revoked nor expired. */
  readonly liveKeys: number;
  readonly testKeys: number;
}

/** All accounts, oldest first. */
export async function listAccounts(db: Database, now: Date): Promise<AccountSummary[]> {
  const usable = and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
  const counted = (livemode: boolean): SQL<number> =>
    sql<number>`count(*) filter (where ${and(eq(apiKeys.livemode, livemode), usable)})`;
  return db
    .select({
      account: accounts.id,
      name: accounts.name,
      plan: accounts.plan,
      createdAt: accounts.createdAt,
      liveKeys: counted(true).as("live_keys"),
      testKeys: counted(false).as("test_keys"),
    })
    .from(accounts)
    .leftJoin(apiKeys, eq(apiKeys.account, accounts.id))
    .groupBy(accounts.id)
    .orderBy(accounts.createdAt, accounts.id);
}

/** The plan of an account; undefined where there is no such account. */
export async function planOf(db: Database, account: string): Promise<string | undefined> {
  const [row] = await db.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, account));
  return row?.plan;
}

/** Puts an account on a plan, from its next request on. `false` where there is no such account. */
export async function setPlan(db: Database, account: string, plan: PlanName): Promise<boolean> {
  const rows = await db.update(accounts).set({ plan }).where(eq(accounts.id, account)).returning({ id: accounts.id });
  return rows.length > 0;
}

/** All keys of an account, of both modes, newest first; undefined where there is no such account. */
export async function keysOf(db: Database, account: string): Promise<ApiKey[] | undefined> {
  const [known, rows] = await db.batch([
    db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, account)),
    db
      .select(shownColumns)
      .from(apiKeys)
      .where(eq(apiKeys.account, account))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
  ]);
  return known.length === 0 ? undefined : rows.map(apiKeyOf);
}

export interface Revoked {
  readonly account: string;
  /** The keys that were still to be revoked. */
  readonly revoked: readonly ApiKey[];
}

/** Revokes one key, whosever it is; undefined where there is none. */
export async function revokeAnyKey(db: Database, key: string, now: Date): Promise<Revoked | undefined> {
  const [[found], rows] = await db.batch([
    db.select({ account: apiKeys.account }).from(apiKeys).where(eq(apiKeys.id, key)),
    db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.id, key), isNull(apiKeys.revokedAt)))
      .returning(shownColumns),
  ]);
  return found && { account: found.account, revoked: rows.map(apiKeyOf) };
}

/** Revokes all keys of an account, of both modes; undefined where there is no such account. */
export async function revokeAllKeys(db: Database, account: string, now: Date): Promise<Revoked | undefined> {
  const [known, rows] = await db.batch([
    db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, account)),
    db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.account, account), isNull(apiKeys.revokedAt)))
      .returning(shownColumns),
  ]);
  return known.length === 0 ? undefined : { account, revoked: rows.map(apiKeyOf) };
}
