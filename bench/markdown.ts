/** extract-text as Markdown against other programs, on documents whose tables and facts are known, with the scorer beside them. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import initializeInspector, { processPdf } from "@firecrawl/pdf-inspector-wasm";
import initializeLiteParse, { LiteParse } from "@llamaindex/liteparse-wasm";
import { pdfPart, type Service } from "../test/harness/client.ts";
import { prepareCall, timedCall } from "./call.ts";

export interface MarkdownRow {
  readonly name: string;
  /** Of the relations between neighboring cells (Göbel et al., 2013), averaged over the documents. */
  readonly tables: { readonly precision: number; readonly recall: number; readonly f1: number };
  readonly facts: { readonly hold: number; readonly total: number };
  /** ms for all documents. */
  readonly time: number;
}

interface Scorer {
  scoreFolder(outputs: string, folder: string): Omit<MarkdownRow, "name" | "time">;
}

type Writer = (pdf: Uint8Array) => Promise<string>;

/** Measures the documents in `folder`; none where there is no folder. */
export async function benchMarkdown(service: Service, folder: string): Promise<MarkdownRow[]> {
  const scorer = join(folder, "score.mjs");
  if (!existsSync(scorer)) return [];
  const { scoreFolder } = (await import(pathToFileURL(scorer).href)) as Scorer;
  const documents = ["tables", "facts"].flatMap((part) =>
    readdirSync(join(folder, part))
      .filter((name) => name.endsWith(".pdf"))
      .map((name) => join(folder, part, name)),
  );
  const rows: MarkdownRow[] = [];
  for (const [name, write] of Object.entries(await writers(service))) {
    const outputs = mkdtempSync(join(tmpdir(), "markdown-"));
    let time = 0;
    for (const path of documents) {
      const pdf = new Uint8Array(readFileSync(path));
      const start = performance.now();
      const text = await write(pdf);
      time += performance.now() - start;
      writeFileSync(join(outputs, `${basename(path, ".pdf")}.md`), text);
    }
    const { tables, facts } = scoreFolder(outputs, folder);
    rmSync(outputs, { recursive: true });
    rows.push({ name, tables, facts, time });
  }
  return rows;
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

/** What extract-text is to reach. */
const AT_LEAST = { f1: 0.88, facts: 27 } as const;

export function printMarkdown(rows: readonly MarkdownRow[]): void {
  const cells = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(12))).join("");
  console.log(cells(["Markdown", "precision", "recall", "tables F1", "facts", "time"]));
  console.log(cells(["  at least", "", "", AT_LEAST.f1.toFixed(3), String(AT_LEAST.facts), ""]));
  for (const { name, tables, facts, time } of rows) {
    const scores = [tables.precision, tables.recall, tables.f1].map((score) => score.toFixed(3));
    console.log(cells([name, ...scores, `${facts.hold} of ${facts.total}`, `${Math.round(time)} ms`]));
  }
}
