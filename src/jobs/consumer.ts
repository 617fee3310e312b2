import type { Message } from "@cloudflare/workers-types";
import type { SQL } from "drizzle-orm";
import { anyJob, type Claim, claimPart, jobOf, renewClaim, returnClaim, shortJobs } from "./claim.ts";
import { abandonJob } from "./create.ts";
import { dividePart, endJob, type Failure, failPage, finishPart, repeatPart } from "./finish.ts";
import { deliverResult, type ResultReceivers } from "./deliver-result.ts";
import type { JobContext } from "./job.ts";
import { type JobMessage, type JobQueue, wakeConsumers, wakeupsHere } from "./message.ts";
import { replaceLost } from "./sweep.ts";
import type { Database } from "../db/client.ts";
import type { JobResult } from "../db/schema.ts";
import type { Enqueue } from "../events/outbox.ts";
import { logFault, secondsAfterFault } from "../faults.ts";
import { removeFile } from "../files/remove.ts";
import { limits } from "../limits.ts";

/**
 * What became of a part. `busy`: it could not begin, because others hold the memory. `lost`: it failed when its job had ended, such as by a cancellation that
 * removed its files, or when another consumer had the part.
 */
export type PartOutcome =
  | { readonly kind: "part"; readonly file: string }
  | { readonly kind: "result"; readonly result: JobResult }
  | { readonly kind: "failed"; readonly failure: Failure; readonly page: number }
  | { readonly kind: "busy" }
  | { readonly kind: "lost" };

/** The consumer's dependencies. */
export interface JobConsumer extends Omit<JobContext, "enqueue"> {
  readonly queue: JobQueue;
  /** Where results may be sent, and when again. */
  readonly receivers: Omit<ResultReceivers, "store">;
  /** Keeps the invocation alive for work that it does not wait for. */
  waitUntil(work: Promise<void>): void;
  /** The name of this process, if it has one. */
  readonly name: string | undefined;
  /** Enqueues the deliveries of events in the database with this number. */
  enqueueOf(shard: number): Enqueue;
  /** The database with this number. Throws if there is none. */
  databaseOf(shard: number): Database;
  /**
   * Works on a part: on its pages, or on the result of the others'. Never throws for what the document or the engines do.
   * `signal` is aborted when the job has ended, or another consumer has the part. `parked` is called when the part waits for something outside, so
   * that another can be worked on.
   */
  work(db: Database, claim: Claim, signal: AbortSignal, parked: () => void): Promise<PartOutcome>;
}

/**
 * Works on parts one by one for a while, then sends a message to continue, so that no invocation becomes long. A duplicate or late message finds less to do.
 */
export async function consumeJobs(messages: readonly Message<JobMessage>[], consumer: JobConsumer): Promise<void> {
  for (const message of messages) {
    const { shard } = message.body;
    try {
      if (message.body.kind === "result") {
        // A receiver may take minutes, in which parts are worked on. The sweep finds a delivery that is lost with this process.
        consumer.waitUntil(sendResult(consumer, message.body));
        message.ack();
        continue;
      }
      if (message.body.kind === "lost consumers") {
        const lost = { queue: consumer.queue, ...message.body };
        await replaceLost(consumer.databaseOf(shard), contextOf(consumer, shard), lost, new Date());
        message.ack();
        continue;
      }
      if (message.body.kind === "abandoned job") await abandonJob(consumer.databaseOf(shard), message.body.job);
      const { goesOn, retryIn } = await besideShortJobs(consumer, shard, (parked) =>
        workForAWhile(consumer, shard, parked),
      );
      if (goesOn) await wakeConsumers(consumer.queue, shard, 1);
      if (retryIn === undefined) message.ack();
      else message.retry({ delaySeconds: retryIn });
    } catch (error) {
      logFault("job", { shard, attempts: message.attempts }, error);
      message.retry({ delaySeconds: secondsAfterFault(message.attempts) });
    }
  }
}

