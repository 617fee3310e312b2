import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { developmentAccountFile, ensureDevelopmentAccount } from "../../scripts/development-account.ts";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import type { Service } from "../harness/requests/client.ts";
import { ObservedErrors } from "../harness/requests/observed-errors.ts";

export const root = join(import.meta.dirname, "../..");

export interface StartedServer {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly account: string;
  readonly liveKey: string;
  readonly testKey: string;
  readonly persistTo: string;
  /** The process that all of the server runs below. */
  readonly pid: number;
  /** What each request spent, by its id, once it has ended and was logged. */
  readonly work: NonNullable<Service["work"]>;
  /** Runs what Cloudflare runs each minute, and waits for its end. */
  sweep(): Promise<void>;
  /** Everything printed so far. */
  printed(): string;
  /**
   * Ends the server and everything it started, and waits for that. Throws if an operation has responded with an error that
   * `openapi.json` does not have for it.
   */
  stop(): Promise<void>;
  /** The same at once and without a chance to tidy up: SIGKILL. */
  kill(): Promise<void>;
}

const START_TIMEOUT = 120_000;

/** The folder of a bundle (scripts/build-server.ts): where it is set, servers are those of `npm run serve`. */
const served = process.env["SERVED_APP"];

/** The command that starts a server, and its name. `args`: `--var NAME:value`, or options of `npm start`. */
function commandOf(persistTo: string, port: number, inspector: number, args: readonly string[]) {
  if (served === undefined) {
    const own = ["--port", String(port), "--inspector-port", String(inspector), "--persist-to", persistTo];
    return { name: "npm start", command: "npm", words: ["start", "--", ...own, ...args], env: process.env };
  }
  const variables = args.flatMap((arg) => {
    const [, name = "", value = ""] = /^(\w+):(.*)$/.exec(arg) ?? [];
    return name === "" ? [] : [[name, value] as const];
  });
  return {
    name: "npm run serve",
    command: process.execPath,
    words: [join(root, served, "bin/serve.js"), "--data", persistTo, "--port", String(port)],
    env: {
      ...process.env,
      // Vitest has one of its own.
      BASE_URL: `http://localhost:${port}`,
      SERVER_SECRET: "the secret of the servers that are tested",
      // Whatever the machine has, unless a test or whoever runs it names another number.
      WORKERS: process.env["WORKERS"] ?? "1",
      ...Object.fromEntries(variables),
    },
  };
}

/**
 * Runs `npm start` on a free port, its data in `persistTo`, until it has printed where it is.
 * Throws with what it printed when it ends before that.
 */
export async function startServer(persistTo: string, args: readonly string[] = []): Promise<StartedServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(persistTo, args);
    } catch (error) {
      // Another process can take a port after it was chosen.
      if (attempt === 3 || !/in use/i.test(String(error))) throw error;
    }
  }
}

async function startOnce(persistTo: string, args: readonly string[]): Promise<StartedServer> {
  const port = await freePort();
  // Of two servers that start at once, both would choose the same one.
  const inspector = await freePort();
  const { name, command, words, env } = commandOf(persistTo, port, inspector, args);
  if (served !== undefined)
    await withLocalDatabases(persistTo, ([db]) =>
      ensureDevelopmentAccount(db, developmentAccountFile(persistTo), new Date()),
    );
  const npm = spawn(command, words, {
    cwd: root,
    env,
    // A process group, so that `stop` reaches npm's shell and wrangler too.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(npm, "exit");
  let printed = "";
  let observed: ObservedErrors | undefined;
  const work = new Map<string, { fuel: number; share: number }>();
  const announced = new Promise<void>((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`${name} took too long:\n${printed}`)), START_TIMEOUT);
    npm.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    createInterface({ input: npm.stdout }).on("line", (line) => {
      const logged = /"requestId":"(req_\w+)".*"work":([\d.]+),"workShare":([\d.]+)/.exec(line);
      if (logged?.[1] !== undefined) work.set(logged[1], { fuel: Number(logged[2]), share: Number(logged[3]) });
      printed += `${line}\n`;
      observed?.look(line);
      if (/"message":"ready"|^ {2}Playground /.test(line)) {
        clearTimeout(timer);
        done();
      }
    });
    npm.on("exit", (code) => fail(new Error(`${name} ended with ${code ?? "a signal"}:\n${printed}`)));
  });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (npm.pid !== undefined && npm.exitCode === null && npm.signalCode === null) {
      process.kill(-npm.pid, signal);
      await ended;
    }
    await portClosed(port);
  };
  const stop = async () => {
    await end("SIGTERM");
    observed?.check();
  };
  const kill = () => end("SIGKILL");
  const sweep = async (): Promise<void> => {
    if (served === undefined) {
      const response = await fetch(`http://localhost:${port}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`);
      if (response.status !== 200) throw new Error(`the sweep failed with ${response.status}`);
      return;
    }
    const sweeps = (): number => printed.split('"message":"scheduled"').length;
    const before = sweeps();
    process.kill(npm.pid ?? 0, "SIGUSR2");
    while (sweeps() === before) await new Promise((done) => setTimeout(done, 20));
  };
  try {
    await announced;
    const described = await fetch(`http://localhost:${port}/api/v1/openapi.json`);
    observed = new ObservedErrors((await described.json()) as ConstructorParameters<typeof ObservedErrors>[0]);
  } catch (error) {
    // Why it did not start matters more than how it ends.
    await end("SIGTERM").catch(() => undefined);
    throw error;
  }
  const account = JSON.parse(await readFile(join(persistTo, ".dev-account.json"), "utf8")) as {
    account: string;
    liveKey: string;
    testKey: string;
  };
  const { liveKey, testKey } = account;
  return {
    baseUrl: `http://localhost:${port}`,
    account: account.account,
    liveKey,
    testKey,
    persistTo,
    pid: npm.pid ?? 0,
    work,
    printed: () => printed,
    sweep,
    stop,
    kill,
  };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** npm's end does not say that the server has ended; its port does. Throws after a minute. */
async function portClosed(port: number): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    try {
      await fetch(`http://localhost:${port}/`, { signal: AbortSignal.timeout(1_000) });
    } catch (error) {
      const timedOut = error instanceof DOMException && error.name === "TimeoutError";
      if (!timedOut) return;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`The server on port ${port} did not end.`);
}
