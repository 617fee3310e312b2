/**
 * `npm run measure -- load [--seconds N] [--clients N] [--seed N] [--port N] [--only text]`: so many clients (4) send a mix of all operations for
 * so long (60 s), each its next call when it has read the response of the one before. Prints throughput, the percentiles of each operation's time,
 * every response that was no success, and the memory over time. After a 503 or 429, a client waits for as long as the response asks, and this is no
 * error. Any other response but a 2xx is an error, and so is a heap that keeps growing. Exit code 1 then. Linux only (/proc).
 */
import { parseArgs } from "node:util";
import { prepareCall, send, type Call } from "./call.ts";
import { inspect, type Inspector, usedHeapBytes } from "./inspector.ts";
import { loadMix } from "./load-mix.ts";
import { residentBytes, startMeasuredServer, type ServerProcess } from "./server-process.ts";
import { Random } from "../test/harness/fuzz/random.ts";

const MIB = 1024 * 1024;
/** Between two looks at the memory. */
const SAMPLE_MILLISECONDS = 500;
/** What the least heap of the run's last quarter may lie above that of its second. */
const ALLOWED_GROWTH = 8 * MIB;
/** Once in so many calls any of an operation's choices is sent, otherwise the first. */
const OTHERS = 4;

/** Milliseconds of each response that succeeded, and how often each other came, by operation. */
class Tally {
  readonly times = new Map<string, number[]>();
  readonly refused = new Map<string, number>();
  readonly errors: string[] = [];
  bytes = 0;

  add(operation: string, { status, body }: { status: number; body: Uint8Array }, time: number): void {
    this.bytes += body.length;
    if (status < 300) {
      const times = this.times.get(operation) ?? [];
      times.push(time);
      this.times.set(operation, times);
    } else if (status === 429 || status === 503) {
      const name = `${operation} ${status}`;
      this.refused.set(name, (this.refused.get(name) ?? 0) + 1);
    } else this.errors.push(`${operation}: ${status} ${new TextDecoder().decode(body).slice(0, 200)}`);
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** The value that the share `rank` of a sorted list does not pass. */
const percentile = (sorted: readonly number[], rank: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * rank) - 1)] ?? Number.NaN;

async function client(server: ServerProcess, calls: readonly Call[][], seed: number, until: number, tally: Tally) {
  const random = new Random(seed);
  while (performance.now() < until) {
    const choices = random.pick(calls);
    const call = random.once(OTHERS) ? random.pick(choices) : choices[0];
    if (call === undefined) throw new Error("an operation of the mix has no call");
    const start = performance.now();
    const response = await send(server, call);
    tally.add(call.operation, response, performance.now() - start);
    if (response.status === 429 || response.status === 503) await pause(response.retryAfter * 1_000);
  }
}

const cells = (row: readonly string[]): string =>
  row.map((cell, index) => (index === 0 ? cell.padEnd(18) : cell.padStart(9))).join("");

function print(tally: Tally, seconds: number): void {
  const all = [...tally.times.values()].flat();
  console.log(cells(["", "calls", "p50 ms", "p95 ms", "p99 ms"]));
  for (const [operation, times] of [
    ...[...tally.times].toSorted(([a], [b]) => a.localeCompare(b)),
    ["all", all] as const,
  ]) {
    const sorted = times.toSorted((a, b) => a - b);
    const ranks = [0.5, 0.95, 0.99].map((rank) => percentile(sorted, rank).toFixed(0));
    console.log(cells([operation, String(times.length), ...ranks]));
  }
  console.log(
    `${(all.length / seconds).toFixed(1)} responses a second, ${(tally.bytes / MIB / seconds).toFixed(1)} MiB of them`,
  );
  for (const [name, times] of tally.refused) console.log(`${name}: ${times} times asked to come back`);
  for (const error of tally.errors.slice(0, 20)) console.log(`ERROR ${error}`);
  console.log(`${tally.errors.length} errors`);
}

/** Bytes at one moment: V8's heap of the service's isolate, and all that workerd's process holds. */
interface Sample {
  readonly heap: number;
  readonly resident: number;
}

/**
 * The least of each eighth of the run: the memory that is left after a garbage collection. The heap decides. The process holds several isolates
 * more (wrangler's, and those of D1 and the queues), and as nothing limits them locally, V8 puts their garbage off.
 */
function printMemory(samples: readonly Sample[]): boolean {
  const eighth = Math.max(1, Math.floor(samples.length / 8));
  const least = (what: keyof Sample, from: number, to: number): number =>
    Math.min(...samples.slice(from * eighth, to * eighth).map((sample) => sample[what]));
  for (const [what, name] of [
    ["heap", "JavaScript heap of the service"],
    ["resident", "all of workerd"],
  ] as const) {
    const eighths = Array.from({ length: 8 }, (_, at) => (least(what, at, at + 1) / MIB).toFixed(0));
    console.log(`${name}, MiB, least of each eighth of the run: ${eighths.join(" ")}`);
  }
  const growth = least("heap", 6, 8) - least("heap", 2, 4);
  const flat = growth < ALLOWED_GROWTH;
  console.log(
    `${flat ? "flat" : "GROWING"}: the heap's last quarter against its second ${(growth / MIB).toFixed(1)} MiB`,
  );
  return flat;
}

async function sample(server: ServerProcess, inspector: Inspector): Promise<Sample> {
  const [heap, resident] = await Promise.all([usedHeapBytes(inspector), residentBytes(server.pid)]);
  return { heap, resident };
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    clients: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
    port: { type: "string", default: "8799" },
    only: { type: "string", default: "" },
  },
});
const seconds = Number(values.seconds);
const server = await startMeasuredServer(Number(values.port));
try {
  const mix = await loadMix();
  const calls = await Promise.all(
    [...mix]
      .filter(([operation]) => operation.includes(values.only))
      .map(([operation, forms]) => Promise.all(forms.map((parts) => prepareCall(operation, parts)))),
  );
  const tally = new Tally();
  const samples: Sample[] = [];
  const inspector = await inspect(server.inspectorPort);
  const timer = setInterval(
    () => void sample(server, inspector).then((taken) => samples.push(taken)),
    SAMPLE_MILLISECONDS,
  );
  const start = performance.now();
  const clients = Array.from({ length: Number(values.clients) }, (_, index) =>
    client(server, calls, Number(values.seed) + index, start + seconds * 1_000, tally),
  );
  await Promise.all(clients);
  clearInterval(timer);
  inspector.close();
  print(tally, (performance.now() - start) / 1_000);
  if (!printMemory(samples) || tally.errors.length > 0) process.exitCode = 1;
} finally {
  await server.stop();
}
