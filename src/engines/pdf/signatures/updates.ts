/** The incremental updates of a file (ISO 32000-2, 7.5.6). */
import type { EngineBytes } from "../../memory/heap.ts";
import type { Work } from "../../work.ts";
import { startXrefAt } from "./end-marker.ts";
import { Broken, readSection, type Section } from "./section.ts";

/** Updates of one file. */
const MOST_UPDATES = 200;

/** An update. All offsets are in bytes from the start of the file. */
export interface Update {
  /** Where the revision before it ends. */
  readonly start: number;
  readonly end: number;
  readonly section: Section;
}

/**
 * The updates behind a revision, the oldest first. The end of the file names the last one, and each names the one before it.
 * @param header where the file begins, in bytes from its start
 * @throws Broken if the revision is followed by anything else; Refusal `limit_exceeded` (work)
 */
export async function updatesAfter(
  file: EngineBytes,
  revision: number,
  header: number,
  work: Work,
): Promise<readonly Update[]> {
  // Some readers count offsets from the first byte of the file, others from its header.
  if (header !== 0) throw new Broken("The file does not begin with its header, so readers disagree about its objects.");
  const first = startXrefAt(file, revision);
  const bytes = file.view(0, file.length);
  const sections: Section[] = [];
  let next = startXrefAt(file, file.length);
  while (next !== first) {
    const before = sections[0]?.start ?? file.length;
    if (first === undefined || next === undefined || next < revision || next >= before)
      throw new Broken("Bytes follow the signed revision that are no sound update of the file.");
    if (sections.length >= MOST_UPDATES)
      throw new Broken(`The file was updated more than ${MOST_UPDATES} times since it was signed.`);
    const section = await readSection(bytes, { start: next, revision, header }, work);
    if (section.end > before) throw new Broken("The updates of the file overlap.");
    sections.unshift(section);
    next = section.previous;
  }
  const end = sections.at(-1)?.end ?? revision;
  if (!isLineEnd(file.view(end, file.length))) throw new Broken("Bytes follow the last update of the file.");
  return sections.map((section, index) => ({
    start: sections[index - 1]?.end ?? revision,
    end: section.end,
    section,
  }));
}

/** A second line end behind the end marker does no harm. */
const isLineEnd = (bytes: Uint8Array): boolean => bytes.length < 2 && bytes.every((byte) => byte === 10 || byte === 13);
