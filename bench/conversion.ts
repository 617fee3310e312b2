/** to-pdf on real documents: the words, order, links, and headings that pandoc reads in the source, looked for in the PDF with poppler and pdf.js. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { promisify } from "node:util";
import { strFromU8, unzipSync } from "fflate";
import { pdfPart, type Service } from "../test/harness/requests/client.ts";
import { docx, paragraph } from "../test/harness/fixtures/office-fixtures.ts";
import { type OutlineEntry, openPdf } from "../test/harness/engines/pdfjs.ts";
import { prepareCall, send } from "./call.ts";
import { peakDuring, residentBytes } from "./server-process.ts";
import { median } from "./text.ts";

/** Documents that may be looked at, and those that only this sees. */
const halves = ["shown", "hidden"] as const;
type Half = (typeof halves)[number];

/** How many of the source there are, and of those in the PDF. */
interface Share {
  readonly found: number;
  readonly of: number;
}

interface Document {
  readonly name: string;
  readonly half: Half;
  readonly status: number;
  readonly message?: string;
  readonly pages: number;
  readonly words: Share;
  /** Of the words that source and PDF have once: the longest run in the same order. */
  readonly order: Share;
  readonly links: Share;
  readonly headings: Share;
  /** Words that are not within the page. */
  readonly outside: number;
  /** Fonts that are not embedded and subset. */
  readonly fonts: number;
  readonly missingGlyphs: number;
  readonly notConverted: string;
  readonly lost: readonly string[];
}

interface Timing {
  readonly name: string;
  readonly pages: number;
  /** Median in ms. */
  readonly time: number;
  /** Bytes by which the process grew at most. */
  readonly growth: number | undefined;
}

export interface ConversionResult {
  readonly documents: readonly Document[];
  readonly timings: readonly Timing[];
}

interface Source {
  readonly words: readonly string[];
  readonly links: readonly string[];
  readonly headings: readonly string[];
}

const PANDOC: Readonly<Record<string, string>> = {
  ".html": "html",
  ".md": "gfm+footnotes",
  ".docx": "docx",
  ".epub": "epub",
};

const halfOf = (name: string): Half =>
  ((createHash("sha256").update(name).digest()[0] ?? 0) & 1) === 0 ? "shown" : "hidden";

const pathsIn = (folder: string): string[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name));

/** Converts the files of `folder` that are of a format with a truth; the PDFs are left in `output`. */
export async function benchConversion(
  service: Service & { readonly pid?: number },
  folder: string | undefined,
  output: string | undefined,
  runs: number,
): Promise<ConversionResult> {
  const to = output ?? mkdtempSync(join(tmpdir(), "conversion-"));
  mkdirSync(to, { recursive: true });
  const documents: Document[] = [];
  for (const path of folder === undefined ? [] : pathsIn(folder)) {
    const name = basename(path);
    const source = await sourceOf(path);
    if (source !== undefined) documents.push(await converted(service, path, name, source, join(to, `${name}.pdf`)));
  }
  if (output === undefined) rmSync(to, { recursive: true });
  return { documents, timings: await timings(service, runs) };
}

async function converted(service: Service, path: string, name: string, source: Source, pdf: string): Promise<Document> {
  const file = pdfPart(new Uint8Array(readFileSync(path)), "file.bin");
  const { status, body, headers } = await send(service, await prepareCall("to-pdf", { file }));
  const none: Share = { found: 0, of: 0 };
  const empty = { words: none, order: none, links: none, headings: none, outside: 0, fonts: 0, lost: [] };
  const about = { name, half: halfOf(name), status, pages: 0, missingGlyphs: 0, notConverted: "", ...empty };
  if (status !== 200) return { ...about, message: new TextDecoder().decode(body) };
  writeFileSync(pdf, body);
  const view = await openPdf(new Uint8Array(body));
  const words = wordsOf(await tool("pdftotext", ["-raw", "-enc", "UTF-8", pdf, "-"]));
  const left = countsOf(words);
  const lost = source.words.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
  const urls = new Set(view.pages.flatMap(({ annotations }) => annotations.map(({ url }) => addressOf(String(url)))));
  const titles = countsOf(titlesOf(view.outline).map(compared));
  const headings = source.headings.filter((heading) => {
    const count = titles.get(heading) ?? 0;
    titles.set(heading, count - 1);
    return count > 0;
  });
  return {
    ...about,
    pages: view.pages.length,
    words: { found: source.words.length - lost.length, of: source.words.length },
    order: orderOf(source.words, words),
    links: { found: source.links.filter((link) => urls.has(link)).length, of: source.links.length },
    headings: { found: headings.length, of: source.headings.length },
    outside: outsideOf(await tool("pdftotext", ["-bbox", pdf, "-"])),
    fonts: (await tool("pdffonts", [pdf]))
      .split("\n")
      .slice(2)
      .filter((line) => line !== "" && !/ yes yes (yes|no ) /.test(line)).length,
    missingGlyphs: Number(headers["x-missing-glyphs"] ?? 0),
    notConverted: String(headers["x-not-converted"] ?? ""),
    lost,
  };
}

