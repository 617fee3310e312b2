/**
 * The contents of a document, each read once (ISO 32000-2, 7.8, 8, and 9). Finds operators that rules are about, and used resources: the color spaces
 * of everything painted, and the codes that each font shows.
 */
import { limits } from "../../../../limits.ts";
import type { Work } from "../../../work.ts";
import { process, type Run, type Visitor } from "../../content/processor.ts";
import { setsStroke } from "../../content/operator-table.ts";
import type { ContentOperators } from "../../content/operators.ts";
import { parseShort, Name, Real, Malformed, type Value } from "../../syntax/objects.ts";
import { joined } from "../../content/streams.ts";
import { LESS, OPEN } from "../../syntax/characters.ts";
import { readString } from "../../syntax/strings.ts";
import { ContentLexer } from "../../content/lexer.ts";
import { type Plain, PlainDictionary, PlainName, PlainReference } from "../../objects/plain-values.ts";
import type { Check } from "./check.ts";
import { ColorSpaces } from "./color-spaces.ts";
import { isArray, type ModelDocument } from "./document.ts";
import { checkToken } from "./file-bytes.ts";
import { FontUses } from "./fonts.ts";
import { readJpxFacts } from "./jpx.ts";
import { readIntents, hasIntents } from "./output-intents.ts";
import type { OutputIntents } from "./elements.ts";
import { ResourceScope } from "./resources.ts";

/** Fuel for each byte of content, whose tokens are read twice, and for each resource that is looked at. */
const [BYTE_WORK, RESOURCE_WORK] = [6, 200];

/** Bytes of a string that a rule may be about. */
const LONG_STRING = 32_767;
/** Levels of the page tree. */
const MOST_LEVELS = 64;

/** Paths that operators fill and stroke. */
const FILLS = new Set(["f", "F", "f*", "B", "B*", "b", "b*"]);
const STROKES = new Set(["S", "s", "B", "B*", "b", "b*"]);
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

/** Parameters of overprinting (8.6.7). */
interface Overprint {
  readonly fill: boolean;
  readonly stroke: boolean;
  readonly mode: number;
}

const NO_OVERPRINT: Overprint = { fill: false, stroke: false, mode: 0 };

/** Where a content is. */
export interface ContentPlace {
  readonly object: number;
  readonly page: number | undefined;
  readonly intent: string | undefined;
  readonly blending: string | undefined;
  readonly depth: number;
}

export class Contents {
  readonly #document: ModelDocument;
  readonly #check: Check;
  readonly #work: Work;
  readonly #intents: OutputIntents;
  readonly colors: ColorSpaces;
  readonly fonts: FontUses;
  /** Contents and resources that were read, and whether they use transparency. */
  readonly #seen = new Map<number, boolean>();

  constructor(document: ModelDocument, intents: OutputIntents, check: Check) {
    this.#document = document;
    this.#check = check;
    this.#work = document.open.engine.work;
    this.#intents = intents;
    this.colors = new ColorSpaces(document, check);
    this.fonts = new FontUses(document, check);
  }

