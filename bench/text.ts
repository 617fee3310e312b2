/** extract-text against pdftotext (how right) and mutool (how fast), on documents whose text is known. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pdfPart, type Service } from "../test/harness/requests/client.ts";
import { characterErrorRate, fragmentErrorRate } from "../test/harness/compare/edit-distance.ts";
import { prepareCall, timedCall } from "./call.ts";

export interface TextRow {
  readonly name: string;
  /** Character error rates; undefined where pdftotext is not installed. */
  readonly errors: number;
  readonly pdftotextErrors: number | undefined;
  /** Medians, ms, of a call and of a whole process; undefined where mutool is not installed. */
  readonly service: number;
  readonly mutool: number | undefined;
}

/** A document of the corpus and how wrong a text of it is. */
interface Truth {
  readonly file: string;
  readonly truthFile: string;
  readonly errors: (text: string, truth: string) => number;
}

/** The body of a page of HTML, `times` over: one page of the document has it once. */
const html =
  (times: number) =>
  (text: string, truth: string): number => {
    const body = /<body>(.*)<\/body>/s.exec(truth)?.[1]?.replaceAll(/<[^>]*>/g, "") ?? "";
    return characterErrorRate(text, `${body} `.repeat(times));
  };

const truths: readonly Truth[] = [
  {
    file: "text-truth/GeoTopo-komprimiert.pdf",
    truthFile: "text-truth/GeoTopo-book.txt",
    errors: characterErrorRate,
  },
  { file: "text-truth/multicolumn.pdf", truthFile: "text-truth/multicolumn.tex", errors: texErrors },
  {
    file: "tagged-outlines/PDFBOX-2984-rotations.pdf",
    truthFile: "tagged-outlines/PDFBOX-2984-rotations.pdf.txt",
    errors: characterErrorRate,
  },
  { file: "cjk-rtl/habibi.pdf", truthFile: "cjk-rtl/habibi.html", errors: html(1) },
  { file: "cjk-rtl/habibi-rotated.pdf", truthFile: "cjk-rtl/habibi.html", errors: html(4) },
];

/** The literal text of a LaTeX source: title, author, abstract, and the rows of its table. */
function texErrors(text: string, source: string): number {
  const plain = (tex: string): string =>
    tex
      .replaceAll(/\\(?:textbf|textsuperscript)\{/g, "")
      .replaceAll(/[{}]|\\\w+/g, "")
      .replaceAll("&", " ");
  const of = (pattern: RegExp): string[] => [...source.matchAll(pattern)].map(([, found = ""]) => plain(found));
  return fragmentErrorRate(text, [
    ...of(/\\(?:title|author|caption)\{(.*)\}/g),
    ...of(/\\begin\{abstract\}(.*)\\end\{abstract\}/gs),
    ...of(/^\s*(.*&.*)\\\\$/gm),
  ]);
}

/** Measures the documents of the folder, if it exists. */
export async function benchText(service: Service, folder: string | undefined, runs: number): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  if (folder === undefined) return rows;
  const installed = (tool: string): boolean => spawnSync(tool, ["-v"]).error === undefined;
  const [withPdftotext, withMutool] = [installed("pdftotext"), installed("mutool")];
  for (const { file, truthFile, errors } of truths) {
    const [path, truthPath] = [join(folder, file), join(folder, truthFile)];
    if (!existsSync(path) || !existsSync(truthPath)) continue;
    const truth = (await readFile(truthPath, "utf8")).replace(/^\ufeff/, "");
    const call = await prepareCall("extract-text", { file: pdfPart(new Uint8Array(await readFile(path))) });
    const times: { service: number[]; mutool: number[] } = { service: [], mutool: [] };
    let text = "";
    for (let run = -3; run < runs; run++) {
      const { time, body } = await timedCall(service, call);
      ({ text } = JSON.parse(new TextDecoder().decode(body)) as { text: string });
      if (run < 0) continue;
      times.service.push(time);
      if (withMutool) times.mutool.push(runTool("mutool", ["draw", "-q", "-F", "txt", path]).time);
    }
    rows.push({
      name: `${basename(dirname(file))}/${basename(file)}`,
      errors: errors(text, truth),
      pdftotextErrors: withPdftotext ? errors(runTool("pdftotext", ["-q", path, "-"]).output, truth) : undefined,
      service: median(times.service),
      mutool: withMutool ? median(times.mutool) : undefined,
    });
  }
  return rows;
}

function runTool(tool: string, args: readonly string[]): { output: string; time: number } {
  const start = performance.now();
  const { stdout, error } = spawnSync(tool, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (error !== undefined) throw error;
  return { output: stdout, time: performance.now() - start };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** How many times the other program's errors, and of its time, the service may have: the time for the book, since a call has some ms of its own. */
const AT_MOST = { errors: 1, time: 1.5 } as const;

export function printText(rows: readonly TextRow[]): void {
  const percent = (rate: number | undefined): string => (rate === undefined ? "-" : `${(rate * 100).toFixed(2)} %`);
  const ms = (value: number | undefined): string => (value === undefined ? "-" : `${value.toFixed(1)} ms`);
  const ratio = (own: number, other: number | undefined): string => {
    if (other === undefined) return "-";
    return own === other ? "1.00" : (own / other).toFixed(2);
  };
  const cells = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(12))).join("");
  console.log(cells(["extract-text", "errors", "pdftotext", "ratio", "service", "mutool", "ratio"]));
  console.log(cells(["  at most", "", "", AT_MOST.errors.toFixed(2), "", "", AT_MOST.time.toFixed(2)]));
  for (const { name, errors, pdftotextErrors, service, mutool } of rows) {
    const right = [percent(errors), percent(pdftotextErrors), ratio(errors, pdftotextErrors)];
    console.log(cells([name, ...right, ms(service), ms(mutool), ratio(service, mutool)]));
  }
}
