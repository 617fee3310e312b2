import type { MessageSendRequest, Queue } from "@cloudflare/workers-types";

/**
 * The queue's message: in this database, there are parts to work on. Which one comes next, the rows tell. Or a request failed
 * while the database could not be reached, and the job that it may have created is to be removed.
 */
export interface JobMessage {
  /** The number of the database. */
  readonly shard: number;
  /** The ID of the job to remove. */
  readonly abandoned?: string;
}

export type JobQueue = Pick<Queue<JobMessage>, "send" | "sendBatch">;

/** Cloudflare's limit for one `sendBatch`. */
const MESSAGES = 100;

/** Times that consumers were woken from this isolate. */
let wakeups = 0;

export const wakeupsHere = (): number => wakeups;

/** Wakes as many consumers as there are parts that could be worked on at once. */
export async function wakeConsumers(queue: JobQueue, shard: number, parts: number): Promise<void> {
  const messages: MessageSendRequest<JobMessage>[] = Array.from({ length: Math.min(parts, MESSAGES) }, () => ({
    body: { shard },
  }));
  wakeups += 1;
  if (messages.length > 0) await queue.sendBatch(messages);
}
