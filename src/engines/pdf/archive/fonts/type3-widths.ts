/** Makes the glyphs of a Type 3 font set the widths that the font declares, by which text is placed (ISO 32000-2, 9.6.4). */
import type { PDFObject } from "mupdf";
import { bytesOf, latin1 } from "../../../../bytes/latin1.ts";
import { readStream } from "../../content/streams.ts";
import type { OpenPdf } from "../../document/document.ts";
import { differencesOf } from "../../fonts/encoding.ts";
import type { ShownFont } from "./shown-fonts.ts";

/** The width of a glyph: the first operand of its first operator. */
const WIDTH = /^(\s*)[-+.\d]+(?=(?:\s+[-+.\d]+)+\s+d[01]\b)/;
/** Difference of widths that is no difference. */
const SAME = 0.001;

/** Returns whether any glyph was changed. */
export async function repairType3Widths(open: OpenPdf, font: PDFObject, glyphs: ShownFont["glyphs"]): Promise<boolean> {
  const names = new Map(Array.from(differencesOf(font), ([code, name]) => [code, name.asName()]));
  let isChanged = false;
  for (const { code, glyph, dictionaryWidth } of glyphs) {
    if (glyph?.width === undefined || dictionaryWidth === undefined) continue;
    if (Math.abs(glyph.width - dictionaryWidth) < SAME) continue;
    await open.engine.work.pause();
    const procedure = font.get("CharProcs", names.get(code) ?? "");
    const data = procedure.isStream() ? await readStream(open, procedure) : undefined;
    const content = data && latin1(data);
    if (!content || !WIDTH.test(content)) continue;
    procedure.writeStream(bytesOf(content.replace(WIDTH, `$1${dictionaryWidth}`)));
    isChanged = true;
  }
  return isChanged;
}
