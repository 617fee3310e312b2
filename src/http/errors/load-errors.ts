/** The errors of requests that memory, time, or the client ended, one function or class for each situation. */
import type { Outside } from "../../engines/lease/engines.ts";
import { ApiError, overloaded } from "./api-error.ts";

const busy = (problem: string): ApiError => overloaded(`${problem} Retry in a few seconds.`);

export const serviceBusy = (): ApiError => busy("The service is overloaded.");

export const memoryTaken = (): ApiError => busy("Other requests are using the memory.");

export const noProgress = (): ApiError => busy("The request made no progress for too long.");

const OUTSIDE: Readonly<Record<Outside, string>> = {
  services: "Too many requests are waiting for time-stamp services or issuers.",
  browser: "Too many documents are waiting for the browser.",
  office: "Too many documents are waiting for the office converter.",
};

export const tooManyOutside = (outside: Outside): ApiError => busy(OUTSIDE[outside]);

export const browserBusy = (): ApiError => busy("The browser is busy with other documents.");

/** The client sent nothing, or almost nothing, for too long. */
export class Stalled extends ApiError {
  constructor() {
    super("request_timeout");
  }
}

/** The client was slow, and other requests needed the memory it held. */
export class TooSlow extends ApiError {
  constructor() {
    super("request_timeout", "The files arrived too slowly, and other requests were waiting for the memory.");
  }
}

/**
 * The client disconnected before the response began. No client sees this error; it goes to the log and into `operation.failed`.
 */
export class ClientGone extends ApiError {
  constructor() {
    super("client_closed_request");
  }
}
