/**
 * `npm run measure -- turns --only growth`: how the time for a unit of fuel changes with the number of a construct. Where it rises, something works
 * that the fuel gauge does not see. For the constructs of our own parsers, also the most that one request takes: CPU time, memory, and the time
 * until /health responds. Times are CPU times of the whole process; the machine has to be quiet.
 */
import { readFile } from "node:fs/promises";
import { peakDuring, residentBytes, type ServerProcess } from "./server-process.ts";
import {
  deepPageTree,
  longNames,
  longOutline,
  lostObjects,
  manyAttachments,
  manyFields,
  manyPages,
  namedDestinations,
  ownAnnotations,
} from "../test/harness/bombs/bomb-fixtures.ts";
import { pdfPart, post } from "../test/harness/requests/client.ts";
import { type Construct, constructs, packedBesidePage } from "../test/harness/bombs/construct-bombs.ts";
import { ascii85Image } from "../test/harness/bombs/decoding-bombs.ts";
import { parserConstructs, type Parts } from "../test/harness/bombs/parser-constructs.ts";

/** Milliseconds of a tick of the kernel's clock for processes. */
const TICK = 10;
/** A request that has nothing to do takes more time than its fuel accounts for. Below this fuel, times prove nothing. */
const LEAST_FUEL = 20e6;
/** How many times the least of fewer constructs a unit of fuel may take: more than noise, and far less than ten times, as where the gauge sees nothing. */
const MOST_GROWTH = 3;
const ROUNDS = 2;
const SIZES = [1_000, 10_000, 100_000, 1_000_000];

const MIB = 1024 * 1024;
/** What a request with a construct of a parser may take: seconds of CPU time, bytes by which the process grows, and ms until /health responds. */
const LIMITS = { cpu: 2, growth: 128 * MIB, health: 100 };
/** ms between two looks at /health. */
const PAUSE = 20;

interface Growing {
  readonly name: string;
  readonly operation: string;
  /** Undefined where there cannot be so many. */
  parts(count: number): Parts | undefined | Promise<Parts | undefined>;
  /** Whether all that a request takes is printed and limited. */
  readonly isLimited?: true;
}

interface OfFile extends Pick<Growing, "name" | "operation"> {
  readonly fields?: Parts;
  file(count: number): Uint8Array | undefined;
}

const upTo =
  (most: number, file: (count: number) => Uint8Array): OfFile["file"] =>
  (count) =>
    count > most ? undefined : file(count);

const angle = { angle: "90" };
const ofFiles: readonly OfFile[] = [
  ...(Object.keys(constructs) as Construct[]).map((name): OfFile => {
    return { name, operation: "rotate", fields: angle, file: (count) => packedBesidePage(constructs[name](count)) };
  }),
  { name: "samples behind a filter", operation: "compress", file: upTo(10_000_000, (count) => ascii85Image(1, count)) },
  { name: "objects", operation: "rotate", fields: angle, file: upTo(200_000, lostObjects) },
  { name: "pages", operation: "rotate", fields: angle, file: upTo(5_000, manyPages) },
  { name: "nodes of the page tree", operation: "rotate", fields: angle, file: upTo(100_000, deepPageTree) },
  { name: "annotations", operation: "flatten", file: upTo(100_000, ownAnnotations) },
  { name: "fields", operation: "metadata", fields: { action: "get" }, file: upTo(10_000, manyFields) },
  {
    name: "kids of a field",
    operation: "metadata",
    fields: { action: "get" },
    file: upTo(10_000, (count) => longNames(count, 10)),
  },
  {
    name: "names of a tree",
    operation: "extract-pages",
    fields: { range: "1" },
    file: upTo(200_000, namedDestinations),
  },
  { name: "bookmarks", operation: "outline", fields: { action: "get" }, file: upTo(100_000, longOutline) },
  { name: "attachments", operation: "attachments", fields: { action: "list" }, file: upTo(100_000, manyAttachments) },
];

