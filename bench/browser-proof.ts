/** Documents that the service prints with a browser, beside the PDFs that Chromium makes of them by itself. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as mupdf from "mupdf";
import { prepareCall, send } from "./call.ts";
import { QUIET_FLAGS } from "../src/serve/browser.ts";
import { type PrintedPage, printedPages } from "../test/harness/browser/printed-pages.ts";
import { readNetpbm, ssim } from "../test/harness/compare/ssim.ts";
import type { Service } from "../test/harness/requests/client.ts";

/** Generated documents of each kind. */
const OF_EACH_KIND = 5;
/** Pictures are at least so alike, page by page. */
const ALIKE = 0.98;
const RESOLUTION = "72";
/** The paper and the margins of the service, for Chromium. The document's own come later, and overrule them. */
const PAPER = "<style>@page{size:A4;margin:54pt}</style>";
const MOST_OUTPUT = 1024 ** 3;

/** Documents that may be looked at, and those that are only counted. */
export const HALVES = ["shown", "hidden"] as const;
type Half = (typeof HALVES)[number];

export interface Compared {
  readonly name: string;
  readonly half: Half;
  readonly pages: number;
  /** The least of its pages. */
  readonly alike: number;
  readonly links: number;
  readonly headings: number;
  /** The facts that are not those of Chromium's own PDF. */
  readonly differences: readonly string[];
}

const run = promisify(execFile);

/** The documents of some halves: the one that comes first by the hash of its name, and the other. */
function documentsOf(
  documents: readonly PrintedPage[],
  halves: readonly Half[],
): (PrintedPage & { readonly half: Half })[] {
  const hashOf = ({ name }: PrintedPage): string => createHash("sha256").update(name).digest("hex");
  return documents
    .toSorted((a, b) => hashOf(a).localeCompare(hashOf(b)))
    .map((one, at) => ({ ...one, half: at < documents.length / 2 ? ("shown" as const) : ("hidden" as const) }))
    .filter(({ half }) => halves.includes(half));
}

/** HTML documents of a folder, if there is one, and those that are generated. */
export function documentsFor(folder: string | undefined): PrintedPage[] {
  const files = folder === undefined ? [] : readdirSync(folder).filter((name) => /\.x?html?$/i.test(name));
  const real = files.map((name) => ({ name, html: readFileSync(join(folder ?? "", name), "utf8") }));
  return [...real, ...printedPages(OF_EACH_KIND)];
}

