import type { RequestKey } from "./idempotency.ts";
import type { Threshold } from "./thresholds.ts";
import type { Month } from "../accounts/periods.ts";
import type { PlanName } from "../accounts/plans.ts";

/** A request that needs credits. */
export interface Charge {
  readonly account: string;
  readonly livemode: boolean;
  readonly plan: PlanName;
  /** The ID of the request, which becomes part of the ledger row's. Random if it is not given. */
  readonly requestId?: string | undefined;
  /** The operation's name, as usage lists it. */
  readonly operation: string;
  readonly credits: number;
  /** Credits of the whole month, by the plan. */
  readonly limit: number;
  /** If the request has an Idempotency-Key. */
  readonly key?: RequestKey | undefined;
}

/** Credits reserved for one request, until it settles or releases them, or the sweep does. */
export interface Reservation {
  /** The ledger row. */
  readonly id: string;
  readonly period: string;
  readonly limit: number;
  readonly charge: Charge;
  readonly month: Month;
  /** Thresholds of the period that the reservation has passed and that no event has reported. */
  readonly thresholds: readonly Threshold[];
  /** What the request costs: 0 for the retry of a charged request. */
  readonly credits: number;
  readonly key?: RequestKey | undefined;
}
