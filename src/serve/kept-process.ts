/** Keeps a process of workerd running. Miniflare starts it again when it has died; this does when it no longer responds, or when that failed. */
import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { isWorkerd, killProcess, processesBelow } from "./processes.ts";
import type { RunningProcess } from "./runtime.ts";

/** How often its health is asked for, and how long a response may take, in ms. */
export const EVERY = 1_000;
export const PATIENCE = 4_000;
/** After how many failures in a row it is killed. A service that hangs is back after `EVERY + FAILURES * PATIENCE` and a start. */
export const FAILURES = 2;
/** After how long without a response it counts as late, in ms. */
const LATE = 500;
/** The pause between two connections by which its death is noticed, in ms. */
const RECONNECT = 50;
/** How long a start, which takes two seconds on a machine at rest, or an orderly end may take, in ms. */
const START = 60_000;
const END = 3_000;
/** How long Miniflare may take to start one that was killed, before everything is started again: it gives up if that fails once. */
const REVIVAL = 20_000;
/** The pause between two attempts to start it, in ms. */
const PAUSE = 1_000;

export interface KeptOptions<Running extends RunningProcess> {
  readonly name: string;
  /** Of the request that looks whether it responds. */
  readonly health: string;
  say(level: "info" | "error", message: string, more?: Readonly<Record<string, unknown>>): void;
  /** `attempt` counts from 1, and again once one has succeeded. */
  start(hooks: { readonly attempt: number; restarted(): Promise<void> }): Promise<Running>;
  /** Called when it listens, for the first time or again. `isFirst`: the first time of all. */
  up(url: URL, running: Running, isFirst: boolean): Promise<void>;
  /** Called when it has died or is ended, more than once perhaps. */
  down(): void;
  /** Called with whether it is late with its health, whenever that is known. */
  late(isLate: boolean): void;
  /** When it last responded to a client, in ms of `performance.now()`. One that is busy with many requests does not hang. */
  lastResponse(): number;
}

export class KeptProcess<Running extends RunningProcess> {
  readonly #options: KeptOptions<Running>;
  readonly #stopping = new AbortController();
  /** Emits `ready` when Miniflare has started a workerd that had died. */
  readonly #revivals = new EventEmitter<{ ready: [] }>();
  #running: Running | undefined;
  #address: URL | undefined;
  #isFirst = true;
  #attempt = 1;
  /** The restart that is under way. */
  #restart: Promise<void> | undefined;

  constructor(options: KeptOptions<Running>) {
    this.#options = options;
  }

  get running(): Running | undefined {
    return this.#running;
  }

  /** Rejects if the first start fails. */
  async start(): Promise<void> {
    await this.#start();
    void this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await within(END, Promise.resolve(this.#running?.flush?.())).catch(() => undefined);
    await this.#end();
  }

  /** Ends it, and starts another in its place. */
  replace(reason: string): Promise<void> {
    return this.#restarting(reason, async () => {
      await this.#end();
      await this.#start();
    });
  }

