/** Seconds from a failed attempt to the next, by how many have failed: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. */
export const retrySeconds: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

/** The share that is added to a wait at random, at most: what failed together does not come back together. */
const JITTER = 0.2;
/** Seconds that a receiver can put its next attempt off, at most; a queue's message cannot wait longer either. */
const LONGEST_WAIT = 86_400;

export interface Failure {
  /** How many attempts have failed, this one included. */
  readonly failures: number;
  readonly at: Date;
  /** The header of the response, if it had one. */
  readonly retryAfter: string | null;
  /** At random, from 0 to 1. */
  readonly random: number;
}

/**
 * When to try again; undefined where the schedule has come to its end. `Retry-After` (RFC 9110, section 10.2.3) makes a wait
 * longer, up to a day, never shorter.
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
  // An HTTP date begins with the day's name; Date.parse would take far more.
  const time = /^[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? 0 : Math.max(0, (time - now.getTime()) / 1_000);
}
