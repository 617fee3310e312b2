/** The errors of keys, rates, and credits, one function for each situation. */
import { count } from "../../engines/errors.ts";
import { ApiError } from "./api-error.ts";

// unauthenticated, forbidden

const REJECTIONS = {
  missing: "Missing API key. Send it in the header `Authorization: Bearer sk_live_...`.",
  bad: "Invalid API key.",
  revoked: "This API key has been revoked.",
  expired: "This API key has expired.",
} as const;

export const unauthenticated = (reason: keyof typeof REJECTIONS): ApiError =>
  new ApiError("unauthenticated", REJECTIONS[reason], { headers: { "WWW-Authenticate": "Bearer" } });

/** `scopes`: one of them would do. */
export const lacksScope = (scopes: readonly [string, ...string[]]): ApiError =>
  new ApiError("forbidden", `This API key lacks the ${scopes.map((scope) => `\`${scope}\``).join(" or ")} scope.`, {
    details: { requiredScope: scopes[0] },
  });

// rate_limit_exceeded

const tooFast = (message: string, seconds: number): ApiError =>
  new ApiError("rate_limit_exceeded", message, { headers: { "Retry-After": String(seconds) } });

/** `seconds`: until the account may send again. */
export const overRate = (plan: string, perMinute: number, seconds: number): ApiError =>
  tooFast(`Your plan (${plan}) allows ${perMinute} requests per minute. Retry in ${seconds} seconds.`, seconds);

export const tooManyInvalidKeys = (seconds: number): ApiError =>
  tooFast("Too many invalid API keys from this address. Retry in a minute.", seconds);

export const tooManyRequests = (seconds: number): ApiError => tooFast("Too many requests. Retry in a minute.", seconds);

// quota_exceeded

/** `credits`: what the request costs. `end`: of the period. */
export function outOfCredits(
  credits: number,
  { limit, used, end }: { readonly limit: number; readonly used: number; readonly end: Date },
  now: Date,
): ApiError {
  const remaining = Math.max(0, limit - used);
  const cost = credits === 1 ? "1 credit" : `${credits} credits`;
  const left = `you have ${count(remaining)} of ${count(limit)} left`;
  const reset = end.toLocaleString("en-US", { month: "long", day: "numeric", timeZone: "UTC" });
  const message = `This request costs ${cost}; ${left}. Credits reset on ${reset}, 00:00 UTC.`;
  return new ApiError("quota_exceeded", message, {
    details: { limit, used, remaining, resetAt: end.toISOString() },
    headers: { "Retry-After": String(Math.ceil((end.getTime() - now.getTime()) / 1_000)) },
  });
}

// Idempotency-Key

export const keyReused = (): ApiError => new ApiError("idempotency_key_reused");

export const keyInUse = (): ApiError => new ApiError("idempotency_conflict");
