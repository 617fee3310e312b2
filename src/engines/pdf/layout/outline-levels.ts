/** The levels of headings that the outline of a document tells (ISO 32000-2, 12.3.3). */
import type { OpenPdf } from "../document/document.ts";
import { outline } from "../document/outline.ts";
import { TextReader } from "../objects/text-string.ts";
import type { RawBlock } from "./blocks.ts";
import { plainText } from "./spans.ts";

/** Levels from 1 by title, without spaces and signs. */
export type OutlineLevels = ReadonlyMap<string, number>;

/** Entries that are read. The level of a heading after them is known from its style alone. */
const MOST_ENTRIES = 10_000;
/** Fuel per entry, in addition to its handles. */
const ENTRY_WORK = 1_000;

/** The levels of all titles of the outline, except those that are on several levels. */
export async function outlineLevels(open: OpenPdf): Promise<OutlineLevels> {
  const { engine } = open;
  const { load } = engine.long;
  const texts = new TextReader(engine);
  const levels = new Map<string, number | undefined>();
  let count = 0;
  for await (const { object, depth } of outline(open)) {
    engine.work.spend(ENTRY_WORK);
    const level = depth + 1;
    const title = compared(texts.text(await load(object.get("Title"))) ?? "");
    levels.set(title, levels.has(title) && levels.get(title) !== level ? undefined : level);
    if (++count === MOST_ENTRIES) break;
  }
  levels.delete("");
  return new Map([...levels].flatMap(([title, level]) => (level === undefined ? [] : [[title, level]])));
}

/** A block with the level of the title that it is, with or without its number. */
export function withOutlineLevel(block: RawBlock, levels: OutlineLevels): RawBlock {
  if (block.kind !== "text" || levels.size === 0) return block;
  const text = compared(plainText(block.spans));
  const level = levels.get(compared(block.marker ?? "") + text) ?? levels.get(text) ?? levels.get(unnumbered(text));
  return level === undefined ? block : { ...block, outlineLevel: level };
}

const compared = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

const unnumbered = (text: string): string => text.replace(/^\d+(?=\p{L})/u, "");