  /** Reads a page with its annotations. */
  async page(page: PlainDictionary, number: number, inherited: ResourceScope | undefined, part: number): Promise<void> {
    const document = this.#document;
    const own = document.dictionary(page, "Resources");
    const resources = new ResourceScope(document, own, inherited);
    let { space: intent } = this.#intents;
    if (part === 4 && hasIntents(document, page))
      intent = (await readIntents(document, page, this.#check, number)).space;
    const group = document.dictionary(page, "Group");
    const blending = await this.#groupSpace(group, resources);
    const place = { object: page.object, page: number, intent, blending, depth: 0 };
    let isTransparent = await this.#group(group, resources, place);
    const contents = document.get(page, "Contents");
    const streams = (isArray(contents) ? contents : [contents]).flatMap((item) => document.stream(item) ?? []);
    const parts: Uint8Array[] = [];
    for (const stream of streams) parts.push((await document.data(stream)) ?? new Uint8Array());
    isTransparent = (await this.#read(joined(parts), resources, place)) || isTransparent;
    for (const item of document.items(page, "Annots")) {
      const annotation = document.dictionary(item);
      if (!annotation) continue;
      const mode = document.name(annotation, "BM");
      if (part === 4 && mode !== undefined) {
        this.#check("blendMode", { names: [mode] }, { object: annotation.object, page: number, context: mode });
        isTransparent ||= mode !== "Normal" && mode !== "Compatible";
      }
      for (const form of this.appearances(annotation))
        isTransparent =
          (await this.#form(form, new ResourceScope(document, undefined, undefined), { ...place, depth: 1 })) ||
          isTransparent;
    }
    this.#check(
      "page",
      {
        dictionary: page,
        hasTransparency: isTransparent,
        groupHasSpace: document.has(group, "CS"),
        hasIntent: intent !== undefined,
        sides: this.#sides(page),
      },
      { object: page.object, page: number },
    );
  }

  /** Sides of the boxes of a page, in units of the page. */
  #sides(page: PlainDictionary): readonly number[] {
    return ["MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"].flatMap((key) => {
      const box = this.#document.numbers(this.#inherited(page, key));
      if (box.length !== 4) return [];
      const [a = 0, b = 0, c = 0, d = 0] = box;
      return [Math.abs(c - a), Math.abs(d - b)];
    });
  }

  /** An entry of a page, or of the nearest node above it. */
  #inherited(page: PlainDictionary, key: string): Plain {
    let node: PlainDictionary | undefined = page;
    for (let level = 0; node && level < MOST_LEVELS; level++) {
      const found = node.entries.get(key);
      if (found !== undefined) return found;
      node = this.#document.dictionary(node, "Parent");
    }
    return null;
  }

  /** The appearance streams of an annotation. */
  appearances(annotation: PlainDictionary): readonly PlainDictionary[] {
    const document = this.#document;
    const found: PlainDictionary[] = [];
    for (const value of document.dictionary(annotation, "AP")?.entries.values() ?? []) {
      const one = document.dictionary(value);
      if (one?.isStream === true) found.push(one);
      else
        for (const state of one?.entries.values() ?? [])
          found.push(...[document.stream(state)].filter((form) => !!form));
    }
    return found;
  }

  /** Reads a form, a pattern, or a soft mask. Returns whether it uses transparency. */
  async #form(form: PlainDictionary, outer: ResourceScope, place: ContentPlace, kind = "form"): Promise<boolean> {
    const known = this.#seen.get(form.object);
    if (known !== undefined || place.depth > limits.contents.nesting) return known ?? false;
    this.#seen.set(form.object, false);
    const document = this.#document;
    const resources = new ResourceScope(document, document.dictionary(form, "Resources"), outer);
    const group = document.dictionary(form, "Group");
    const blending = (await this.#groupSpace(group, resources)) ?? place.blending;
    const at = { ...place, object: form.object, blending, depth: place.depth + 1 };
    if (kind === "form") {
      this.#check("form", { dictionary: form }, at);
      this.#check("xobject", { dictionary: form }, at);
    }
    let isTransparent = await this.#group(group, resources, at);
    isTransparent = (await this.#read((await document.data(form)) ?? new Uint8Array(), resources, at)) || isTransparent;
    this.#seen.set(form.object, isTransparent);
    return isTransparent;
  }

  async #groupSpace(group: PlainDictionary | undefined, resources: ResourceScope): Promise<string | undefined> {
    const space = group?.entries.get("CS");
    if (space === undefined) return undefined;
    const document = this.#document;
    const value = document.resolve(space);
    const name = value instanceof PlainName ? value.value : document.name(isArray(value) ? value[0] : null);
    // A device space gives no meaning to another.
    if (name === "CalRGB") return "RGB ";
    if (name === "CalGray") return "GRAY";
    return (
      await this.colors.profileOf(name === undefined || isArray(value) ? space : resources.peek("ColorSpace", name))
    )?.space;
  }

  /** Checks the group of a page or a form. Returns whether it is one of transparency. */
  async #group(group: PlainDictionary | undefined, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    if (!group) return false;
    this.#check("group", { dictionary: group }, place);
    const space = group.entries.get("CS");
    if (space !== undefined) await this.colors.use(space, resources, place);
    return this.#document.name(group, "S") === "Transparency";
  }

