import { and, eq, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { releaseRow, reservationOf, reserveSteps } from "./ledger.ts";
import type { Reservation } from "./reservation.ts";
import {
  allowed,
  authenticated,
  type Authenticated,
  byPlan,
  identifySteps,
  isValid,
  periodOfKey,
  type Presented,
  presented,
} from "../accounts/authentication.ts";
import { creditLimit, monthOf, periodId } from "../accounts/periods.ts";
import { type PlanName, plans, UNLIMITED } from "../accounts/plans.ts";
import type { Scope } from "../accounts/scopes.ts";
import { batch, writtenOnce } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { accounts, apiKeys, ledger, periods } from "../db/schema.ts";

/** The charge of a request whose sender is not identified yet. */
export interface OpenCharge {
  readonly requestId: string;
  readonly trace: string | undefined;
  readonly operation: string;
  readonly credits: number;
  /** The key needs one of them. */
  readonly scopes: readonly Scope[];
  /** The credits of the most expensive operation. */
  readonly highestPrice: number;
}

export type Admitted = Authenticated & {
  /** Missing if the request is to be rejected, or if the account's credits may not be enough for all others. */
  readonly reservation?: Reservation | undefined;
};

/**
 * Credits that must be left after a reservation that may be released unused: enough for every other request of a minute, so that none of these is
 * rejected because of it.
 */
export const headroom = (plan: PlanName, highestPrice: number): number =>
  plans[plan].credits === UNLIMITED ? 0 : plans[plan].requestsPerMinute * highestPrice;

/**
 * `authenticate` and `reserve` in one batch. If the database does not respond, the reservation may or may not exist, so it is released; if that fails
 * too, the sweep releases it.
 */
export async function admit(
  db: Database,
  hash: string,
  asked: OpenCharge,
  now: Date,
  others: number | null = null,
): Promise<Admitted> {
  const key = presented(hash, now, others);
  const { requestId, operation, credits, highestPrice, trace } = asked;
  const month = monthOf(now);
  const values = { ...key, requestId, operation, credits, highestPrice, scopes: JSON.stringify(asked.scopes) };
  const results = await identifyAndReserve(db, { ...values, start: month.start, at: now.getTime() }).catch(
    async (error: unknown) => {
      await batch(db, releaseRow(db, rowOfKey(db, values))).catch(() => {});
      throw error;
    },
  );
  const result = authenticated(results.found, key);
  const [standing] = results.reserved;
  if (standing === undefined || !result.ok) return result;
  const { account, livemode, plan } = result.caller;
  const limit = creditLimit(plan, livemode);
  const charge = { account, livemode, plan, requestId, operation, credits, limit, trace };
  const row = { id: standing.id, period: periodId(account, livemode, month), month, credits };
  return { ...result, reservation: reservationOf(charge, row, standing) };
}

interface AdmitValues extends Presented, Pick<OpenCharge, "requestId" | "operation" | "credits" | "highestPrice"> {
  /** A JSON array. */
  readonly scopes: string;
  readonly start: Date;
  /** `now`, in milliseconds. */
  readonly at: number;
}

const identifyAndReserve = writtenOnce((db, values: AdmitValues) => {
  const { operation, credits, highestPrice, scopes, start, at, others } = values;
  const rate = allowed(others);
  const hasScope = sql`EXISTS (SELECT 1 FROM json_each(${apiKeys.scopes}) AS own, json_each(${scopes}) AS wanted WHERE own.value = wanted.value)`;
  const total = sql`CASE ${apiKeys.livemode} WHEN 1 THEN ${byPlan((plan) => plan.credits)} ELSE ${byPlan((plan) => plan.testCredits)} END`;
  /** A fact of the account of a key. */
  const factOf = (fact: SQL, where: SQL | undefined) =>
    sql`${db
      .select({ fact: fact.as("fact") })
      .from(apiKeys)
      .innerJoin(accounts, eq(accounts.id, apiKeys.account))
      .where(where)}`;
  const id = rowOfKey(db, values);
  return {
    ...identifySteps(db, values),
    begin: db
      .insert(periods)
      .select(
        db
          .select({
            id: periodOfKey(values).as("id"),
            start: sql<Date>`${start}`.as("start"),
            used: sql<number>`0`.as("used"),
            warned: sql<number>`0`.as("warned"),
          })
          .from(apiKeys)
          .where(isValid(values)),
      )
      .onConflictDoNothing(),
    ...reserveSteps(db, {
      id,
      period: factOf(
        periodOfKey(values),
        and(isValid(values), or(isNull(rate), lte(accounts.minuteRequests, rate)), hasScope),
      ),
      operation,
      credits,
      limit: factOf(sql`${total} - ${highestPrice} * COALESCE(${rate}, 0)`, eq(apiKeys.hash, values.hash)),
      now: at,
    }),
    reserved: db
      .select({ id: ledger.id, used: periods.used, warned: periods.warned })
      .from(ledger)
      .innerJoin(periods, eq(periods.id, ledger.period))
      .where(eq(ledger.id, id)),
  };
});

/** The ID of the request's row in the ledger, as an expression: the account is not known yet. */
function rowOfKey(db: Database, { hash, requestId }: Pick<AdmitValues, "hash" | "requestId">): SQL {
  const id = sql`${apiKeys.account} || '/' || ${requestId}`.as("id");
  return sql`${db.select({ id }).from(apiKeys).where(eq(apiKeys.hash, hash))}`;
}
