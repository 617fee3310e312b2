/** The step of the conversion to PDF/A that embeds fonts and repairs them (ISO 19005-2, 6.2.11). */
import { findFormFonts } from "../../optimize/subset-fonts.ts";
import type { ArchiveTarget } from "../target.ts";
import { embedSimpleFont } from "./embed-simple.ts";
import { findShownFonts, type ShownFont } from "./shown-fonts.ts";

/** Pages look the same afterwards: MuPDF shows the same glyphs in the same places. Fonts that cannot be repaired stay as they are. */
export async function archiveFonts(target: ArchiveTarget): Promise<void> {
  const { open, profile } = target;
  const fonts = await findShownFonts(open, profile);
  const formFonts = await findFormFonts(open);
  for (const font of fonts) {
    await open.engine.work.pause();
    const isOfForm = formFonts === "all" || formFonts.has(font.number);
    await repair(target, font, isOfForm);
  }
}

async function repair({ open, changes }: ArchiveTarget, font: ShownFont, isOfForm: boolean): Promise<void> {
  const { broken, facts, number } = font;
  const object = open.document.newIndirect(number);
  if (broken.has("6.2.11.4.1-1") && facts.subtype !== "Type0") {
    const codes = [...new Set(font.glyphs.map(({ code }) => code))];
    const embedded = await embedSimpleFont(open, object, codes, isOfForm);
    if (embedded) changes.add(embedded.isSubstitute ? "fonts_substituted" : "fonts_embedded");
  }
}