const contextOf = ({ store, baseUrl, enqueueOf }: JobConsumer, shard: number): JobContext => ({
  store,
  baseUrl,
  enqueue: enqueueOf(shard),
});

/** What became of a turn. */
interface Turn {
  /** Whether another part may be worked on now. */
  readonly goesOn: boolean;
  /** In how many seconds the part is to be tried again, if it is. */
  readonly retryIn?: number | undefined;
  /** The job whose result is due. */
  readonly result?: string | undefined;
}

/** `parked`: called when a part waits for something outside, after which it is the last one here. */
async function workForAWhile(consumer: JobConsumer, shard: number, parked: () => void, jobs = anyJob): Promise<Turn> {
  const until = Date.now() + limits.jobs.turnMilliseconds;
  let turn: Turn = { goesOn: true };
  let retryIn: number | undefined;
  const turns = { areOver: false };
  const replaced = (): void => {
    turns.areOver = true;
    parked();
  };
  while (turn.goesOn && !turns.areOver && Date.now() < until) {
    turn = await workOnce(consumer, shard, replaced, jobs, turn.result);
    retryIn ??= turn.retryIn;
  }
  return { goesOn: turn.goesOn, retryIn };
}

/**
 * Does the work of a message, and in parallel that of short jobs created in this isolate. Recognizing two pages takes seconds, and with a single
 * consumer, as in `wrangler dev`, a job of one page would wait that long. Short jobs run one by one, like requests, and others may run while one
 * waits for another service. Long jobs wait for the next message, because two of their parts would leave no room for requests.
 */
async function besideShortJobs(
  consumer: JobConsumer,
  shard: number,
  work: (parked: () => void) => Promise<Turn>,
): Promise<Turn> {
  const until = Date.now() + limits.jobs.turnMilliseconds;
  let seen = wakeupsHere();
  let retryIn: number | undefined;
  const running = new Set<Promise<void>>();
  /** Whether no short job is worked on, but for those that wait. */
  let isIdle = true;
  /** Jobs that were there before are due now, too. */
  const lookAgain = (): void => void (seen = -1);
  const workOnShort = async (): Promise<void> => {
    let isWaiting = false;
    const parked = (): void => {
      isWaiting = isIdle = true;
      lookAgain();
    };
    try {
      ({ retryIn = retryIn } = await workForAWhile(consumer, shard, parked, shortJobs));
    } catch (error) {
      logFault("short job", { shard }, error);
      retryIn = secondsAfterFault(1);
    }
    isIdle ||= !isWaiting;
  };
  const look = (): void => {
    const isFull = running.size > limits.admission.parkedPerAccount || Date.now() > until;
    if (!isIdle || isFull || seen === wakeupsHere()) return;
    seen = wakeupsHere();
    isIdle = false;
    const short = workOnShort().finally(() => running.delete(short));
    running.add(short);
  };
  const timer = setInterval(look, limits.jobs.shortMilliseconds);
  let turn: Turn;
  try {
    turn = await work(lookAgain);
  } finally {
    while (running.size > 0) await Promise.all(running);
    clearInterval(timer);
  }
  return { goesOn: turn.goesOn, retryIn: turn.retryIn ?? retryIn };
}

/** `result`: the job whose result is made next, so that the job ends and its files are removed. */
async function workOnce(
  consumer: JobConsumer,
  shard: number,
  parked: () => void,
  jobs: SQL,
  result?: string,
): Promise<Turn> {
  const db = consumer.databaseOf(shard);
  const context = contextOf(consumer, shard);
  const claim = await claimPart(db, new Date(), result === undefined ? jobs : jobOf(result), consumer.name);
  if (claim === undefined) return { goesOn: result !== undefined };
  const outcome = await renewing(db, claim, (signal) => consumer.work(db, claim, signal, parked));
  if (outcome.kind === "busy") {
    await returnClaim(db, claim, new Date());
    return { goesOn: false, retryIn: limits.admission.retryAfterSeconds };
  }
  if (outcome.kind === "lost") return { goesOn: true };
  return {
    goesOn: true,
    ...(await record(db, context, claim, outcome, () => announce(consumer, shard, claim.job.id))),
  };
}

