/**
 * The queues of a service of several processes. They are kept in the memory of the server, so a message outlives the worker that it was delivered to.
 * As with any queue here, the rows in the database are the truth, and a message that is lost with the server is sent again by the sweep.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Bundle } from "./bundle.ts";

/** A message as a consumer receives it. */
export interface Delivered {
  readonly id: string;
  /** When it was sent, in ms. */
  readonly timestamp: number;
  readonly body: unknown;
  /** Counts from 1. */
  readonly attempts: number;
}

/** What a consumer did with a batch, as workerd reports it. */
export interface QueueOutcome {
  readonly outcome: string;
  readonly retryBatch: { readonly retry: boolean; readonly delaySeconds?: number };
  readonly retryMessages: readonly { readonly msgId: string; readonly delaySeconds?: number }[];
}

export interface BrokerOptions {
  readonly queues: Bundle["consumers"];
  /** How many workers consume. */
  workers(): number;
  /** Delivers a batch to a worker that consumes no other batch of this queue. Rejects if the worker was lost. */
  deliver(queue: string, messages: readonly Delivered[]): Promise<QueueOutcome>;
  /** Called with the reason when a delivery has rejected. Its messages are delivered again. */
  lost(queue: string, reason: unknown): void;
}

/** The pause after a batch whose worker was lost, in ms, so that nothing spins while all workers start. */
const PAUSE = 100;

interface QueueState {
  readonly waiting: Delivered[];
  atWork: number;
}

export class Broker {
  readonly #options: BrokerOptions;
  readonly #queues = new Map<string, QueueState>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  /** `delaySeconds`: how long a message waits before it is delivered. */
  send(queue: string, messages: readonly { readonly body: unknown; readonly delaySeconds?: number }[]): void {
    for (const { body, delaySeconds = 0 } of messages) {
      const id = randomBytes(16).toString("hex");
      this.#enqueue(queue, { id, timestamp: Date.now(), body, attempts: 1 }, delaySeconds * 1_000);
    }
    this.wake(queue);
  }

  /** Messages that wait to be delivered, without those that are delayed. */
  backlog(queue: string): number {
    return this.#queues.get(queue)?.waiting.length ?? 0;
  }

  /** Delivers what waits: to be called when another worker consumes. */
  wake(...queues: readonly string[]): void {
    for (const queue of queues.length > 0 ? queues : this.#queues.keys()) this.#flush(queue);
  }

  /** Delivers no more. */
  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #stateOf(queue: string): QueueState {
    const state = this.#queues.get(queue) ?? { waiting: [], atWork: 0 };
    this.#queues.set(queue, state);
    return state;
  }

  #enqueue(queue: string, message: Delivered, delay: number): void {
    if (delay <= 0) {
      this.#stateOf(queue).waiting.push(message);
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#enqueue(queue, message, 0);
      this.wake(queue);
    }, delay).unref();
    this.#timers.add(timer);
  }

  /**
   * Queues whose batches have one message carry work, which all workers do at once. The batches of the others are delivered one after the other, so that
   * messages arrive in their order.
   */
  #flush(queue: string): void {
    const consumer = this.#options.queues[queue];
    const state = this.#stateOf(queue);
    if (consumer === undefined) return;
    const workers = this.#options.workers();
    const width = consumer.maxBatchSize === 1 ? workers : Math.min(workers, 1);
    while (!this.#isStopped && state.waiting.length > 0 && state.atWork < width) {
      const batch = state.waiting.splice(0, consumer.maxBatchSize);
      state.atWork += 1;
      void this.#deliver(queue, batch).finally(() => {
        state.atWork -= 1;
        this.#flush(queue);
      });
    }
  }

  async #deliver(queue: string, batch: readonly Delivered[]): Promise<void> {
    let result: QueueOutcome;
    try {
      result = await this.#options.deliver(queue, batch);
    } catch (error) {
      this.#options.lost(queue, error);
      // Before those that were sent after them.
      this.#stateOf(queue).waiting.unshift(...batch.flatMap((message) => this.#again(queue, message) ?? []));
      await wait(PAUSE, undefined, { ref: false });
      return;
    }
    const delays = new Map(result.retryMessages.map(({ msgId, delaySeconds = 0 }) => [msgId, delaySeconds]));
    const isWhole = result.outcome !== "ok" || result.retryBatch.retry;
    for (const message of batch) {
      const delay = delays.get(message.id) ?? (isWhole ? (result.retryBatch.delaySeconds ?? 0) : undefined);
      if (delay !== undefined) this.#retry(queue, message, delay * 1_000);
    }
  }

  #retry(queue: string, message: Delivered, delay: number): void {
    const again = this.#again(queue, message);
    if (again !== undefined) this.#enqueue(queue, again, Math.max(delay, PAUSE));
  }

  /** The message of its next attempt. Undefined after the last one: then it is in the dead-letter queue, if there is one. */
  #again(queue: string, message: Delivered): Delivered | undefined {
    const { maxRetries, deadLetterQueue } = this.#options.queues[queue] ?? { maxRetries: 0 };
    if (message.attempts <= maxRetries) return { ...message, attempts: message.attempts + 1 };
    if (deadLetterQueue !== undefined) {
      this.#enqueue(deadLetterQueue, { ...message, attempts: 1 }, 0);
      this.wake(deadLetterQueue);
    }
    return undefined;
  }
}
