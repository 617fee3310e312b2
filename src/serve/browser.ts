/**
 * Keeps a Chromium running for the workers: it starts another when it has died, hangs, has printed many documents, or has grown. Chromium ends with this
 * process, whatever ends it, because of the pipe between them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { EVERY, FAILURES, type KeptOptions, PATIENCE } from "./kept-process.ts";
import { processesBelow } from "./processes.ts";
import { DEAD_PROXY } from "../browser/isolation.ts";
import { limits } from "../limits.ts";

export interface BrowserOptions {
  /** Its program, and further flags of the operator. */
  readonly program: string;
  readonly flags: readonly string[];
  /** Where it has its profile, which is deleted with it. */
  readonly folder: string;
  /** Documents after which, and memory in MiB above which another takes its place. */
  readonly documents: number;
  readonly memoryMiB: number;
  readonly say: KeptOptions<never>["say"];
}

interface Running {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Of the WebSocket. */
  readonly url: string;
  readonly profile: string;
  documents: number;
  failures: number;
}

/** How long a start may take, and the pause before the next attempt, in ms. */
const [START, PAUSE] = [30_000, 1_000];
/** How long documents may take that one of them still prints when another has taken its place, in ms. */
const DRAIN = limits.browser.seconds * 1_000 + 5_000;
/** A browser of so many times the memory that it may have is killed with its documents. */
const TOO_MUCH = 2;
/** The heap of a page's scripts, in MiB. */
const SCRIPT_HEAP = 512;

/** Chromium's own errands, such as updates, need the network, too. That of documents is in src/browser/isolation.ts. */
export const QUIET_FLAGS = [
  `--proxy-server=${DEAD_PROXY.proxyServer}`,
  `--proxy-bypass-list=${DEAD_PROXY.proxyBypassList}`,
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  // Chromium starts a process for the next page in the same context, and there is none: it would take as long as the one that is used.
  "--disable-features=SpareRendererForSitePerProcess",
  "--disable-gpu",
  "--disable-sync",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--metrics-recording-only",
  "--mute-audio",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
];

const FLAGS = [
  "--headless",
  "--remote-debugging-port=0",
  "--remote-debugging-pipe",
  ...QUIET_FLAGS,
  `--js-flags=--max-old-space-size=${SCRIPT_HEAP}`,
];

export class KeptBrowser {
  readonly #options: BrowserOptions;
  readonly #all = new Set<Running>();
  #current: Running | undefined;
  #replacing: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  /** Rejects if the first start fails. */
  async start(): Promise<void> {
    this.#current = await this.#launch();
    void this.#watch();
  }

  /** The URL of its WebSocket, for one document; undefined once it has been stopped. Waits for the next browser if this one has ended. */
  async find(): Promise<string | undefined> {
    while (this.#current === undefined && this.#replacing !== undefined) await this.#replacing;
    const current = this.#current;
    if (current === undefined) return undefined;
    current.documents += 1;
    if (current.documents >= this.#options.documents)
      void this.#replace(current, "it has printed many documents", DRAIN);
    return current.url;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#current = undefined;
    await this.#replacing;
    await Promise.all([...this.#all].map((one) => this.#end(one)));
  }

  async #launch(): Promise<Running> {
    const { program, flags, folder } = this.#options;
    const profile = await mkdtemp(join(folder, "browser-"));
    const process = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, ...flags, "about:blank"], {
      // The last two are the pipe: Chromium ends when it is closed.
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      // A group of its own, to be killed as a whole.
      detached: true,
      env: { ...globalThis.process.env, HOME: profile, TMPDIR: profile },
    });
    const found = Promise.withResolvers<string>();
    let said = "";
    process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-10_000);
      const [, url] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
      if (url !== undefined) found.resolve(url);
    });
    process.once("error", found.reject);
    process.once("exit", (code, signal) => found.reject(new Error(`it ended with ${code ?? signal}: ${said.trim()}`)));
    const late = setTimeout(() => found.reject(new Error("it did not start in time")), START);
    try {
      const url = await found.promise;
      const running = { process, pid: process.pid ?? 0, url, profile, documents: 0, failures: 0 };
      this.#all.add(running);
      process.once("exit", () => void this.#lost(running));
      return running;
    } catch (error) {
      killGroup(process);
      await removeFolder(profile);
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  async #lost(running: Running): Promise<void> {
    // Processes of it may be left.
    const ended = this.#end(running);
    if (running === this.#current) {
      this.#current = undefined;
      await this.#replace(running, "it has died", 0);
    }
    await ended;
  }

  async #end(running: Running): Promise<void> {
    this.#all.delete(running);
    killGroup(running.process);
    await removeFolder(running.profile);
  }

  /** Starts another in the place of `old`, which is ended after `drain` ms; before that, if it is 0. */
  #replace(old: Running, reason: string, drain: number): Promise<void> {
    this.#replacing ??= this.#replaceWith(old, reason, drain).finally(() => {
      this.#replacing = undefined;
    });
    return this.#replacing;
  }

  async #replaceWith(old: Running, reason: string, drain: number): Promise<void> {
    const { say } = this.#options;
    say(drain > 0 ? "info" : "error", "browser restarting", { reason, documents: old.documents });
    if (drain === 0) {
      this.#current = undefined;
      await this.#end(old);
    }
    while (!this.#isStopping) {
      try {
        this.#current = await this.#launch();
        break;
      } catch (error) {
        say("error", "browser does not start", { reason: String(error) });
        await wait(PAUSE);
      }
    }
    if (drain > 0) setTimeout(() => void this.#end(old), drain).unref();
    say("info", "browser restarted");
  }

  async #watch(): Promise<void> {
    while (!this.#isStopping) {
      await wait(EVERY, undefined, { ref: false });
      // One that has been replaced still prints, and may grow further.
      for (const one of this.#all) await this.#limitMemory(one);
      const current = this.#current;
      if (current === undefined || this.#replacing !== undefined) continue;
      current.failures = (await isHealthy(current)) ? 0 : current.failures + 1;
      if (current === this.#current && current.failures >= FAILURES)
        await this.#replace(current, "it does not respond", 0);
    }
  }

  async #limitMemory(running: Running): Promise<void> {
    const { memoryMiB, say } = this.#options;
    const used = await memoryOf(running.pid);
    const reason = `it uses ${Math.round(used)} MiB`;
    if (used > memoryMiB * TOO_MUCH) {
      say("error", "browser killed", { reason });
      await this.#end(running);
    } else if (used > memoryMiB && running === this.#current) void this.#replace(running, reason, DRAIN);
  }
}

async function isHealthy({ url }: Running): Promise<boolean> {
  try {
    const response = await fetch(`http://${new URL(url).host}/json/version`, { signal: AbortSignal.timeout(PATIENCE) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** The private memory of a process and those that it has started, in MiB; 0 without a `/proc`. */
async function memoryOf(pid: number): Promise<number> {
  const pids = [pid, ...(await processesBelow(pid)).map((one) => one.pid)];
  const sizes = await Promise.all(
    pids.map(async (one) => {
      const status = await readFile(`/proc/${one}/status`, "utf8").catch(() => "");
      return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Its processes may still write to it while they end. */
const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => undefined);
