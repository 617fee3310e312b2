/**
 * Writes the texts of glyphs into a PDF that MuPDF has laid out: ToUnicode CMaps, and replacement texts where these do not suffice (ISO 32000-2,
 * 9.10.3 and 14.9.4).
 */
import type { PDFObject } from "mupdf";
import { concat } from "../../bytes/concat.ts";
import { ContentWriter } from "../pdf/content/content-writer.ts";
import { process, type Run } from "../pdf/content/processor.ts";
import { readStream, streamsOf } from "../pdf/content/streams.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { readShown, ShownArray } from "../pdf/erasure/show-text.ts";
import { eachObjectHaving } from "../pdf/objects/each-object.ts";
import { findShownCodes } from "../pdf/optimize/shown-codes.ts";
import { readToUnicode } from "../pdf/fonts/cmap.ts";
import { hexCode, toUnicodeOf, utf16 } from "../pdf/fonts/to-unicode.ts";
import type { Work } from "../work.ts";
import { type FontTexts, type GlyphTexts, type PageRuns, plain } from "./glyph-texts.ts";

/** Fuel per operator of content that gets replacement texts. */
const OPERATOR_WORK = 30;
/** The text of a glyph that another one represents: readers drop it. */
const NOTHING = "\u200b";

const utf16be = new TextDecoder("utf-16be");

export async function writeTexts(open: OpenPdf, { fonts, pages }: GlyphTexts): Promise<void> {
  await writeFonts(open, fonts);
  for (const [index, runs] of pages) {
    await open.engine.scope(async () => {
      const [stream, another] = streamsOf(open.document.findPage(index));
      const content = stream && !another && (await readStream(open, stream));
      const changed = content && (await withReplacements(content, runs, open.engine.work));
      if (changed) stream.writeStream(changed);
    });
  }
}

/** Each font maps its glyphs that the document shows to their texts. */
async function writeFonts(open: OpenPdf, fonts: readonly FontTexts[]): Promise<void> {
  const { engine, document } = open;
  const numbers = new Map<number, 1 | 2>();
  await eachObjectHaving(open, { keys: ["DescendantFonts"] }, (_, number) => void numbers.set(number, 2));
  const shown = await findShownCodes(open, numbers);
  for (const [number, codes] of shown ?? []) {
    await engine.scope(async () => {
      const font = document.newIndirect(number);
      const stream = font.get("ToUnicode");
      const known = await meaningsOf(open, stream);
      const named = fonts.filter(({ name }) => name === font.get("BaseFont").asName());
      // Two fonts of one name cannot be distinguished.
      const texts = named.length === 1 ? named[0]?.texts : undefined;
      const meanings = [...codes]
        .sort((a, b) => a - b)
        .flatMap((code): [string, string][] => {
          const text = texts?.get(code) ?? known?.get(code);
          return text === undefined ? [] : [[hexCode(code), utf16(text === "" ? NOTHING : text)]];
        });
      if (known && meanings.length > 0) stream.writeStream(toUnicodeOf(meanings));
    });
  }
}

async function meaningsOf(open: OpenPdf, stream: PDFObject): Promise<ReadonlyMap<number, string> | undefined> {
  const cmap = await readStream(open, stream);
  const read = cmap && (await readToUnicode(cmap, open.engine.work));
  return read && new Map([...read].map(([code, text]) => [code, plain(utf16be.decode(text))]));
}

/**
 * Content whose glyphs have codes of two bytes, with replacement texts for runs of them. Undefined if it does not show as many glyphs as there are
 * on the page, since then some are shown by forms.
 */
export async function withReplacements(
  content: Uint8Array,
  { runs, glyphs }: PageRuns,
  work: Work,
): Promise<Uint8Array | undefined> {
  const writer = new ContentWriter(content);
  let [shown, next] = [0, 0];
  const show = ({ operators }: Run): void => {
    const operand = operators.operand(operators.count - 1);
    if (!operand) return;
    let at = shown;
    const list = readShown(content.subarray(operand.start, operand.end));
    for (const part of list) if (part.kind === "string") shown += part.value.length >> 1;
    if ((runs[next]?.start ?? Infinity) >= shown) return;
    const row = new MarkedRow();
    for (const part of list) {
      if (part.kind === "adjustment") {
        row.adjust(part.value, part.written);
        continue;
      }
      for (let from = 0; from + 1 < part.value.length; from += 2, at++) {
        const run = runs[next];
        if (run?.start === at) row.begin(run.text);
        row.show(part.value.subarray(from, from + 2));
        if (run?.end !== at + 1) continue;
        row.end();
        next += 1;
      }
    }
    writer.replace(operators.start, operators.end, row.toString());
  };
  await process(content, { keeps: [], show, operatorWork: OPERATOR_WORK }, work);
  return shown === glyphs ? writer.result() : undefined;
}

/** The operators that show a row of glyphs, some of which are marked. */
class MarkedRow {
  #text = "";
  #array = new ShownArray();
  #codes: Uint8Array[] = [];

  show(code: Uint8Array): void {
    this.#codes.push(code);
  }

  adjust(value: number, written: string): void {
    this.#flush();
    this.#array.adjust(value, written);
  }

  begin(text: string): void {
    this.#finish();
    this.#text += `/Span <</ActualText <FEFF${utf16(text)}>>> BDC `;
  }

  end(): void {
    this.#finish();
    this.#text += "EMC ";
  }

  toString(): string {
    this.#finish();
    return this.#text;
  }

  #flush(): void {
    if (this.#codes.length > 0) this.#array.bytes(concat(this.#codes));
    this.#codes = [];
  }

  #finish(): void {
    this.#flush();
    const array = this.#array.toString();
    if (array !== "[]") this.#text += `${array} TJ `;
    this.#array = new ShownArray();
  }
}