  /** Reads content and all that it uses. Returns whether that has transparency. */
  async #read(bytes: Uint8Array, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    this.#work.spend(bytes.length * BYTE_WORK);
    await this.#work.pause();
    await this.#checkTokens(bytes, place);
    const reader = new Reader(this.#document, this.#check, resources, place, bytes, this.fonts);
    await process(bytes, reader, this.#work);
    if (reader.glyphWidth !== undefined) this.fonts.glyphWidths.set(place.object, reader.glyphWidth);
    if (reader.depth > 0) this.#check("savedStates", { depth: reader.depth }, place);
    await this.fonts.readPending();
    const isTransparent = await this.#use(reader.used, resources, place);
    const names = { inherited: [...resources.inherited], missing: [...resources.missing] };
    this.#check("content", names, {
      object: place.object,
      page: place.page,
      context: [...names.missing, ...names.inherited].slice(0, 4).join(", "),
    });
    return isTransparent;
  }

  async #checkTokens(bytes: Uint8Array, { object, page }: ContentPlace): Promise<void> {
    const lexer = new ContentLexer(bytes);
    for (let kind = lexer.next(); kind !== undefined; kind = lexer.next()) {
      if (kind === "hex" || kind === "number") checkToken(bytes, lexer, this.#check, object, page);
      if ((kind === "hex" || kind === "literal") && lexer.end - lexer.start > LONG_STRING) {
        const size = readString(bytes, lexer.start).value.length;
        this.#check("sizedValue", { kind: "string", size }, { object, page });
      } else if (kind === "word" && lexer.isKeyword("ID")) lexer.image();
      if (lexer.isDue) await this.#work.rest();
    }
  }

  async #use(used: Used, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    const document = this.#document;
    let isTransparent = used.isTransparent;
    for (const space of used.spaces) await this.colors.use(space, resources, place);
    for (const [space, mode] of used.overprinted) await this.#overprinted(space, mode, resources, place);
    const next = { ...place, depth: place.depth + 1 };
    for (const value of used.patterns) isTransparent = (await this.#pattern(value, resources, next)) || isTransparent;
    for (const value of used.shadings) await this.#shading(value, resources, place);
    for (const value of used.states) isTransparent = (await this.#state(value, resources, next)) || isTransparent;
    for (const value of used.objects) {
      this.#work.spend(RESOURCE_WORK);
      await this.#work.pause();
      const stream = document.stream(value);
      if (!stream) continue;
      const subtype = document.name(stream, "Subtype");
      if (subtype === "Image") isTransparent = (await this.#image(stream, resources, next)) || isTransparent;
      else if (subtype === "PS") this.#check("xobject", { dictionary: stream }, { ...place, object: stream.object });
      else isTransparent = (await this.#form(stream, resources, next)) || isTransparent;
    }
    for (const image of used.inline) await this.#inline(image, resources, place);
    for (const font of used.glyphFonts) isTransparent = (await this.#glyphs(font, resources, next)) || isTransparent;
    return isTransparent;
  }

  async #overprinted(
    space: Plain,
    mode: number,
    resources: ResourceScope,
    { object, page }: ContentPlace,
  ): Promise<void> {
    let value = this.#document.resolve(space);
    if (value instanceof PlainName)
      value = this.#document.resolve(
        resources.peek("ColorSpace", value.value === "DeviceCMYK" ? "DefaultCMYK" : value.value),
      );
    const icc = await this.colors.profileOf(value);
    if (icc?.space === "CMYK") this.#check("iccCmykUse", { overprints: true, mode }, { object, page });
  }

  async #pattern(value: Plain, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    const document = this.#document;
    const pattern = document.dictionary(value);
    if (!pattern) return false;
    if (pattern.isStream) return this.#form(pattern, resources, place, "pattern");
    const shading = pattern.entries.get("Shading");
    if (shading !== undefined) await this.#shading(shading, resources, place);
    const state = pattern.entries.get("ExtGState");
    return state !== undefined && (await this.#state(state, resources, place));
  }

  async #shading(value: Plain, resources: ResourceScope, place: ContentPlace): Promise<void> {
    const shading = this.#document.dictionary(value);
    const space = shading?.entries.get("ColorSpace");
    if (space !== undefined) await this.colors.use(space, resources, place);
  }

  /** Checks graphics state parameters. Returns whether they set transparency. */
  async #state(value: Plain, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    const document = this.#document;
    const state = document.dictionary(value);
    if (!state) return false;
    const at = value instanceof PlainReference ? { ...place, object: value.number } : place;
    let isTransparent = false;
    if (state.entries.has("BM")) {
      const mode = document.get(state, "BM");
      const names = (isArray(mode) ? mode : [mode]).map((item) => document.name(item) ?? "");
      this.#check("blendMode", { names }, { ...at, context: names.join(", ") });
      isTransparent ||= !names.every((name) => name === "Normal" || name === "Compatible");
    }
    for (const key of ["ca", "CA"]) {
      const opacity = document.number(state, key);
      if (opacity === undefined) continue;
      this.#check("opacity", { value: opacity }, { ...at, context: key });
      isTransparent ||= opacity < 1;
    }
    if (state.entries.has("SMask")) {
      const isNone = document.name(state, "SMask") === "None";
      this.#check("softMask", { isNone }, at);
      isTransparent ||= !isNone;
      // The content of a soft mask has no color of its own: only its luminosity or opacity counts.
    }
    if (this.#seen.has(-state.object) && state.object > 0) return isTransparent;
    if (state.object > 0 && value instanceof PlainReference) this.#seen.set(-state.object, isTransparent);
    this.#check("graphicsState", { dictionary: state }, at);
    const intent = document.name(state, "RI");
    if (intent !== undefined) this.#check("renderingIntent", { name: intent }, { ...at, context: intent });
    const halftone = document.dictionary(state, "HT");
    if (halftone) this.#halftone(halftone, at, undefined);
    return isTransparent;
  }

  #halftone(halftone: PlainDictionary, place: ContentPlace, colorant: string | undefined): void {
    const isNested = colorant !== undefined;
    this.#check("halftone", { dictionary: halftone, isNested, colorant }, { ...place, context: colorant });
    if (isNested || this.#document.number(halftone, "HalftoneType") !== 5) return;
    for (const [name, value] of halftone.entries) {
      const inner = this.#document.dictionary(value);
      if (inner && name !== "TransferFunction") this.#halftone(inner, place, name);
    }
  }

  /** Checks an image. Returns whether it has a soft mask. */
  async #image(
    image: PlainDictionary,
    resources: ResourceScope,
    place: ContentPlace,
    isSoftMask = false,
  ): Promise<boolean> {
    const document = this.#document;
    const known = this.#seen.get(image.object);
    if (known !== undefined) return known;
    const softMask = document.stream(image, "SMask");
    const isTransparent = softMask !== undefined || (document.number(image, "SMaskInData") ?? 0) > 0;
    this.#seen.set(image.object, isTransparent);
    const at = { ...place, object: image.object };
    this.#check("xobject", { dictionary: image }, at);
    if (softMask) {
      this.#check("softMask", { isNone: false }, at);
      await this.#image(softMask, resources, { ...place, depth: place.depth + 1 }, true);
    }
    const mask = document.stream(image, "Mask");
    if (mask && place.depth < limits.contents.nesting)
      await this.#image(mask, resources, { ...place, depth: place.depth + 1 });
    const isMask = document.get(image, "ImageMask") === true;
    const isJpx = document.filters(image).at(-1) === "JPXDecode";
    this.#check(
      "image",
      {
        dictionary: image,
        isInline: false,
        isMask,
        isJpx,
        interpolates: document.get(image, "Interpolate") === true,
        bitsPerComponent: document.number(image, "BitsPerComponent"),
      },
      at,
    );
    const intent = document.name(image, "Intent");
    if (intent !== undefined) this.#check("renderingIntent", { name: intent }, { ...at, context: intent });
    const space = image.entries.get("ColorSpace");
    // The gray of a soft mask is no color.
    if (space !== undefined && !isMask && !isSoftMask) await this.colors.use(space, resources, at);
    if (isJpx) await this.#jpx(image, space !== undefined, at);
    return isTransparent;
  }

  async #jpx(image: PlainDictionary, hasColorSpace: boolean, place: ContentPlace): Promise<void> {
    const { engine, document } = this.#document.open;
    const data = engine.scope(() => {
      const buffer = document.newIndirect(image.object).readRawStream();
      const bytes = buffer.asUint8Array().slice();
      buffer.destroy();
      return bytes;
    });
    this.#work.spend(data.length);
    this.#check("jpx", readJpxFacts(data, hasColorSpace), place);
  }

  async #inline(image: ReadonlyMap<string, Value>, resources: ResourceScope, place: ContentPlace): Promise<void> {
    const name = (value: Value | undefined): string | undefined => (value instanceof Name ? value.value : undefined);
    const filter = image.get("Filter");
    const filters = (Array.isArray(filter) ? (filter as readonly Value[]) : [filter]).flatMap(
      (item) => name(item) ?? [],
    );
    const bits = image.get("BitsPerComponent");
    this.#check("inlineFilters", { filters }, { ...place, context: filters.join(", ") });
    const dictionary = new PlainDictionary(place.object, false, new Map());
    const isMask = image.get("ImageMask") === true;
    this.#check(
      "image",
      {
        dictionary,
        isInline: true,
        isMask,
        isJpx: false,
        interpolates: image.get("Interpolate") === true,
        bitsPerComponent: typeof bits === "number" ? bits : undefined,
      },
      { ...place, context: "inline image" },
    );
    const intent = name(image.get("Intent"));
    if (intent !== undefined) this.#check("renderingIntent", { name: intent }, { ...place, context: intent });
    const space = image.get("ColorSpace");
    if (!isMask && space !== undefined && space !== null) await this.colors.use(plainOf(space), resources, place);
  }

  /** Reads the glyphs of a Type 3 font. */
  async #glyphs(font: PlainDictionary, outer: ResourceScope, place: ContentPlace): Promise<boolean> {
    const document = this.#document;
    const key = font.object;
    const known = this.#seen.get(key);
    if (known !== undefined || place.depth > limits.contents.nesting) return known ?? false;
    this.#seen.set(key, false);
    let isTransparent = false;
    for (const value of document.dictionary(font, "CharProcs")?.entries.values() ?? []) {
      const glyph = document.stream(value);
      if (!glyph || this.#seen.has(glyph.object)) continue;
      this.#seen.set(glyph.object, false);
      const own = document.dictionary(glyph, "Resources") ?? document.dictionary(font, "Resources");
      const bytes = (await document.data(glyph)) ?? new Uint8Array();
      const at = { ...place, object: glyph.object };
      isTransparent = (await this.#read(bytes, new ResourceScope(document, own, outer), at)) || isTransparent;
    }
    this.#seen.set(key, isTransparent);
    return isTransparent;
  }
}

