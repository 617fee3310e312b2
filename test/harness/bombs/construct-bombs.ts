/** Documents with one construct of the syntax of PDF, N times: what a parser meets in its innermost loops (ISO 32000-2, 7.2 and 7.3). */
import { deflateSync } from "node:zlib";
import { withReferences } from "./bomb-fixtures.ts";
import { latin1, pdf, type PdfObject } from "../fixtures/pdf-writer.ts";

const CATALOG = "<< /Type /Catalog /Pages 2 0 R /Large 4 0 R >>";
const PAGES = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>";

const repeated = (count: number, item: (index: number) => string): string => {
  const parts: string[] = [];
  for (let index = 0; index < count; index++) parts.push(item(index));
  return parts.join("");
};
const digits = (index: number): string => String(index).padStart(7, "0");

/** One object with a construct `count` times. */
export const constructs = {
  "keys in ascending order": (count) => `<<${repeated(count, (index) => `/k${digits(index)} 1`)}>>`,
  "keys in descending order": (count) => `<<${repeated(count, (index) => `/k${digits(count - index)} 1`)}>>`,
  names: (count) => `[${repeated(count, () => "/a")}]`,
  "different names": (count) => `[${repeated(count, (index) => `/n${index}`)}]`,
  numbers: (count) => `[${repeated(count, (index) => ` ${index}`)}]`,
  "real numbers": (count) => `[${repeated(count, (index) => ` ${index}.5`)}]`,
  strings: (count) => `[${repeated(count, () => "()")}]`,
  "hexadecimal strings": (count) => `[${repeated(count, () => "<00>")}]`,
  references: (count) => `[${repeated(count, () => "2 0 R ")}]`,
  "different references": (count) => `[${repeated(count, (index) => `${index + 10} 0 R `)}]`,
  comments: (count) => `[${repeated(count, () => "%\n")}]`,
  "one comment": (count) => `[%${" ".repeat(count)}\n]`,
  "one string": (count) => `(${" ".repeat(count)})`,
  "parentheses in a string": (count) => `(${"(".repeat(count)}${")".repeat(count)})`,
  "one hexadecimal string": (count) => `<${"00".repeat(count)}>`,
  "one name": (count) => `/${"a".repeat(count)}`,
  "one number": (count) => "1".repeat(count),
  "white space": (count) => `[${" ".repeat(count)}]`,
  "nested arrays": (count) => `${"[".repeat(count)}${"]".repeat(count)}`,
  "nested dictionaries": (count) => `${"<</a".repeat(count)} 1${">>".repeat(count)}`,
  "small dictionaries": (count) => `[${repeated(count, () => "<</a 1>>")}]`,
  keywords: (count) => `[${repeated(count, () => "null ")}]`,
} as const satisfies Readonly<Record<string, (count: number) => string>>;

export type Construct = keyof typeof constructs;

/** A page, and an object that the catalog names. */
export function besidePage(object: PdfObject): Uint8Array {
  return pdf([CATALOG, PAGES, PAGE, object], "/Root 1 0 R");
}

/** The same, the object in an object stream that is deflated. */
export function packedBesidePage(object: string): Uint8Array {
  const data = deflateSync(latin1(`5 0 ${object}`), { level: 9 });
  const stream = { entries: "/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", data };
  return withReferences([CATALOG.replace("4 0 R", "5 0 R"), PAGES, PAGE, stream], "/Root 1 0 R", [[2, 4, 0]]);
}

/** A page, and strings in the dictionary of a stream, which is in no object stream. */
export function streamStrings(count: number): Uint8Array {
  const catalog = "<< /Type /Catalog /Pages 2 0 R /Held 4 0 R >>";
  const stream = `<< /Length 1 /Strings [${"(a)".repeat(count)}] >>\nstream\nx\nendstream`;
  return pdf([catalog, PAGES, PAGE, stream], "/Root 1 0 R");
}
