/** The document information dictionary (ISO 32000-2, 14.3.3). */
import type { PDFDocument, PDFObject } from "mupdf";
import { isoOfPdfDate } from "../objects/dates.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachEntry, entries } from "../objects/objects.ts";
import { decodeName, type TextReader, textString } from "../objects/text-string.ts";

/** API names of the text entries in table 349. */
export const INFO_TEXTS = {
  title: "Title",
  author: "Author",
  subject: "Subject",
  keywords: "Keywords",
  creator: "Creator",
  producer: "Producer",
} as const;

/** API names of the date entries. */
export const INFO_DATES = { creationDate: "CreationDate", modificationDate: "ModDate" } as const;

/** The standard entries, as opposed to custom ones. */
export const INFO_KEYS: ReadonlySet<string> = new Set([...Object.values(INFO_TEXTS), ...Object.values(INFO_DATES)]);

/** An entry that is a name instead of a text string: `True`, `False`, or `Unknown`. */
export const TRAPPED = "Trapped";

export type Info = Readonly<Record<keyof typeof INFO_TEXTS | keyof typeof INFO_DATES, string | null>> & {
  /** All other entries that are strings or names. */
  readonly custom: Readonly<Record<string, string>>;
};

/** Text to write by Info key (dates as PDF dates); null removes the entry. */
export interface InfoChanges {
  readonly entries: ReadonlyMap<string, string | null>;
  /** Which entries that are not listed are removed as well. */
  readonly clears: "all" | "custom" | "none";
}

/**
 * Reads the Info dictionary. Dates are ISO 8601, or null if unreadable.
 * @param xmp values in the document's XMP, by Info key, for the standard entries that its Info dictionary does not have
 */
export function readInfo(
  engine: PdfEngine,
  document: PDFDocument,
  texts: TextReader,
  xmp: ReadonlyMap<string, string>,
): Info {
  const info = document.getTrailer().get("Info");
  const text = (key: string): string | null =>
    (info.isDictionary() ? texts.text(info.get(key)) : undefined) ?? xmp.get(key) ?? null;
  const date = (key: string): string | null => isoOfPdfDate(text(key) ?? "") ?? null;
  const custom = entries(engine, info).flatMap(({ key, value }) => {
    const name = decodeName(engine, key).toWellFormed();
    const content = INFO_KEYS.has(name) ? undefined : (texts.text(value) ?? texts.name(value));
    return content === undefined ? [] : [[name, content] as const];
  });
  return {
    title: text(INFO_TEXTS.title),
    author: text(INFO_TEXTS.author),
    subject: text(INFO_TEXTS.subject),
    keywords: text(INFO_TEXTS.keywords),
    creator: text(INFO_TEXTS.creator),
    producer: text(INFO_TEXTS.producer),
    creationDate: date(INFO_DATES.creationDate),
    modificationDate: date(INFO_DATES.modificationDate),
    custom: Object.fromEntries(custom),
  };
}

/** Writes the Info dictionary. Returns all changes, including entries removed without being listed. */
export async function writeInfo(
  engine: PdfEngine,
  document: PDFDocument,
  { entries: given, clears }: InfoChanges,
  { creates = true }: { readonly creates?: boolean } = {},
): Promise<ReadonlyMap<string, string | null>> {
  const changes = new Map(given);
  const present = document.getTrailer().get("Info");
  const before: { readonly key: PDFObject; readonly value: PDFObject; readonly name: string }[] = [];
  for await (const { key, value } of eachEntry(engine, present))
    before.push({ key, value, name: decodeName(engine, key) });
  const unnamed = [...INFO_KEYS, TRAPPED, ...before.map(({ name }) => name)].filter((name) => !changes.has(name));
  for (const name of unnamed) {
    if (clears === "all" || (clears === "custom" && !INFO_KEYS.has(name))) changes.set(name, null);
  }
  const values = [...changes].flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
  // PDF/A-4 forbids the dictionary, so it is not created without need.
  if (!present.isDictionary() && (values.length === 0 || !creates)) return changes;
  // An indirect object, which the standard requires. A new dictionary: removing one of n entries takes n steps.
  const isOwn = present.isDictionary() && present.isIndirect();
  const info = isOwn ? present : document.addObject(document.newDictionary());
  const written = document.newDictionary();
  for (const { key, value, name } of before) {
    await engine.work.pause();
    if (!changes.has(name)) written.put(key, value);
  }
  for (const [name, text] of values) {
    written.put(name, name === TRAPPED ? document.newName(text) : textString(info, text));
  }
  info.writeObject(written);
  if (!isOwn) document.getTrailer().put("Info", info);
  return changes;
}
