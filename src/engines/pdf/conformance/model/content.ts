/** The contents of a document, each read once with all that it uses: pages, appearances, forms, patterns, and glyphs (ISO 32000-2, 7.8). */
import { limits } from "../../../../limits.ts";
import type { Work } from "../../../work.ts";
import { ContentLexer } from "../../content/lexer.ts";
import { process } from "../../content/processor.ts";
import { joined } from "../../content/streams.ts";
import { type Plain, type PlainDictionary, PlainName, PlainReference } from "../../objects/plain-values.ts";
import { readString } from "../../syntax/strings.ts";
import type { Check } from "./check.ts";
import { ColorSpaces } from "./color-spaces.ts";
import { type ContentPlace, INITIAL_SPACES } from "./content-place.ts";
import { ContentReader, type Used } from "./content-reader.ts";
import { isArray, type ModelDocument } from "./document.ts";
import type { GivenSpace, OutputIntents } from "./elements.ts";
import { checkToken } from "./file-bytes.ts";
import { FontUses } from "./fonts.ts";
import { StateParameters } from "./state-parameters.ts";
import { Images } from "./images.ts";
import { hasIntents, readIntents } from "./output-intents.ts";
import { appearanceStreams, sidesOf } from "./pages.ts";
import type { ElementTree } from "./element-tree.ts";
import { ResourceScope } from "./resources.ts";

/** Fuel for each byte of content, whose tokens are read twice, and for each resource that is looked at. */
const [BYTE_WORK, RESOURCE_WORK] = [6, 200];
/** Bytes of a string that a rule may be about. */
const LONG_STRING = 32_767;

export class Contents {
  readonly #document: ModelDocument;
  readonly #check: Check;
  readonly #work: Work;
  readonly #intents: OutputIntents;
  readonly #colors: ColorSpaces;
  readonly #images: Images;
  readonly #states: StateParameters;
  readonly #structure: ElementTree;
  readonly fonts: FontUses;
  /** Forms, patterns, and glyphs that were read, by their numbers, and whether they use transparency. */
  readonly #seen = new Map<number, boolean>();

  constructor(document: ModelDocument, structure: ElementTree, intents: OutputIntents, check: Check) {
    this.#document = document;
    this.#check = check;
    this.#work = document.open.engine.work;
    this.#intents = intents;
    this.#structure = structure;
    this.#colors = new ColorSpaces(document, check);
    this.#images = new Images(document, check, this.#colors);
    this.#states = new StateParameters(document, check);
    this.fonts = new FontUses(document, check);
  }

