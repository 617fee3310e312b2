/** The blocks of a page whose tags cover it, in the order of these. */
import { hundredths, type VisibleBox } from "../../geometry.ts";
import { atOnce } from "../../steps.ts";
import { type RawBlock, textBlock, type TextBlock, withCaptions, withEdges, withNotes } from "../layout/blocks.ts";
import { type Direction, turned } from "../layout/page.ts";
import { joinedPart, paragraphsOf } from "../layout/paragraphs.ts";
import { appendLine, type LinkArea, plainText } from "../layout/spans.ts";
import { type Area, areaOf } from "../layout/words.ts";
import type { Tag } from "../tags/tag.ts";
import type { Segment } from "../text/glyphs.ts";
import type { TaggedPage } from "./tagged-pages.ts";
import { isBlock, isSection, isTag, isTextTag, levelOf } from "./tagged-roles.ts";
import { taggedTableOf } from "./tagged-tables.ts";
import {
  boxOfPieces,
  type TaggedPiece,
  pieceInPlace,
  taggedPiecesOf,
  rowsOfPieces,
  textOfPieces,
  unionOfBoxes,
} from "./tagged-words.ts";

/** Precedes an item whose bullet is not text. */
const BULLET = "•";
/** Letters that a text may hide by standing for them without a character, such as a hyphen at the end of a line. */
const MOST_HIDDEN = 2;
/** A shorter paragraph is not one that was broken off. */
const LEAST_BEFORE = 40;
/** Longer headings are text with the wrong tag. */
const MOST_HEADING = 300;

interface Surroundings {
  readonly bounds: VisibleBox;
  readonly links: readonly LinkArea[];
}

export function taggedBlocks(page: TaggedPage, { bounds, links }: Surroundings): RawBlock[] {
  const reading = new TaggedReading(page, links);
  reading.read(page.root, 0);
  const [, , width, height] = bounds;
  const told = withCaptions(withNotes(rejoined(reading.blocks)));
  // Who marks artifacts marks all of them.
  const blocks = page.artifacts.length > 0 ? told : withEdges(told, { width, height });
  for (const block of reading.untagged(page.loose)) insert(blocks, block);
  for (const block of reading.untagged(page.artifacts))
    insert(blocks, { ...block, edge: { place: "artifact", alone: true } });
  return blocks;
}

/** Joins paragraphs that a document has in pieces, such as its lines. */
function rejoined(blocks: readonly RawBlock[]): RawBlock[] {
  const joined: RawBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last?.kind !== "text" || block.kind !== "text" || !continues(last, block)) {
      joined.push(block);
      continue;
    }
    const spans = last.spans.map((span) => ({ ...span }));
    appendLine(spans, block.spans);
    const bbox = unionOfBoxes([last.bbox, block.bbox]) ?? last.bbox;
    joined[joined.length - 1] = {
      ...last,
      spans,
      bbox,
      lines: last.lines + block.lines,
      bold: last.bold && block.bold,
    };
  }
  return joined;
}

function continues(last: TextBlock, block: TextBlock): boolean {
  const isPlain = ({ level, code, caption }: TextBlock): boolean =>
    level === undefined && code === undefined && caption === undefined;
  if (!isPlain(last) || !isPlain(block) || block.marker !== undefined || last.size !== block.size) return false;
  const before = plainText(last.spans);
  return (
    before.length >= LEAST_BEFORE && !/[.!?:;…][)\]"”’»]*$/u.test(before) && /^\p{Ll}/u.test(plainText(block.spans))
  );
}

/** Puts a block before the first one below it that is in its column. */
function insert(blocks: RawBlock[], block: RawBlock): void {
  const [x0, y0, x1] = block.bbox;
  const at = blocks.findIndex(({ bbox }) => bbox[1] >= y0 && bbox[0] < x1 && bbox[2] > x0);
  blocks.splice(at < 0 ? blocks.length : at, 0, block);
}

/** How the text of an element becomes a block. */
interface TextAs {
  readonly level?: number | undefined;
  readonly marker?: string | undefined;
  readonly caption?: true;
}

class TaggedReading {
  readonly blocks: RawBlock[] = [];
  readonly #pieces = new Map<number, readonly TaggedPiece[]>();
  readonly #areas = new Map<number, Area[]>();
  readonly #links: readonly LinkArea[];

