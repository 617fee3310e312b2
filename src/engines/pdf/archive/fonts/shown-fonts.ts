/** The fonts that a document shows text in, each with its codes and the rules about fonts that it breaks. */
import type { Check } from "../../conformance/model/check.ts";
import { Contents } from "../../conformance/model/content.ts";
import { readChangedDocument } from "../../conformance/model/document.ts";
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

/** Reads all contents, as validation does. */
export async function findShownFonts(open: OpenPdf, profile: ArchiveProfile): Promise<ShownFont[]> {
  await makeFontsIndirect(open);
  const document = await readChangedDocument(open);
  const intents = { given: undefined, shareOneProfile: true };
  const facts = profileFacts(profile);
  const context = { ...facts, document, intents };
  const rules = FONT_RULES.flatMap((rule) => {
    const id = testOf(rule, profile);
    return id === undefined ? [] : [{ rule, id }];
  });
  const found = new Map<object, { readonly facts: FontFacts; glyphs: ShownGlyph[]; broken: Set<string> }>();
  const check: Check = (kind, element) => {
    if (kind !== "font" && kind !== "glyph") return;
    const font = kind === "font" ? (element as FontFacts) : (element as ShownGlyph).font;
    const known = found.get(font.dictionary) ?? { facts: font, glyphs: [], broken: new Set() };
    found.set(font.dictionary, known);
    if (kind === "glyph") known.glyphs.push(element as ShownGlyph);
    open.engine.work.spend(GLYPH_WORK);
    for (const { rule, id } of rules)
      if (rule.on === kind && !rule.holds(element as never, context)) known.broken.add(id);
  };
  const contents = new Contents(document, new ElementTree(document), intents, check);
  let number = 0;
  for (const { page, inherited } of pagesOf(document)) {
    await open.engine.work.pause();
    await contents.page(page, ++number, inherited, facts.part);
  }
  await contents.fonts.checkAll();
  return [...found.values()].map(({ facts: own, glyphs, broken }) => ({
    number: own.dictionary.object,
    facts: own,
    glyphs,
    broken,
  }));
}

/** Gives the fonts numbers that are direct objects in resources. */
async function makeFontsIndirect(open: OpenPdf): Promise<void> {
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
