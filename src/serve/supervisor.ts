/**
 * Runs the workers: one with the storage in its own process, or several beside a process that owns the storage. That one has no engines, so it never
 * computes for long, and a worker that hangs or dies costs only its own requests.
 *
 * Miniflare's `unsafeEnableSharedStorage` would share the storage of one process, too. But it elects the process whose file in a registry is the oldest
 * and not stale. After a restart of the storage, or ten seconds of sleep of the machine, that can be a worker with engines. Miniflare's own services for
 * D1 and R2 have no sockets, so workers cannot have them as `external` services. So the storage is a worker of our own with Cloudflare's bindings
 * (src/remote/state.ts), and the others call it over workerd's RPC.
 */
import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Broker } from "./broker.ts";
import type { Bundle } from "./bundle.ts";
import { type KeptOptions, KeptProcess } from "./kept-process.ts";
import type { Pool, Worker } from "./pool.ts";
import { isRunning, isWorkerd, killProcess, processesBelow } from "./processes.ts";
import {
  readBundle,
  type RunningProcess,
  type RunningWorker,
  startState,
  startWorker,
  type WorkerOptions,
} from "./runtime.ts";

/** How long the requests of a worker that is replaced may take, in ms. */
const DRAIN = 60_000;
const STATE = "state";

export interface SupervisorOptions {
  readonly data: string;
  readonly pool: Pool;
  readonly say: KeptOptions<RunningProcess>["say"];
}

