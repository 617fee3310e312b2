import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { processesBelow } from "../src/serve/processes.ts";
import { developmentAccountFile, ensureDevelopmentAccount } from "../scripts/development-account.ts";
import { withLocalDatabases } from "../scripts/local-database.ts";
import { root } from "../scripts/root.ts";
import type { Database } from "../src/db/client.ts";
import type { Service } from "../test/harness/requests/client.ts";

export interface ServerProcess extends Service {
  /** The process of workerd that runs the service: of several, the largest. */
  readonly pid: number;
  /** The process that has started it. */
  readonly serverPid: number;
  /** Where V8's inspector of the service listens. */
  readonly inspectorPort: number;
  /** The fuel that a request has spent, by its ID, once it is logged. */
  fuelOf(requestId: string): Promise<number>;
  stop(): Promise<void>;
}

/** `start`: what `npm start` runs, with V8's inspector; `serve`: what `npm run serve` runs. */
export const SERVERS = ["start", "serve"] as const;
export type Server = (typeof SERVERS)[number];

/**
 * Starts the service on `port` (and V8's inspector 1,000 above it) with data of its own; its output is read, which is why this
 * is not the tests' server. `workers`: of `npm run serve`. `prepare`: called with its databases before the start. `variables`: those of the service.
 */
export async function startMeasuredServer(
  port: number,
  server: Server = "start",
  {
    workers = 1,
    variables = {},
    prepare,
  }: {
    readonly workers?: number;
    readonly variables?: Readonly<Record<string, string>>;
    prepare?(databases: readonly Database[]): Promise<unknown>;
  } = {},
): Promise<ServerProcess> {
  const persistTo = await mkdtemp(join(tmpdir(), "pdf-service-memory-"));
  const inspectorPort = port + 1_000;
  if (server === "serve")
    await withLocalDatabases(persistTo, async (databases) => {
      await ensureDevelopmentAccount(databases[0], developmentAccountFile(persistTo), new Date());
      await prepare?.(databases);
    });
  const words = {
    start: [
      "start.ts",
      "--inspector-port",
      String(inspectorPort),
      "--persist-to",
      persistTo,
      ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    serve: ["serve.ts", "--data", persistTo],
  }[server];
  const child = spawn(process.execPath, [`scripts/${words[0]}`, "--port", String(port), ...words.slice(1)], {
    cwd: root,
    env: {
      ...process.env,
      SERVER_SECRET: "the secret of the servers that are measured",
      WORKERS: String(workers),
      ...variables,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    await rm(persistTo, { recursive: true, force: true });
  };
  try {
    await waitFor(reader, lines, (line) => /"message":"(ready)"/.exec(line)?.[1], 120_000);
    const { liveKey } = JSON.parse(await readFile(join(persistTo, ".dev-account.json"), "utf8")) as { liveKey: string };
    const baseUrl = `http://localhost:${port}`;
    return {
      baseUrl,
      key: liveKey,
      pid: await workerdOf(child.pid ?? 0),
      serverPid: child.pid ?? 0,
      inspectorPort,
      fuelOf: async (id) =>
        Number(
          await waitFor(
            reader,
            lines,
            (line) => (line.includes(id) ? /"work":(\d+)/.exec(line)?.[1] : undefined),
            10_000,
          ),
        ),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first match in the lines printed so far or from now on. Throws after `timeout` milliseconds. */
async function waitFor(
  reader: ReturnType<typeof createInterface>,
  lines: readonly string[],
  match: (line: string) => string | undefined,
  timeout: number,
): Promise<string> {
  const signal = AbortSignal.timeout(timeout);
  for (let at = 0; ; at++) {
    if (at >= lines.length) await once(reader, "line", { signal });
    const found = match(lines[at] ?? "");
    if (found !== undefined) return found;
  }
}

/** wrangler runs two processes of workerd below it: a small proxy, and the one with the service, which is the larger. */
export async function workerdOf(ancestor: number): Promise<number> {
  const candidates = (await processesBelow(ancestor)).filter(({ command }) => command.includes("/workerd serve "));
  const sizes = await Promise.all(candidates.map(async ({ pid }) => ({ pid, bytes: await residentBytes(pid) })));
  const [largest] = sizes.toSorted((a, b) => b.bytes - a.bytes);
  if (largest === undefined) throw new Error("there is no workerd process below the server");
  return largest.pid;
}

async function statusBytes(pid: number, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Ticks of a second in /proc (`getconf CLK_TCK`). */
const TICKS = 100;

/** Seconds of CPU that a server and the processes below it have used, those that have ended included. */
export async function cpuSeconds(pid: number): Promise<number> {
  const pids = [pid, ...(await processesBelow(pid)).map((one) => one.pid)];
  const used = await Promise.all(
    pids.map(async (one) => {
      // After the name, which may contain anything: utime, stime, and those of ended children are the fields 14 to 17 of all.
      const fields = (await readFile(`/proc/${one}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
      return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS;
    }),
  );
  return used.reduce((sum, one) => sum + one, 0);
}

/** Bytes of the process that are in memory now. */
export const residentBytes = (pid: number): Promise<number> => statusBytes(pid, "VmRSS");

/** V8 reserves 2 to 8 GiB for a wasm memory, in Linux' area for `mmap`; nothing else in workerd is as large there. */
const WASM_RESERVATION = 1.9 * 1024 ** 3;
const MMAP_AREA = 0x7000_0000_0000;

/** Bytes of the wasm memories of a process: of each reservation, the part that is readable. */
export async function wasmBytes(pid: number): Promise<number> {
  const maps = (await readFile(`/proc/${pid}/maps`, "utf8")).matchAll(/^(\w+)-(\w+) (\S+)/gm);
  let bytes = 0;
  let [readable, readableEnd] = [0, 0];
  for (const [, from = "", to = "", access = ""] of maps) {
    const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    if (access === "rw-p") [readable, readableEnd] = [start, end];
    const isReserved = access === "---p" && start === readableEnd && end - readable >= WASM_RESERVATION;
    if (isReserved && readable >= MMAP_AREA) bytes += start - readable;
  }
  return bytes;
}

/** Runs `work` and returns the most bytes that the process held meanwhile, with what `work` gave. */
export async function peakDuring<T>(pid: number, work: () => Promise<T>): Promise<{ peak: number; result: T }> {
  // 5 resets the high-water mark; where that is forbidden, samples have to do.
  const isReset = await writeFile(`/proc/${pid}/clear_refs`, "5").then(
    () => true,
    () => false,
  );
  let sampled = await residentBytes(pid);
  const timer = setInterval(() => void residentBytes(pid).then((bytes) => (sampled = Math.max(sampled, bytes))), 10);
  try {
    const result = await work();
    return { peak: isReset ? Math.max(sampled, await statusBytes(pid, "VmHWM")) : sampled, result };
  } finally {
    clearInterval(timer);
  }
}
