/** The processes that compute, as the server in front of them and the queues choose among them. */

/** A worker as the pool knows it. */
export interface Worker {
  readonly name: string;
  /** Where it listens; undefined while it does not. */
  url: URL | undefined;
  /** Requests and batches of messages that it works on. */
  atWork: number;
  /** When it last responded to a client, in ms of `performance.now()`. */
  lastResponse: number;
  /** Whether it is late with a check of its health: it computes, or hangs. */
  isLate: boolean;
  /** The queues of which it consumes a batch. */
  readonly consuming: Set<string>;
}

export const newWorker = (name: string): Worker => ({
  name,
  url: undefined,
  atWork: 0,
  lastResponse: 0,
  isLate: false,
  consuming: new Set(),
});

export class Pool {
  readonly workers: readonly Worker[];
  /** Whether workers can work: they cannot while the storage is away. */
  isOpen = true;
  #next = 0;

  constructor(workers: readonly Worker[]) {
    this.workers = workers;
  }

  /** Those that can work. */
  ready(): readonly Worker[] {
    return this.isOpen ? this.workers.filter(({ url }) => url !== undefined) : [];
  }

  /** For each worker, whether it is ready. */
  states(): readonly ("ready" | "starting")[] {
    return this.workers.map(({ url }) => (this.isOpen && url !== undefined ? "ready" : "starting"));
  }

  /**
   * The worker with the least work, in turn among equals. One that is late with its health is chosen only if all are, so that it costs nobody but the
   * requests that it has. `isSuitable`: which workers may be chosen.
   */
  pick(isSuitable: (worker: Worker) => boolean = () => true): Worker | undefined {
    const { length } = this.workers;
    const turn = (worker: Worker): number => (this.workers.indexOf(worker) - this.#next + length) % length;
    const [best] = this.ready()
      .filter(isSuitable)
      .toSorted((a, b) => Number(a.isLate) - Number(b.isLate) || a.atWork - b.atWork || turn(a) - turn(b));
    if (best !== undefined) this.#next = (this.workers.indexOf(best) + 1) % length;
    return best;
  }
}
