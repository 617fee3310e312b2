import { canonical } from "./compare-trace.ts";
import type { DocumentView } from "../engines/pdfjs.ts";
import { plainRecord } from "../engines/pdfjs-values.ts";

/** The response of `metadata` with `action=get`, as far as another engine can tell the same. */
interface Facts {
  readonly custom: Readonly<Record<string, string>>;
  readonly pageCount: number;
  readonly encrypted: boolean;
  readonly pages: readonly { readonly width: number; readonly height: number; readonly rotation: number }[];
  readonly formFields: readonly { readonly name: string }[];
  readonly [entry: string]: unknown;
}

const texts = {
  title: "Title",
  author: "Author",
  subject: "Subject",
  keywords: "Keywords",
  creator: "Creator",
  producer: "Producer",
};

/** Points by which a page's size may differ: MuPDF counts with 24 bits. */
const TOLERANCE = 0.01;

/** Compares what `metadata` tells of a document with what pdf.js sees; every difference in words. */
export function factsThatDiffer(json: unknown, view: DocumentView): string[] {
  const facts = json as Facts;
  const problems: string[] = [];
  const equal = (what: string, expected: unknown, actual: unknown): void => {
    const [wanted, got] = [canonical(expected), canonical(actual)];
    if (wanted !== got) problems.push(`${what}: expected ${wanted}, got ${got}`);
  };
  const comparable = (text: unknown): string =>
    typeof text === "string" ? text.replaceAll("\0", "").toWellFormed() : "";
  for (const [name, key] of Object.entries(texts)) {
    equal(name, comparable(view.info[key]), comparable(facts[name]));
  }
  for (const [key, value] of Object.entries(plainRecord(view.info["Custom"]))) {
    if (typeof value === "string" && isAscii(key)) equal(`custom ${key}`, comparable(value), facts.custom[key]);
  }
  equal("pageCount", view.pages.length, facts.pageCount);
  equal("encrypted", view.encryptFilter !== null, facts.encrypted);
  view.pages.forEach((page, index) => {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = Array.isArray(page.view) ? page.view.map(Number) : [];
    const { width = 0, height = 0, rotation } = facts.pages[index] ?? {};
    const wanted = [(x1 - x0) * page.userUnit, (y1 - y0) * page.userUnit];
    if (Math.abs(width - (wanted[0] ?? 0)) > TOLERANCE || Math.abs(height - (wanted[1] ?? 0)) > TOLERANCE) {
      problems.push(`page ${index + 1}: expected ${wanted.join(" x ")} points, got ${width} x ${height}`);
    }
    equal(`rotation of page ${index + 1}`, page.rotate, rotation);
  });
  const names = new Set(facts.formFields.map(({ name }) => name));
  for (const name of view.fields.keys()) if (!names.has(name)) problems.push(`field ${name}: is not listed`);
  return problems;
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
