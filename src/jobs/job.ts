import { and, eq, inArray, type SQL } from "drizzle-orm";
import { AccountRefusal } from "../accounts/refusal.ts";
import type { Database } from "../db/client.ts";
import { jobParts, jobs, jobStates, type PageError } from "../db/schema.ts";
import type { JobView } from "../events/job-schema.ts";
import type { Enqueue } from "../events/outbox.ts";
import type { FileOwner, FileStore } from "../files/file.ts";

/* A job is a row, and its parts are rows until it has ended. The rows are the truth: a message of the queue only makes
   somebody look at them, and the sweep looks when no message came. Its files are stored files that nobody else sees. */

export type { Database };

export type JobRow = typeof jobs.$inferSelect;
export type PartRow = typeof jobParts.$inferSelect;

/** What the verbs of jobs need besides the database. */
export interface JobContext {
  readonly store: FileStore;
  /** Where clients reach the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Enqueues the deliveries of events. */
  readonly enqueue: Enqueue;
}

/** The states of a job that has not ended. */
const LIVE = ["queued", "running"] as const;

export const isLive = ({ state }: Pick<JobRow, "state">): boolean => state === "queued" || state === "running";

/** The conditions for live jobs, and for those that have ended. */
export const live: SQL = inArray(jobs.state, [...LIVE]);
export const over: SQL = inArray(
  jobs.state,
  jobStates.filter((state) => !isLive({ state })),
);

/** The jobs of an account in one of its modes. */
export const jobsOf = ({ account, livemode }: FileOwner): SQL | undefined =>
  and(eq(jobs.account, account), eq(jobs.livemode, livemode));

/** The row of a job. Throws `not_found` for one of another account or mode exactly as for one that never existed. */
export async function jobRow(db: Database, owner: FileOwner, id: string): Promise<JobRow> {
  const [row] = await db
    .select()
    .from(jobs)
    .where(and(eq(jobs.id, id), jobsOf(owner)));
  if (row === undefined) throw new AccountRefusal("not_found", "No such job.");
  return row;
}

/** The pages of a live job that have failed so far, in order. */
export async function failedPages(db: Database, job: string): Promise<PageError[]> {
  const rows = await db
    .select({ error: jobParts.error })
    .from(jobParts)
    .where(and(eq(jobParts.job, job), eq(jobParts.state, "failed")))
    .orderBy(jobParts.page);
  return rows.flatMap(({ error }) => error ?? []);
}

/** The number that the first page of a part has in the document. */
export const pageNumberOf = ({ pageNumbers }: Pick<JobRow, "pageNumbers">, { page }: Pick<PartRow, "page">): number =>
  pageNumbers?.[page] ?? page + 1;

/** What the pages that are done cost, in credits: one price for each started block of pages. */
export const costOf = ({ price, pricedPages }: Pick<JobRow, "price" | "pricedPages">, pages: number): number =>
  price * Math.ceil(pages / pricedPages);

/** A job as its owner sees it. `pageErrors`: those that are not in the row yet. */
export function viewOf(row: JobRow, baseUrl: string, now: Date, pageErrors: readonly PageError[] = []): JobView {
  const { result } = row;
  const isExpired = !isLive(row) && row.expiresAt <= now;
  const pageCount = result?.headers["X-Page-Count"];
  return {
    id: row.id,
    operation: row.operation,
    status: isExpired ? "expired" : row.state,
    livemode: row.livemode,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt.toISOString(),
    progress: { unit: "page", total: row.pagesTotal, done: row.pagesDone, failed: row.pagesFailed },
    credits: { reserved: costOf(row, row.pagesTotal), charged: row.charged },
    result:
      result === null || isExpired
        ? null
        : {
            url: `${baseUrl}/api/v1/jobs/${row.id}/result`,
            contentType: result.contentType,
            size: result.size,
            sha256: result.sha256,
            pageCount: pageCount === undefined ? null : Number(pageCount),
          },
    error: row.error === null ? null : shownError(row.error),
    pageErrors: [...(row.pageErrors ?? pageErrors)],
    delivery: row.delivery,
  };
}

const shownError = ({ code, message, details }: NonNullable<JobRow["error"]>) => ({
  code,
  message,
  ...(details && { details: { ...details } }),
});

/** Whose files the parts of a job read and write. */
export const ownerOf = ({ id, account, livemode }: Pick<JobRow, "id" | "account" | "livemode">): FileOwner => ({
  account,
  livemode,
  job: id,
});

/** The files of the parts that are done, in the order of their pages. */
export async function finishedFiles(db: Database, job: string): Promise<string[]> {
  const rows = await db
    .select({ file: jobParts.file })
    .from(jobParts)
    .where(and(eq(jobParts.job, job), eq(jobParts.state, "done")))
    .orderBy(jobParts.page);
  return rows.flatMap(({ file }) => file ?? []);
}