  /** Reads a page with its annotations. */
  async page(page: PlainDictionary, number: number, inherited: ResourceScope | undefined, part: number): Promise<void> {
    const document = this.#document;
    const own = document.dictionary(page, "Resources");
    const resources = new ResourceScope(document, own, inherited);
    let { given: intent } = this.#intents;
    if (part === 4 && hasIntents(document, page))
      intent = (await readIntents(document, page, this.#check, number)).given;
    const group = document.dictionary(page, "Group");
    const blending = await this.#groupSpace(group, resources);
    const place = {
      object: page.object,
      page: number,
      intent,
      blending,
      depth: 0,
      initial: INITIAL_SPACES,
      structParents: document.number(page, "StructParents"),
    };
    let isTransparent = await this.#group(group, resources, place);
    const contents = document.get(page, "Contents");
    const streams = (isArray(contents) ? contents : [contents]).flatMap((item) => document.stream(item) ?? []);
    const parts: Uint8Array[] = [];
    for (const stream of streams) parts.push((await document.data(stream)) ?? new Uint8Array());
    isTransparent = (await this.#read(joined(parts), resources, place)) || isTransparent;
    for (const item of document.items(page, "Annots")) {
      this.#work.spend(RESOURCE_WORK);
      await this.#work.pause();
      const annotation = document.dictionary(item);
      if (!annotation) continue;
      const mode = document.name(annotation, "BM");
      if (part === 4 && mode !== undefined) {
        this.#check("blendMode", { names: [mode] }, { object: annotation.object, page: number, context: mode });
        isTransparent ||= mode !== "Normal" && mode !== "Compatible";
      }
      for (const form of appearanceStreams(document, annotation))
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
        sides: sidesOf(document, page),
      },
      { object: page.object, page: number },
    );
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
    const at = {
      ...place,
      object: form.object,
      blending,
      depth: place.depth + 1,
      structParents: document.number(form, "StructParents"),
    };
    if (kind === "form") {
      this.#check("form", { dictionary: form }, at);
      this.#check("xobject", { dictionary: form }, at);
    }
    let isTransparent = await this.#group(group, resources, at);
    isTransparent = (await this.#read((await document.data(form)) ?? new Uint8Array(), resources, at)) || isTransparent;
    this.#seen.set(form.object, isTransparent);
    return isTransparent;
  }

  async #groupSpace(group: PlainDictionary | undefined, resources: ResourceScope): Promise<GivenSpace | undefined> {
    const space = group?.entries.get("CS");
    if (space === undefined) return undefined;
    const document = this.#document;
    const value = document.resolve(space);
    const name = value instanceof PlainName ? value.value : document.name(isArray(value) ? value[0] : null);
    // A device space gives no meaning to another.
    if (name === "CalRGB") return { space: "RGB ", profile: undefined };
    if (name === "CalGray") return { space: "GRAY", profile: undefined };
    return this.#colors.profileOf(name === undefined || isArray(value) ? space : resources.peek("ColorSpace", name));
  }

  /** Checks the group of a page or a form. Returns whether it is one of transparency. */
  async #group(group: PlainDictionary | undefined, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    if (!group) return false;
    this.#check("group", { dictionary: group }, place);
    const space = group.entries.get("CS");
    if (space !== undefined) await this.#colors.use(space, resources, place);
    return this.#document.name(group, "S") === "Transparency";
  }

  /** Reads content and all that it uses. Returns whether that has transparency. */
  async #read(bytes: Uint8Array, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    this.#work.spend(bytes.length * BYTE_WORK);
    await this.#work.pause();
    await this.#checkTokens(bytes, place);
    const reader = new ContentReader(this.#document, this.#check, resources, place, bytes, this.fonts, this.#structure);
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
    for (const space of used.spaces) await this.#colors.use(space, resources, place);
    for (const [space, mode] of used.overprinted) await this.#overprinted(space, mode, resources, place);
    const next = { ...place, depth: place.depth + 1 };
    for (const value of used.patterns) isTransparent = (await this.#pattern(value, resources, next)) || isTransparent;
    for (const value of used.shadings) await this.#shading(value, resources, place);
    for (const value of used.states) isTransparent = (await this.#state(value, next)) || isTransparent;
    for (const [value, initial] of used.objects) {
      this.#work.spend(RESOURCE_WORK);
      await this.#work.pause();
      const stream = document.stream(value);
      if (!stream) continue;
      const subtype = document.name(stream, "Subtype");
      if (subtype === "Image") isTransparent = (await this.#images.check(stream, resources, next)) || isTransparent;
      else if (subtype === "PS") this.#check("xobject", { dictionary: stream }, { ...place, object: stream.object });
      else isTransparent = (await this.#form(stream, resources, { ...next, initial })) || isTransparent;
    }
    for (const image of used.inline) await this.#images.inline(image, resources, place);
    for (const [font, { initial, codes }] of used.glyphs)
      isTransparent = (await this.#glyphs(font, codes, resources, { ...next, initial })) || isTransparent;
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
    const icc = await this.#colors.profileOf(value);
    if (icc?.space === "CMYK") this.#check("iccCmykUse", { overprints: true, mode }, { object, page });
  }

  async #pattern(value: Plain, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    const document = this.#document;
    const pattern = document.dictionary(value);
    if (!pattern) return false;
    if (pattern.isStream) return this.#form(pattern, resources, { ...place, initial: INITIAL_SPACES }, "pattern");
    const shading = pattern.entries.get("Shading");
    if (shading !== undefined) await this.#shading(shading, resources, place);
    const state = pattern.entries.get("ExtGState");
    return state !== undefined && (await this.#state(state, place));
  }

  async #shading(value: Plain, resources: ResourceScope, place: ContentPlace): Promise<void> {
    const shading = this.#document.dictionary(value);
    const space = shading?.entries.get("ColorSpace");
    if (space !== undefined) await this.#colors.use(space, resources, place);
  }

  /** Checks graphics state parameters. Returns whether they set transparency. */
  async #state(value: Plain, place: ContentPlace): Promise<boolean> {
    const state = this.#document.dictionary(value);
    if (!state) return false;
    return this.#states.check(state, value instanceof PlainReference ? { ...place, object: value.number } : place);
  }

  /** Reads all glyphs of a Type 3 font. Returns whether those of the codes use transparency. */
  async #glyphs(
    font: PlainDictionary,
    codes: ReadonlySet<number>,
    outer: ResourceScope,
    place: ContentPlace,
  ): Promise<boolean> {
    if (place.depth > limits.contents.nesting) return false;
    const document = this.#document;
    for (const value of document.dictionary(font, "CharProcs")?.entries.values() ?? []) {
      this.#work.spend(RESOURCE_WORK);
      await this.#work.pause();
      const glyph = document.stream(value);
      if (!glyph || this.#seen.has(glyph.object)) continue;
      this.#seen.set(glyph.object, false);
      const own = document.dictionary(glyph, "Resources") ?? document.dictionary(font, "Resources");
      const bytes = (await document.data(glyph)) ?? new Uint8Array();
      const at = { ...place, object: glyph.object, structParents: undefined };
      this.#seen.set(glyph.object, await this.#read(bytes, new ResourceScope(document, own, outer), at));
    }
    const procedures = this.fonts.proceduresOf(font);
    return [...codes].some((code) => this.#seen.get(procedures.get(code)?.object ?? 0) === true);
  }
}
