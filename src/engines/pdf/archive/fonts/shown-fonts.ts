/** The fonts that a document shows text in, each with its codes and the rules about fonts that it breaks. */
import type { Check } from "../../conformance/model/check.ts";
import { Contents } from "../../conformance/model/content.ts";
import type { RuleContext } from "../../conformance/model/context.ts";
import { type ModelDocument, readChangedDocument } from "../../conformance/model/document.ts";
import { ElementTree } from "../../conformance/model/element-tree.ts";
import type { FontFacts, ShownGlyph } from "../../conformance/model/elements.ts";
import { profileFacts } from "../../conformance/model/profiles.ts";
import { FONT_RULES } from "../../conformance/rules/fonts.ts";
import { testOf } from "../../conformance/rules/rule.ts";
import { pagesOf } from "../../conformance/model/pages.ts";
import type { OpenPdf } from "../../document/document.ts";
import { eachObject } from "../../objects/each-object.ts";
import { entries, objectNumber } from "../../objects/objects.ts";
import type { ArchiveProfile } from "../target.ts";

/** Output intents do not matter to fonts. */
const NO_INTENTS = { given: undefined, shareOneProfile: true };
/** Fuel per glyph. */
const GLYPH_WORK = 100;

export interface ShownFont {
  /** The object number of the font. */
  readonly number: number;
  readonly facts: FontFacts;
  readonly glyphs: readonly ShownGlyph[];
  /** Clauses and tests of part 2, such as `6.2.11.2-1`, that the font or one of its glyphs breaks. */
  readonly broken: ReadonlySet<string>;
}

/** Collects the fonts of a document while all of its contents are read. */
export class ShownFonts {
  readonly #document: ModelDocument;
  readonly #context: RuleContext;
  readonly #rules: readonly { readonly rule: (typeof FONT_RULES)[number]; readonly id: string }[];
  readonly #found = new Map<
    object,
    { readonly facts: FontFacts; readonly glyphs: ShownGlyph[]; readonly broken: Set<string> }
  >();

  constructor(document: ModelDocument, profile: ArchiveProfile) {
    this.#document = document;
    this.#context = { ...profileFacts(profile), document, intents: NO_INTENTS };
    this.#rules = FONT_RULES.flatMap((rule) => {
      const id = testOf(rule, profile);
      return id === undefined ? [] : [{ rule, id }];
    });
  }

  readonly check: Check = (kind, element) => {
    if (kind !== "font" && kind !== "glyph") return;
    const font = kind === "font" ? (element as FontFacts) : (element as ShownGlyph).font;
    const known = this.#found.get(font.dictionary) ?? { facts: font, glyphs: [], broken: new Set<string>() };
    this.#found.set(font.dictionary, known);
    if (kind === "glyph") known.glyphs.push(element as ShownGlyph);
    this.#document.open.engine.work.spend(GLYPH_WORK);
    for (const { rule, id } of this.#rules)
      if (rule.on === kind && !rule.holds(element as never, this.#context)) known.broken.add(id);
  };

  get list(): ShownFont[] {
    return [...this.#found.values()].map(({ facts, glyphs, broken }) => ({
      number: facts.dictionary.object,
      facts,
      glyphs,
      broken,
    }));
  }
}

/** Reads all contents, as validation does. */
export async function findShownFonts(open: OpenPdf, profile: ArchiveProfile): Promise<ShownFont[]> {
  await makeFontsIndirect(open);
  using document = await readChangedDocument(open);
  const fonts = new ShownFonts(document, profile);
  const contents = new Contents(document, new ElementTree(document), NO_INTENTS, fonts.check);
  let number = 0;
  for (const { page, inherited } of pagesOf(document)) {
    await open.engine.work.pause();
    await contents.page(page, ++number, inherited, profileFacts(profile).part);
  }
  await contents.fonts.checkAll();
  return fonts.list;
}

/** Gives the fonts numbers that are direct objects in resources. */
export async function makeFontsIndirect(open: OpenPdf): Promise<void> {
  const { document, engine } = open;
  await eachObject(open, (object) => {
    if (!object.isDictionary()) return;
    for (const path of [[], ["Resources"], ["DR"], ["AcroForm", "DR"]]) {
      const fonts = object.get(...path, "Font");
      for (const { key, value } of entries(engine, fonts))
        if (objectNumber(value) === 0 && value.isDictionary()) fonts.put(key, document.addObject(value));
    }
  });
}