/** Does the work and keeps the lease of the part meanwhile. The signal is aborted when the lease is lost. */
async function renewing(
  db: Database,
  claim: Claim,
  work: (signal: AbortSignal) => Promise<PartOutcome>,
): Promise<PartOutcome> {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    // A database that fails once is asked again before the lease ends.
    const isMine = await renewClaim(db, claim, new Date()).catch(() => true);
    if (!isMine) lost.abort();
  };
  const timer = setInterval(() => void renew(), limits.jobs.renewMilliseconds);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
  }
}

/** Sends the result of a job to where its owner wants it, and a message for the next attempt. Never throws. */
async function sendResult(
  { queue, store, receivers, databaseOf }: JobConsumer,
  message: Extract<JobMessage, { kind: "result" }>,
): Promise<void> {
  const { shard, job } = message;
  try {
    const delaySeconds = await deliverResult(databaseOf(shard), job, { ...receivers, store }, new Date());
    if (delaySeconds !== undefined) await queue.send(message, { delaySeconds });
  } catch (error) {
    logFault("result", { shard, job }, error);
  }
}

/** Sends a message for a result that is to be sent on. If that fails, the sweep does. */
async function announce({ queue }: JobConsumer, shard: number, job: string): Promise<void> {
  await queue.send({ kind: "result", shard, job }).catch((error: unknown) => logFault("result", { job }, error));
}

/** Records what became of a part. */
async function record(
  db: Database,
  context: JobContext,
  claim: Claim,
  outcome: Exclude<PartOutcome, { kind: "busy" | "lost" }>,
  deliver: () => Promise<void>,
): Promise<Omit<Turn, "goesOn">> {
  const now = new Date();
  if (outcome.kind === "failed") return recordFailure(db, context, claim, outcome, now);
  if (outcome.kind === "part") {
    const { isMine, isLast } = await finishPart(db, claim, outcome.file, now);
    if (!isMine) await removeFile(db, context.store, outcome.file);
    return isLast ? { result: claim.job.id } : {};
  }
  const { id, pagesFailed } = claim.job;
  const { result } = outcome;
  const ended = await endJob(db, context, id, { state: pagesFailed > 0 ? "partial" : "succeeded", result }, now, claim);
  if (ended === undefined) await removeFile(db, context.store, result.file);
  else if (ended.delivery !== null) await deliver();
  return {};
}

/** A failure of the service is retried later. Then only the page at fault fails, and the job with it if `onPageError` is `fail`. */
async function recordFailure(
  db: Database,
  context: JobContext,
  claim: Claim,
  { failure, page }: Extract<PartOutcome, { kind: "failed" }>,
  now: Date,
): Promise<Omit<Turn, "goesOn">> {
  const { job, part } = claim;
  const isFinal = failure.status < 500 || part.attempts >= limits.jobs.attempts;
  const { code, message } = failure;
  if (part.pages > 1) await dividePart(db, claim, now);
  else if (!isFinal) {
    const seconds = secondsAfterFault(part.attempts);
    await repeatPart(db, claim, new Date(now.getTime() + seconds * 1_000));
    return { retryIn: seconds };
  } else if (part.pages === 1 && job.onPageError === "continue") {
    const { isLast } = await failPage(db, claim, { page, code, message }, now);
    if (isLast) return { result: job.id };
  } else {
    const ofPage = part.pages === 1 ? { ...failure, details: { ...failure.details, page } } : failure;
    await endJob(db, context, job.id, { state: "failed", failure: ofPage }, now, claim);
  }
  return {};
}
