import { MiB } from "../limits.ts";

export interface Plan {
  /** Credits per calendar month (UTC) for live keys, or `UNLIMITED`. */
  readonly credits: number;
  /** Credits per calendar month (UTC) for test keys, which have a separate ledger, or `UNLIMITED`. */
  readonly testCredits: number;
  /** `UNLIMITED`: the operator's `REQUESTS_PER_MINUTE`, if there is one. */
  readonly requestsPerMinute: number;
  /**
   * Largest request body, in bytes; a body without Content-Length counts as this size. Infinity: what fits into the memory of the server, which limits
   * the others too.
   */
  readonly maxBodyBytes: number;
  /** Largest file that can be uploaded, in bytes. */
  readonly largestFileBytes: number;
  /** Size of all files of a mode together, in bytes. */
  readonly storedBytes: number;
  /** Jobs of a mode that are not finished. */
  readonly liveJobs: number;
  /** Parts of the account's jobs that are worked on at once. */
  readonly jobLanes: number;
}

/**
 * More credits or requests than anybody can use: arithmetic and comparisons with it need no special case. Infinity would become null in JSON, which
 * jobs store and D1 sends. Responses have null or no header in its place (`shownLimit`).
 */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A limit, or the rest of it, as clients see it: null if there is none. */
export const shownLimit = (limit: number, value = limit): number | null => (limit === UNLIMITED ? null : value);

const files = (largestFileBytes: number) => ({ largestFileBytes, storedBytes: 10 * largestFileBytes });

export const plans = {
  free: {
    credits: 100,
    testCredits: 100,
    requestsPerMinute: 10,
    maxBodyBytes: 10 * MiB,
    ...files(25 * MiB),
    liveJobs: 2,
    jobLanes: 2,
  },
  starter: {
    credits: 2_000,
    testCredits: 1_000,
    requestsPerMinute: 60,
    maxBodyBytes: 25 * MiB,
    ...files(250 * MiB),
    liveJobs: 10,
    jobLanes: 5,
  },
  pro: {
    credits: 10_000,
    testCredits: 1_000,
    requestsPerMinute: 300,
    maxBodyBytes: Infinity,
    ...files(1_024 * MiB),
    liveJobs: 50,
    jobLanes: 20,
  },
  business: {
    credits: 50_000,
    testCredits: 1_000,
    requestsPerMinute: 600,
    maxBodyBytes: Infinity,
    ...files(2_048 * MiB),
    liveJobs: 200,
    jobLanes: 50,
  },
  enterprise: {
    credits: 1_000_000,
    testCredits: 1_000,
    requestsPerMinute: 3_000,
    maxBodyBytes: Infinity,
    ...files(5_120 * MiB),
    liveJobs: 1_000,
    jobLanes: 100,
  },
  /** For the operator's own server: usage is counted, and nothing is limited by it. */
  unlimited: {
    credits: UNLIMITED,
    testCredits: UNLIMITED,
    requestsPerMinute: UNLIMITED,
    maxBodyBytes: 32 * MiB,
    ...files(5_120 * MiB),
    liveJobs: 1_000,
    jobLanes: 100,
  },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof plans;

export const planNames = Object.keys(plans) as [PlanName, ...PlanName[]];

export function isPlanName(value: string): value is PlanName {
  return Object.hasOwn(plans, value);
}
