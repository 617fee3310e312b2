/** extract-text as Markdown against other programs, on documents whose tables and facts are known, with the scorer beside them. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import initializeInspector, { processPdf } from "@firecrawl/pdf-inspector-wasm";
import initializeLiteParse, { LiteParse } from "@llamaindex/liteparse-wasm";
import { pdfPart, type Service } from "../test/harness/requests/client.ts";
import { prepareCall, timedCall } from "./call.ts";

/** Documents that may be looked at, those that only a script sees, and all. */
const halves = ["shown", "hidden", "all"] as const;
type Half = (typeof halves)[number];

interface Tables {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export interface MarkdownRow {
  readonly name: string;
  readonly half: Half;
  /** Of the relations between neighboring cells (Göbel et al., 2013), averaged over the documents. */
  readonly tables: Tables;
  readonly facts: { readonly hold: number; readonly total: number };
  /** Of documents that were set for it, if there are any. */
  readonly rendered?: Rendered;
  /** ms for all documents. */
  readonly time: number;
}

interface Rendered {
  readonly nid: number;
  readonly tables: Tables;
  readonly falseTables: { readonly documents: number; readonly of: number };
  readonly headings: { readonly f1: number };
}

interface Fact {
  readonly pdf: string;
}

interface Scorer {
  scoreFolder(
    outputs: string,
    folder: string,
  ): {
    readonly tables: { readonly rows: readonly { name: string; precision: number; recall: number }[] };
    readonly facts: { readonly failed: readonly Fact[] };
  };
}

interface RenderedScorer {
  score(truth: string, outputs: string): Rendered;
}

type Writer = (pdf: Uint8Array) => Promise<string>;

/** Divides documents by a hash of their names: rules are made for what one half shows, and kept if they help on both. */
const halfOf = (name: string): Half =>
  ((createHash("sha256").update(name).digest()[0] ?? 0) & 1) === 0 ? "shown" : "hidden";

const isIn = (half: Half, name: string): boolean => half === "all" || halfOf(name) === half;

/** Measures the documents in `folder`, and those in `rendered` that its `rendered/render.mjs` has set; none without a folder. */
export async function benchMarkdown(
  service: Service,
  folder: string,
  rendered: readonly string[],
): Promise<MarkdownRow[]> {
  const scorer = join(folder, "score.mjs");
  const { scoreFolder } = (await import(pathToFileURL(scorer).href)) as Scorer;
  const facts = readFileSync(join(folder, "facts/facts.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Fact);
  const rows: MarkdownRow[] = [];
  for (const [name, write] of Object.entries(await writers(service))) {
    const outputs = mkdtempSync(join(tmpdir(), "markdown-"));
    const time =
      (await writeAll(write, join(folder, "tables"), outputs)) +
      (await writeAll(write, join(folder, "facts"), outputs));
    const { tables, facts: held } = scoreFolder(outputs, folder);
    const looks: string[] = [];
    for (const [index, from] of rendered.entries()) {
      const look = join(outputs, String(index));
      mkdirSync(look);
      await writeAll(write, from, look);
      looks.push(look);
    }
    for (const half of halves) {
      const own = tables.rows.filter((row) => isIn(half, row.name));
      const failed = held.failed.filter(({ pdf }) => isIn(half, pdf));
      const total = facts.filter(({ pdf }) => isIn(half, pdf)).length;
      rows.push({
        name,
        half,
        tables: meanOf(own),
        facts: { hold: total - failed.length, total },
        ...(looks.length > 0 && { rendered: await scoreRendered(join(folder, "rendered"), looks, half) }),
        time,
      });
    }
    rmSync(outputs, { recursive: true });
  }
  return rows;
}

/** Writes the Markdown of all documents of a folder into another. Returns how long that took, in ms. */
async function writeAll(write: Writer, from: string, to: string): Promise<number> {
  let time = 0;
  for (const name of readdirSync(from).filter((file) => file.endsWith(".pdf"))) {
    const pdf = new Uint8Array(readFileSync(join(from, name)));
    const start = performance.now();
    const text = await write(pdf);
    time += performance.now() - start;
    writeFileSync(join(to, `${basename(name, ".pdf")}.md`), text);
  }
  return time;
}

function meanOf(rows: readonly { precision: number; recall: number }[]): Tables {
  const mean = (pick: (row: { precision: number; recall: number }) => number): number =>
    rows.reduce((sum, row) => sum + pick(row), 0) / Math.max(1, rows.length);
  const [precision, recall] = [mean((row) => row.precision), mean((row) => row.recall)];
  return { precision, recall, f1: (2 * precision * recall) / Math.max(1e-9, precision + recall) };
}

/** The mean, over styles, of the scores of one half of the documents. */
async function scoreRendered(folder: string, looks: readonly string[], half: Half): Promise<Rendered> {
  const { score } = (await import(pathToFileURL(join(folder, "score.mjs")).href)) as RenderedScorer;
  const truth = mkdtempSync(join(tmpdir(), "truth-"));
  for (const name of readdirSync(join(folder, "truth")))
    if (isIn(half, basename(name, ".md"))) symlinkSync(join(folder, "truth", name), join(truth, name));
  const all = looks.map((look) => score(truth, look));
  rmSync(truth, { recursive: true });
  const sum = (pick: (one: Rendered) => number): number => all.reduce((total, one) => total + pick(one), 0);
  const mean = (pick: (one: Rendered) => number): number => sum(pick) / all.length;
  return {
    nid: mean(({ nid }) => nid),
    tables: {
      precision: mean(({ tables }) => tables.precision),
      recall: mean(({ tables }) => tables.recall),
      f1: mean(({ tables }) => tables.f1),
    },
    falseTables: {
      documents: sum(({ falseTables }) => falseTables.documents),
      of: sum(({ falseTables }) => falseTables.of),
    },
    headings: { f1: mean(({ headings }) => headings.f1) },
  };
}

async function writers(service: Service): Promise<Readonly<Record<string, Writer>>> {
  const liteParse = new URL("liteparse_wasm_bg.wasm", import.meta.resolve("@llamaindex/liteparse-wasm"));
  await initializeLiteParse({ module_or_path: readFileSync(liteParse) });
  const inspector = new URL("pdf_inspector_wasm_bg.wasm", import.meta.resolve("@firecrawl/pdf-inspector-wasm"));
  await initializeInspector({ module_or_path: readFileSync(inspector) });
  const parser = new LiteParse({ ocrEnabled: false, outputFormat: "markdown", quiet: true });
  return {
    async "extract-text"(pdf) {
      const call = await prepareCall("extract-text", { file: pdfPart(pdf), format: "markdown" });
      return new TextDecoder().decode((await timedCall(service, call)).body);
    },
    liteparse: async (pdf) => ((await parser.parse(pdf)) as { text: string }).text,
    "pdf-inspector": async (pdf) => processPdf(pdf).markdown ?? "",
  };
}

/** What extract-text is to reach on documents that nobody looked at. */
const AT_LEAST = { f1: 0.88, facts: 27, nid: 0.98, rendered: 0.8, falseTables: 0.02, headings: 0.88 } as const;

export function printMarkdown(rows: readonly MarkdownRow[]): void {
  const cells = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(12))).join("");
  const { f1, facts: least, nid, rendered: set, falseTables, headings } = AT_LEAST;
  const others = ["NID", "set tables", "false tables", "headings"];
  console.log(cells(["Markdown", "precision", "recall", "tables F1", "facts", ...others, "time"]));
  const bars = [nid, set].map((bar) => bar.toFixed(3));
  console.log(
    cells(["  at least", "", "", f1.toFixed(3), String(least), ...bars, `${falseTables * 100} %`, headings.toFixed(3)]),
  );
  for (const { name, half, tables, facts, rendered, time } of rows) {
    const scores = [tables.precision, tables.recall, tables.f1].map((score) => score.toFixed(3));
    const looks =
      rendered === undefined
        ? others.map(() => "")
        : [
            rendered.nid.toFixed(3),
            rendered.tables.f1.toFixed(3),
            `${rendered.falseTables.documents} of ${rendered.falseTables.of}`,
            rendered.headings.f1.toFixed(3),
          ];
    console.log(
      cells([`${name}, ${half}`, ...scores, `${facts.hold} of ${facts.total}`, ...looks, `${Math.round(time)} ms`]),
    );
  }
}