/** Compares the documents of a half. `output`: where the PDFs are kept, if anywhere. */
export async function compareWithChromium(
  service: Service,
  chromium: string,
  documents: readonly PrintedPage[],
  halves: readonly Half[],
  output: string | undefined,
): Promise<Compared[]> {
  const folder = mkdtempSync(join(tmpdir(), "printed-"));
  try {
    const all: Compared[] = [];
    for (const { name, html, half } of documentsOf(documents, halves)) {
      const [ours, own] = [await printByService(service, html), await printByChromium(chromium, folder, html)];
      if (output !== undefined) {
        mkdirSync(output, { recursive: true });
        writeFileSync(join(output, `${name}.service.pdf`), ours);
        writeFileSync(join(output, `${name}.chromium.pdf`), own);
      }
      all.push({ name, half, ...(await compare(folder, ours, own)) });
    }
    return all;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function printByService(service: Service, html: string): Promise<Uint8Array> {
  const file = { bytes: new TextEncoder().encode(html), fileName: "page.html" };
  const { status, body } = await send(
    service,
    await prepareCall("to-pdf", { file, engine: "browser", scripts: "true" }),
  );
  if (status !== 200) throw new Error(`${status} ${new TextDecoder().decode(body)}`);
  return body;
}

async function printByChromium(chromium: string, folder: string, html: string): Promise<Uint8Array> {
  const [source, target, profile] = [join(folder, "page.html"), join(folder, "page.pdf"), join(folder, "profile")];
  const [head = ""] = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype[^>]*>)?/is.exec(html) ?? [];
  writeFileSync(source, head + PAPER + html.slice(head.length));
  const flags = ["--headless", "--no-sandbox", "--no-pdf-header-footer", "--generate-pdf-document-outline"];
  const own = [`--print-to-pdf=${target}`, `--user-data-dir=${profile}`, pathToFileURL(source).href];
  await run(chromium, [...flags, ...QUIET_FLAGS, ...own]);
  const bytes = readFileSync(target);
  rmSync(target);
  return withBoxesOfMupdf(bytes);
}

/**
 * Chromium writes 841.92 points as 841.91998, which is the same number in single precision, and MuPDF as 841.92. Poppler computes in double precision,
 * and would set text that is between two pixels on the one or the other.
 */
function withBoxesOfMupdf(pdf: Buffer): Uint8Array {
  const document = new mupdf.PDFDocument();
  const boxes = pdf.toString("latin1").replace(/(?<=\/MediaBox ?\[)[^\]]+/g, (box) => {
    const numbers = box.trim().split(/\s+/);
    return numbers
      .map((number) => document.newReal(Number(number)).toString())
      .join(" ")
      .padEnd(box.length);
  });
  return Buffer.from(boxes, "latin1");
}

/** The URL of a link, or undefined for a relative one, which Chromium makes one of the file, and the service drops. */
const addressOf = (uri: string): string | undefined =>
  uri.startsWith("file:///") ? undefined : uri.replace(/^file:/, "http:");

interface Facts {
  readonly pages: number;
  readonly sizes: string;
  readonly text: string;
  readonly tags: string;
  readonly links: readonly string[];
  readonly outline: readonly string[];
}

async function compare(folder: string, ours: Uint8Array, own: Uint8Array) {
  const [a, b] = [await factsOf(folder, ours), await factsOf(folder, own)];
  const names = ["pages", "sizes", "text", "tags", "links", "outline"] as const;
  const differences: string[] = names.filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
  const [pictures, others] = [await picturesOf(folder, ours), await picturesOf(folder, own)];
  const alike = Math.min(
    ...pictures.map((picture, at) => {
      const other = others[at];
      return other === undefined ? 0 : ssim(picture, other);
    }),
  );
  if (alike < ALIKE) differences.push("pictures");
  return { pages: a.pages, alike, links: a.links.length, headings: a.outline.length, differences };
}

async function factsOf(folder: string, bytes: Uint8Array): Promise<Facts> {
  const path = join(folder, "facts.pdf");
  writeFileSync(path, bytes);
  const maxBuffer = MOST_OUTPUT;
  const [text, tags] = await Promise.all([
    run("pdftotext", ["-raw", path, "-"], { maxBuffer }),
    run("pdfinfo", ["-struct-text", path], { maxBuffer }),
  ]);
  const document = mupdf.Document.openDocument(bytes, "application/pdf");
  const pages = Array.from({ length: document.countPages() }, (_, at) => document.loadPage(at));
  return {
    pages: pages.length,
    sizes: pages.map((page) => page.getBounds().map(Math.round).join(" ")).join(", "),
    text: text.stdout,
    tags: numbered(tags.stdout),
    links: pages.flatMap((page, at) =>
      page.getLinks().flatMap((link) => {
        const address = addressOf(link.getURI());
        return address === undefined ? [] : [`${at} ${link.getBounds().map(Math.round).join(" ")} ${address}`];
      }),
    ),
    outline: titlesOf(document.loadOutline() ?? [], 0),
  };
}

/** The IDs of elements are numbers of the nodes in the browser: instead, in the order in which they first come. */
function numbered(tags: string): string {
  const ids = new Map<string, number>();
  return tags.replace(/node\d+/g, (id) => {
    if (!ids.has(id)) ids.set(id, ids.size);
    return `node ${ids.get(id)}`;
  });
}

type Outline = NonNullable<ReturnType<mupdf.Document["loadOutline"]>>;

const titlesOf = (items: Outline, depth: number): string[] =>
  items.flatMap(({ title, page, down }) => [`${depth} ${title} ${page}`, ...titlesOf(down ?? [], depth + 1)]);

async function picturesOf(folder: string, bytes: Uint8Array) {
  const path = join(folder, "pictures.pdf");
  writeFileSync(path, bytes);
  const { stdout } = await run("pdftoppm", ["-r", RESOLUTION, path], { maxBuffer: MOST_OUTPUT, encoding: "buffer" });
  return readNetpbm(stdout);
}

export function printCompared(all: readonly Compared[]): void {
  for (const half of HALVES) {
    const rows = all.filter((one) => one.half === half);
    if (rows.length === 0) continue;
    const sum = (of: (one: Compared) => number): number => rows.reduce((total, one) => total + of(one), 0);
    const same = rows.filter(({ differences }) => differences.length === 0).length;
    console.log(
      `${half}: ${same} of ${rows.length} documents are as Chromium's own; ${sum(({ pages }) => pages)} pages, ${sum(({ links }) => links)} links, ` +
        `${sum(({ headings }) => headings)} bookmarks; least SSIM of a page ${Math.min(...rows.map(({ alike }) => alike)).toFixed(4)}`,
    );
    for (const { name, alike, pages, differences } of rows.filter((one) => one.differences.length > 0))
      console.log(`  ${name}: ${differences.join(", ")} (SSIM ${alike.toFixed(4)}, ${pages} pages)`);
  }
}
