import { and, eq, exists, lt, sql, type SQL } from "drizzle-orm";
import { type Month, periodId } from "../accounts/periods.ts";
import type { PlanName } from "../accounts/plans.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { periods } from "../db/schema.ts";
import { deliveriesOf, emit, type Enqueue } from "../events/outbox.ts";

/** Percentages of a period's credits that are reported once per period. */
const thresholds = [80, 100] as const;

export type Threshold = (typeof thresholds)[number];

/** A period of an account, and its credits. */
export interface Budget {
  readonly account: string;
  readonly livemode: boolean;
  readonly plan: PlanName;
  readonly limit: number;
  readonly month: Month;
}

/**
 * The thresholds that `used` credits have crossed and that no event has reported. A request needs to check only these when it
 * settles: while a threshold stays crossed, at least one of the reservations that keep it so has seen it crossed.
 */
export function passedThresholds(period: { used: number; warned: number }, limit: number): Threshold[] {
  return thresholds.filter((threshold) => period.warned < threshold && period.used * 100 >= limit * threshold);
}

/** Emits the events of a request that was rejected because it costs more than is left, the first time in the period. */
export async function emitRefusal(
  db: Database,
  budget: Budget,
  { used, warned }: { readonly used: number; readonly warned: number },
  credits: number,
  now: Date,
  enqueue: Enqueue,
): Promise<void> {
  const passed = passedThresholds({ used: used + credits - 1, warned }, budget.limit);
  const results = await batch(db, { thresholds: emitThresholds(db, budget, passed, now, credits) });
  enqueue(deliveriesOf(...results.thresholds.map(({ event }) => event)));
}

/**
 * The statements that emit threshold events, each once per period and only if the threshold is crossed when they run in the
 * batch. `asked`: the credits of a rejected request, which counts as reaching the limit even if a few credits are left.
 */
export function emitThresholds(db: Database, budget: Budget, passed: readonly Threshold[], now: Date, asked = 1) {
  const { account, livemode, limit, month } = budget;
  const id = periodId(account, livemode, month);
  return passed.map((threshold) => {
    // With integers, `used + asked > limit` means that `used + asked - 1` reaches the limit.
    const isPassed = and(
      eq(periods.id, id),
      lt(periods.warned, threshold),
      sql`(${periods.used} + ${asked - 1}) * 100 >= ${limit * threshold}`,
    );
    const guard = exists(
      db
        .select({ one: sql`1` })
        .from(periods)
        .where(isPassed),
    );
    const type = threshold === 80 ? "usage.warning_80" : "usage.limit_reached";
    return {
      event: emit(db, { type, account, livemode, at: now, data: usageData(id, budget) }, guard),
      warned: db.update(periods).set({ warned: threshold }).where(isPassed),
    };
  });
}

/** The data of the events, read from the period's row when the statement runs. */
function usageData(id: string, { plan, limit, month, livemode }: Budget): SQL {
  const [start, end] = [month.start.toISOString(), month.end.toISOString()];
  return sql`(SELECT json_object('plan', ${plan}, 'limit', ${limit}, 'used', ${periods.used}, 'currentPeriodStart', ${start},
    'currentPeriodEnd', ${end}, 'livemode', json(${String(livemode)})) FROM ${periods} WHERE ${eq(periods.id, id)})`;
}
