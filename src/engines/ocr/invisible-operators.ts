/**
 * Finds the operators of a content stream that show invisible text, and what can be removed with them (ISO 32000-2, 9.3.6 and
 * 9.4.3).
 */
import type { Work } from "../work.ts";
import { ContentOperators } from "../pdf/content/operators.ts";
import type { ByteRange } from "../pdf/syntax/tokens.ts";

/** Bytes to remove, and their replacement. */
export interface Change extends ByteRange {
  readonly text: string;
}

/** The effect of a font, or of a graphics state that sets one, on the rendering mode. */
export interface FontNames {
  /** Whether a font draws in every mode, as the glyphs of Type 3 fonts do. */
  drawsAlways(name: string): boolean;
  /** Whether a graphics state parameter dictionary sets a font. */
  setsFont(name: string): boolean;
}

/** Rendering mode without fill, stroke, and clipping. */
const INVISIBLE = 3;

/** Operators that only change the graphics state, which `Q` restores, or move within a text object. */
const STATE = new Set(
  "cm w J j M d ri i gs BT ET Tc Tw Tz TL Tf Tr Ts Td TD Tm T* g G rg RG k K cs CS sc scn SC SCN".split(" "),
);
const MOVES = new Set(["Td", "TD", "Tm", "T*"]);

/** The content between a `q` and its `Q`. */
interface Group {
  readonly start: number;
  /** Number of changes before it. */
  readonly changes: number;
  /** Whether it contains anything other than state changes and invisible text. */
  kept: boolean;
  hasInvisible: boolean;
}

/**
 * The changes, in order, that remove invisible text from content and leave everything else in place: text that continues where
 * invisible text ended keeps its position. If only state changes and invisible text are between a `q` and its `Q`, all of it is
 * removed.
 */
export async function invisibleText(bytes: Uint8Array, fonts: FontNames, work: Work): Promise<Change[]> {
  const changes: Change[] = [];
  const tokens = new ContentOperators(bytes);
  let state = { mode: 0, drawsAlways: false };
  const states: (typeof state)[] = [];
  const groups: Group[] = [];
  let inText = false;
  /** Changes since the text position was last set. */
  let pending = 0;
  const keep = (): void => {
    const group = groups.at(-1);
    if (group) group.kept = true;
  };
  while (tokens.next()) {
    if (tokens.isDue) await work.rest();
    const { operator, start, end } = tokens;
    if (MOVES.has(operator)) pending = 0;
    switch (operator) {
      case "q":
        states.push({ ...state });
        groups.push({ start, changes: changes.length, kept: inText, hasInvisible: false });
        break;
      case "Q": {
        state = states.pop() ?? state;
        const group = groups.pop();
        if (!group) break;
        const outer = groups.at(-1);
        if (group.hasInvisible && !group.kept && !inText) {
          changes.length = group.changes;
          changes.push({ start: group.start, end, text: "" });
        } else if (outer) outer.kept ||= group.kept || inText;
        if (outer) outer.hasInvisible ||= group.hasInvisible;
        break;
      }
      case "BT":
      case "ET":
        inText = operator === "BT";
        pending = 0;
        break;
      case "Tr":
        state.mode = tokens.number(0) ?? state.mode;
        break;
      case "Tf":
        state.drawsAlways = fonts.drawsAlways(tokens.name(0) ?? "");
        break;
      case "gs":
        state.drawsAlways ||= fonts.setsFont(tokens.name(0) ?? "");
        break;
      case "Tj":
      case "TJ":
      case "'":
      case '"':
        show(operator, start, end);
        break;
      default:
        if (!STATE.has(operator)) keep();
    }
  }
  return changes;

  function show(operator: string, start: number, end: number): void {
    // These operators first move to the next line.
    if (operator === "'" || operator === '"') pending = 0;
    if (state.mode !== INVISIBLE || state.drawsAlways) {
      changes.length -= pending;
      pending = 0;
      keep();
      return;
    }
    const spacing = operator === '"' ? `${tokens.text(0)} Tw ${tokens.text(1)} Tc ` : "";
    changes.push({ start, end, text: operator === "Tj" || operator === "TJ" ? "" : `${spacing}T*` });
    pending++;
    const group = groups.at(-1);
    if (group) group.hasInvisible = true;
  }
}

/** The bytes of a span after the changes are applied, or undefined if nothing is left. */
export function changed(
  bytes: Uint8Array,
  { start, end }: ByteRange,
  changes: readonly Change[],
): Uint8Array<ArrayBuffer> | undefined {
  const here = changes.filter((change) => change.start < end && change.end > start);
  if (here.length === 0) return undefined;
  const result = new Uint8Array(here.reduce((sum, { text }) => sum + text.length + 1, end - start));
  let [from, to] = [start, 0];
  for (const change of here) {
    const before = bytes.subarray(from, Math.max(change.start, from));
    result.set(before, to);
    to += before.length;
    // A change that extends past the end of a stream puts its replacement in the first one.
    const text = change.start >= start ? `${change.text} ` : " ";
    for (let at = 0; at < text.length; at++) result[to++] = text.charCodeAt(at);
    from = Math.min(change.end, end);
  }
  const rest = bytes.subarray(from, end);
  result.set(rest, to);
  return result.slice(0, to + rest.length);
}