/** Waits for it, so that a connection that the server closes meanwhile is noticed. */
const tool = async (name: string, args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(name, args, { encoding: "utf8", maxBuffer: 1 << 28 })).stdout;

/** Letters and digits; each character of Chinese and Japanese is a word. */
const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\u00ad\u200b-\u200f\p{Mn}]/gu, "")
    .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? [];

const compared = (text: string): string => wordsOf(text).join(" ");

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const titlesOf = (entries: readonly OutlineEntry[]): string[] =>
  entries.flatMap(({ title, items }) => [title, ...titlesOf(items)]);

const addressOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

function orderOf(source: readonly string[], words: readonly string[]): Share {
  const [inSource, inPdf] = [countsOf(source), countsOf(words)];
  const places = new Map(words.map((word, index) => [word, index]));
  const sequence = source
    .filter((word) => inSource.get(word) === 1 && inPdf.get(word) === 1)
    .map((word) => places.get(word) ?? 0);
  // The smallest end of an increasing run of each length.
  const ends: number[] = [];
  for (const place of sequence) {
    const at = ends.findIndex((end) => end >= place);
    ends[at < 0 ? ends.length : at] = place;
  }
  return { found: ends.length, of: sequence.length };
}

/** Counts the words of `pdftotext -bbox` that reach out of their page by more than a point. */
function outsideOf(xhtml: string): number {
  let [width, height, count] = [0, 0, 0];
  for (const [, tag = "", rest = ""] of xhtml.matchAll(/<(page|word) ([^>]*)>/g)) {
    const numbers = Array.from(rest.matchAll(/"(-?[\d.]+)"/g), ([, value]) => Number(value));
    if (tag === "page") [width = 0, height = 0] = numbers;
    else {
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbers;
      if (x0 < -1 || y0 < -1 || x1 > width + 1 || y1 > height + 1) count += 1;
    }
  }
  return count;
}

/** What a file of a known kind has; undefined for others, and for those that cannot be read. */
async function sourceOf(path: string): Promise<Source | undefined> {
  const kind = extname(path);
  if (kind === ".csv") return { words: wordsOf(readFileSync(path, "utf8")), links: [], headings: [] };
  // Encrypted ones are no archives.
  if (kind === ".xlsx" && readFileSync(path, "latin1").startsWith("PK"))
    return { words: wordsOf(stringsOf(unzipSync(readFileSync(path)))), links: [], headings: [] };
  const format = PANDOC[kind];
  if (format === undefined) return undefined;
  const json = await tool("pandoc", ["-f", format, "-t", "json", path]).catch(() => undefined);
  if (json === undefined) return undefined;
  const tree = JSON.parse(json) as { readonly blocks: unknown };
  const text: string[] = [];
  const links = new Set<string>();
  const headings: string[] = [];
  read(tree.blocks, { text, links, headings });
  return { words: wordsOf(text.join("")), links: [...links], headings: headings.filter((heading) => heading !== "") };
}

interface Found {
  readonly text: string[];
  readonly links: Set<string>;
  readonly headings: string[];
}

