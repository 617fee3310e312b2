import { and, eq, gt, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import { type Caller, callerOf, type Rejection } from "./caller.ts";
import { creditLimit, monthOf, periodSuffix } from "./periods.ts";
import { plans } from "./plans.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys, periods } from "../db/schema.ts";

const MINUTE = 60_000;

/** How much of the minute's requests the account has made, the present one included. Minutes are the clock's. */
export interface RateStanding {
  readonly limit: number;
  readonly remaining: number;
  /** Whether the present request is one too many. */
  readonly exceeded: boolean;
  /** Seconds until the next minute. */
  readonly resetSeconds: number;
}

/** The credits of the account's month, as they are before the present request. */
export interface CreditStanding {
  readonly limit: number;
  readonly used: number;
  /** The highest mark of the month that an event has told of, in percent. */
  readonly warned: number;
}

export type Authenticated =
  | { readonly ok: true; readonly caller: Caller; readonly rate: RateStanding; readonly credits: CreditStanding }
  | { readonly ok: false; readonly reason: Rejection };

/** The requests a minute of the account's plan. */
const allowed = sql`CASE ${accounts.plan} ${sql.join(
  Object.entries(plans).map(([name, { requestsPerMinute }]) => sql`WHEN ${name} THEN ${requestsPerMinute}`),
  sql` `,
)} END`;

/**
 * Whose key has this hash, how fast the account has been and what it has left, and counts the request: one batch.
 * `db` is the database that the key names.
 */
export async function authenticate(db: Database, hash: string, now: Date): Promise<Authenticated> {
  const minute = Math.floor(now.getTime() / MINUTE);
  const owner = db
    .select({ account: apiKeys.account })
    .from(apiKeys)
    .where(
      and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))),
    );
  const month = monthOf(now);
  const [, [found]] = await db.batch([
    db
      .update(accounts)
      .set({
        // Clocks differ: a request of an isolate that is behind counts for the minute that has begun elsewhere.
        minuteRequests: sql`CASE WHEN ${accounts.minute} < ${minute} THEN 1 ELSE ${accounts.minuteRequests} + 1 END`,
        minute: sql`MAX(${accounts.minute}, ${minute})`,
      })
      // The first request that is one too many is counted, and tells; those after it write nothing.
      .where(and(inArray(accounts.id, owner), or(lt(accounts.minute, minute), lte(accounts.minuteRequests, allowed)))),
    db
      .select({
        key: apiKeys,
        plan: accounts.plan,
        requests: accounts.minuteRequests,
        used: periods.used,
        warned: periods.warned,
      })
      .from(apiKeys)
      .innerJoin(accounts, eq(accounts.id, apiKeys.account))
      .leftJoin(
        periods,
        sql`${periods.id} = ${apiKeys.account} || CASE ${apiKeys.livemode} WHEN 1 THEN ${periodSuffix(true, month)} ELSE ${periodSuffix(false, month)} END`,
      )
      .where(eq(apiKeys.hash, hash)),
  ]);
  const result = callerOf(found, hash, now);
  if (!result.ok || found === undefined) return result.ok ? { ok: false, reason: "bad" } : result;
  const { caller } = result;
  const limit = plans[caller.plan].requestsPerMinute;
  return {
    ok: true,
    caller,
    rate: {
      limit,
      remaining: Math.max(0, limit - found.requests),
      exceeded: found.requests > limit,
      resetSeconds: Math.ceil(((minute + 1) * MINUTE - now.getTime()) / 1_000),
    },
    credits: { limit: creditLimit(caller.plan, caller.livemode), used: found.used ?? 0, warned: found.warned ?? 0 },
  };
}
