/** The incremental updates of a file (ISO 32000-2, 7.5.6). */
import { find } from "../../bytes/find.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { startXrefAt } from "./byte-range.ts";

/** Updates of one file. */
const MOST_UPDATES = 200;
/** Longest dictionary of a trailer or a cross-reference stream, in bytes. */
export const MOST_DICTIONARY = 64 * 1024;

/** An update. All offsets are in bytes from the start of the file. */
export interface Update {
  /** Where the revision before it ends. */
  readonly start: number;
  readonly end: number;
  /** Where its cross-references begin. */
  readonly section: number;
}

/**
 * The updates behind a revision, the oldest first; undefined if what follows it is something else.
 * @param header where the file begins, in bytes from its start
 */
export function updatesAfter(file: EngineBytes, revision: number, header: number): Update[] | undefined {
  const first = startXrefAt(file, revision);
  const updates: Update[] = [];
  for (let end = file.length; ;) {
    const startXref = startXrefAt(file, end);
    if (first === undefined || startXref === undefined || updates.length >= MOST_UPDATES) return undefined;
    const section = startXref + header;
    if (section < revision || section >= end) return undefined;
    const previous = previousOf(file, section, end);
    if (previous === undefined) return undefined;
    const start = previous === first ? revision : endOf(file, previous, header, section);
    if (start === undefined || start < revision) return undefined;
    updates.unshift({ start, end, section });
    if (start === revision) return updates;
    end = start;
  }
}

/** `Prev` of the section, which must be there once, as the other entries that decide what the document is. */
function previousOf(file: EngineBytes, section: number, end: number): number | undefined {
  const bytes = file.view(section, end);
  const isTable = latin1(bytes.subarray(0, 4)) === "xref";
  const from = isTable ? find(bytes, "trailer", 0) : 0;
  const to = find(bytes, isTable ? "startxref" : "stream", Math.max(from, 0));
  if (from < 0 || to < 0 || to - from > MOST_DICTIONARY) return undefined;
  const text = withoutEscapes(latin1(bytes.subarray(from, to)));
  const names = Array.from(text.matchAll(/\/(?:Root|Info|Size|Encrypt|ID)(?![^\s/<>[\]()])/g), ([name]) => name);
  if (new Set(names).size !== names.length) return undefined;
  const found = Array.from(text.matchAll(/\/(?:Prev|XRefStm)(?![^\s/<>[\]()])\s*(\d+)?/g));
  const [only] = found;
  return found.length === 1 && only?.[1] !== undefined && only[0].startsWith("/Prev") ? Number(only[1]) : undefined;
}

const withoutEscapes = (text: string): string =>
  text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The end of the revision whose cross-references are at an offset. */
function endOf(file: EngineBytes, startXref: number, header: number, before: number): number | undefined {
  const from = startXref + header;
  if (from >= before) return undefined;
  const bytes = file.view(from, before);
  for (let at = find(bytes, "startxref", 0); at >= 0; at = find(bytes, "startxref", at + 1)) {
    const [marker, offset] =
      /^startxref\s+(\d+)\s+%%EOF(?:\r\n|\r|\n)?/.exec(latin1(bytes.subarray(at, at + 64))) ?? [];
    if (marker !== undefined && Number(offset) === startXref) return from + at + marker.length;
  }
  return undefined;
}
