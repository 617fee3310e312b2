/**
 * compress against Ghostscript's /ebook: sizes, times, and how like the input each output looks (SSIM of mutool's drawings at
 * 72 dpi).
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pdfPart, post, type Service } from "../test/harness/requests/client.ts";
import { imageDocument, imageFixtures } from "../test/harness/images/image-fixtures.ts";
import { brochure } from "../test/harness/images/jpeg-document-fixtures.ts";
import { readNetpbm, ssim } from "../test/harness/compare/ssim.ts";

interface Outcome {
  readonly bytes: number;
  readonly ms: number;
  /** Mean of the pages that are drawn. */
  readonly alike: number | undefined;
}

export interface CompressRow {
  readonly name: string;
  readonly kind: "images" | "text";
  readonly inputBytes: number;
  readonly service: Outcome;
  /** Ghostscript; undefined if it is missing or refuses the file. */
  readonly other: Outcome | undefined;
}

/** Folders of a corpus with little else than images. */
const IMAGE_FOLDERS: readonly string[] = ["large-images", "scans"];
/** Pages that are drawn, and samples of a page beyond which it is left out. */
const MOST_PAGES = 5;
const MOST_PIXELS = 40_000_000;
/** Made here: photographs of a few kinds. */
const MADE = ["photo-rgb", "photo-gray", "photo-cmyk", "photo-soft-mask", "photo-inverted"];
/** How much less alike than Ghostscript's an output may be. */
const TOLERANCE = 0.004;

const installed = (tool: string): boolean => spawnSync(tool, ["-v"]).error === undefined;

export async function benchCompress(service: Service, corpus: string | undefined): Promise<CompressRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-compress-"));
  const tools = { gs: installed("gs"), mutool: installed("mutool") };
  try {
    const files: { kind: "images" | "text"; path: string }[] = [];
    for (const fixture of imageFixtures.filter(({ name }) => MADE.includes(name))) {
      const path = join(folder, `${fixture.name}.pdf`);
      await writeFile(path, imageDocument(fixture));
      files.push({ kind: "images", path });
    }
    const photographs = join(folder, "brochure.pdf");
    await writeFile(photographs, brochure(12));
    files.push({ kind: "images", path: photographs });
    for (const path of await pdfsOf(corpus)) {
      files.push({ kind: IMAGE_FOLDERS.includes(basename(dirname(path))) ? "images" : "text", path });
    }
    const rows: CompressRow[] = [];
    for (const { kind, path } of files) {
      const row = await measure(service, kind, path, folder, tools);
      if (row) rows.push(row);
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pdfsOf(corpus: string | undefined): Promise<string[]> {
  if (corpus === undefined || !existsSync(corpus)) return [];
  const files = await readdir(corpus, { recursive: true });
  return files
    .filter((file) => file.endsWith(".pdf"))
    .sort()
    .map((file) => join(corpus, file));
}

async function measure(
  service: Service,
  kind: "images" | "text",
  path: string,
  folder: string,
  tools: Readonly<Record<"gs" | "mutool", boolean>>,
): Promise<CompressRow | undefined> {
  const input = new Uint8Array(await readFile(path));
  const [own, output] = [join(folder, "own.pdf"), join(folder, "other.pdf")];
  await post(service, "compress", { file: pdfPart(input) });
  const start = performance.now();
  const response = await post(service, "compress", { file: pdfPart(input) });
  const ms = performance.now() - start;
  // Refused ones (damaged, encrypted) are not compared.
  if (response.status !== 200) return undefined;
  await writeFile(own, response.body);
  const before = tools.mutool ? drawn(path) : undefined;
  const alikeTo = (file: string): number | undefined => before && meanSsim(before, drawn(file));
  const row = { name: basename(path), kind, inputBytes: input.length };
  const outcome = { bytes: response.body.length, ms, alike: alikeTo(own) };
  if (!tools.gs) return { ...row, service: outcome, other: undefined };
  const settings = ["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite", "-dPDFSETTINGS=/ebook"];
  const started = performance.now();
  run("gs", [...settings, `-sOutputFile=${output}`, path]);
  const otherMs = performance.now() - started;
  if (!existsSync(output)) return { ...row, service: outcome, other: undefined };
  const other = { bytes: (await stat(output)).size, ms: otherMs, alike: alikeTo(output) };
  await rm(output);
  return { ...row, service: outcome, other };
}

const run = (tool: string, args: readonly string[]) => spawnSync(tool, args, { maxBuffer: 1 << 30 });

function drawn(path: string): ReturnType<typeof readNetpbm> {
  const args = ["draw", "-q", "-r", "72", "-F", "ppm", "-o", "-", path, `1-${MOST_PAGES}`];
  const { stdout } = run("mutool", args);
  try {
    return readNetpbm(new Uint8Array(stdout)).filter(({ width, height }) => width * height <= MOST_PIXELS);
  } catch {
    return [];
  }
}

function meanSsim(a: ReturnType<typeof readNetpbm>, b: ReturnType<typeof readNetpbm>): number | undefined {
  if (a.length === 0) return undefined;
  return a.reduce((sum, page, index) => sum + (b[index] ? ssim(page, b[index]) : 0), 0) / a.length;
}

export function printCompress(rows: readonly CompressRow[]): void {
  const cells = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(36) : cell.padStart(11))).join("");
  const fixed = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? "-";
  console.log(cells(["compress", "input", "service", "other", "size", "SSIM", "other", "time"]));
  for (const { name, inputBytes, service, other } of rows) {
    const ratio = other && service.bytes / other.bytes;
    const sizes = [inputBytes, service.bytes, other?.bytes].map((bytes) => (bytes === undefined ? "-" : String(bytes)));
    const looks = [fixed(service.alike, 4), fixed(other?.alike, 4)];
    console.log(cells([name, ...sizes, fixed(ratio, 2), ...looks, fixed(other && service.ms / other.ms, 2)]));
  }
  for (const kind of ["images", "text"] as const) {
    const compared = rows.filter((row) => row.kind === kind && row.other);
    if (compared.length === 0) continue;
    const sum = (of: (row: CompressRow) => number): number => compared.reduce((total, row) => total + of(row), 0);
    const size = sum(({ service }) => service.bytes) / sum(({ other }) => other?.bytes ?? 0);
    const logs = compared.map(({ service, other }) => Math.log(service.bytes / (other?.bytes ?? service.bytes)));
    const mean = Math.exp(logs.reduce((total, log) => total + log, 0) / logs.length);
    const time = sum(({ service }) => service.ms) / sum(({ other }) => other?.ms ?? 0);
    const drawnRows = compared.filter(({ service }) => service.alike !== undefined);
    const alike = drawnRows.reduce((total, { service }) => total + (service.alike ?? 0), 0) / drawnRows.length;
    const less = drawnRows.filter(({ service, other }) => (service.alike ?? 1) < (other?.alike ?? 0) - TOLERANCE);
    console.log(
      `${kind}, ${compared.length} files against gs /ebook: size ${size.toFixed(3)} (geometric mean ${mean.toFixed(3)}), time ${time.toFixed(2)}, ` +
        `mean SSIM ${fixed(alike, 4)}; less alike than gs by more than ${TOLERANCE}: ` +
        `${less.map(({ name }) => name).join(", ") || "none"}; ` +
        `${rows.filter((row) => row.kind === kind && row.service.bytes > row.inputBytes).length} grew`,
    );
  }
}
