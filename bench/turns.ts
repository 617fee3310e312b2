/**
 * `npm run measure -- turns [--only text]`: whether others have their turn, and at what price. The service works on each of some dear requests.
 * Meanwhile, this measures the longest time of /health and of a rotation of one page, the memory that the isolate holds, and the outcome of the
 * request itself. The dear requests are small files that ask for much work, and honest work on large ones. They run as requests and as jobs, the
 * latter beside jobs of one page. Exit code 1 if /health took more than 300 ms, a rotation more than 1 s, a job of one page more than 5 s, or the
 * isolate held 128 MiB. `--only growth` prints how the time for a unit of fuel grows with the number of a construct instead (growth.ts), and
 * `--only growth:names` for some. The machine has to be quiet. Linux only (/proc).
 */
import { parseArgs } from "node:util";
import { prepareCall } from "./call.ts";
import { runJob } from "./jobs.ts";
import { ISOLATE_BYTES, watchIsolate } from "./isolate-memory.ts";
import { measureGrowth } from "./growth.ts";
import { works } from "./memory-works.ts";
import { type ServerProcess, startMeasuredServer } from "./server-process.ts";
import * as bombs from "../test/harness/bombs/bomb-fixtures.ts";
import {
  bilevel,
  emptyWavelets,
  fills,
  glyphs,
  patches,
  raggedLines,
  ruledLines,
  shading,
  smoothed,
  subroutines,
  tiles,
  wideTable,
} from "../test/harness/bombs/drawing-bombs.ts";
import { drawing, type DrawnPage, textPage } from "../test/harness/fixtures/drawing-fixtures.ts";
import { constructs, packedBesidePage, streamStrings } from "../test/harness/bombs/construct-bombs.ts";
import { ascii85Image } from "../test/harness/bombs/decoding-bombs.ts";
import { writePng } from "../test/harness/images/png-writer.ts";
import { type Part, patiently, pdfPart, post } from "../test/harness/requests/client.ts";

const MIB = 1024 * 1024;
/** ms, and bytes. */
const LIMITS = { health: 300, rotate: 1_000, job: 5_000, memory: ISOLATE_BYTES };
const PORT = 8_790;
/** ms between two questions. */
const PAUSE = 20;

interface Work {
  readonly name: string;
  readonly operation: string;
  readonly parts: Readonly<Record<string, Part>>;
  readonly isJob?: true;
}

