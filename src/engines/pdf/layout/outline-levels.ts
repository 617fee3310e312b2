/** The levels of headings that the outline of a document tells (ISO 32000-2, 12.3.3). */
import type { OpenPdf } from "../document/document.ts";
import { MAX_DEPTH, objectNumber } from "../objects/objects.ts";
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
  const { engine, document } = open;
  const { load } = engine.long;
  const texts = new TextReader(engine);
  const outline = await load(document.getTrailer().get("Root").get("Outlines"));
  const levels = new Map<string, number | undefined>();
  const seen = new Set<number>();
  const pending = [{ item: outline.get("First"), level: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { item, level } = next;
    const number = objectNumber(item);
    if (number === 0 || seen.has(number) || seen.size >= MOST_ENTRIES) continue;
    seen.add(number);
    if (!(await load(item)).isDictionary()) continue;
    engine.work.spend(ENTRY_WORK);
    await engine.work.pause();
    const title = compared(texts.text(await load(item.get("Title"))) ?? "");
    levels.set(title, levels.has(title) && levels.get(title) !== level ? undefined : level);
    pending.push({ item: item.get("Next"), level });
    if (level < MAX_DEPTH) pending.push({ item: item.get("First"), level: level + 1 });
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
