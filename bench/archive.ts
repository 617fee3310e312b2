/**
 * `npm run measure -- archive [--half 0|1] [--files N] [--pages N] [--most MB] [--port N] <folders>`: converts real documents to PDF/A-2b with `archive`
 * and with Ghostscript. `validate` judges both outputs, MuPDF and Poppler draw the first pages of the input and of both at 72 dpi, and tags are looked
 * for. The files are ordered by the SHA-1 of their names, whose last bit is their half. Files that do not open without a password are left out.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import * as mupdf from "mupdf";
import { startMeasuredServer } from "./server-process.ts";
import { requireFolder } from "../scripts/outside-folders.ts";
import { patiently, pdfPart, post, type Service } from "../test/harness/requests/client.ts";

const run = promisify(execFile);

/** A page looks different if more than this share of its samples differs. */
const MOST_DIFFERENT = 0.001;
const TIMEOUT = 120_000;
/** Clock ticks per second in /proc (`getconf CLK_TCK`). */
const TICKS = 100;
/** Debian's folder of PDFA_def.ps, from which Ghostscript's documentation starts, and a profile of sRGB. */
const GHOSTSCRIPT = "/usr/share/ghostscript";
const PROFILE = "/usr/share/color/icc/ghostscript/srgb.icc";

interface Converter {
  readonly name: string;
  readonly conforming: Set<string>;
  /** Sizes relative to the input. */
  readonly sizes: number[];
  readonly failed: string[];
  tagged: number;
  seconds: number;
  readonly changed: { mupdf: number; poppler: number };
}

type Pictures = readonly (Uint8Array | undefined)[];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: "string", default: "0" },
    files: { type: "string", default: "60" },
    pages: { type: "string", default: "5" },
    most: { type: "string", default: "4" },
    port: { type: "string", default: "8795" },
  },
});
const mostPages = Number(values.pages);
positionals.forEach(requireFolder);
const folder = await mkdtemp(join(tmpdir(), "archive-"));
const converters = ["archive", "gs -dPDFA=2"].map((name): Converter => {
  return {
    name,
    conforming: new Set(),
    sizes: [],
    failed: [],
    tagged: 0,
    seconds: 0,
    changed: { mupdf: 0, poppler: 0 },
  };
});
const [ours, theirs] = converters;
const sums = { files: 0, pages: 0, comparedPages: { mupdf: 0, poppler: 0 }, tagged: 0 };

/** CPU seconds of a process. `children`: of those that it has waited for. */
async function cpuSeconds(pid: number, { children = false } = {}): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
  const [user, system] = children ? [13, 14] : [11, 12];
  return (Number(fields[user]) + Number(fields[system])) / TICKS;
}

async function chosenFiles(): Promise<string[]> {
  const found: { path: string; hash: string }[] = [];
  for (const root of positionals) {
    for (const name of await readdir(root, { recursive: true })) {
      const path = join(root, name);
      if (!/\.pdf$/i.test(name) || (await stat(path)).size > Number(values.most) * 1e6) continue;
      const hash = createHash("sha1").update(basename(path)).digest();
      if ((hash.at(-1) ?? 0) % 2 === Number(values.half)) found.push({ path, hash: hash.toString("hex") });
    }
  }
  return found.toSorted((a, b) => a.hash.localeCompare(b.hash)).map(({ path }) => path);
}

async function definition(): Promise<string> {
  const [version = ""] = await readdir(GHOSTSCRIPT);
  const text = await readFile(join(GHOSTSCRIPT, version, "lib/PDFA_def.ps"), "utf8");
  const path = join(folder, "PDFA_def.ps");
  const profile = (await readFile(PROFILE)).toString("hex");
  // As a string, the profile needs no permission to read files, and the title stays that of the document.
  await writeFile(path, text.replace("ICCProfile (r) file", `<${profile}>`).replace(/^\[ \/Title [^]*?pdfmark/m, ""));
  return path;
}

async function byGhostscript(path: string, prefix: string): Promise<Uint8Array | undefined> {
  const output = join(folder, "gs.pdf");
  const options = ["-dPDFA=2", "-dBATCH", "-dNOPAUSE", "-dQUIET", "-sDEVICE=pdfwrite"];
  options.push("-sColorConversionStrategy=RGB", "-dPDFACompatibilityPolicy=1");
  try {
    await run("gs", [...options, `-sOutputFile=${output}`, prefix, path], { timeout: TIMEOUT });
    return new Uint8Array(await readFile(output));
  } catch {
    return undefined;
  }
}

function byMuPdf(bytes: Uint8Array): { pictures: Pictures; pages: number; isTagged: boolean } {
  const document = mupdf.PDFDocument.openDocument(bytes, "application/pdf").asPDF();
  if (!document) throw new Error("This is no PDF.");
  const pages = document.countPages();
  const pictures = Array.from({ length: Math.min(pages, mostPages) }, (_, index) => {
    try {
      const pixmap = document.loadPage(index).toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, false, true);
      return new Uint8Array(pixmap.getPixels());
    } catch {
      return undefined;
    }
  });
  const isTagged = document.getTrailer().get("Root", "StructTreeRoot").isDictionary();
  document.destroy();
  return { pictures, pages, isTagged };
}

