import { and, eq, gt, inArray, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { type Caller, callerOf, type Rejection } from "./caller.ts";
import { creditLimit, monthOf, periodSuffix } from "./periods.ts";
import { type Plan, type PlanName, plans, UNLIMITED } from "./plans.ts";
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

/** A fact of the account's plan. NULL for a plan unknown to this version. */
export const byPlan = (factOf: (plan: Plan) => number | null): SQL<number> =>
  sql`CASE ${accounts.plan} ${sql.join(
    Object.entries(plans).map(([name, plan]) => sql`WHEN ${name} THEN ${factOf(plan)}`),
    sql` `,
  )} END`;

/** The requests per minute of the account's plan. `others`: of plans without a limit; NULL if these have none, and requests are not counted. */
export const allowed = (others: number | null): SQL<number> =>
  byPlan((plan) => (plan.requestsPerMinute === UNLIMITED ? others : plan.requestsPerMinute));

/** The same for one plan. */
const requestsPerMinute = (plan: PlanName, others: number | null): number =>
  plans[plan].requestsPerMinute === UNLIMITED ? (others ?? UNLIMITED) : plans[plan].requestsPerMinute;

/** A key as a request presents it. */
export interface Presented {
  readonly hash: string;
  readonly now: Date;
  readonly minute: number;
  /** The suffixes of the month's periods, by mode. */
  readonly live: string;
  readonly test: string;
  /** The requests per minute of plans that have no limit, or null for none. */
  readonly others: number | null;
}

export function presented(hash: string, now: Date, others: number | null): Presented {
  const month = monthOf(now);
  const [live, test] = [periodSuffix(true, month), periodSuffix(false, month)];
  return { hash, now, minute: Math.floor(now.getTime() / MINUTE), live, test, others };
}

/**
 * Looks up the key with this hash, counts the request, and reads the account's requests and credits, in one batch. `db` is the
 * database that the key names. `others`: the requests per minute of plans that have no limit, or null for none.
 */
export async function authenticate(
  db: Database,
  hash: string,
  now: Date,
  others: number | null = null,
): Promise<Authenticated> {
  const key = presented(hash, now, others);
  const { found } = await countAndFind(db, key);
  return authenticated(found, key);
}

/** The outcome of the statements of `identifySteps`. */
export function authenticated(
  [found]: Awaited<ReturnType<typeof identifySteps>["found"]>,
  { hash, now, minute, others }: Presented,
): Authenticated {
  const result = callerOf(found, hash, now);
  if (!result.ok || found === undefined) return result.ok ? { ok: false, reason: "bad" } : result;
  const { caller } = result;
  const limit = requestsPerMinute(caller.plan, others);
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

const countAndFind = writtenOnce((db, key: Presented) => identifySteps(db, key));

/** Whether a row of `apiKeys` is the key, and it is valid. */
export const isValid = ({ hash, now }: Presented): SQL | undefined =>
  and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));

/** The ID of the month's period of the account of a row of `apiKeys`. */
export const periodOfKey = ({ live, test }: Presented): SQL<string> =>
  sql`${apiKeys.account} || CASE ${apiKeys.livemode} WHEN 1 THEN ${live} ELSE ${test} END`;

/** The statements that count a request and look up its key. */
export function identifySteps(db: Database, key: Presented) {
  const { hash, minute, others } = key;
  const owner = db.select({ account: apiKeys.account }).from(apiKeys).where(isValid(key));
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
      .where(
        and(
          inArray(accounts.id, owner),
          or(lt(accounts.minute, minute), lte(accounts.minuteRequests, allowed(others))),
        ),
      ),
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
      .leftJoin(periods, sql`${periods.id} = ${periodOfKey(key)}`)
      .where(eq(apiKeys.hash, hash)),
  };
}