/** A value of an inline image, as the document's values are. */
function plainOf(value: Value): Plain {
  if (value instanceof Name) return new PlainName(value.value);
  if (value instanceof Real) return value.value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(plainOf);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}

/** The resources that a content uses. */
interface Used {
  readonly spaces: Set<Plain>;
  readonly overprinted: Map<Plain, number>;
  readonly patterns: Set<Plain>;
  readonly shadings: Set<Plain>;
  readonly states: Set<Plain>;
  readonly objects: Set<Plain>;
  readonly inline: ReadonlyMap<string, Value>[];
  readonly glyphFonts: Set<PlainDictionary>;
  isTransparent: boolean;
}

type FontOf = PlainDictionary | undefined;
type ReaderRun = Run<FontOf, void, ContentOperators>;

/** Reads one content. */
class Reader implements Visitor<FontOf> {
  readonly keeps = ["color", "font", "text"] as const;
  readonly used: Used = {
    spaces: new Set(),
    overprinted: new Map(),
    patterns: new Set(),
    shadings: new Set(),
    states: new Set(),
    objects: new Set(),
    inline: [],
    glyphFonts: new Set(),
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
  #overprint = NO_OVERPRINT;
  readonly #saved: Overprint[] = [];
  readonly #spaces = new Map<string, Plain>();

  constructor(
    document: ModelDocument,
    check: Check,
    resources: ResourceScope,
    place: ContentPlace,
    bytes: Uint8Array,
    fonts: FontUses,
  ) {
    this.#document = document;
    this.#check = check;
    this.#resources = resources;
    this.#place = place;
    this.#bytes = bytes;
    this.#fonts = fonts;
  }

  fontNamed(name: string): FontOf {
    return this.#document.dictionary(this.#resources.find("Font", name));
  }

  parametersNamed(name: string): { readonly font?: FontOf } {
    const font = this.#document.dictionary(this.#document.items(this.#resources.peek("ExtGState", name), "Font")[0]);
    return font ? { font } : {};
  }

  save(run: ReaderRun): void {
    this.#saved.push(this.#overprint);
    this.depth = Math.max(this.depth, run.graphics.depth);
  }

  restore(): void {
    this.#overprint = this.#saved.pop() ?? NO_OVERPRINT;
  }

  parameters({ operators }: ReaderRun): void {
    const value = this.#resources.find("ExtGState", operators.name(0) ?? "");
    this.used.states.add(value);
    const document = this.#document;
    const state = document.dictionary(value);
    if (!state) return;
    const [both, fill, mode] = ["OP", "op", "OPM"].map((key) => document.get(state, key));
    const before = this.#overprint;
    this.#overprint = {
      stroke: typeof both === "boolean" ? both : before.stroke,
      fill: typeof fill === "boolean" ? fill : typeof both === "boolean" ? both : before.fill,
      mode: typeof mode === "number" ? mode : before.mode,
    };
  }

