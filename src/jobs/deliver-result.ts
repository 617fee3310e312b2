import type { MessageSendRequest } from "@cloudflare/workers-types";
import { and, eq, lte } from "drizzle-orm";
import { type JobRow, ownerOf } from "./job.ts";
import type { JobMessage, JobQueue } from "./message.ts";
import { unseal } from "../accounts/sealed-secret.ts";
import { base64 } from "../bytes/base64.ts";
import { writeAll } from "../bytes/write-all.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { type JobDelivery, type JobResult, jobDeliveries, jobs } from "../db/schema.ts";
import { logFault } from "../faults.ts";
import type { FileStore } from "../files/file.ts";
import { openFile } from "../files/read.ts";
import { limits } from "../limits.ts";
import { type Attempt, attempt, hasSucceeded, notAttempted } from "../outbound/attempt.ts";
import { nextAttempt } from "../outbound/retry-schedule.ts";
import type { UrlPolicy } from "../public-url.ts";

/** What sending results needs. */
export interface ResultReceivers {
  readonly store: FileStore;
  /** The URLs that results are sent to. */
  readonly endpoints: UrlPolicy;
  /** Seconds between attempts, as for webhooks. */
  readonly retrySeconds: readonly number[];
}

/** Deliveries per sweep. */
const ROWS = 200;

/** Sends the result of a job with PUT, if that is due. Returns in how many seconds to try again, if it failed and has tries left. */
export async function deliverResult(
  db: Database,
  id: string,
  receivers: ResultReceivers,
  now: Date,
): Promise<number | undefined> {
  const lost = new Date(now.getTime() + 2 * limits.jobs.deliveryMilliseconds);
  const due = and(eq(jobDeliveries.job, id), lte(jobDeliveries.dueAt, now));
  const [delivery] = await db
    .select({ url: jobDeliveries.url, attempts: jobDeliveries.attempts, job: jobs })
    .from(jobDeliveries)
    .innerJoin(jobs, eq(jobs.id, jobDeliveries.job))
    .where(due);
  if (delivery === undefined) return undefined;
  const attempts = delivery.attempts + 1;
  const begun = await db
    .update(jobDeliveries)
    .set({ attempts, dueAt: lost })
    .where(due)
    .returning({ job: jobDeliveries.job });
  // Somebody else was faster.
  if (begun.length === 0) return undefined;
  const made = await send(db, delivery, receivers);
  const { status: httpStatus, error, retryAfter } = made;
  const at = new Date();
  const schedule = receivers.retrySeconds.slice(0, limits.jobs.deliveryAttempts - 1);
  const next = hasSucceeded(made)
    ? undefined
    : nextAttempt({ failures: attempts, at, retryAfter, random: Math.random() }, schedule);
  const outcome: JobDelivery = {
    status: hasSucceeded(made) ? "succeeded" : next === undefined ? "failed" : "pending",
    attempts,
    httpStatus,
    error,
  };
  const mine = and(eq(jobDeliveries.job, id), eq(jobDeliveries.attempts, attempts));
  await batch(db, {
    job: db.update(jobs).set({ delivery: outcome }).where(eq(jobs.id, id)),
    delivery:
      next === undefined
        ? db.delete(jobDeliveries).where(mine)
        : db.update(jobDeliveries).set({ dueAt: next }).where(mine),
  });
  return next && Math.max(1, Math.ceil((next.getTime() - at.getTime()) / 1_000));
}

async function send(
  db: Database,
  { url, job }: { readonly url: string; readonly job: JobRow },
  { store, endpoints }: ResultReceivers,
): Promise<Attempt> {
  const now = new Date();
  const target = await unseal(store.serverSecrets, "delivery URLs", job.id, url);
  if (target === undefined) return notAttempted("secret_unreadable", now);
  const { result } = job;
  if (result === null || job.expiresAt <= now) return notAttempted("expired", now);
  const { file, source } = await openFile(db, store, ownerOf(job), result.file, now);
  const { readable, writable } = new FixedLengthStream(file.size);
  const writing = writeAll(source.stream(0, file.size), writable).catch((error: unknown) => {
    logFault("result not sent", { id: job.id }, error);
  });
  const made = await attempt(
    new TextDecoder().decode(target),
    { method: "PUT", headers: headersOf(result), body: readable },
    endpoints,
    limits.jobs.deliveryMilliseconds,
  );
  // A receiver that responds early leaves the rest unread.
  await readable.cancel().catch(() => {});
  await writing;
  return made;
}

/** RFC 9530 has the digest in base64. */
function headersOf({ contentType, sha256 }: JobResult): Record<string, string> {
  const digest = base64(Uint8Array.from(sha256.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
  return {
    "Content-Type": contentType,
    "Content-Digest": `sha-256=:${digest}:`,
  };
}

/** Sends messages for results that are due and whose messages were lost. Returns how many. */
export async function wakeDeliveries(db: Database, queue: JobQueue, shard: number, now: Date): Promise<number> {
  const late = new Date(now.getTime() - limits.jobs.lateMilliseconds);
  const rows = await db
    .select({ job: jobDeliveries.job })
    .from(jobDeliveries)
    .where(lte(jobDeliveries.dueAt, late))
    .limit(ROWS);
  const messages = rows.map(({ job }): MessageSendRequest<JobMessage> => ({ body: { kind: "result", shard, job } }));
  for (let at = 0; at < messages.length; at += MESSAGES) await queue.sendBatch(messages.slice(at, at + MESSAGES));
  return rows.length;
}

/** Cloudflare's limit for one `sendBatch`. */
const MESSAGES = 100;
