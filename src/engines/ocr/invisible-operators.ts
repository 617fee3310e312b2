/**
 * Finds the operators of a content stream that show invisible text, and the other operators that can be removed with them (ISO 32000-2, 9.3.6 and
 * 9.4.3).
 */
import type { Work } from "../work.ts";
import { ContentWriter, type Edit } from "../pdf/content/content-writer.ts";
import { startsLine } from "../pdf/content/operator-table.ts";
import { process, type Visitor } from "../pdf/content/processor.ts";

/** The effect of a font, or of a graphics state that sets one, on the rendering mode. */
export interface FontNames {
  /** Whether a font draws in every mode, as the glyphs of Type 3 fonts do. */
  drawsAlways(name: string): boolean;
  /** Whether a graphics state parameter dictionary sets a font. */
  setsFont(name: string): boolean;
}

/** Rendering mode without fill, stroke, and clipping. */
const INVISIBLE = 3;

/** Operators that do more than change the graphics state, which `Q` restores, or move within a text object. */
const EFFECTS = [
  "path",
  "clip",
  "paint",
  "endPath",
  "shade",
  "draw",
  "image",
  "imageData",
  "endImage",
  "mark",
  "endMark",
  "point",
  "glyph",
  "section",
  "unknown",
] as const;

/** The content between a `q` and its `Q`. */
interface Group {
  readonly start: number;
  /** Number of edits before it. */
  readonly edits: number;
  /** Whether it contains anything other than state changes and invisible text. */
  kept: boolean;
  hasInvisible: boolean;
}

/**
 * The changes, in order, that remove invisible text from content and leave everything else in place: text that continues where
 * invisible text ended keeps its position. If only state changes and invisible text are between a `q` and its `Q`, all of it is
 * removed.
 */
export async function invisibleText(bytes: Uint8Array, fonts: FontNames, work: Work): Promise<Edit[]> {
  const edits: Edit[] = [];
  const groups: Group[] = [];
  /** Changes since the text position was last set. */
  let pending = 0;
  const keep = (): void => {
    const group = groups.at(-1);
    if (group) group.kept = true;
  };
  const setPosition = (): void => {
    pending = 0;
  };
  const visitor: Visitor<boolean> = {
    ...Object.fromEntries(EFFECTS.map((family) => [family, keep])),
    // Of a font: whether it draws in every mode.
    keeps: ["text", "font"],
    fontNamed: (name) => fonts.drawsAlways(name),
    parametersNamed: (name) => (fonts.setsFont(name) ? { font: true } : {}),
    beginText: setPosition,
    endText: setPosition,
    move: setPosition,
    save: ({ operators, graphics }) => {
      const { start } = operators;
      groups.push({ start, edits: edits.length, kept: graphics.inText, hasInvisible: false });
    },
    restore: ({ operators, graphics }) => {
      const group = groups.pop();
      if (!group) return;
      const outer = groups.at(-1);
      if (group.hasInvisible && !group.kept && !graphics.inText) {
        edits.length = group.edits;
        edits.push({ start: group.start, end: operators.end, text: "" });
      } else if (outer) outer.kept ||= group.kept || graphics.inText;
      if (outer) outer.hasInvisible ||= group.hasInvisible;
    },
    show: ({ operators, state }) => {
      const { operator, start, end } = operators;
      const isNextLine = startsLine(operator);
      if (isNextLine) setPosition();
      if (state.mode !== INVISIBLE || state.font === true) {
        edits.length -= pending;
        setPosition();
        keep();
        return;
      }
      const spacing = operator === '"' ? `${operators.text(0)} Tw ${operators.text(1)} Tc ` : "";
      edits.push({ start, end, text: isNextLine ? `${spacing}T*` : "" });
      pending++;
      const group = groups.at(-1);
      if (group) group.hasInvisible = true;
    },
  };
  await process(bytes, visitor, work);
  return edits;
}

/** The bytes of a span after the edits are applied, or undefined if nothing changes. */
export function edited(
  bytes: Uint8Array,
  { start: from, end: to }: Omit<Edit, "text">,
  edits: readonly Edit[],
): Uint8Array<ArrayBuffer> | undefined {
  const writer = new ContentWriter(bytes.subarray(from, to));
  for (const { start, end, text } of edits) {
    if (start >= to || end <= from) continue;
    // An edit that extends past the end of a stream puts its text in the first one.
    writer.replace(Math.max(start - from, 0), Math.min(end, to) - from, start >= from ? `${text} ` : " ");
  }
  return writer.result();
}
