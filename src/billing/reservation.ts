import type { RequestKey } from "./idempotency.ts";
import type { Threshold } from "./thresholds.ts";
import type { Month } from "../accounts/periods.ts";
import type { PlanName } from "../accounts/plans.ts";

/** A request that needs credits. */
export interface Charge {
  readonly account: string;
  readonly livemode: boolean;
  readonly plan: PlanName;
  /** The ID of the request, which becomes part of the ledger row's ID. Default: random. */
  readonly requestId?: string | undefined;
  /** The `traceparent` of its job and events. */
  readonly trace?: string | undefined;
  /** The operation's name, as listed in usage. */
  readonly operation: string;
  readonly credits: number;
  /** The month's total credits, by plan. */
  readonly limit: number;
  /** Set if the request has an Idempotency-Key. */
  readonly key?: RequestKey | undefined;
}

/** Credits reserved for one request, until they are settled or released, by the request or by the sweep. */
export interface Reservation {
  /** The ledger row. */
  readonly id: string;
  readonly period: string;
  readonly limit: number;
  readonly charge: Charge;
  readonly month: Month;
  /** Thresholds of the period that the reservation has crossed and that no event has reported. */
  readonly thresholds: readonly Threshold[];
  /** What the request costs: 0 for the retry of a charged request. */
  readonly credits: number;
  /** The account's credits right after the reservation. */
  readonly remaining: number;
  readonly key?: RequestKey | undefined;
}

/** A reservation that was stored as JSON, which has no dates. */
export function storedReservation(value: unknown): Reservation {
  const stored = value as Omit<Reservation, "month"> & {
    readonly month: { readonly start: string; readonly end: string };
  };
  const { start, end } = stored.month;
  return { ...stored, month: { start: new Date(start), end: new Date(end) } };
}