const growing: readonly Growing[] = [
  ...ofFiles.map(({ name, operation, fields = {}, file }): Growing => {
    const parts: Growing["parts"] = (count) => {
      const bytes = file(count);
      return bytes && { file: pdfPart(bytes), ...fields };
    };
    return { name, operation, parts };
  }),
  ...parserConstructs.map(({ parser, name, operation, parts }): Growing => {
    return { name: `${parser}: ${name}`, operation, parts, isLimited: true };
  }),
];

async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [user = "0", system = "0"] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
  return (Number(user) + Number(system)) * TICK;
}

interface Taken {
  readonly status: number;
  readonly fuel: number;
  /** ms of CPU time, bytes that the process grew by, and ms until /health responded at most. */
  readonly cpu: number;
  readonly growth: number;
  readonly health: number;
}

async function take(service: ServerProcess, operation: string, parts: Parts): Promise<Taken> {
  const state = { on: true, health: 0 };
  const watching = (async () => {
    while (state.on) {
      const start = performance.now();
      await (await fetch(`${service.baseUrl}/api/v1/health`)).arrayBuffer();
      state.health = Math.max(state.health, performance.now() - start);
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  })();
  const [before, start] = [await residentBytes(service.pid), await cpuOf(service.pid)];
  const { peak, result } = await peakDuring(service.pid, () => post(service, operation, parts, 300_000));
  const cpu = (await cpuOf(service.pid)) - start;
  state.on = false;
  await watching;
  const fuel = await service.fuelOf(result.headers.get("X-Request-Id") ?? "");
  return { status: result.status, fuel, cpu, growth: Math.max(0, peak - before), health: state.health };
}

/** The least of each that was taken in some rounds. */
const leastOf = (rounds: readonly Taken[], what: "cpu" | "growth" | "health"): number =>
  Math.min(...rounds.map((one) => one[what]));

/** Prints a row for each construct. Returns whether nothing grows faster than its fuel, and no parser takes more than it may. */
export async function measureGrowth(service: ServerProcess, only: string): Promise<boolean> {
  console.log(
    `nanoseconds for a unit of fuel, and millions of fuel; for parsers also seconds of CPU time, MiB, and ms until /health responds\n${"".padEnd(40)}${SIZES.map((size) => size.toLocaleString("en-US").padStart(24)).join("")}`,
  );
  let isFine = true;
  const cell = (text: string, isBad: boolean): string => {
    if (isBad) isFine = false;
    return `${isBad ? "!" : ""}${text}`.padStart(24);
  };
  for (const { name, operation, parts, isLimited } of growing.filter((one) => one.name.includes(only))) {
    let before: number | undefined;
    const [cells, takes]: [string[], string[]] = [[], []];
    for (const size of SIZES) {
      const form = await parts(size);
      if (form === undefined) break;
      const rounds: Taken[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await take(service, operation, form));
      const [{ fuel, status } = { fuel: 0, status: 0 }] = rounds;
      const [cpu, growth, health] = [leastOf(rounds, "cpu"), leastOf(rounds, "growth"), leastOf(rounds, "health")];
      const perUnit = (cpu * 1e6) / fuel;
      // A request that is refused early does little else than read the body.
      const tells = fuel > LEAST_FUEL && status === 200;
      const grows = before !== undefined && perUnit > MOST_GROWTH * before && tells;
      if (tells) before = Math.min(before ?? Infinity, perUnit);
      const shown = `${tells ? perUnit.toFixed(2) : ""} ${(fuel / 1e6).toFixed(1)} M`;
      cells.push(cell(`${shown}${status === 200 ? "" : ` ${status}`}`, grows));
      const isDear = cpu / 1_000 > LIMITS.cpu || growth > LIMITS.growth || health > LIMITS.health;
      const took = `${(cpu / 1_000).toFixed(2)} s ${Math.round(growth / MIB)} MiB ${Math.round(health)} ms`;
      if (isLimited) takes.push(cell(took, isDear));
    }
    console.log(name.padEnd(40) + cells.join(""));
    if (isLimited) console.log("".padEnd(40) + takes.join(""));
  }
  return isFine;
}
