import { and, eq, exists, lt, sql, type SQL } from "drizzle-orm";
import { type Month, periodId } from "../accounts/periods.ts";
import type { PlanName } from "../accounts/plans.ts";
import type { Database } from "../db/client.ts";
import { periods } from "../db/schema.ts";
import { type Announce, deliveriesOf, record } from "../events/outbox.ts";

/** Shares of a period's credits, in percent, of which an event tells once a period. */
const usageMarks = [80, 100] as const;

export type UsageMark = (typeof usageMarks)[number];

/** A period of an account, and what it may use in it. */
export interface Budget {
  readonly account: string;
  readonly livemode: boolean;
  readonly plan: PlanName;
  readonly limit: number;
  readonly month: Month;
}

/**
 * The marks that `used` credits have passed and that were not told of. A call that settles needs no others: while a mark
 * stays passed, one of the reservations that hold it so has seen it passed when it was made.
 */
export function passedMarks(period: { used: number; warned: number }, limit: number): UsageMark[] {
  return usageMarks.filter((mark) => period.warned < mark && period.used * 100 >= limit * mark);
}

/** Tells that a call was refused because it costs more than is left, if that is the first time in the period. */
export async function tellRefusal(
  db: Database,
  budget: Budget,
  { used, warned }: { readonly used: number; readonly warned: number },
  credits: number,
  now: Date,
  announce: Announce,
): Promise<void> {
  const [first, ...others] = tellMarks(
    db,
    budget,
    passedMarks({ used: used + credits - 1, warned }, budget.limit),
    now,
    credits,
  );
  if (first !== undefined) announce(deliveriesOf(await db.batch([first, ...others])));
}

/**
 * The statements that tell of marks, each once a period and only if it is passed where they stand in the batch. `asked`: the
 * credits of a call that was refused, which reaches the limit although a few may be left.
 */
export function tellMarks(db: Database, budget: Budget, marks: readonly UsageMark[], now: Date, asked = 1) {
  const { account, livemode, limit, month } = budget;
  const id = periodId(account, livemode, month);
  return marks.flatMap((mark) => {
    // More than the limit is one more than what reaches it.
    const passed = and(
      eq(periods.id, id),
      lt(periods.warned, mark),
      sql`(${periods.used} + ${asked - 1}) * 100 >= ${limit * mark}`,
    );
    const isPassed = exists(
      db
        .select({ one: sql`1` })
        .from(periods)
        .where(passed),
    );
    const type = mark === 80 ? "usage.warning_80" : "usage.limit_reached";
    return [
      ...record(db, { type, account, livemode, at: now, data: usageData(id, budget) }, isPassed),
      db.update(periods).set({ warned: mark }).where(passed),
    ];
  });
}

/** What the events tell, from the period's row as it then is. */
function usageData(id: string, { plan, limit, month, livemode }: Budget): SQL {
  const [start, end] = [month.start.toISOString(), month.end.toISOString()];
  return sql`(SELECT json_object('plan', ${plan}, 'limit', ${limit}, 'used', ${periods.used}, 'currentPeriodStart', ${start},
    'currentPeriodEnd', ${end}, 'livemode', json(${String(livemode)})) FROM ${periods} WHERE ${eq(periods.id, id)})`;
}
