/**
 * Converts real documents to PDF/A-2b: how many conform, how many pages look different in MuPDF and in Poppler, and how the sizes change. A sample of
 * them is also converted by Ghostscript, if it is installed. `ARCHIVE_HALF=hidden` takes the half that nobody looks at.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { outsideFolder } from "../../scripts/outside-folders.ts";
import { root } from "../../scripts/root.ts";
import { Refusal } from "../../src/engines/errors.ts";
import { archive } from "../../src/engines/pdf/archive/archive.ts";
import { writeArchive } from "../../src/engines/pdf/archive/prove.ts";
import { validate } from "../../src/engines/pdf/conformance/validate.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { Work } from "../../src/engines/work.ts";
import { createEngine } from "../harness/fixtures/changed-document.ts";

const shared = join(outsideFolder("corpus"), "..");
const FOLDERS = ["corpus", "found", "found-more", "found-4", "signed", "text-truth", "convert"];
/** Bytes of the largest file, and fuel of one. */
const [LARGEST, FUEL] = [8_000_000, 1e11];
/** Every how many files are compared with other programs. */
const SAMPLE = 8;
/** Of 100 files that open: those that conform; of 100 pages: those that look the same. */
const [LEAST_CONFORMING, LEAST_SAME] = [95, 99];
/** The median of the sizes, relative to the input. */
const MOST_MEDIAN = 1.2;

const isHidden = (path: string): boolean => createHash("sha1").update(basename(path)).digest().at(-1)! % 2 === 1;

const files = FOLDERS.flatMap((folder) => {
  const path = join(shared, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((name) => /\.pdf$/i.test(name) && statSync(name).size <= LARGEST);
}).filter((path) => isHidden(path) === (process.env["ARCHIVE_HALF"] === "hidden"));

const loadFont = async (face: unknown): Promise<ArrayBuffer> => {
  const bytes = readFileSync(join(root, `wasm/generated/assets/fonts/${String(face)}.ttf`));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
};

async function engineWith(bytes: Uint8Array) {
  const engine = await createEngine();
  engine.begin(() => true, new Work(FUEL, FUEL));
  const arena = engine.files.arena(bytes.length);
  arena.write(bytes);
  return { engine, file: { field: "file", bytes: arena.seal(), passwordIsOwn: false } };
}

interface Converted {
  readonly bytes: Uint8Array;
  readonly broken: readonly string[];
  readonly pages: number;
  readonly changed: number;
  readonly cpu: number;
}

/** Undefined if the file does not open. */
async function convert(bytes: Uint8Array): Promise<Converted | undefined> {
  const begin = process.cpuUsage();
  const { engine, file } = await engineWith(bytes);
  try {
    using open = await openPdf(engine, file, { validateFor: "save" });
    const report = await archive(open, { profile: "2b", loadFont });
    const written = await writeArchive(open, "2b", report, { keepsResidual: true });
    const { user, system } = process.cpuUsage(begin);
    const { failures, conforms } = written.report;
    const ids = failures.map(({ clause, test: number }) => `${clause}-${number}`);
    return {
      bytes: written.bytes.view(0, written.bytes.length).slice(),
      broken: conforms === true ? [] : ids.length > 0 ? ids : ["6.8-5"],
      pages: open.pageCount,
      changed: written.changedPages.length,
      cpu: (user + system) / 1e6,
    };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const folder = mkdtempSync(join(tmpdir(), "archive-"));

/** Whether the first page is the same in Poppler; undefined without it, or if it cannot draw it. */
function looksSameInPoppler(before: string, after: string): boolean | undefined {
  try {
    const draw = (path: string): Buffer =>
      execFileSync("pdftoppm", ["-r", "72", "-f", "1", "-l", "1", path], {
        maxBuffer: 1 << 28,
        stdio: ["ignore", "pipe", "ignore"],
      });
    const [one, other] = [draw(before), draw(after)];
    if (one.length !== other.length) return false;
    return one.reduce((count, byte, index) => count + Number(byte !== other[index]), 0) <= one.length / 1000;
  } catch {
    return undefined;
  }
}

/** The rules that Ghostscript's conversion breaks, and its size; undefined without it, or if it fails. */
async function byGhostscript(path: string) {
  const output = join(folder, "gs.pdf");
  const options = ["-dPDFA=2", "-dBATCH", "-dNOPAUSE", "-dQUIET", "-sDEVICE=pdfwrite", "-sColorConversionStrategy=RGB"];
  try {
    execFileSync("gs", [...options, `-sOutputFile=${output}`, path], { stdio: "ignore", timeout: 60_000 });
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(readFileSync(output));
  const { engine, file } = await engineWith(bytes);
  using open = await openPdf(engine, file);
  const { failures } = await validate(open, bytes, "2b", engine.work);
  const tagged = open.document.getTrailer().get("Root", "StructTreeRoot").isDictionary();
  return { conforms: failures.length === 0, size: bytes.length, same: looksSameInPoppler(path, output), tagged };
}

test.skipIf(files.length === 0)("real documents become PDF/A, and their pages look the same", async () => {
  const ratios: number[] = [];
  const residual = new Map<string, number>();
  let [opened, conforming, pages, changed, cpu, samePoppler, inPoppler] = [0, 0, 0, 0, 0, 0, 0];
  const gs = { tried: 0, conforming: 0, same: 0, ratios: [] as number[] };
  for (const [index, path] of files.entries()) {
    const bytes = new Uint8Array(readFileSync(path));
    const made = await convert(bytes);
    if (!made) continue;
    opened += 1;
    pages += made.pages;
    changed += made.changed;
    cpu += made.cpu;
    ratios.push(made.bytes.length / bytes.length);
    if (made.broken.length === 0) conforming += 1;
    for (const id of made.broken) residual.set(id, (residual.get(id) ?? 0) + 1);
    if (index % SAMPLE !== 0) continue;
    const output = join(folder, "archived.pdf");
    writeFileSync(output, made.bytes);
    const same = looksSameInPoppler(path, output);
    if (same !== undefined) [samePoppler, inPoppler] = [samePoppler + Number(same), inPoppler + 1];
    const other = await byGhostscript(path);
    if (!other) continue;
    gs.tried += 1;
    gs.conforming += Number(other.conforms);
    gs.same += Number(other.same === true);
    gs.ratios.push(other.size / bytes.length);
  }
  rmSync(folder, { recursive: true });
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  console.log(`${conforming} of ${opened} files conform; pages that look different: ${changed} of ${pages}`);
  console.log(`size at the median ${median(ratios).toFixed(2)}, ${(pages / cpu).toFixed(0)} pages per second of CPU`);
  console.log(`the first page is the same in Poppler: ${samePoppler} of ${inPoppler}`);
  console.log(
    `Ghostscript: ${gs.conforming} of ${gs.tried} conform, ${gs.same} first pages are the same, size ${median(gs.ratios).toFixed(2)}`,
  );
  for (const [id, count] of [...residual].toSorted(([, a], [, b]) => b - a)) console.log(`${id}: ${count} files`);
  expect((100 * conforming) / opened).toBeGreaterThanOrEqual(LEAST_CONFORMING);
  expect(100 * (1 - changed / pages)).toBeGreaterThanOrEqual(LEAST_SAME);
  expect(median(ratios)).toBeLessThanOrEqual(MOST_MEDIAN);
});
