/**
 * `npm run measure -- memory [--port N] [--only text] [--budget MIB]` (ports from N on; only the rows whose names hold the text): how much memory the
 * isolate holds while it works on 25 MiB, which must stay below 128 MiB. With `--budget`, `MEMORY_BUDGET_MIB` is that, and it works on a larger scan.
 * The growth of the process is for comparison: D1, R2, queues, and compiled code are in it. Linux only (/proc).
 */
import { parseArgs } from "node:util";
import { prepareCall } from "./call.ts";
import { runJob } from "./jobs.ts";
import { type Call, largeWorks, smallCalls, works } from "./memory-works.ts";
import { ISOLATE_BYTES, watchIsolate } from "./isolate-memory.ts";
import { peakDuring, residentBytes, startMeasuredServer, type ServerProcess } from "./server-process.ts";
import { post } from "../test/harness/requests/client.ts";
import { slowReader, slowSender } from "../test/harness/requests/slow-client.ts";

const MIB = 1024 * 1024;

interface Row {
  readonly name: string;
  /** Bytes of the isolate before and at most. */
  readonly idle: number;
  readonly peak: number;
  /** Bytes that the process grew. */
  readonly growth: number;
  readonly statuses: string;
  readonly ok: boolean;
}

/** A response, or for a slow client whether its connection was still open. */
interface Outcome {
  readonly status: number | "open" | "closed";
  readonly headers: Headers;
}

/** How long a slow client stays. */
const SLOW_MILLISECONDS = 18_000;

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** Warms the server up with every kind of call, until V8 has compiled the hot code. */
async function warmUp(server: ServerProcess): Promise<void> {
  const calls = smallCalls();
  for (let round = 0; round < 30; round++) {
    for (const { operation, parts } of round % 10 === 0 ? calls : calls.slice(0, -1)) {
      const { status, code } = await post(server, operation, parts);
      if (status !== 200) throw new Error(`${operation}: ${status} ${code ?? ""}`);
    }
  }
  await pause(2_000);
}

/** `rounds` one after the other, the calls of each at once, on a server of its own: what an earlier one left is not counted. */
async function measure(port: number, name: string, rounds: readonly (readonly Call[])[]): Promise<Row> {
  const server = await startMeasuredServer(port, "start", { variables: { MEMORY_BUDGET_MIB: values.budget } });
  try {
    await warmUp(server);
    const resident = await residentBytes(server.pid);
    const isolate = await watchIsolate(server, budget);
    const { idle } = isolate;
    const { peak: grown, result } = await peakDuring(server.pid, async () => {
      const responses: Outcome[] = [];
      for (const calls of rounds) {
        responses.push(...(await Promise.all(calls.map((call) => send(server, call)))));
      }
      return responses;
    });
    const peak = await isolate.stop();
    const counts = Object.groupBy(result, ({ status }) => String(status));
    const statuses = Object.entries(counts).map(([status, responses]) => `${responses?.length ?? 0} x ${status}`);
    // One alone must succeed; of several at once, some may be turned away with the time to come back.
    const alone = rounds.every((calls) => calls.length === 1);
    const ok = peak < budget && result.every((response) => isFine(response, !alone));
    return { name, idle, peak, growth: grown - resident, statuses: statuses.join(", "), ok };
  } finally {
    await server.stop();
  }
}

async function send(server: ServerProcess, { operation, parts, isJob, slow }: Call): Promise<Outcome> {
  if (isJob) {
    await runJob(server, await prepareCall(operation, parts));
    return { status: 200, headers: new Headers() };
  }
  if (slow === undefined) return post(server, operation, parts, 300_000);
  const { client, bytesPerSecond } = slow;
  const slowClient = await (client === "reader" ? slowReader : slowSender)(server, operation, parts, bytesPerSecond);
  await pause(SLOW_MILLISECONDS);
  const status = slowClient.closedAfter() === undefined ? "open" : "closed";
  slowClient.leave();
  return { status, headers: new Headers() };
}

const isFine = ({ status, headers }: Outcome, mayBeTurnedAway: boolean): boolean =>
  status === 200 || status === "open" || (mayBeTurnedAway && status === 503 && headers.has("Retry-After"));

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const cells = (row: readonly string[]): string =>
  row.map((cell, index) => (index === 0 ? cell.padEnd(40) : cell.padStart(13))).join("");

function print({ name, idle, peak, growth, statuses, ok }: Row): void {
  const verdict = ok ? "ok" : "TOO MUCH";
  console.log(`${cells([name, mib(idle), mib(peak), verdict, `+${mib(growth)}`])}   ${statuses}`);
}

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8799" },
    only: { type: "string", default: "" },
    budget: { type: "string", default: String(ISOLATE_BYTES / MIB) },
  },
});
const budget = Number(values.budget) * MIB;
const chosen = (budget > ISOLATE_BYTES ? largeWorks() : works).filter(([name]) => name.includes(values.only));
console.log(cells(["", "idle", "at most", "", "process"]));
for (const [index, [name, rounds]] of chosen.entries()) {
  const row = await measure(Number(values.port) + index, name, rounds);
  print(row);
  if (!row.ok) process.exitCode = 1;
}
