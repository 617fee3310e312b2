import type { Reservation } from "./reservation.ts";
import type { NewEvent } from "../events/outbox.ts";

/** The facts about a request when it ends, or when its response begins. */
export interface RequestEnd {
  readonly at: Date;
  /** Since the request arrived. */
  readonly durationMilliseconds: number;
  /** Bytes of the request body; null for a job. */
  readonly inputBytes: number | null;
  /** Bytes of the response sent so far; null before the end of a streamed one. */
  readonly outputBytes: number | null;
  /** Pages of the PDF in the response. */
  readonly pageCount: number | null;
}

/** The end of a request that failed. */
export interface RequestFailure extends RequestEnd {
  /** The HTTP status. */
  readonly status: number;
  /** The error code. */
  readonly code: string;
}

export type CompletedEvent = Extract<NewEvent, { readonly type: "operation.completed" }>;

export function completedEvent({ id, charge, credits }: Reservation, { at, ...end }: RequestEnd): CompletedEvent {
  const { account, livemode, operation, trace } = charge;
  const data = { operation, requestId: requestOf(id), credits, livemode, ...end, status: 200, code: null } as const;
  return { type: "operation.completed", account, livemode, at, data, trace };
}

/** `credits`: what the failed request was charged nevertheless. */
export function failedEvent({ id, charge }: Reservation, { at, ...end }: RequestFailure, credits = 0): NewEvent {
  const { account, livemode, operation, trace } = charge;
  const data = { operation, requestId: requestOf(id), credits, livemode, ...end };
  return { type: "operation.failed", account, livemode, at, data, trace };
}

/** The request ID, which is part of the ledger row's ID. */
const requestOf = (ledgerId: string): string => ledgerId.slice(ledgerId.indexOf("/") + 1);
