/** Comma-separated values (RFC 4180), also with other delimiters. */
import { tooManyCells } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import type { TextFormat } from "./format.ts";
import { limits } from "../../../limits.ts";

export const csv: TextFormat = {
  kind: "text",
  name: "csv",
  title: "CSV",
  keeps: "a table with the first row as its header; the delimiter is a comma, a semicolon, a tab, or a vertical bar",
  drops: "",
  detect: ({ text, isCut }) => (delimiterOf(text, isCut) === undefined ? undefined : "likely"),

  async read(text, parts) {
    const records = await readCsv(parts.work, text, delimiterOf(text) ?? ",");
    const columns = records.reduce((most, record) => Math.max(most, record.length), 0);
    const rows = records.map((record, row) =>
      Array.from({ length: columns }, (_, column) => csvCell(record[column] ?? "", row === 0)),
    );
    const widths = Array.from({ length: columns }, () => undefined);
    return { parts: await parts.ofSheets([{ rows, widths }]), notConverted: new Set() };
  },
};

/** Characters of a number in a cell. */
const LONGEST_NUMBER = 100;
const isNumber = /^\s*[-+\u2212(]?[$\u20ac\u00a3]?\s?\d[\d.,\s]*%?\)?\s*$/;

const csvCell = (text: string, header: boolean): { text: string; header: boolean; align?: "right" } => ({
  text,
  header,
  ...(!header && text.length <= LONGEST_NUMBER && isNumber.test(text) && { align: "right" as const }),
});

const DELIMITERS = [",", ";", "\t", "|"] as const;
type Delimiter = (typeof DELIMITERS)[number];
/** Records that are looked at to find the delimiter. */
const SAMPLE = 50;

/** The delimiter that gives all records of the sample equally many cells, at least two; undefined if none does. `cut`: the text continues. */
function delimiterOf(text: string, cut = false): Delimiter | undefined {
  const found = DELIMITERS.map((delimiter) => {
    const records = [...recordsOf(text.slice(0, 16_384), delimiter, SAMPLE + 1)].filter(
      (record) => record !== undefined,
    );
    if (cut || text.length > 16_384) records.pop();
    const filled = records.slice(0, SAMPLE).filter((record) => record.length > 1 || record[0] !== "");
    const cells = filled[0]?.length ?? 0;
    const even = filled.length > 1 && cells > 1 && filled.every((record) => record.length === cells);
    const short = filled.every((record) => record.every((cell) => cell.length < 400));
    return { delimiter, cells: even && short && !looksLikeProse(filled, delimiter) ? cells : 0 };
  });
  const best = found.reduce((most, one) => (one.cells > most.cells ? one : most));
  return best.cells > 1 ? best.delimiter : undefined;
}

/** Commas in sentences are followed by a space. */
function looksLikeProse(records: readonly (readonly string[])[], delimiter: string): boolean {
  if (delimiter !== "," && delimiter !== "|") return false;
  const cells = records.flatMap((record) => record.slice(1));
  const spaced = cells.filter((cell) => /^ [a-z]/.test(cell)).length;
  return (
    spaced > cells.length / 2 ||
    (delimiter === "|" && records.some((record) => record.every((cell) => /^\s*:?-*:?\s*$/.test(cell))))
  );
}

/** Quotes of a cell between two pauses. */
const QUOTES = 1_000;

/** `undefined`: the record is not complete yet. */
function* recordsOf(text: string, delimiter: string, most = Infinity): Generator<string[] | undefined, void> {
  let record: string[] = [];
  let count = 0;
  let at = 0;
  const ends = new RegExp(String.raw`[\r\n${delimiter === "|" ? "\\|" : delimiter}]`, "g");
  while (at <= text.length && count < most) {
    const cell: string[] = [];
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const quote = text.indexOf('"', at);
        cell.push(text.slice(at, quote < 0 ? text.length : quote));
        at = quote < 0 ? text.length : quote + 1;
        if (text[at] !== '"' || quote < 0) break;
        cell.push('"');
        at += 1;
        if (cell.length % (2 * QUOTES) === 0) yield undefined;
      }
    }
    ends.lastIndex = at;
    const end = ends.exec(text)?.index ?? text.length;
    cell.push(text.slice(at, end));
    record.push(cell.join(""));
    if (text[end] === delimiter) {
      at = end + 1;
      if (record.length % QUOTES === 0) yield undefined;
      continue;
    }
    at = text[end] === "\r" && text[end + 1] === "\n" ? end + 2 : end + 1;
    yield record;
    count += 1;
    record = [];
    if (at >= text.length) return;
  }
}

/**
 * All records.
 * @throws Refusal `limit_exceeded` (cells, work)
 */
async function readCsv(work: Work, text: string, delimiter: Delimiter): Promise<string[][]> {
  const meter = new ParseMeter(work, "csv");
  const records: string[][] = [];
  let columns = 0;
  for (const record of recordsOf(text, delimiter)) {
    await meter.pause();
    if (record === undefined) {
      meter.bytes(QUOTES);
      continue;
    }
    meter.element(record.length);
    meter.bytes(record.reduce((sum, cell) => sum + cell.length, 0));
    columns = Math.max(columns, record.length);
    const actual = (records.length + 1) * columns;
    if (actual > limits.conversion.cells) throw tooManyCells(actual);
    records.push(record);
  }
  return records;
}
