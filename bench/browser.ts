/**
 * `npm run measure -- browser [--only proof|throughput] [--half shown|hidden] [--clients 1,4,20] [--seconds N] [--workers N] [--port N]
 * [--output folder]`: `to-pdf` with the browser. The parts:
 *
 * - `proof`: HTML documents, beside the PDFs that Chromium makes of them by itself (`--print-to-pdf`). Some are generated, and the real ones are not a
 *   part of the repository. It compares page counts, sizes, text, tags, links, bookmarks, and pictures (SSIM). It prints every document that differs;
 *   exit code 1 then. `--half` leaves the other half of the documents unread, and `--output` keeps the PDFs.
 * - `throughput`: so many clients of one account (1, 4, and 20) print a typical invoice for so long (20 s). Prints documents per second, the percentiles
 *   of their times, the CPU time of all processes per document, and every response that was no success.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { compareWithChromium, documentsFor, HALVES, printCompared } from "./browser-proof.ts";
import { type Call, prepareCall, send } from "./call.ts";
import { cpuSeconds, startMeasuredServer, type ServerProcess } from "./server-process.ts";
import { chromiumPath } from "../test/harness/engines/browser.ts";
import { typicalInvoice } from "../test/harness/browser/printed-pages.ts";
import { folderOrNote, outsideFolder } from "../scripts/outside-folders.ts";
import type { Service } from "../test/harness/requests/client.ts";

const WARM_UP = 20;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    half: { type: "string" },
    clients: { type: "string", default: "1,4,20" },
    seconds: { type: "string", default: "20" },
    workers: { type: "string", default: String(availableParallelism()) },
    port: { type: "string", default: "8895" },
    output: { type: "string" },
  },
});

const percentile = (sorted: readonly number[], rank: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * rank) - 1)] ?? Number.NaN;

async function measureThroughput(server: ServerProcess): Promise<void> {
  const bytes = new TextEncoder().encode(typicalInvoice());
  const call = await prepareCall("to-pdf", { file: { bytes, fileName: "invoice.html" }, engine: "browser" });
  for (let count = 0; count < WARM_UP; count++) await send(server, call);
  console.log("clients  documents/s   p50 ms   p95 ms   CPU ms  others");
  for (const clients of values.clients.split(",").map(Number)) {
    const [start, cpu] = [performance.now(), await cpuSeconds(server.serverPid)];
    const until = start + Number(values.seconds) * 1_000;
    const all = await Promise.all(Array.from({ length: clients }, () => sendUntil(server, call, until)));
    const elapsed = (performance.now() - start) / 1_000;
    const times = all.flatMap((one) => one.times).sort((a, b) => a - b);
    const others = Object.entries(
      Object.groupBy(
        all.flatMap((one) => one.others),
        (status) => status,
      ),
    );
    const cells = [
      times.length / elapsed,
      percentile(times, 0.5),
      percentile(times, 0.95),
      (((await cpuSeconds(server.serverPid)) - cpu) * 1_000) / times.length,
    ];
    console.log(
      String(clients).padStart(7),
      cells.map((cell, at) => cell.toFixed(at === 0 ? 1 : 0).padStart(at === 0 ? 12 : 8)).join(" "),
      ` ${others.map(([status, list = []]) => `${list.length} x ${status}`).join(", ") || "none"}`,
    );
  }
}

/** Sends a call again and again. `times` are those of the responses with 200, and `others` the status of the rest. */
async function sendUntil(server: ServerProcess, call: Call, until: number) {
  const [times, others]: [number[], string[]] = [[], []];
  while (performance.now() < until) {
    const start = performance.now();
    const { status, retryAfter, body } = await send(server, call);
    if (status === 200) {
      times.push(performance.now() - start);
      continue;
    }
    others.push(`${status} ${new TextDecoder().decode(body).slice(0, 200)}`);
    await new Promise((done) => setTimeout(done, retryAfter * 1_000));
  }
  return { times, others };
}

async function prove(service: Service, chromium: string): Promise<void> {
  const folder = folderOrNote(outsideFolder("convert"), "real HTML", "documents that are not a part of the repository");
  const halves = HALVES.filter((half) => values.half === undefined || half === values.half);
  const all = await compareWithChromium(service, chromium, documentsFor(folder), halves, values.output);
  printCompared(all);
  if (all.some(({ differences }) => differences.length > 0)) process.exitCode = 1;
}

if (chromiumPath === undefined) throw new Error("Chromium is needed, on PATH or in CHROMIUM_PATH.");
const server = await startMeasuredServer(Number(values.port), "serve", {
  workers: Number(values.workers),
  variables: { BROWSER_PROGRAM: chromiumPath, BROWSER_FLAGS: "--no-sandbox" },
});
try {
  if (values.only !== "throughput") await prove(server, chromiumPath);
  if (values.only !== "proof") await measureThroughput(server);
} finally {
  await server.stop();
}
