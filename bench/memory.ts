/**
 * `npm run memory -- [--port N] [--only text]` (ports from N on; rows whose names hold a text): how much the workerd process grows over its warm idle size while it works on 25 MiB, and what
 * it keeps between requests: together they must stay below 128 MiB, which is what Cloudflare gives an isolate. Linux only (/proc).
 */
import { parseArgs } from "node:util";
import { jpegParts } from "./from-images.ts";
import { peakDuring, residentBytes, startMeasuredServer, type ServerProcess } from "./server-process.ts";
import { pdfPart, post, type Answer, type Part } from "../test/harness/client.ts";
import { document, largeDocument } from "../test/harness/fixtures.ts";

const MIB = 1024 * 1024;
const LIMIT = 128 * MIB;

interface Call {
  readonly operation: string;
  readonly parts: Readonly<Record<string, Part>>;
}

interface Row {
  readonly name: string;
  readonly idle: number;
  readonly growth: number;
  readonly kept: number;
  readonly statuses: string;
  readonly ok: boolean;
}

const merge = (files: readonly Uint8Array[]): Call => ({
  operation: "merge",
  parts: Object.fromEntries(files.map((bytes, index) => [`file${index}`, pdfPart(bytes)])),
});
const split = (bytes: Uint8Array): Call => ({ operation: "split", parts: { file: pdfPart(bytes), mode: "pages" } });
const rotate = (bytes: Uint8Array): Call => ({ operation: "rotate", parts: { file: pdfPart(bytes), angle: "90" } });
const protect = (bytes: Uint8Array): Call => ({
  operation: "protect",
  parts: { file: pdfPart(bytes), userPassword: "user" },
});

const fromImages = (count: number, bytes: number): Call => ({
  operation: "from-images",
  parts: jpegParts(count, bytes),
});

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** Calls that a warm server has behind it: every operation on a megabyte, until V8 has compiled what is used often. */
async function warmUp(server: ServerProcess): Promise<void> {
  const small = document({ name: "small", pages: 5, features: ["outline", "links", "form"] });
  const megabyte = largeDocument(1);
  const images = fromImages(2, 500_000);
  for (let round = 0; round < 30; round++) {
    for (const { operation, parts } of [
      merge([small, megabyte]),
      split(megabyte),
      rotate(megabyte),
      protect(small),
      images,
    ]) {
      const { status, code } = await post(server, operation, parts);
      if (status !== 200) throw new Error(`${operation}: ${status} ${code ?? ""}`);
    }
  }
  await pause(2_000);
}

/** `rounds` one after the other, the calls of each at once, on a server of its own: what an earlier one left is not counted. */
async function measure(port: number, name: string, rounds: readonly (readonly Call[])[]): Promise<Row> {
  const server = await startMeasuredServer(port);
  try {
    await warmUp(server);
    const idle = await residentBytes(server.pid);
    // The idle size has these in it, so the growth has not.
    const kept = await server.keptBytes();
    const { peak, result } = await peakDuring(server.pid, async () => {
      const answers: Answer[] = [];
      for (const calls of rounds) {
        const send = calls.map(({ operation, parts }) => post(server, operation, parts, 300_000));
        answers.push(...(await Promise.all(send)));
      }
      return answers;
    });
    const counts = Object.groupBy(result, ({ status }) => String(status));
    const statuses = Object.entries(counts).map(([status, answers]) => `${answers?.length ?? 0} x ${status}`);
    const growth = peak - idle;
    // One alone must succeed; of several at once, some may be turned away with the time to come back.
    const alone = rounds.every((calls) => calls.length === 1);
    const ok = growth + kept < LIMIT && result.every((answer) => isFine(answer, !alone));
    return { name, idle, growth, kept, statuses: statuses.join(", "), ok };
  } finally {
    await server.stop();
  }
}

const isFine = ({ status, headers }: Answer, mayBeTurnedAway: boolean): boolean =>
  status === 200 || (mayBeTurnedAway && status === 503 && headers.has("Retry-After"));

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const cells = (row: readonly string[]): string =>
  row.map((cell, index) => (index === 0 ? cell.padEnd(40) : cell.padStart(13))).join("");

function print(rows: readonly Row[]): void {
  console.log(cells(["", "warm idle", "growth", "kept", "together", ""]));
  for (const { name, idle, growth, kept, statuses, ok } of rows) {
    const verdict = ok ? "ok" : "TOO MUCH";
    console.log(`${cells([name, mib(idle), mib(growth), mib(kept), mib(growth + kept), verdict])}   ${statuses}`);
  }
}

const { values } = parseArgs({
  options: { port: { type: "string", default: "8799" }, only: { type: "string", default: "" } },
});
const large = largeDocument(25);
const halves = [largeDocument(12.5), largeDocument(12.5)];
const megabyte = [largeDocument(0.5), largeDocument(0.5)];
const each = [[merge(halves)], [split(large)], [rotate(large)], [protect(large)]];
const work: [string, Call[][]][] = [
  ["merge of 25 MiB in two files", [[merge(halves)]]],
  ["split of 25 MiB", [[split(large)]]],
  ["rotate of 25 MiB", [[rotate(large)]]],
  ["protect of 25 MiB", [[protect(large)]]],
  ["from-images of 20 JPEGs of 1.5 MB", [[fromImages(20, 1_500_000)]]],
  ["from-images of 10 JPEGs of 3 MB", [[fromImages(10, 3_000_000)]]],
  ["two merges of 25 MiB at once", [[merge(halves), merge(halves)]]],
  ["two rotates of 25 MiB at once", [[rotate(large), rotate(large)]]],
  ["each of 25 MiB, three times in a row", [...each, ...each, ...each]],
  ["50 merges of 1 MiB at once", [Array.from({ length: 50 }, () => merge(megabyte))]],
];
const rows: Row[] = [];
for (const [index, [name, rounds]] of work.filter(([name]) => name.includes(values.only)).entries())
  rows.push(await measure(Number(values.port) + index, name, rounds));
print(rows);
if (!rows.every(({ ok }) => ok)) process.exitCode = 1;
