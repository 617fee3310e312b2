/**
 * Reads one content by its operators (ISO 32000-2, 7.8.2, 8, and 9): which resources it uses, in which color spaces it paints, which codes it shows, and
 * the operators that rules are about.
 */
import type { Run, Visitor } from "../../content/processor.ts";
import { setsStroke } from "../../content/operator-table.ts";
import type { ContentOperators } from "../../content/operators.ts";
import { decodeText } from "../../objects/text-string.ts";
import { type Plain, type PlainDictionary, PlainName } from "../../objects/plain-values.ts";
import { LESS, OPEN } from "../../syntax/characters.ts";
import { Dictionary, Malformed, parseShort, StringSpan, type Value } from "../../syntax/objects.ts";
import { readString } from "../../syntax/strings.ts";
import type { Check } from "./check.ts";
import type { ContentPlace, InitialSpaces } from "./content-place.ts";
import type { ModelDocument } from "./document.ts";
import type { FontUses } from "./fonts.ts";
import type { ResourceScope } from "./resources.ts";
import type { ElementTree } from "./element-tree.ts";

/** Paths that operators fill and stroke. */
const FILLS = new Set(["f", "F", "f*", "B", "B*", "b", "b*"]);
const STROKES = new Set(["S", "s", "B", "B*", "b", "b*"]);
/** Operators that set a color in a device space. */
const DEVICE_OPERATORS = new Set(["g", "G", "rg", "RG", "k", "K"]);
/** Text rendering modes that fill and stroke (9.3.6), and the one that does neither. */
const [FILL_MODES, STROKE_MODES, INVISIBLE] = [new Set([0, 2, 4, 6]), new Set([1, 2, 5, 6]), 3];

/** Entries of inline images by their short names (8.9.7). */
const INLINE_KEYS: ReadonlyMap<string, string> = new Map([
  ["BPC", "BitsPerComponent"],
  ["CS", "ColorSpace"],
  ["F", "Filter"],
  ["IM", "ImageMask"],
  ["I", "Interpolate"],
]);

/** The state that the processor does not keep: parameters of overprinting (8.6.7), and whether the content set its colors. */
interface Saved {
  readonly overprintsFill: boolean;
  readonly overprintsStroke: boolean;
  readonly overprintMode: number;
  readonly setsFill: boolean;
  readonly setsStroke: boolean;
}

const INITIAL: Saved = {
  overprintsFill: false,
  overprintsStroke: false,
  overprintMode: 0,
  setsFill: false,
  setsStroke: false,
};

/** The resources that a content uses. */
export interface Used {
  readonly spaces: Set<Plain>;
  readonly overprinted: Map<Plain, number>;
  readonly patterns: Set<Plain>;
  readonly shadings: Set<Plain>;
  readonly states: Set<Plain>;
  /** With the color spaces that forms begin with. */
  readonly objects: Map<Plain, InitialSpaces>;
  readonly inline: ReadonlyMap<string, Value>[];
  /** Type 3 fonts, with the color spaces that their glyphs begin with, and the codes that are shown. */
  readonly glyphs: Map<PlainDictionary, { readonly initial: InitialSpaces; readonly codes: Set<number> }>;
  isTransparent: boolean;
}

type FontOf = PlainDictionary | undefined;
type ReaderRun = Run<FontOf, boolean, ContentOperators>;

/** Reads one content. */
export class ContentReader implements Visitor<FontOf, boolean> {
  readonly keeps = ["color", "font", "text"] as const;
  readonly used: Used = {
    spaces: new Set(),
    overprinted: new Map(),
    patterns: new Set(),
    shadings: new Set(),
    states: new Set(),
    objects: new Map(),
    inline: [],
    glyphs: new Map(),
    isTransparent: false,
  };
  /** The most states that are saved at once. */
  depth = 0;
  /** The width that a glyph of a Type 3 font sets. */
  glyphWidth: number | undefined;
  readonly #document: ModelDocument;
  readonly #check: Check;
  readonly #resources: ResourceScope;
  readonly #place: ContentPlace;
  readonly #bytes: Uint8Array;
  readonly #fonts: FontUses;
  readonly #structure: ElementTree;
  #state = INITIAL;
  readonly #saved: Saved[] = [];
  readonly #spaces = new Map<string, Plain>();