/** Walks pandoc's tree (pandoc-types, Text.Pandoc.Definition) in its order. */
function read(node: unknown, found: Found): void {
  if (Array.isArray(node)) {
    for (const child of node) read(child, found);
    return;
  }
  if (node === null || typeof node !== "object" || !("t" in node)) return;
  const { t: kind, c: content } = node as { readonly t: string; readonly c?: unknown };
  const start = found.text.length;
  if (kind === "Str") found.text.push(String(content));
  else if (kind === "Code" || kind === "CodeBlock") found.text.push(String((content as unknown[])[1]));
  else if (kind !== "Math" && kind !== "RawBlock" && kind !== "RawInline" && kind !== "Image") read(content, found);
  if (
    ![
      "Str",
      "Emph",
      "Strong",
      "Link",
      "Span",
      "Code",
      "Quoted",
      "Superscript",
      "Subscript",
      "Strikeout",
      "Underline",
      "SmallCaps",
    ].includes(kind)
  )
    found.text.push(" ");
  const said = found.text.slice(start).join("");
  if (kind === "Header") found.headings.push(compared(said));
  if (kind !== "Link" || said.trim() === "") return;
  const [address] = (content as [unknown, unknown, [string, string]])[2];
  if (/^(https?|mailto|ftp|tel):/i.test(address)) found.links.add(addressOf(address));
}

