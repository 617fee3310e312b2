/** Keeps workerd running. Miniflare starts it again when it has died; this does when it no longer responds, or when that failed. */
import { EventEmitter, once } from "node:events";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isRunning, killProcess, processesBelow } from "./processes.ts";
import { type Runtime, type RuntimeOptions, startRuntime } from "./runtime.ts";

/** How often its health is asked for, and how long a response may take, in ms. */
export const EVERY = 1_000;
export const PATIENCE = 4_000;
/** After how many failures in a row it is killed. A service that hangs is back after `EVERY + FAILURES * PATIENCE` and a start. */
export const FAILURES = 2;
/** How long a start, which takes two seconds on a machine at rest, or an orderly end may take, in ms. */
const START = 60_000;
const END = 3_000;
/** How long Miniflare may take to start one that was killed, before everything is started again: it gives up if that fails once. */
const REVIVAL = 20_000;
/** The pause between two attempts to start it, in ms. */
const PAUSE = 1_000;

export interface SuperviseOptions {
  say(level: "info" | "error", message: string, more?: Readonly<Record<string, unknown>>): void;
  /** Receives the address for requests; undefined during a restart. */
  use(url: URL | undefined): void;
  /** When it last responded to a client, in ms of `performance.now()`. One that is busy with many requests does not hang. */
  lastResponse(): number;
}

export interface Supervisor {
  /** Rejects if the first start fails. */
  start(runtime: Omit<RuntimeOptions, "restarted">): Promise<void>;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function supervise(data: string, { say, use, lastResponse }: SuperviseOptions): Supervisor {
  const record = join(data, ".workerd.json");
  let options: Omit<RuntimeOptions, "restarted">;
  let runtime: Runtime | undefined;
  let address: URL | undefined;
  const stopping = new AbortController();
  /** Emits `ready` when Miniflare has started a workerd that had died. */
  const revivals = new EventEmitter<{ ready: [] }>();

  const ready = async (of: Runtime): Promise<void> => {
    const url = await within(START, of.address());
    const pids = await workerds();
    // In one step, so that it is never half written.
    await writeFile(`${record}.new`, JSON.stringify(pids));
    await rename(`${record}.new`, record);
    if (runtime !== of) return;
    address = url;
    use(url);
  };

  const start = async (): Promise<void> => {
    await endRemains(record);
    const own: Runtime = await startRuntime({
      ...options,
      restarted: async () => {
        if (runtime !== own) return;
        say("error", "restarted", { reason: "workerd had died" });
        await ready(own);
        revivals.emit("ready");
      },
    });
    runtime = own;
    await ready(own);
  };

  const end = async (): Promise<void> => {
    const old = runtime;
    runtime = undefined;
    // Miniflare kills it as well, but not before it is ready. Processes that it started meanwhile end, too.
    const ended = old?.stop();
    await within(END, Promise.resolve(ended)).catch(() => undefined);
    for (const pid of await workerds()) killProcess(pid);
  };

  /** Kills workerd, for Miniflare to start it again. */
  const revive = async (): Promise<void> => {
    const pids = await workerds();
    if (runtime === undefined || pids.length === 0) throw new Error("no workerd runs");
    const again = once(revivals, "ready");
    for (const pid of pids) killProcess(pid);
    await within(REVIVAL, again);
  };

  const restart = async (reason: string): Promise<void> => {
    address = undefined;
    use(undefined);
    say("error", "restarting", { reason });
    for (let attempt = revive; !stopping.signal.aborted; attempt = start) {
      try {
        await attempt();
        say("info", "restarted");
        return;
      } catch (error) {
        say("error", "restart failed", { reason: String(error) });
        await end();
        await wait(PAUSE);
      }
    }
  };

  /** Whether it responds. A negative result takes `PATIENCE`, in which Miniflare can start one that has died. */
  const isHealthy = async (): Promise<boolean> => {
    const asked = performance.now();
    const patience = wait(PATIENCE);
    try {
      const response = await fetch(new URL("/api/v1/health", address), { signal: AbortSignal.timeout(PATIENCE) });
      await response.arrayBuffer();
      if (response.ok) return true;
    } catch {
      // It is away, or hangs.
    }
    await patience;
    return lastResponse() > asked;
  };

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await wait(EVERY);
      let failures = 0;
      while (!stopping.signal.aborted && failures < FAILURES && !(await isHealthy())) failures += 1;
      if (!stopping.signal.aborted && failures === FAILURES) await restart("workerd does not respond");
    }
  };

  return {
    start: async (given) => {
      options = given;
      await start();
      void watch();
    },
    sweep: async () => {
      try {
        await runtime?.sweep();
      } catch (error) {
        say("error", "sweep failed", { reason: String(error) });
      }
    },
    stop: async () => {
      stopping.abort();
      await end();
      await rm(record, { force: true });
    },
  };
}

/** Rejects after so many ms. */
const within = <T>(milliseconds: number, promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    wait(milliseconds).then(() => {
      throw new Error(`nothing happened for ${milliseconds} ms`);
    }),
  ]);

const isWorkerd = ({ command }: { readonly command: string }): boolean => /workerd(?:\.exe)?\s+serve\b/.test(command);

/** Those that this process has started. */
const workerds = async (): Promise<number[]> =>
  (await processesBelow(process.pid)).filter(isWorkerd).map(({ pid }) => pid);

/** Ends the workerd of a server that was killed: two would write to the same databases. */
async function endRemains(record: string): Promise<void> {
  const text = await readFile(record, "utf8").catch(() => "[]");
  const pids = new Set((text.match(/\d+/g) ?? []).map(Number));
  for (const { pid } of (await processesBelow(0)).filter((one) => isWorkerd(one) && pids.has(one.pid))) {
    killProcess(pid);
    while (isRunning(pid)) await wait(20);
  }
}