  constructor(
    document: ModelDocument,
    check: Check,
    resources: ResourceScope,
    place: ContentPlace,
    bytes: Uint8Array,
    fonts: FontUses,
    structure: ElementTree,
  ) {
    this.#document = document;
    this.#check = check;
    this.#resources = resources;
    this.#place = place;
    this.#bytes = bytes;
    this.#fonts = fonts;
    this.#structure = structure;
  }

  fontNamed(name: string): FontOf {
    return this.#document.dictionary(this.#resources.find("Font", name));
  }

  parametersNamed(name: string): { readonly font?: FontOf } {
    const font = this.#document.dictionary(this.#document.items(this.#resources.peek("ExtGState", name), "Font")[0]);
    return font ? { font } : {};
  }

  save(run: ReaderRun): void {
    this.#saved.push(this.#state);
    this.depth = Math.max(this.depth, run.graphics.depth);
  }

  restore(): void {
    this.#state = this.#saved.pop() ?? INITIAL;
  }

  parameters({ operators }: ReaderRun): void {
    const value = this.#resources.find("ExtGState", operators.name(0) ?? "");
    this.used.states.add(value);
    const document = this.#document;
    const state = document.dictionary(value);
    if (!state) return;
    const [both, fill, mode] = ["OP", "op", "OPM"].map((key) => document.get(state, key));
    const before = this.#state;
    this.#state = {
      ...before,
      overprintsStroke: typeof both === "boolean" ? both : before.overprintsStroke,
      overprintsFill: typeof fill === "boolean" ? fill : typeof both === "boolean" ? both : before.overprintsFill,
      overprintMode: typeof mode === "number" ? mode : before.overprintMode,
    };
  }

  color({ operators, state }: ReaderRun): void {
    const { name } = operators.entry;
    const isStroke = setsStroke(name);
    const { space, pattern } = isStroke ? state.stroke : state.fill;
    this.#state = { ...this.#state, ...(isStroke ? { setsStroke: true } : { setsFill: true }) };
    // A name that the resources do not have is a problem even if nothing is painted in it, and so is a device color that has no meaning.
    const resolved = this.#spaceNamed(name === "cs" || name === "CS" ? (operators.name(0) ?? "") : space);
    if (DEVICE_OPERATORS.has(name) || name === "cs" || name === "CS") this.used.spaces.add(resolved);
    if (pattern !== undefined && (name === "scn" || name === "SCN"))
      this.used.patterns.add(this.#resources.find("Pattern", pattern));
  }

  paint({ operators, state }: ReaderRun): void {
    const { name } = operators.entry;
    if (FILLS.has(name)) this.#fill(state);
    if (STROKES.has(name)) this.#stroke(state);
  }

  shade({ operators }: ReaderRun): void {
    this.used.shadings.add(this.#resources.find("Shading", operators.name(0) ?? ""));
  }

  draw({ operators, state }: ReaderRun): void {
    const value = this.#resources.find("XObject", operators.name(0) ?? "");
    if (!this.used.objects.has(value)) this.used.objects.set(value, this.#current(state));
    if (this.#document.get(value, "ImageMask") === true) this.#fill(state);
  }

  image({ operators, state }: ReaderRun): void {
    const entries = new Map<string, Value>();
    for (let index = 0; index + 1 < operators.count; index += 2) {
      const key = operators.name(index) ?? "";
      const value = operators.operand(index + 1);
      const parsed = value && this.#parsed(value.start);
      if (parsed !== undefined) entries.set(INLINE_KEYS.get(key) ?? key, parsed);
    }
    this.used.inline.push(entries);
    if (entries.get("ImageMask") === true) this.#fill(state);
  }

  style({ operators }: ReaderRun): void {
    if (operators.entry.name !== "ri") return;
    const name = operators.name(0) ?? "";
    this.#check("renderingIntent", { name }, { ...this.#place, context: name });
  }

  /** Returns whether the content has `ActualText`. */
  mark({ operators, marks }: ReaderRun): boolean {
    const name = operators.count > 1 ? operators.name(1) : undefined;
    if (name !== undefined) {
      const properties = this.#resources.find("Properties", name);
      return marks.at(-1) === true || this.#document.has(properties, "ActualText") || this.#isReplaced(properties);
    }
    const operand = operators.operand(1);
    const properties = operators.count > 1 && operand && this.#bytes[operand.start] === LESS ? operand : undefined;
    return this.#direct(properties?.start) || marks.at(-1) === true;
  }

  #isReplaced(properties: Plain): boolean {
    const id = this.#document.number(properties, "MCID");
    const { structParents } = this.#place;
    return id !== undefined && structParents !== undefined && this.#structure.replaces(structParents, id);
  }

  /** Checks properties that are in the content itself. Returns whether they have `ActualText`, or belong to an element that has it. */
  #direct(at: number | undefined): boolean {
    if (at === undefined) return false;
    const properties = this.#parsed(at);
    if (!(properties instanceof Dictionary)) return false;
    const [text, language, id] = ["ActualText", "Lang", "MCID"].map((key) => properties.get(key));
    const { structParents } = this.#place;
    if (text instanceof StringSpan)
      this.#check("actualText", { text: decodeText(text.valueIn(this.#bytes)) }, this.#place);
    if (language instanceof StringSpan) {
      const tag = decodeText(language.valueIn(this.#bytes));
      this.#check("language", { tag }, { ...this.#place, context: tag });
    }
    if (text !== undefined || structParents === undefined || typeof id !== "number") return text !== undefined;
    return this.#structure.replaces(structParents, id);
  }

  /** The operand at an offset; undefined if it is malformed. */
  #parsed(at: number): Value | undefined {
    try {
      return parseShort(this.#bytes, at, "content").value;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return undefined;
    }
  }

  show({ operators, state, marks }: ReaderRun): void {
    const { font, mode } = state;
    if (FILL_MODES.has(mode)) this.#fill(state);
    if (STROKE_MODES.has(mode)) this.#stroke(state);
    const operand = operators.operand(operators.count - 1);
    if (!font || !operand) return;
    const use = this.#fonts.of(font, this.#place.page);
    const isVisible = mode !== INVISIBLE;
    use.isVisible ||= isVisible;
    use.isShown = true;
    const codes =
      isVisible && this.#document.name(font, "Subtype") === "Type3" ? this.#glyphsOf(font, state) : undefined;
    for (let at = operand.start; at < operand.end; at++) {
      const byte = this.#bytes[at];
      if (byte !== OPEN && byte !== LESS) continue;
      const { value, end = operand.end } = readString(this.#bytes, at);
      use.add(value, { isVisible, isUnreplaced: marks.at(-1) !== true });
      if (codes) for (const code of value) codes.add(code);
      at = end - 1;
    }
  }

  #glyphsOf(font: PlainDictionary, state: ReaderRun["state"]): Set<number> {
    const known = this.used.glyphs.get(font);
    if (known) return known.codes;
    const codes = new Set<number>();
    this.used.glyphs.set(font, { initial: this.#current(state), codes });
    return codes;
  }

  glyph({ operators }: ReaderRun): void {
    this.glyphWidth ??= operators.number(0);
  }

  unknown({ operators }: ReaderRun): void {
    this.#check("operator", { name: operators.operator }, { ...this.#place, context: operators.operator });
  }

  #fill(state: ReaderRun["state"]): void {
    this.#paintIn(this.#current(state).fill, state.fill.pattern, this.#state.overprintsFill);
  }

  #stroke(state: ReaderRun["state"]): void {
    this.#paintIn(this.#current(state).stroke, state.stroke.pattern, this.#state.overprintsStroke);
  }

  #current({ fill, stroke }: ReaderRun["state"]): InitialSpaces {
    const { initial } = this.#place;
    return {
      fill: this.#state.setsFill ? this.#spaceNamed(fill.space) : initial.fill,
      stroke: this.#state.setsStroke ? this.#spaceNamed(stroke.space) : initial.stroke,
    };
  }

  #paintIn(space: Plain, pattern: string | undefined, overprints: boolean): void {
    this.used.spaces.add(space);
    if (overprints && this.#state.overprintMode === 1) this.used.overprinted.set(space, 1);
    if (pattern !== undefined) this.used.patterns.add(this.#resources.peek("Pattern", pattern));
  }

  /** The space of a name, the same value each time. */
  #spaceNamed(name: string): Plain {
    const known = this.#spaces.get(name);
    if (known !== undefined) return known;
    const isDevice = /^(?:Device(?:Gray|RGB|CMYK)|Pattern)$/.test(name);
    const space = isDevice ? new PlainName(name) : this.#resources.find("ColorSpace", name);
    this.#spaces.set(name, space);
    return space;
  }
}
