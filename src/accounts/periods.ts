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

/** The end of a period's ID. Authentication appends it in SQL, where the account is not known yet. */
export function periodSuffix(livemode: boolean, { start }: Month): string {
  return `:${livemode ? "live" : "test"}:${start.toISOString().slice(0, 7)}`;
}

/** What the IDs of an account's periods begin with. They sort by month. */
export const periodPrefix = (account: string, livemode: boolean): string => `${account}:${livemode ? "live" : "test"}:`;

/** The ID of an account's period. */
export function periodId(account: string, livemode: boolean, month: Month): string {
  return account + periodSuffix(livemode, month);
}

/** The credits of a month. Test keys have a separate ledger. */
export function creditLimit(plan: PlanName, livemode: boolean): number {
  return livemode ? plans[plan].credits : plans[plan].testCredits;
}
