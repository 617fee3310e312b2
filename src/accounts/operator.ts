import { and, eq, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import type { PlanName } from "./plans.ts";
import { newAccountId } from "./token.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys } from "../db/schema.ts";

/** The statement that creates an account, not run, so that the caller can add it to a batch. */
export function insertAccount(db: Database, account: { name: string; plan: PlanName; shard?: number }, now: Date) {
  const id = newAccountId(account.shard ?? 0);
  return { id, statement: db.insert(accounts).values({ id, name: account.name, plan: account.plan, createdAt: now }) };
}

/** Creates an account and returns its ID. */
export async function createAccount(
  db: Database,
  account: { name: string; plan: PlanName },
  now: Date,
): Promise<string> {
  const { id, statement } = insertAccount(db, account, now);
  await statement;
  return id;
}

/** An account as shown to the operator. */
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

/** The plan of an account; undefined if there is no such account. */
export async function planOf(db: Database, account: string): Promise<string | undefined> {
  const [row] = await db.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, account));
  return row?.plan;
}

/** Changes an account's plan, from its next request on. `false` if there is no such account. */
export async function setPlan(db: Database, account: string, plan: PlanName): Promise<boolean> {
  const rows = await db.update(accounts).set({ plan }).where(eq(accounts.id, account)).returning({ id: accounts.id });
  return rows.length > 0;
}