const on = (operation: string, name: string, file: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Work => ({
  name: `${operation}: ${name}`,
  operation,
  parts: { [operation === "from-images" ? "image0" : "file"]: pdfPart(file), ...fields },
});
const drawn = (name: string, page: DrawnPage, dpi: string): Work => on("to-images", name, drawing(page), { dpi });

const interlaced = writePng(
  { width: 4_000, height: 4_000, colorType: 2, depth: 8, interlaced: true },
  (x, y, channel) => (x * (channel + 1) + y) & 255,
);

const options = Array.from({ length: 40_000 }, (_, index) => `o${index}`);
const small: readonly Work[] = [
  on("rotate", "object streams that never end", bombs.repeatedWords("/ObjStm stream ", MIB / 2), { angle: "90" }),
  on("rotate", "names of object streams", bombs.repeatedWords("/ObjStm ", 2 * MIB), { angle: "90" }),
  on("metadata", "a hidden object stream of 800 MB", bombs.hiddenObjectStream(bombs.BOMB), { action: "get" }),
  on("compress", "a stream of 800 MB", bombs.deflatedZeros(bombs.BOMB)),
  on("fill-form", "40,000 options, each twice", bombs.longList(40_000), {
    values: JSON.stringify({ list: [...options, ...options] }),
  }),
  on("fill-form", "400 fields that share 20,000 options", bombs.sharedOptions(400, 20_000), { values: "{}" }),
  on("rotate", "40 pages that share 40,000 annotations", bombs.sharedAnnotations(40, 40_000, "square"), {
    angle: "90",
  }),
  on("extract-pages", "40 pages that share 40,000 annotations", bombs.sharedAnnotations(40, 40_000, "square"), {
    range: "2-end",
  }),
  on("extract-pages", "5,000 pages that share 40,000 annotations", bombs.sharedAnnotations(5_000, 40_000, "square"), {
    range: "2-end",
  }),
  on("rotate", "40,000 keys in descending order", packedBesidePage(constructs["keys in descending order"](40_000)), {
    angle: "90",
  }),
  on("rotate", "100 MiB of comments", packedBesidePage(constructs.comments(50_000_000)), { angle: "90" }),
  on("extract-text", "a million numbers", packedBesidePage(constructs.numbers(1_000_000))),
  on("compress", "16 MiB in ASCII85", ascii85Image(1, 12_000_000)),
  on("protect", "90,000 strings in the dictionary of a stream", streamStrings(90_000), { userPassword: "reader" }),
  on("from-images", "an interlaced PNG", interlaced),
  on("rotate", "100 pages that share 20,000 forms", bombs.sharedResources(100, 20_000), { angle: "90" }),
  on("compress", "four objects among 400,000 numbers", bombs.sparseNumbers(400_000)),
  on("from-images", "40 profiles of 17 MiB", bombs.manyProfiles(40, 17 * MIB)),
  on("from-images", "200,000 chunks", bombs.manyChunks(200_000)),
  drawn("20 fills that blend, at 600 dpi", fills(20), "600"),
  on("ocr", "2,000 fills that blend", drawing(fills(2_000))),
  drawn("tiles with tiny steps", tiles, "72"),
  drawn("an image that is smoothed, at 600 dpi", smoothed, "600"),
  drawn("a shading by a long program", shading, "300"),
  drawn("glyphs of glyphs", glyphs(8), "72"),
  drawn("100,000 patches", patches(100_000), "72"),
  drawn("an image of 64 million pixels", bilevel(8_000), "72"),
  drawn("an image of 400 million pixels without data", emptyWavelets(20_000, 20_000), "72"),
  drawn("glyphs of subroutines", subroutines(100), "72"),
  on("extract-text", "500 rules among 5,000 lines", drawing(ruledLines(499, 5_000)), { format: "markdown" }),
  on("extract-text", "60 rows of 900 words in a frame", drawing(wideTable(60, 900)), { format: "markdown" }),
  on("extract-text", "2,000 lines that do not line up", drawing(raggedLines(2_000, 20)), { format: "markdown" }),
  on("rotate", "a page tree of 20,000 levels", bombs.deepPageTree(20_000), { angle: "90" }),
];

/** The first of what `npm run measure -- memory` measures of each kind: large honest work, one request at a time. */
const large: readonly Work[] = works
  .filter(([, rounds]) => rounds.length === 1 && rounds[0]?.length === 1)
  .flatMap(([name, rounds]) => (rounds[0] ?? []).map(({ operation, parts }) => ({ name, operation, parts })));

const letter = textPage({ width: 612, height: 792 });
const pages = (count: number): Uint8Array => drawing(...Array<DrawnPage>(count).fill(letter));
const job = (operation: string, count: number, fields: Readonly<Record<string, string>>): Work => ({
  ...on(operation, `a job of ${count} pages`, pages(count), fields),
  isJob: true,
});
const jobs: readonly Work[] = [
  job("ocr", 8, { mode: "force" }),
  job("to-images", 200, { dpi: "150" }),
  job("extract-text", 5_000, {}),
];

async function measure(service: ServerProcess, { operation, parts, isJob }: Work) {
  const state = { on: true, health: 0, rotate: 0, job: 0 };
  const isolate = await watchIsolate(service);
  const again = async (look: () => Promise<void>): Promise<void> => {
    while (state.on) {
      await look();
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  };
  const timed = async (name: "health" | "rotate" | "job", ask: () => Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await ask();
    state[name] = Math.max(state[name], performance.now() - start);
  };
  const page = pdfPart(bombs.claimedPages("1"));
  const small = await prepareCall("extract-text", { file: pdfPart(pages(1)) });
  const watches = [
    again(() => timed("health", async () => (await fetch(`${service.baseUrl}/api/v1/health`)).arrayBuffer())),
    again(() => timed("rotate", () => patiently(() => post(service, "rotate", { file: page, angle: "90" })))),
    ...(isJob ? [again(() => timed("job", () => runJob(service, small)))] : []),
  ];
  const start = performance.now();
  const outcome = isJob
    ? await runJob(service, await prepareCall(operation, parts)).then(() => "200")
    : await post(service, operation, parts, 300_000).then(({ status, code }) => [status, code].join(" ").trim());
  const time = performance.now() - start;
  state.on = false;
  await Promise.all(watches);
  return { ...state, time, outcome, memory: await isolate.stop() };
}

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const service = await startMeasuredServer(PORT);
try {
  for (let round = 0; round < 5; round++) {
    await post(service, "rotate", { file: pdfPart(bombs.claimedPages("1")), angle: "90" });
  }
  const [isGrowth, construct = ""] = values.only.split(":", 2).map((part) => part.trim());
  if (isGrowth === "growth") process.exitCode = (await measureGrowth(service, construct)) ? 0 : 1;
  else await measureTurns();
} finally {
  await service.stop();
}

async function measureTurns(): Promise<void> {
  console.log("    time   /health   rotate      job    memory");
  for (const work of [...jobs, ...small, ...large].filter(({ name }) => name.includes(values.only))) {
    const { time, health, rotate, job, memory, outcome } = await measure(service, work);
    const isSlow = health > LIMITS.health || rotate > LIMITS.rotate || job > LIMITS.job;
    const isFine = !isSlow && memory < LIMITS.memory;
    if (!isFine) process.exitCode = 1;
    const columns = [`${(time / 1_000).toFixed(1)} s`, `${Math.round(health)} ms`, `${Math.round(rotate)} ms`];
    columns.push(job === 0 ? "" : `${Math.round(job)} ms`);
    const row = [...columns, `${Math.round(memory / MIB)} MiB`].map((text) => text.padStart(8)).join("  ");
    console.log(`${isFine ? " " : "!"} ${row}   ${outcome}, ${work.name}`);
  }
}
