import type { Reservation } from "./reserve.ts";
import type { NewEvent } from "../events/outbox.ts";

/** What is known of a call when it ends, or begins to be answered. */
export interface CallEnd {
  readonly at: Date;
  /** Since the request arrived. */
  readonly durationMilliseconds: number;
  /** Of the request's body. */
  readonly inputBytes: number;
  /** Of the answer that were sent; null before the end of one that is streamed. */
  readonly outputBytes: number | null;
  /** Of the PDF in the answer. */
  readonly pageCount: number | null;
}

/** The end of a call that failed. */
export interface CallFailure extends CallEnd {
  /** HTTP's. */
  readonly status: number;
  /** The error's. */
  readonly code: string;
}

export function completedEvent({ id, charge, credits }: Reservation, { at, ...end }: CallEnd): NewEvent {
  const { account, livemode, operation } = charge;
  const data = { operation, requestId: requestOf(id), credits, livemode, ...end, status: 200, code: null } as const;
  return { type: "operation.completed", account, livemode, at, data };
}

/** `credits`: what the call cost all the same. */
export function failedEvent({ id, charge }: Reservation, { at, ...end }: CallFailure, credits = 0): NewEvent {
  const { account, livemode, operation } = charge;
  const data = { operation, requestId: requestOf(id), credits, livemode, ...end };
  return { type: "operation.failed", account, livemode, at, data };
}

/** The request's id, as the ledger row bears it. */
const requestOf = (ledgerId: string): string => ledgerId.slice(ledgerId.indexOf("/") + 1);