/** The strings of the cells of visible sheets, rows, and columns. */
function stringsOf(files: Readonly<Record<string, Uint8Array>>): string {
  const textOf = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  const saidIn = (xml: string): string =>
    Array.from(
      xml.replaceAll(/<(\w+:)?rPh\b[\s\S]*?<\/(\w+:)?rPh>/g, "").matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)/g),
      ([, text = ""]) => text,
    ).join("");
  const shared = Array.from(
    textOf("xl/sharedStrings.xml").matchAll(/<(?:\w+:)?si\b[^>]*?(?:\/>|>([\s\S]*?)<\/(?:\w+:)?si>)/g),
    ([, item = ""]) => saidIn(item),
  );
  const targets = new Map(
    Array.from(textOf("xl/_rels/workbook.xml.rels").matchAll(/<Relationship\b[^>]*>/g), ([tag]) => [
      /\bId="([^"]*)"/.exec(tag)?.[1],
      /\bTarget="([^"]*)"/.exec(tag)?.[1] ?? "",
    ]),
  );
  const said: string[] = [];
  for (const [sheet] of textOf("xl/workbook.xml").matchAll(/<(?:\w+:)?sheet\b[^>]*>/g)) {
    if (/\bstate="(hidden|veryHidden)"/.test(sheet)) continue;
    const target = targets.get(/\br:id="([^"]*)"/.exec(sheet)?.[1]) ?? "";
    const xml = textOf(target.startsWith("/") ? target.slice(1) : `xl/${target}`);
    const hidden = hiddenColumnsOf(xml);
    const rows = xml.replaceAll(/<(?:\w+:)?row\b[^>]*\shidden="(?:1|true)"[^>]*>[\s\S]*?<\/(?:\w+:)?row>/g, "");
    for (const [, attributes = "", value = ""] of rows.matchAll(/<(?:\w+:)?c\b([^>]*)>([\s\S]*?)<\/(?:\w+:)?c>/g)) {
      const letters = /\br="([A-Z]+)/.exec(attributes)?.[1] ?? "";
      if (hidden.has(Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0))) continue;
      if (/\bt="s"/.test(attributes)) said.push(shared[Number(/<(?:\w+:)?v>(\d+)/.exec(value)?.[1])] ?? "");
      if (/\bt="inlineStr"/.test(attributes)) said.push(saidIn(value));
    }
  }
  return said
    .join(" ")
    .replaceAll("&amp;", "&")
    .replaceAll(/&(lt|gt|quot|apos|#\d+);/g, " ");
}

/** Counted from 1. */
function hiddenColumnsOf(xml: string): Set<number> {
  const hidden = new Set<number>();
  for (const [tag] of xml.matchAll(/<(?:\w+:)?col\b[^>]*\shidden="(?:1|true)"[^>]*>/g)) {
    const [first = 1, last = 0] = ["min", "max"].map((name) =>
      Number(new RegExp(`\\b${name}="(\\d+)"`).exec(tag)?.[1]),
    );
    for (let column = first; column <= last; column++) hidden.add(column);
  }
  return hidden;
}

const PARAGRAPH =
  "The quick brown fox jumps over the lazy dog, and the dog sleeps on as if nothing had happened. ".repeat(5);

/** Documents of a little more than a hundred pages. */
const LARGE: Readonly<Record<string, () => Uint8Array>> = {
  "Markdown, 100 pages": () =>
    new TextEncoder().encode(
      Array.from(
        { length: 200 },
        (_, index) =>
          `## Section ${index}\n\n${`${PARAGRAPH}\n\n- one **item** of a [list](https://example.com/${index})\n- another\n\n`.repeat(3)}`,
      ).join("\n"),
    ),
  "HTML, 100 pages": () =>
    new TextEncoder().encode(
      `<!DOCTYPE html><title>Large</title>${Array.from({ length: 200 }, (_, index) => `<h2>Section ${index}</h2>${`<p>${PARAGRAPH}</p><table border="1"><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>`.repeat(3)}`).join("")}`,
    ),
  "DOCX, 100 pages": () => docx(Array.from({ length: 850 }, (_, index) => paragraph(`${index} ${PARAGRAPH}`)).join("")),
};

async function timings(service: Service & { readonly pid?: number }, runs: number): Promise<Timing[]> {
  const { pid } = service;
  const rows: Timing[] = [];
  for (const [name, make] of Object.entries(LARGE)) {
    const call = await prepareCall("to-pdf", { file: pdfPart(make(), "file.bin") });
    let pages = 0;
    const once = async (): Promise<number> => {
      const start = performance.now();
      const { status, headers, body } = await send(service, call);
      if (status !== 200) throw new Error(`${name}: ${status} ${new TextDecoder().decode(body)}`);
      pages = Number(headers["x-page-count"]);
      return performance.now() - start;
    };
    await once();
    const times: number[] = [];
    for (let run = 0; run < runs; run++) times.push(await once());
    const before = pid === undefined ? 0 : await residentBytes(pid);
    const growth = pid === undefined ? undefined : (await peakDuring(pid, once)).peak - before;
    rows.push({ name, pages, time: median(times), growth });
  }
  return rows;
}

const KINDS = ["html", "md", "csv", "docx", "xlsx", "epub"] as const;

const shareOf = (documents: readonly Document[], pick: (document: Document) => Share): string => {
  const [found, of] = [
    documents.reduce((sum, one) => sum + pick(one).found, 0),
    documents.reduce((sum, one) => sum + pick(one).of, 0),
  ];
  return of === 0 ? "-" : `${(found / of).toFixed(4)} (${of})`;
};

export function printConversion({ documents, timings }: ConversionResult): void {
  console.log(
    "\n| Format | Half | Documents | Converted | Words | Order | Links | Headings | Words outside the page | Fonts not embedded or subset |",
  );
  console.log("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|");
  for (const kind of KINDS)
    for (const half of halves) {
      const all = documents.filter(({ name, half: own }) => name.endsWith(`.${kind}`) && own === half);
      const done = all.filter(({ status }) => status === 200);
      const sum = (pick: (document: Document) => number): number => done.reduce((total, one) => total + pick(one), 0);
      const shares = [
        ({ words }: Document) => words,
        ({ order }: Document) => order,
        ({ links }: Document) => links,
        ({ headings }: Document) => headings,
      ];
      console.log(
        `| ${[kind, half, all.length, done.length, ...shares.map((pick) => shareOf(done, pick)), sum(({ outside }) => outside), sum(({ fonts }) => fonts)].join(" | ")} |`,
      );
    }
  console.log("\nDocuments that may be looked at, and where something is wrong");
  for (const {
    name,
    half,
    status,
    message,
    words,
    order,
    links,
    headings,
    outside,
    fonts,
    lost,
    missingGlyphs,
    notConverted,
  } of documents) {
    if (half === "hidden") continue;
    const short = ({ found, of }: Share): string => (found < of ? `${found} of ${of}` : "");
    const what = Object.entries({
      words: short(words),
      order: short(order),
      links: short(links),
      headings: short(headings),
      outside: outside || "",
      fonts: fonts || "",
      missingGlyphs: missingGlyphs || "",
      notConverted,
      lost: lost.slice(0, 12).join(" "),
    });
    const said =
      status === 200
        ? what.flatMap(([key, value]) => (value === "" ? [] : `${key} ${value}`)).join("; ")
        : `${status} ${message}`;
    if (said !== "") console.log(`${name}: ${said}`);
  }
  console.log("\n| Document | Pages | Time | Growth of workerd |\n|---|--:|--:|--:|");
  for (const { name, pages, time, growth } of timings)
    console.log(
      `| ${name} | ${pages} | ${time.toFixed(0)} ms | ${growth === undefined ? "" : `${(growth / 2 ** 20).toFixed(0)} MiB`} |`,
    );
}
