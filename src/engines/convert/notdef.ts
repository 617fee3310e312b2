/** Counts the characters that the PDF of a browser shows by `.notdef`, the glyph for characters that a font lacks (ISO 32000-2, 9.7.6.3). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../pdf/document/document.ts";
import { process } from "../pdf/content/processor.ts";
import { readContent } from "../pdf/content/read-content.ts";
import { forEachContent, readStreams } from "../pdf/content/streams.ts";
import { readShown } from "../pdf/erasure/show-text.ts";
import { eachEntry, isNamed } from "../pdf/objects/objects.ts";

/**
 * How many there are. Chromium encodes glyphs by their numbers: in 2 bytes in the composite fonts that it writes, in one in all others. `.notdef` is
 * glyph 0.
 */
export async function countNotdef(open: OpenPdf): Promise<number> {
  let count = 0;
  await forEachContent(open, async ({ streams, resources }) => {
    if (!((await hasOtherFonts(open, resources)) || (await mayShow(open, streams)))) return;
    const { bytes } = await readStreams(open, streams);
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

/**
 * Whether a content may show glyph 0 of a composite font: Chromium writes codes in hexadecimal. Reading the operators of all contents would take
 * longer than printing, and a copy of a page of many characters a part of the memory.
 */
async function mayShow({ engine }: OpenPdf, streams: readonly PDFObject[]): Promise<boolean> {
  for (const stream of streams) {
    const found = await readContent(engine, stream, (bytes) => {
      engine.countDecoded(bytes.length);
      return hasFourZeros(bytes);
    });
    if (found) return true;
  }
  return false;
}

function hasFourZeros(bytes: Uint8Array): boolean {
  let run = 0;
  for (const byte of bytes) {
    run = byte === DIGIT_ZERO ? run + 1 : 0;
    if (run === 4) return true;
  }
  return false;
}

const DIGIT_ZERO = 0x30;

/** How many of the codes of a string are 0. */
function zeros(string: Uint8Array, codeBytes: number): number {
  let count = 0;
  for (let at = 0; at + codeBytes <= string.length; at += codeBytes)
    if (string[at] === 0 && string[at + codeBytes - 1] === 0) count++;
  return count;
}
