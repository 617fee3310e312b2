import { and, eq, exists, lt, sql, type SQL } from "drizzle-orm";
import { type Month, periodId } from "../accounts/periods.ts";
import type { PlanName } from "../accounts/plans.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { periods } from "../db/schema.ts";
import { deliveriesOf, emit, type Enqueue } from "../events/outbox.ts";

/** Percentages of a period's credits that an event reports once per period. */
const thresholds = [80, 100] as const;

export type Threshold = (typeof thresholds)[number];

/** A period of an account, and the credits it has. */
export interface Budget {
  readonly account: string;
  readonly livemode: boolean;
  readonly plan: PlanName;
  readonly limit: number;
  readonly month: Month;
}

/**
 * The thresholds that `used` credits have passed and that no event has reported. These are all that a request has to check when it settles:
 * while a threshold stays passed, at least one of the reservations that keep it so has seen it passed.
 */
export function passedThresholds(period: { used: number; warned: number }, limit: number): Threshold[] {
  return thresholds.filter((threshold) => period.warned < threshold && period.used * 100 >= limit * threshold);
}

/** Emits the events of a request that was refused because it costs more than is left, the first time in the period. */
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
 * The statements that emit the events of thresholds, each once per period and only if the threshold is passed at their place in the batch.
 * `asked`: the credits of a refused request, which reaches the limit although a few may be left.
 */
export function emitThresholds(db: Database, budget: Budget, passed: readonly Threshold[], now: Date, asked = 1) {
  const { account, livemode, limit, month } = budget;
  const id = periodId(account, livemode, month);
  return passed.map((threshold) => {
    // More than the limit is one more than what reaches it.
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

/** The data of the events, from the period's row as it then is. */
function usageData(id: string, { plan, limit, month, livemode }: Budget): SQL {
  const [start, end] = [month.start.toISOString(), month.end.toISOString()];
  return sql`(SELECT json_object('plan', ${plan}, 'limit', ${limit}, 'used', ${periods.used}, 'currentPeriodStart', ${start},
    'currentPeriodEnd', ${end}, 'livemode', json(${String(livemode)})) FROM ${periods} WHERE ${eq(periods.id, id)})`;
}
