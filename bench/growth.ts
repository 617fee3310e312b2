/**
 * `npm run turns -- --only growth`: how the time for a unit of fuel changes with the number of a construct. Where it rises, something works that the fuel gauge does
 * not see. Times are CPU times of the whole process; the machine has to be quiet.
 */
import { readFile } from "node:fs/promises";
import type { ServerProcess } from "./server-process.ts";
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
} from "../test/harness/bomb-fixtures.ts";
import { pdfPart, type Part, post } from "../test/harness/client.ts";
import { type Construct, constructs, packedBesidePage } from "../test/harness/construct-bombs.ts";
import { ascii85Image } from "../test/harness/decoding-bombs.ts";

/** Milliseconds of a tick of the kernel's clock for processes. */
const TICK = 10;
/** A request that has nothing to do takes more time than its fuel says: below, times say nothing. */
const LEAST_FUEL = 20e6;
/** How many times the least of fewer constructs a unit of fuel may take: more than noise, and far less than ten times, as where the gauge sees nothing. */
const MOST_GROWTH = 3;
const ROUNDS = 2;
const SIZES = [1_000, 10_000, 100_000, 1_000_000];

type Parts = Readonly<Record<string, Part>>;

interface Growing {
  readonly name: string;
  readonly operation: string;
  readonly fields?: Parts;
  /** Undefined where it cannot be that large. */
  file(count: number): Uint8Array | undefined;
}

const upTo =
  (most: number, file: (count: number) => Uint8Array): Growing["file"] =>
  (count) =>
    count > most ? undefined : file(count);

const angle = { angle: "90" };
const growing: readonly Growing[] = [
  ...(Object.keys(constructs) as Construct[]).map((name): Growing => {
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

async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [user = "0", system = "0"] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
  return (Number(user) + Number(system)) * TICK;
}

/** Prints a row for each construct. Returns whether nothing grows faster than its fuel. */
export async function measureGrowth(service: ServerProcess, only: string): Promise<boolean> {
  console.log(
    `nanoseconds for a unit of fuel, and millions of fuel\n${"".padEnd(26)}${SIZES.map((size) => size.toLocaleString("en-US").padStart(20)).join("")}`,
  );
  let isFine = true;
  for (const { name, operation, fields = {}, file } of growing.filter((one) => one.name.includes(only))) {
    let before: number | undefined;
    const cells: string[] = [];
    for (const size of SIZES) {
      const bytes = file(size);
      if (bytes === undefined) break;
      const parts = { file: pdfPart(bytes), ...fields };
      let [least, fuel, status] = [Infinity, 0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        const start = await cpuOf(service.pid);
        const response = await post(service, operation, parts, 300_000);
        const used = (await cpuOf(service.pid)) - start;
        fuel = await service.fuelOf(response.headers.get("X-Request-Id") ?? "");
        status = response.status;
        least = Math.min(least, (used * 1e6) / fuel);
      }
      // What is refused early does little else than to read the body.
      const tells = fuel > LEAST_FUEL && status === 200;
      const grows = before !== undefined && least > MOST_GROWTH * before && tells;
      if (grows) isFine = false;
      if (tells) before = Math.min(before ?? Infinity, least);
      const shown = tells ? least.toFixed(2) : "";
      cells.push(
        `${grows ? "!" : ""}${shown} ${(fuel / 1e6).toFixed(1)} M${status === 200 ? "" : ` ${status}`}`.padStart(20),
      );
    }
    console.log(name.padEnd(26) + cells.join(""));
  }
  return isFine;
}
