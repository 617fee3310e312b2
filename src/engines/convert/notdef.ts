/** Counts the characters that the PDF of a browser shows by `.notdef`, the glyph for characters that a font lacks (ISO 32000-2, 9.7.6.3). */
import type { PDFObject } from "mupdf";
import { latin1 } from "../../bytes/latin1.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { process } from "../pdf/content/processor.ts";
import { forEachContent, readStreams } from "../pdf/content/streams.ts";
import { readShown } from "../pdf/erasure/show-text.ts";
import { eachEntry, isNamed } from "../pdf/objects/objects.ts";

/** Chromium writes codes in hexadecimal. Without this, a content shows no glyph 0 of a composite font, and reading it would take longer than printing. */
const MAY_SHOW = /<[\dA-F]*0000/i;

/**
 * How many there are. Chromium encodes glyphs by their numbers: in 2 bytes in the composite fonts that it writes, in one in all others. `.notdef` is
 * glyph 0.
 */
export async function countNotdef(open: OpenPdf): Promise<number> {
  let count = 0;
  await forEachContent(open, async ({ streams, resources }) => {
    const { bytes } = await readStreams(open, streams);
    if (!(MAY_SHOW.test(latin1(bytes)) || (await hasOtherFonts(open, resources)))) return;
    await process<number, void>(
      bytes,
      {
        keeps: ["font"],
        fontNamed: (name) => (isComposite(resources.get("Font", name)) ? 2 : 1),
        show: ({ state, operators: { start, end } }) => {
          for (const part of readShown(bytes.subarray(start, end)))
            if (part.kind === "string" && state.font !== undefined) count += zeros(part.value, state.font);
        },
      },
      open.engine.work,
    );
  });
  return count;
}

const isComposite = (font: PDFObject): boolean => isNamed(font.get("Subtype"), "Type0");

async function hasOtherFonts({ engine }: OpenPdf, resources: PDFObject): Promise<boolean> {
  for await (const { value } of eachEntry(engine, resources.get("Font"))) if (!isComposite(value)) return true;
  return false;
}

/** How many of the codes of a string are 0. */
function zeros(string: Uint8Array, codeBytes: number): number {
  let count = 0;
  for (let at = 0; at + codeBytes <= string.length; at += codeBytes)
    if (string[at] === 0 && string[at + codeBytes - 1] === 0) count++;
  return count;
}