async function byPoppler(bytes: Uint8Array): Promise<Pictures> {
  const path = join(folder, "drawn.pdf");
  await writeFile(path, bytes);
  try {
    await run("pdftoppm", ["-r", "72", "-l", values.pages, path, join(folder, "page")], { timeout: TIMEOUT });
  } catch {
    return [];
  }
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ppm")).toSorted();
  const pictures: Uint8Array[] = [];
  for (const name of names) {
    pictures.push(new Uint8Array(await readFile(join(folder, name))));
    await rm(join(folder, name));
  }
  return pictures;
}

/** The pages that look different, of those that could be drawn before. */
function different(before: Pictures, after: Pictures): number {
  return before.filter((picture, index) => {
    if (!picture) return false;
    const other = after[index];
    if (picture.length !== other?.length) return true;
    return picture.reduce((sum, sample, at) => sum + Number(sample !== other[at]), 0) > picture.length * MOST_DIFFERENT;
  }).length;
}

const drawn = (pictures: Pictures): number => pictures.filter((picture) => picture).length;

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

async function judge(service: Service, converter: Converter, path: string, output: Uint8Array): Promise<void> {
  const { body } = await patiently(() => post(service, "validate", { file: pdfPart(output), profile: "2b" }, TIMEOUT));
  const { conforms } = JSON.parse(new TextDecoder().decode(body)) as { readonly conforms?: boolean | null };
  if (conforms === true) converter.conforming.add(path);
}

async function compareFile(
  service: Service & { readonly pid: number },
  path: string,
  prefix: string,
): Promise<boolean> {
  const input = new Uint8Array(await readFile(path));
  const begin = await cpuSeconds(service.pid);
  const parts = { file: pdfPart(input), profile: "2b", onResidual: "report" };
  const response = await patiently(() => post(service, "archive", parts, TIMEOUT));
  const seconds = (await cpuSeconds(service.pid)) - begin;
  if (response.status !== 200 || !ours || !theirs) return false;
  const before = byMuPdf(input);
  const beforePoppler = await byPoppler(input);
  sums.files += 1;
  sums.pages += before.pages;
  sums.tagged += Number(before.isTagged);
  sums.comparedPages.mupdf += drawn(before.pictures);
  sums.comparedPages.poppler += drawn(beforePoppler);
  ours.seconds += seconds;
  const beginOther = await cpuSeconds(process.pid, { children: true });
  const other = await byGhostscript(path, prefix);
  theirs.seconds += (await cpuSeconds(process.pid, { children: true })) - beginOther;
  for (const [converter, output] of [
    [ours, response.body],
    [theirs, other],
  ] as const) {
    if (!output) {
      converter.failed.push(path);
      converter.changed.mupdf += drawn(before.pictures);
      converter.changed.poppler += drawn(beforePoppler);
      continue;
    }
    await judge(service, converter, path, output);
    const after = byMuPdf(output);
    converter.sizes.push(output.length / input.length);
    converter.tagged += Number(before.isTagged && after.isTagged);
    converter.changed.mupdf += different(before.pictures, after.pictures);
    converter.changed.poppler += different(beforePoppler, await byPoppler(output));
  }
  return true;
}

function print(): void {
  const { files, pages, comparedPages, tagged } = sums;
  console.log(`\n${files} files of ${pages} pages, of which the first ${values.pages} of each were compared\n`);
  console.log(
    "| | Conforming | Failed | Pages changed, MuPDF | Poppler | Size, median | Tags kept | CPU time | Pages per second |",
  );
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
  for (const { name, conforming, failed, changed, sizes, tagged: kept, seconds } of converters) {
    const cells = [
      name,
      `${conforming.size} of ${files}`,
      failed.length,
      `${changed.mupdf} of ${comparedPages.mupdf}`,
      `${changed.poppler} of ${comparedPages.poppler}`,
      median(sizes).toFixed(2),
      `${kept} of ${tagged}`,
      `${seconds.toFixed(1)} s`,
      (pages / seconds).toFixed(1),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

const server = await startMeasuredServer(Number(values.port), "serve");
try {
  const prefix = await definition();
  for (const path of await chosenFiles()) {
    if (sums.files >= Number(values.files)) break;
    const isCompared = await compareFile(server, path, prefix);
    console.error(`${sums.files} ${isCompared ? "" : "(left out) "}${path}`);
  }
  print();
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}