  constructor({ segments, drawn, images }: TaggedPage, links: readonly LinkArea[]) {
    this.#links = links;
    for (const [slot, own] of Map.groupBy(segments, (segment) => segment.slot))
      if (slot !== undefined) this.#pieces.set(slot, taggedPiecesOf(own));
    for (const area of [...images, ...drawn]) {
      if (area.slot === undefined) continue;
      const areas = this.#areas.get(area.slot);
      if (areas === undefined) this.#areas.set(area.slot, [area]);
      else areas.push(area);
    }
  }

  /** Text that no element has, as paragraphs. */
  untagged(segments: readonly Segment[]): TextBlock[] {
    return taggedPiecesOf(segments).flatMap((piece) => this.#paragraphs([piece]));
  }

  /** `depth`: of the sections that the element is in. */
  read(tag: Tag, depth: number): void {
    const level = levelOf(tag, depth);
    if (tag.actualText !== undefined && tag.role !== "Figure")
      this.#text({ ...tag, kids: [inlined(tag)] }, depth, { level });
    else if (level !== undefined) this.#text(tag, depth, { level });
    else if (tag.role === "Figure") this.#figure(tag, depth);
    else if (tag.role === "Table") this.#table(tag, depth);
    else if (tag.role === "LI") this.#item(tag, depth);
    else if (tag.role === "Caption") this.#text(tag, depth, { caption: true });
    else if (isTextTag(tag)) this.#text(tag, depth, {});
    else this.#group(tag, depth + (isSection(tag) ? 1 : 0));
  }

  /** An element that contains others. Its remaining contents are divided by their layout. */
  #group({ kids }: Tag, depth: number): void {
    let pieces: TaggedPiece[] = [];
    const end = (): void => {
      this.blocks.push(...this.#paragraphs(pieces));
      pieces = [];
    };
    for (const kid of kids) {
      if (!isTag(kid) || !isBlock(kid)) pieces.push(...this.#inline(kid));
      else {
        end();
        this.read(kid, depth);
      }
    }
    end();
  }

  /** An element with text. The contents of other elements in it follow, or divide it. */
  #text(tag: Tag, depth: number, as: TextAs): void {
    let pieces: TaggedPiece[] = [];
    let how = as;
    const later: Tag[] = [];
    const end = (): void => {
      this.#push(pieces, how);
      [pieces, how] = [[], {}];
    };
    const flow = (kids: Tag["kids"]): void => {
      for (const kid of kids) {
        if (!isTag(kid) || !isBlock(kid)) pieces.push(...this.#inline(kid));
        else if (kid.role === "P" && as.level !== undefined) flow(kid.kids);
        else if (kid.role === "Figure" || kid.role === "Note" || kid.role === "FENote") later.push(kid);
        else {
          end();
          this.read(kid, depth);
        }
      }
    };
    flow(tag.kids);
    end();
    for (const kid of later) this.read(kid, depth);
  }

  #item(tag: Tag, depth: number): void {
    const labels: TaggedPiece[] = [];
    let pieces: TaggedPiece[] = [];
    let isFirst = true;
    const end = (): void => {
      const label = textOfPieces(labels);
      if (!isFirst || (tag.continued && label === "")) this.#push(pieces, {});
      else if (pieces.length > 0 || label !== "") this.#push(pieces, { marker: label }, labels);
      pieces = [];
      isFirst = false;
    };
    const flow = (kids: Tag["kids"]): void => {
      for (const kid of kids) {
        if (isTag(kid) && kid.role === "Lbl") labels.push(...this.#inline(kid));
        else if (isTag(kid) && kid.actualText === undefined && kid.role === "LBody") flow(kid.kids);
        else if (isTag(kid) && kid.role === "P" && pieces.length === 0 && isFirst) flow(kid.kids);
        else if (!isTag(kid) || !isBlock(kid)) pieces.push(...this.#inline(kid));
        else {
          end();
          this.read(kid, depth);
        }
      }
    };
    flow(tag.kids);
    end();
  }

  #figure(tag: Tag, depth: number): void {
    const own = tag.kids.filter((kid) => !isTag(kid) || !isBlock(kid));
    const pieces = own.flatMap((kid) => this.#inline(kid));
    const labels = textOfPieces(pieces);
    const alt = tag.continued ? "" : (tag.alt ?? "").trim();
    const said = compared(alt).includes(compared(labels)) ? alt : [alt, labels].filter((text) => text !== "").join(" ");
    const text = (tag.actualText === undefined ? said : tag.continued ? "" : tag.actualText).replaceAll(/\s+/g, " ");
    const drawn = this.#areaOf(own);
    const bbox = unionOfBoxes([boxOfPieces(pieces), drawn && rounded(drawn)].filter((box) => box !== undefined));
    if (bbox !== undefined) this.blocks.push({ kind: "figure", bbox, text });
    for (const kid of tag.kids) if (isTag(kid) && isBlock(kid)) this.read(kid, depth);
  }

  #table(tag: Tag, depth: number): void {
    for (const kid of tag.kids) if (isTag(kid) && kid.role === "Caption") this.read(kid, depth);
    const table = taggedTableOf(tag, (cell) => this.#inline(cell));
    if (table !== undefined) this.blocks.push(table);
    else this.#group({ ...tag, kids: tag.kids.filter((kid) => !isTag(kid) || kid.role !== "Caption") }, depth);
  }

  /** The text of content, or of an element within a line. */
  #inline(kid: Tag | number): readonly TaggedPiece[] {
    if (!isTag(kid)) return this.#pieces.get(kid) ?? [];
    const pieces = kid.kids.flatMap((inner) => this.#inline(inner));
    if (kid.actualText === undefined && (kid.alt === undefined || pieces.length > 0)) return pieces;
    // Editors that change the text leave this one as it was.
    if (kid.actualText?.trim() === "" && compared(textOfPieces(pieces)).length > MOST_HIDDEN) return pieces;
    if (kid.continued) return [];
    return pieceInPlace(kid.actualText ?? kid.alt ?? "", pieces, this.#areaOf(kid.kids));
  }

  /** The area of the contents drawn in these. */
  #areaOf(kids: Tag["kids"]): Area | undefined {
    const areas = kids.flatMap((kid): Area[] => {
      if (!isTag(kid)) return this.#areas.get(kid) ?? [];
      const inside = this.#areaOf(kid.kids);
      return inside === undefined ? [] : [inside];
    });
    return areas.length === 0 ? undefined : areaOf(areas);
  }

  #push(pieces: readonly TaggedPiece[], { level, marker, caption }: TextAs, labels: readonly TaggedPiece[] = []): void {
    const rows = rowsOfPieces(pieces);
    if (level === undefined && marker === undefined && caption === undefined) {
      const parts = this.#paragraphs(pieces);
      // A list, or all of a page, in one paragraph.
      if (parts.some((part, index) => index > 0 && part.marker !== undefined)) {
        this.blocks.push(...parts);
        return;
      }
    }
    const bbox = boxOfPieces([...labels, ...pieces]);
    if (bbox === undefined) return;
    const looked = level === undefined && (marker === undefined || marker === "");
    const direction = (pieces[0] ?? labels[0])?.direction ?? [1, 0];
    const part = joinedPart(rows, this.#linksAlong(direction), { marker: looked ? undefined : marker, looked });
    const block = textBlock(part, () => bbox, false);
    const found = marker === "" ? (block.marker ?? BULLET) : block.marker;
    const isHeading = level !== undefined && plainText(block.spans).length <= MOST_HEADING;
    const { code, ...rest } = block;
    this.blocks.push({
      ...rest,
      tagged: true,
      ...(code !== undefined && !isHeading && marker === undefined && { code }),
      ...(found !== undefined && { marker: found }),
      ...(isHeading && { level }),
      ...(caption && { caption }),
    });
  }

  /** Text that is not divided by elements. */
  #paragraphs(pieces: readonly TaggedPiece[]): TextBlock[] {
    return atOnce(paragraphsOf(rowsOfPieces(pieces), this.#linksAlong(pieces[0]?.direction ?? [1, 0]))).map((part) => ({
      ...textBlock(part, (area) => rounded(area), false),
      tagged: true,
    }));
  }

  #linksAlong(direction: Direction): readonly LinkArea[] {
    return this.#links.map((link) => ({ ...link, ...turned(link, direction) }));
  }
}

/** An element as part of a line. */
const inlined = (tag: Tag): Tag => ({ ...tag, role: "Span" });

const rounded = ({ x0, y0, x1, y1 }: Area): VisibleBox => [x0, y0, x1, y1].map(hundredths) as VisibleBox;

const compared = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
