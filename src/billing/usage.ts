import { between, eq } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import { creditLimit, monthOf, periodId, periodPrefix } from "../accounts/periods.ts";
import { type PlanName, shownLimit } from "../accounts/plans.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { periodOperations, periods } from "../db/schema.ts";

/** An account's credits this month, in the mode of the caller's key. */
export interface Usage {
  readonly currentPeriodStart: Date;
  /** The first instant of the next period. */
  readonly currentPeriodEnd: Date;
  readonly plan: PlanName;
  /** Null if the plan has no limit. */
  readonly limit: number | null;
  /** Credits charged, plus those reserved for running requests. */
  readonly used: number;
  /** Null if the plan has no limit. */
  readonly remaining: number | null;
  /** Credits charged, by operation. */
  readonly perOperation: Readonly<Record<string, number>>;
  /** The months with usage, up to this one, oldest first. The sweep deletes old ones. */
  readonly months: readonly { readonly start: Date; readonly used: number }[];
}

export async function usageOf(db: Database, caller: Caller, now: Date): Promise<Usage> {
  const month = monthOf(now);
  const period = periodId(caller.account, caller.livemode, month);
  const {
    total: [total],
    operations,
    months,
  } = await batch(db, {
    total: db.select({ used: periods.used }).from(periods).where(eq(periods.id, period)),
    operations: db.select().from(periodOperations).where(eq(periodOperations.period, period)),
    months: db
      .select({ start: periods.start, used: periods.used })
      .from(periods)
      .where(between(periods.id, periodPrefix(caller.account, caller.livemode), period))
      .orderBy(periods.id),
  });
  const limit = creditLimit(caller.plan, caller.livemode);
  const used = total?.used ?? 0;
  return {
    currentPeriodStart: month.start,
    currentPeriodEnd: month.end,
    plan: caller.plan,
    limit: shownLimit(limit),
    used,
    // The account may have moved to a smaller plan within the month.
    remaining: shownLimit(limit, Math.max(0, limit - used)),
    months,
    perOperation: Object.fromEntries(
      operations.filter(({ credits }) => credits > 0).map(({ operation, credits }) => [operation, credits]),
    ),
  };
}
