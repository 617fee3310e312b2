import { type PlanName, plans } from "./plans.ts";

/** One calendar month, UTC. */
export interface Month {
  readonly start: Date;
  /** The first instant of the next month. */
  readonly end: Date;
}

export function monthOf(now: Date): Month {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** The end of a period's ID; authentication appends it to an account that only the database knows. */
export function periodSuffix(livemode: boolean, { start }: Month): string {
  return `:${livemode ? "live" : "test"}:${start.toISOString().slice(0, 7)}`;
}

/** The ID of an account's period. */
export function periodId(account: string, livemode: boolean, month: Month): string {
  return account + periodSuffix(livemode, month);
}

/** The credits of a month. Test keys have a ledger of their own. */
export function creditLimit(plan: PlanName, livemode: boolean): number {
  return livemode ? plans[plan].credits : plans[plan].testCredits;
}
