import { type ApiProblem, type ApiResponse, callJson, downloadResult, type Progress } from "./call.ts";
import { number } from "../parts/figures.ts";

export interface Job {
  readonly id: string;
  readonly operation: string;
  readonly status: "queued" | "running" | "succeeded" | "partial" | "failed" | "canceled" | "expired";
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly expiresAt: string;
  readonly progress: { readonly total: number; readonly done: number; readonly failed: number };
  readonly result: { readonly size: number } | null;
  readonly error: ApiProblem | null;
  readonly credits: { readonly reserved: number; readonly charged: number | null };
}

export const JOBS = "/api/v1/jobs";
/** Seconds that a request waits for the end of a job at most, before its progress is asked for again. */
const LONGEST_WAIT = 4;

export const isLive = ({ status }: Job): boolean => status === "queued" || status === "running";

/** `3 of 40 pages, 1 failed`. */
export function pagesOf({ progress: { total, done, failed } }: Job): string {
  const failures = failed > 0 ? `, ${number(failed)} failed` : "";
  return `${number(done)} of ${number(total)} ${total === 1 ? "page" : "pages"}${failures}`;
}

/** Waits for the end of a job and reports its progress. Throws an `ApiFailure`, or an `AbortError`, which does not cancel the job. */
export async function followJob(
  key: string,
  id: string,
  progressed: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Job> {
  for (let wait = 0; ; wait = Math.min(Math.max(1, 2 * wait), LONGEST_WAIT)) {
    const job = await callJson<Job>(key, "GET", `${JOBS}/${encodeURIComponent(id)}${wait > 0 ? `?wait=${wait}` : ""}`);
    signal.throwIfAborted();
    if (!isLive(job)) return job;
    const { total, done, failed } = job.progress;
    if (job.status === "queued") progressed({ phase: "queued", part: undefined });
    else progressed({ phase: "job", part: total > 0 ? (done + failed) / total : undefined, detail: pagesOf(job) });
  }
}

/** The result of a job that has ended. Throws an `Error` with the reason if there is none. */
export async function resultOf(
  key: string,
  job: Job,
  progressed: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<ApiResponse> {
  if (job.status === "canceled") throw new Error("The job was canceled.");
  if (job.status === "expired") throw new Error("The result of this job has been deleted.");
  if (job.error !== null) throw new Error(`The job failed with \`${job.error.code}\`: ${job.error.message}`);
  const milliseconds = Date.parse(job.finishedAt ?? "") - Date.parse(job.startedAt ?? job.createdAt);
  return downloadResult(key, `${JOBS}/${job.id}/result`, milliseconds, progressed, signal);
}
