/**
 * `npm run measure -- drift [--seconds N]`: what the process of the service holds while costly requests follow one another (150 s), and after a
 * garbage collection. MiB of the process, of JavaScript objects with their buffers, of wasm memories, and of the largest other region of
 * anonymous memory, which is that of workerd's malloc. Linux only (/proc).
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { collectGarbage, inspect, usedHeapBytes } from "./inspector.ts";
import { residentBytes, startMeasuredServer, wasmBytes } from "./server-process.ts";
import {
  deepPageTree,
  hiddenObjectStream,
  sharedResources,
  sparseNumbers,
} from "../test/harness/bombs/bomb-fixtures.ts";
import { pdfPart, post } from "../test/harness/requests/client.ts";
import { constructs, packedBesidePage } from "../test/harness/bombs/construct-bombs.ts";

const MIB = 1024 * 1024;
const PORT = 8_810;
/** Requests at the same time, and rounds of them between two rows. */
const [CLIENTS, ROUNDS] = [4, 4];

const requests = [
  {
    operation: "rotate",
    file: packedBesidePage(constructs["keys in descending order"](40_000)),
    fields: { angle: "90" },
  },
  { operation: "extract-text", file: packedBesidePage(constructs.numbers(1_000_000)), fields: {} },
  { operation: "rotate", file: sharedResources(40, 20_000), fields: { angle: "90" } },
  { operation: "compress", file: sparseNumbers(200_000), fields: {} },
  { operation: "rotate", file: deepPageTree(20_000), fields: { angle: "90" } },
  { operation: "metadata", file: hiddenObjectStream(200 * MIB), fields: { action: "get" } },
];

/** Bytes in memory of the largest region that can be written, has no file, and is none of V8's wasm memories. */
async function largestRegion(pid: number): Promise<number> {
  const regions = (await readFile(`/proc/${pid}/smaps`, "utf8")).split(/^(?=[\da-f]+-[\da-f]+ )/m);
  const sizes = regions.map((region) => {
    const isAnonymous = /^[\da-f]+-[\da-f]+ rw-p \S+ \S+ 0\s*$/m.test(region) && !region.startsWith("7");
    return isAnonymous ? Number(/^Rss:\s+(\d+) kB/m.exec(region)?.[1] ?? 0) * 1024 : 0;
  });
  return Math.max(...sizes);
}

const { values } = parseArgs({ options: { seconds: { type: "string", default: "150" } } });
const service = await startMeasuredServer(PORT);
const inspector = await inspect(service.inspectorPort);
const show = async (when: string): Promise<void> => {
  const { pid } = service;
  const row = await Promise.all([residentBytes(pid), usedHeapBytes(inspector), wasmBytes(pid), largestRegion(pid)]);
  console.log(when.padEnd(12) + row.map((bytes) => String(Math.round(bytes / MIB)).padStart(10)).join(""));
};
try {
  console.log("".padEnd(12) + ["process", "heap", "wasm", "malloc"].map((name) => name.padStart(10)).join(""));
  await show("start");
  const start = performance.now();
  for (let round = 1; performance.now() - start < Number(values.seconds) * 1_000; round++) {
    const next = Array.from({ length: CLIENTS }, (_, index) => requests[(round + index) % requests.length]);
    await Promise.all(
      next.flatMap((request) =>
        request ? [post(service, request.operation, { file: pdfPart(request.file), ...request.fields }, 300_000)] : [],
      ),
    );
    if (round % ROUNDS === 0) await show(`${Math.round((performance.now() - start) / 1_000)} s`);
  }
  await collectGarbage(inspector);
  await show("collected");
} finally {
  inspector.close();
  await service.stop();
}
