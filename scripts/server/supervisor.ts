/** Keeps workerd running. Miniflare starts it again when it has died; this does when it no longer responds, or when that failed. */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isRunning, processesBelow } from "../processes.ts";
import { type Runtime, type RuntimeOptions, startRuntime } from "./runtime.ts";

/** How often its health is asked for, and how long a response may take, in ms. */
const EVERY = 5_000;
const PATIENCE = 5_000;
/** After how many failures in a row it is started again: it hangs, or Miniflare could not start it. */
const FAILURES = 3;
/** The pause between two attempts to start it, in ms. */
const PAUSE = 1_000;

export interface SuperviseOptions {
  say(level: "info" | "error", message: string, more?: Readonly<Record<string, unknown>>): void;
  /** Says where requests go; undefined while it is started again. */
  use(url: URL | undefined): void;
}

export interface Supervisor {
  /** Rejects if the first start fails. */
  start(runtime: Omit<RuntimeOptions, "restarted">): Promise<void>;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function supervise(data: string, { say, use }: SuperviseOptions): Supervisor {
  const record = join(data, ".workerd.json");
  let options: Omit<RuntimeOptions, "restarted">;
  let runtime: Runtime | undefined;
  let address: URL | undefined;
  let isStopping = false;

  const ready = async (url: URL): Promise<void> => {
    const processes = await processesBelow(process.pid);
    // In one step, so that it is never half written.
    await writeFile(`${record}.new`, JSON.stringify(processes.filter(isWorkerd).map(({ pid }) => pid)));
    await rename(`${record}.new`, record);
    address = url;
    use(url);
  };

  const start = async (): Promise<void> => {
    await endRemains(record);
    runtime = await startRuntime({
      ...options,
      restarted: async (url) => {
        say("error", "restarted", { reason: "workerd had died" });
        await ready(url);
      },
    });
    await ready(runtime.url);
  };

  const restart = async (reason: string): Promise<void> => {
    address = undefined;
    use(undefined);
    say("error", "restarting", { reason });
    for (;;) {
      try {
        const old = runtime;
        runtime = undefined;
        await old?.stop();
        await start();
        say("info", "restarted");
        return;
      } catch (error) {
        say("error", "restart failed", { reason: String(error) });
        if (isStopping) return;
        await wait(PAUSE);
      }
    }
  };

  const watch = async (): Promise<void> => {
    for (let failures = 0; ;) {
      await wait(EVERY, undefined, { ref: false });
      if (isStopping) return;
      if (address === undefined) continue;
      failures = (await isHealthy(address)) ? 0 : failures + 1;
      if (isStopping || failures < FAILURES) continue;
      await restart("workerd does not respond");
      failures = 0;
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
        // Miniflare waits for workerd in a way that stops all of Node: one that hangs must not be asked.
        if (address === undefined || !(await isHealthy(address))) throw new Error("workerd does not respond");
        await runtime?.sweep();
      } catch (error) {
        say("error", "sweep failed", { reason: String(error) });
      }
    },
    stop: async () => {
      isStopping = true;
      await runtime?.stop();
      await rm(record, { force: true });
    },
  };
}

const isWorkerd = ({ command }: { readonly command: string }): boolean => /workerd(?:\.exe)?\s+serve\b/.test(command);

/** Ends the workerd of a server that was killed: two would write to the same databases. */
async function endRemains(record: string): Promise<void> {
  const text = await readFile(record, "utf8").catch(() => "[]");
  const pids = new Set((text.match(/\d+/g) ?? []).map(Number));
  for (const { pid } of (await processesBelow(0)).filter((one) => isWorkerd(one) && pids.has(one.pid))) {
    process.kill(pid, "SIGKILL");
    while (isRunning(pid)) await wait(20);
  }
}

async function isHealthy(url: URL): Promise<boolean> {
  try {
    const response = await fetch(new URL("/api/v1/health", url), { signal: AbortSignal.timeout(PATIENCE) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