type Settings = Pick<WorkerOptions, "app" | "variables" | "fonts" | "findBrowser" | "allowPrivate" | "log">;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #record: string;
  readonly #workers = new Map<Worker, KeptProcess<RunningWorker>>();
  #state: KeptProcess<RunningProcess> | undefined;
  #stateUrl: URL | undefined;
  #bundle!: Bundle;
  #broker: Broker | undefined;
  #recording: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#record = join(options.data, ".workerd.json");
  }

  /** Rejects if the first start of a process fails. */
  async start(settings: Settings): Promise<void> {
    await endRemains(this.#record);
    const { pool } = this.#options;
    const token = randomBytes(32).toString("hex");
    this.#bundle = await readBundle(settings.app);
    const areSeveral = pool.workers.length > 1;
    if (areSeveral) {
      this.#broker = new Broker({
        queues: this.#bundle.consumers,
        workers: () => pool.ready().length,
        deliver: (queue, messages) => this.#deliver(queue, messages),
        lost: (queue, reason) => this.#options.say("error", "delivery lost", { queue, reason: String(reason) }),
      });
      await this.#startState(settings, token);
    }
    await Promise.all(
      pool.workers.map((worker) => {
        const { log } = settings;
        const named: Settings["log"] = (level, message) => log(level, message, worker.name);
        return this.#startWorker(worker, areSeveral ? { ...settings, log: named } : settings, token);
      }),
    );
  }

  /** Lets work begin again that a server before this one had begun. To be called when the databases are up to date. */
  async recover(): Promise<void> {
    const worker = this.#options.pool.pick();
    const running = worker && this.#workers.get(worker)?.running;
    if (running !== undefined) await this.#replaceLost(running);
  }

  /** Runs the scheduled work in one worker. All of them give back the memory of idle engines. */
  async sweep(): Promise<void> {
    const worker = this.#options.pool.pick();
    try {
      await (worker && this.#workers.get(worker)?.running?.sweep());
      await Promise.all(Array.from(this.#workers.values(), (kept) => kept.running?.rest()));
    } catch (error) {
      this.#options.say("error", "sweep failed", { reason: String(error) });
    }
  }

  /** Starts another process in a worker's place, once the worker has ended its requests. The others work meanwhile. */
  async replace(worker: Worker, reason: string): Promise<void> {
    worker.url = undefined;
    for (const end = Date.now() + DRAIN; worker.atWork > 0 && Date.now() < end;) await wait(50);
    await this.#workers.get(worker)?.replace(reason);
  }

  async stop(): Promise<void> {
    this.#broker?.stop();
    await Promise.all(Array.from(this.#workers.values(), (kept) => kept.stop()));
    await this.#state?.stop();
    await this.#recording;
    await rm(this.#record, { force: true });
  }

  async #startState({ app, log }: Settings, token: string): Promise<void> {
    const { data, pool, say } = this.#options;
    const named: Settings["log"] = (level, message) => log(level, message, STATE);
    this.#state = new KeptProcess({
      name: STATE,
      health: "/",
      say,
      start: ({ attempt, restarted }) => {
        // At the port that the workers know, unless another program has taken it.
        const port = attempt === 1 ? Number(this.#stateUrl?.port ?? 0) : 0;
        return startState({ app, data, name: STATE, token, port, log: named, restarted });
      },
      up: async (url) => {
        await this.#recordProcesses();
        const isElsewhere = this.#stateUrl !== undefined && this.#stateUrl.port !== url.port;
        this.#stateUrl = url;
        pool.isOpen = true;
        if (isElsewhere) for (const kept of this.#workers.values()) void kept.replace("the storage has moved");
        this.#broker?.wake();
      },
      down: () => {
        pool.isOpen = false;
      },
      late: () => undefined,
      lastResponse: () => 0,
    });
    await this.#state.start();
  }

  async #startWorker(worker: Worker, settings: Settings, token: string): Promise<void> {
    const { data, say } = this.#options;
    const kept = new KeptProcess<RunningWorker>({
      name: worker.name,
      health: "/api/v1/health",
      say,
      start: ({ restarted }) => {
        const [state, broker] = [this.#stateUrl, this.#broker];
        const remote = state && broker && { state, token, broker };
        return startWorker({ ...settings, data, name: worker.name, remote, restarted });
      },
      up: async (url, running, isFirst) => {
        // No messages until the work of its predecessor is known to be lost, by the name that they share.
        worker.url = undefined;
        await this.#recordProcesses();
        if (!isFirst) await this.#replaceLost(running, worker.name);
        worker.isLate = false;
        worker.url = url;
        this.#broker?.wake();
      },
      down: () => {
        worker.url = undefined;
      },
      late: (isLate) => {
        worker.isLate = isLate;
      },
      lastResponse: () => worker.lastResponse,
    });
    this.#workers.set(worker, kept);
    await kept.start();
  }

  /** Lets other consumers have the parts of jobs that a lost worker had. Without a name: that all had. */
  async #replaceLost(running: RunningWorker, consumer?: string): Promise<void> {
    const { producers, databases } = this.#bundle;
    const sent = { timestamp: Date.now(), attempts: 1 };
    const messages = Object.keys(databases).map((_, shard) => ({
      ...sent,
      id: `lost-${shard}`,
      body: { kind: "lost consumers", shard, ...(consumer !== undefined && { consumer }) },
    }));
    try {
      await running.deliver(producers["JOBS"] ?? "", messages);
    } catch (error) {
      // The sweep finds them later.
      this.#options.say("error", "recovery failed", { consumer, reason: String(error) });
    }
  }

  async #deliver(queue: string, messages: Parameters<RunningWorker["deliver"]>[1]) {
    const worker = this.#options.pool.pick(({ consuming }) => !consuming.has(queue));
    const running = worker && this.#workers.get(worker)?.running;
    if (worker === undefined || running === undefined) throw new Error("no worker is ready");
    worker.consuming.add(queue);
    worker.atWork += 1;
    try {
      return await running.deliver(queue, messages);
    } finally {
      worker.atWork -= 1;
      worker.consuming.delete(queue);
    }
  }

  /** Writes down which processes the next start has to end if this server is killed. One after the other, each in one step. */
  #recordProcesses(): Promise<void> {
    this.#recording = this.#recording.then(async () => {
      const pids = (await processesBelow(process.pid)).filter(isWorkerd).map(({ pid }) => pid);
      await writeFile(`${this.#record}.new`, JSON.stringify(pids));
      await rename(`${this.#record}.new`, this.#record);
    });
    return this.#recording;
  }
}

/** Ends the processes of a server that was killed: two would write to the same databases. */
async function endRemains(record: string): Promise<void> {
  const text = await readFile(record, "utf8").catch(() => "[]");
  const pids = new Set((text.match(/\d+/g) ?? []).map(Number));
  for (const { pid } of (await processesBelow(0)).filter((one) => isWorkerd(one) && pids.has(one.pid))) {
    killProcess(pid);
    while (isRunning(pid)) await wait(20);
  }
}
