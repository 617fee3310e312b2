import { and, eq, gt, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import { type Caller, callerOf, type Rejection } from "./caller.ts";
import { creditLimit, monthOf, periodSuffix } from "./periods.ts";
import { plans } from "./plans.ts";
import { writtenOnce } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys, periods } from "../db/schema.ts";

const MINUTE = 60_000;

/** The account's requests in this clock minute, including the current one. */
export interface RateStanding {
  readonly limit: number;
  readonly remaining: number;
  /** Whether the current request is over the limit. */
  readonly exceeded: boolean;
  /** Seconds until the next minute. */
  readonly resetSeconds: number;
}

/** The account's credits this month, before the current request. */
export interface CreditStanding {
  readonly limit: number;
  readonly used: number;
  /** The highest threshold of the month that an event has reported, in percent. */
  readonly warned: number;
}

export type Authenticated =
  | { readonly ok: true; readonly caller: Caller; readonly rate: RateStanding; readonly credits: CreditStanding }
  | { readonly ok: false; readonly reason: Rejection };

/** The requests per minute of the account's plan. */
const allowed = sql`CASE ${accounts.plan} ${sql.join(
  Object.entries(plans).map(([name, { requestsPerMinute }]) => sql`WHEN ${name} THEN ${requestsPerMinute}`),
  sql` `,
)} END`;

/**
 * Looks up the key with this hash, counts the request, and reads the account's requests and credits, in one batch. `db` is the
 * database that the key names.
 */
export async function authenticate(db: Database, hash: string, now: Date): Promise<Authenticated> {
  const minute = Math.floor(now.getTime() / MINUTE);
  const month = monthOf(now);
  const [live, test] = [periodSuffix(true, month), periodSuffix(false, month)];
  const {
    found: [found],
  } = await countAndFind(db, { hash, now, minute, live, test });
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

interface Presented {
  readonly hash: string;
  readonly now: Date;
  readonly minute: number;
  /** The suffixes of the month's periods, by mode. */
  readonly live: string;
  readonly test: string;
}

const countAndFind = writtenOnce((db, { hash, now, minute, live, test }: Presented) => {
  const owner = db
    .select({ account: apiKeys.account })
    .from(apiKeys)
    .where(
      and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))),
    );
  return {
    count: db
      .update(accounts)
      .set({
        // Clocks differ: a request in an isolate whose clock is behind counts toward the minute that has already begun
        // elsewhere.
        minuteRequests: sql`CASE WHEN ${accounts.minute} < ${minute} THEN 1 ELSE ${accounts.minuteRequests} + 1 END`,
        minute: sql`MAX(${accounts.minute}, ${minute})`,
      })
      // The first request over the limit is counted, which shows that it is over; later ones write nothing.
      .where(and(inArray(accounts.id, owner), or(lt(accounts.minute, minute), lte(accounts.minuteRequests, allowed)))),
    found: db
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
        sql`${periods.id} = ${apiKeys.account} || CASE ${apiKeys.livemode} WHEN 1 THEN ${live} ELSE ${test} END`,
      )
      .where(eq(apiKeys.hash, hash)),
  };
});