  async #start(): Promise<void> {
    const attempt = this.#attempt;
    this.#attempt += 1;
    const own: Running = await this.#options.start({
      attempt,
      restarted: async () => {
        if (this.#running !== own) return;
        if (this.#restart === undefined)
          this.#options.say("error", "restarted", { reason: "workerd had died", process: this.#options.name });
        await this.#ready(own);
        this.#revivals.emit("ready");
      },
    });
    this.#running = own;
    await this.#ready(own);
    this.#attempt = 1;
  }

  async #ready(of: Running): Promise<void> {
    const url = await within(START, of.address());
    if (this.#running !== of) return;
    this.#address = url;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    await this.#options.up(url, of, isFirst);
    this.#notice(url, of);
  }

  /** Notices at once when it dies, by a connection that its end closes. workerd also closes one that nothing is sent on, after a while. */
  #notice(url: URL, of: Running): void {
    if (this.#running !== of || this.#address !== url || this.#stopping.signal.aborted) return;
    let isRefused = false;
    const line = connect(Number(url.port), url.hostname);
    line.unref().resume();
    line.on("error", ({ code }: NodeJS.ErrnoException) => {
      isRefused = code === "ECONNREFUSED";
    });
    line.once("close", () => {
      if (this.#running !== of || this.#address !== url || this.#stopping.signal.aborted) return;
      if (isRefused) void this.#restarting("workerd has died", () => this.#revival());
      else setTimeout(() => this.#notice(url, of), RECONNECT).unref();
    });
  }

  /** Resolves when Miniflare has started one that had died: on a busy machine, later than it would be killed because it does not respond. */
  async #revival(): Promise<void> {
    await within(REVIVAL, once(this.#revivals, "ready"));
  }

  /** The processes that are this one: one, or two while one follows the other. */
  async #pids(): Promise<number[]> {
    const all = await processesBelow(process.pid);
    return all.filter((one) => isWorkerd(one) && one.name === this.#options.name).map(({ pid }) => pid);
  }

  async #end(): Promise<void> {
    const old = this.#running;
    this.#running = undefined;
    // Miniflare kills it as well, but not before it is ready. Processes that it started meanwhile end, too.
    const ended = old?.stop();
    await within(END, Promise.resolve(ended)).catch(() => undefined);
    for (const pid of await this.#pids()) killProcess(pid);
  }

  /** Kills workerd, for Miniflare to start it again. */
  async #revive(): Promise<void> {
    const pids = await this.#pids();
    if (this.#running === undefined || pids.length === 0) throw new Error("no workerd runs");
    const again = this.#revival();
    for (const pid of pids) killProcess(pid);
    await again;
  }

  #restarting(reason: string, first: () => Promise<void>): Promise<void> {
    this.#restart ??= this.#restartWith(reason, first).finally(() => {
      this.#restart = undefined;
    });
    return this.#restart;
  }

  async #restartWith(reason: string, first: () => Promise<void>): Promise<void> {
    const { name, say, down } = this.#options;
    this.#address = undefined;
    down();
    say("error", "restarting", { reason, process: name });
    for (let attempt = first; !this.#stopping.signal.aborted; attempt = () => this.#start()) {
      try {
        await attempt();
        say("info", "restarted", { process: name });
        return;
      } catch (error) {
        say("error", "restart failed", { reason: String(error), process: name });
        await this.#end();
        await wait(PAUSE);
      }
    }
  }

  /** Whether it responds. A negative result takes `PATIENCE`, in which Miniflare can start one that has died. */
  async #isHealthy(): Promise<boolean> {
    const { health, late, lastResponse } = this.#options;
    const asked = performance.now();
    const patience = wait(PATIENCE);
    const timer = setTimeout(() => late(true), LATE);
    try {
      const response = await fetch(new URL(health, this.#address), { signal: AbortSignal.timeout(PATIENCE) });
      await response.arrayBuffer();
      if (response.ok) {
        late(false);
        return true;
      }
    } catch {
      // It is away, or hangs.
    } finally {
      clearTimeout(timer);
    }
    await patience;
    return lastResponse() > asked;
  }

  async #watch(): Promise<void> {
    const { aborted } = { aborted: () => this.#stopping.signal.aborted };
    while (!aborted()) {
      await wait(EVERY);
      await this.#restart;
      let failures = 0;
      while (!aborted() && failures < FAILURES && !(await this.#isHealthy())) failures += 1;
      if (!aborted() && failures === FAILURES && this.#restart === undefined)
        await this.#restarting("workerd does not respond", () => this.#revive());
    }
  }
}

/** Rejects after so many ms. */
const within = <T>(milliseconds: number, promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    wait(milliseconds).then(() => {
      throw new Error(`nothing happened for ${milliseconds} ms`);
    }),
  ]);
