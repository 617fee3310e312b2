/** The step of the conversion to PDF/A that embeds fonts and repairs them (ISO 19005-2, 6.2.11). */
import { nameIn } from "../../fonts/embedded-font.ts";
import { withoutSubsetTag } from "../../fonts/subset-tag.ts";
import { findFormFonts } from "../../optimize/subset-fonts.ts";
import type { ArchiveTarget } from "../target.ts";
import { rebuildCompositeFont } from "./rebuild-composite.ts";
import { rebuildSimpleFont } from "./rebuild-simple.ts";
import { repairEntries } from "./repair-entries.ts";
import type { ShownFont } from "./shown-fonts.ts";
import { repairToUnicode } from "./to-unicode.ts";
import { repairType3Widths } from "./type3-widths.ts";

const [NOT_EMBEDDED, WIDTHS] = ["6.2.11.4.1-1", "6.2.11.5-1"];
/** Faults that need a new program: entries about widths, glyphs and their widths, and the encoding. */
const NEEDS_PROGRAM = /^6\.2\.11\.(?:2-[456]|4\.1-2|5-1|6-[1234]|8-1)$/;

/**
 * Fonts beyond repair stay unchanged. Pages look the same afterwards: MuPDF shows the same glyphs in the same places.
 * @param fonts all that are shown
 */
export async function archiveFonts(target: ArchiveTarget, fonts: readonly ShownFont[]): Promise<void> {
  const { open, isUnicode } = target;
  const formFonts = await findFormFonts(open);
  // Repairs may change MuPDF's own meanings of codes.
  if (isUnicode) for (const font of fonts) await repairToUnicode(target, font);
  for (const font of fonts) {
    await open.engine.work.pause();
    await repair(target, font, formFonts === "all" || formFonts.has(font.number));
  }
  // MuPDF keeps fonts as they were read.
  open.engine.emptyStore();
}

async function repair({ open, changes }: ArchiveTarget, font: ShownFont, isOfForm: boolean): Promise<void> {
  const { broken, facts, glyphs, number } = font;
  const object = open.document.newIndirect(number);
  for (const kind of await repairEntries(open, object, font)) changes.add(kind);
  if (facts.subtype === "Type3") {
    if (broken.has(WIDTHS) && (await repairType3Widths(open, object, glyphs))) changes.add("fonts_rewritten");
    return;
  }
  const name = withoutSubsetTag(nameIn(object, "BaseFont") || "Unnamed");
  const isUnknown = facts.hasProgram && facts.program === undefined;
  if (!isUnknown && ![...broken].some((clause) => clause === NOT_EMBEDDED || NEEDS_PROGRAM.test(clause))) return;
  const rebuilt =
    facts.subtype === "Type0"
      ? await rebuildCompositeFont(open, object, glyphs, isUnknown)
      : await rebuildSimpleFont(open, object, [...new Set(glyphs.map(({ code }) => code))], { isOfForm, isUnknown });
  if (!rebuilt) return;
  if (facts.hasProgram && !isUnknown) changes.add("fonts_rewritten");
  else if (!rebuilt.isSubstitute) changes.add("fonts_embedded");
  else {
    changes.add("fonts_substituted");
    changes.substitutedFonts.add(name);
  }
}