  color({ operators, state }: ReaderRun): void {
    // A name that the resources do not have is a problem even if nothing is painted in it.
    const { name } = operators.entry;
    if (name === "cs" || name === "CS") this.#spaceNamed(operators.name(0) ?? "");
    const { pattern } = setsStroke(name) ? state.stroke : state.fill;
    if (pattern !== undefined && (name === "scn" || name === "SCN")) this.#resources.find("Pattern", pattern);
  }

  paint({ operators, state }: ReaderRun): void {
    const { name } = operators.entry;
    if (FILLS.has(name)) this.#fill(state.fill);
    if (STROKES.has(name)) this.#stroke(state.stroke);
  }

  shade({ operators }: ReaderRun): void {
    this.used.shadings.add(this.#resources.find("Shading", operators.name(0) ?? ""));
  }

  draw({ operators }: ReaderRun): void {
    this.used.objects.add(this.#resources.find("XObject", operators.name(0) ?? ""));
  }

  image({ operators }: ReaderRun): void {
    const entries = new Map<string, Value>();
    for (let index = 0; index + 1 < operators.count; index += 2) {
      const key = operators.name(index) ?? "";
      const value = operators.operand(index + 1);
      try {
        if (value) entries.set(INLINE_KEYS.get(key) ?? key, parseShort(this.#bytes, value.start, "content").value);
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
      }
    }
    this.used.inline.push(entries);
  }

  style({ operators }: ReaderRun): void {
    if (operators.entry.name !== "ri") return;
    const name = operators.name(0) ?? "";
    this.#check("renderingIntent", { name }, { ...this.#place, context: name });
  }

  mark({ operators }: ReaderRun): void {
    const properties = operators.count > 1 ? operators.name(1) : undefined;
    if (properties !== undefined) this.#resources.find("Properties", properties);
  }

  show({ operators, state }: ReaderRun): void {
    const { font, mode } = state;
    if (FILL_MODES.has(mode)) this.#fill(state.fill);
    if (STROKE_MODES.has(mode)) this.#stroke(state.stroke);
    const operand = operators.operand(operators.count - 1);
    if (!font || !operand) return;
    const use = this.#fonts.of(font, this.#place.page);
    const isVisible = mode !== INVISIBLE;
    if (isVisible && this.#document.name(font, "Subtype") === "Type3") this.used.glyphFonts.add(font);
    use.isVisible ||= isVisible;
    use.isShown = true;
    for (let at = operand.start; at < operand.end; at++) {
      const byte = this.#bytes[at];
      if (byte !== OPEN && byte !== LESS) continue;
      const { value, end = operand.end } = readString(this.#bytes, at);
      use.add(value, isVisible);
      at = end - 1;
    }
  }

  glyph({ operators }: ReaderRun): void {
    this.glyphWidth ??= operators.number(0);
  }

  unknown({ operators }: ReaderRun): void {
    this.#check("operator", { name: operators.operator }, { ...this.#place, context: operators.operator });
  }

  #fill({ space, pattern }: { readonly space: string; readonly pattern: string | undefined }): void {
    this.#paintIn(space, pattern, this.#overprint.fill);
  }

  #stroke({ space, pattern }: { readonly space: string; readonly pattern: string | undefined }): void {
    this.#paintIn(space, pattern, this.#overprint.stroke);
  }

  #paintIn(name: string, pattern: string | undefined, overprints: boolean): void {
    const space = this.#spaceNamed(name);
    this.used.spaces.add(space);
    if (overprints && this.#overprint.mode === 1) this.used.overprinted.set(space, 1);
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
