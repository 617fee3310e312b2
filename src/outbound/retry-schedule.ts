/** Seconds from a failed attempt to the next, by number of failures: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. */
export const retrySeconds: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

/** Maximum random share added to a wait, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** Maximum seconds by which a receiver can postpone the next attempt, and the maximum delay of a queue message. */
const LONGEST_WAIT = 86_400;

export interface Failure {
  /** Number of failed attempts, including this one. */
  readonly failures: number;
  readonly at: Date;
  /** The response header, if any. */
  readonly retryAfter: string | null;
  /** A random number from 0 to 1. */
  readonly random: number;
}

/**
 * When to try again; undefined at the end of the schedule. `Retry-After` (RFC 9110, section 10.2.3) can lengthen a wait, up to
 * a day, but never shorten it.
 */
export function nextAttempt(
  { failures, at, retryAfter, random }: Failure,
  schedule: readonly number[],
): Date | undefined {
  const seconds = schedule[failures - 1];
  if (seconds === undefined) return undefined;
  const asked = Math.min(retryAfterSeconds(retryAfter, at), LONGEST_WAIT);
  return new Date(at.getTime() + Math.ceil(Math.max(seconds * (1 + JITTER * random), asked) * 1_000));
}

function retryAfterSeconds(header: string | null, now: Date): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return Number(header);
  // An HTTP date begins with the day's name; Date.parse would accept much more.
  const time = /^[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? 0 : Math.max(0, (time - now.getTime()) / 1_000);
}
