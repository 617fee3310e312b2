import type { MessageSendRequest, Queue } from "@cloudflare/workers-types";
import { ofIsolate } from "../isolate.ts";

/**
 * `result`: the result of a job is to be sent to where its owner wants it. `parts`: in the database `shard`, there are parts to work on. Which one comes
 * next, the rows tell. `abandoned job`: a request failed while the database could not be reached, and the job that it may have created is to be
 * removed. `lost consumers`: the process with this name has died, or all have, so nobody works on the parts that they had.
 */
export type JobMessage =
  | { readonly kind: "parts"; readonly shard: number }
  | { readonly kind: "result"; readonly shard: number; readonly job: string }
  | { readonly kind: "abandoned job"; readonly shard: number; readonly job: string }
  | { readonly kind: "lost consumers"; readonly shard: number; readonly consumer?: string };

export type JobQueue = Pick<Queue<JobMessage>, "send" | "sendBatch">;

/** Cloudflare's limit for one `sendBatch`. */
const MESSAGES = 100;

/** Times that consumers were woken from this isolate. */
const wakeups = ofIsolate(() => 0);

export const wakeupsHere = (): number => wakeups.value;

/** Wakes as many consumers as there are parts that could be worked on at once. */
export async function wakeConsumers(queue: JobQueue, shard: number, parts: number): Promise<void> {
  const messages: MessageSendRequest<JobMessage>[] = Array.from({ length: Math.min(parts, MESSAGES) }, () => ({
    body: { kind: "parts", shard },
  }));
  wakeups.value += 1;
  if (messages.length > 0) await queue.sendBatch(messages);
}
