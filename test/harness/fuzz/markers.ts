/** Marks that a request leaves in all that it sends, and that no other response may show. */
import { constants, inflateSync } from "node:zlib";
import { flate, latin1, pdf } from "../fixtures/pdf-writer.ts";
import type { Random } from "./random.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** Letters that hold the number of a call, and that its check takes. */
const NUMBER = 6;
const CHECK = 6;
/** Bytes of a stream beyond which the rest is not searched. */
const MOST_SEARCHED = 32 * 1024 * 1024;

/** Makes and finds the marks of one run. A mark is letters alone, so that no number mutated makes it another's. */
export class Markers {
  readonly #prefix: string;
  readonly #key: number;
  readonly #plain: RegExp;
  readonly #hex: RegExp;

  constructor(random: Random) {
    this.#prefix = `Zq${Array.from({ length: 10 }, () => random.pick([...LETTERS])).join("")}`;
    this.#key = random.below(0x7fff_ffff);
    const tail = NUMBER + CHECK;
    this.#plain = new RegExp(`${this.#prefix}([a-z]{${tail}})`, "g");
    // As a hexadecimal string, of one or of two bytes a character.
    const byte = (code: string): string => `(?:00)?${code}`;
    const digits = [...this.#prefix].map((letter) => byte(letter.charCodeAt(0).toString(16)));
    this.#hex = new RegExp(`${digits.join("")}((?:${byte("[67][0-9a-f]")}){${tail}})`, "gi");
  }

  /** The mark of a call. */
  of(call: number): string {
    return this.#prefix + letters(call, NUMBER) + letters(this.#check(call), CHECK);
  }

  /** Calls whose marks stand in the bytes: as they are, as UTF-16, as hexadecimal digits or in a deflated stream. */
  callsIn(bytes: Uint8Array): Set<number> {
    const calls = new Set<number>();
    this.#search(bytes, calls);
    const text = latin1Text(bytes);
    for (let at = text.indexOf("stream"); at >= 0; at = text.indexOf("stream", at + 6)) {
      const start = text[at + 6] === "\r" ? at + 8 : at + 7;
      // zlib's first byte, but where an encrypted stream has it by chance.
      if ((bytes[start] ?? 0) % 16 !== 8) continue;
      try {
        const end = text.indexOf("endstream", start);
        const data = bytes.subarray(start, end < 0 ? undefined : end);
        this.#search(inflateSync(data, { maxOutputLength: MOST_SEARCHED, finishFlush: constants.Z_SYNC_FLUSH }), calls);
      } catch {
        // Not deflated, or damaged: its raw bytes were searched.
      }
    }
    return calls;
  }

  #search(bytes: Uint8Array, calls: Set<number>): void {
    const text = latin1Text(bytes);
    for (const all of [text, text.replaceAll("\0", "")]) {
      for (const [, tail = ""] of all.matchAll(this.#plain)) this.#note(tail, calls);
    }
    for (const [, digits = ""] of text.matchAll(this.#hex)) {
      const codes = digits.replaceAll(/00/g, "").match(/../g) ?? [];
      this.#note(String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))), calls);
    }
  }

  #note(tail: string, calls: Set<number>): void {
    const call = numberOf(tail.slice(0, NUMBER));
    if (tail === letters(call, NUMBER) + letters(this.#check(call), CHECK)) calls.add(call);
  }

  #check(call: number): number {
    return Math.imul(call ^ this.#key, 0x9e37_79b1) >>> 4;
  }
}

function letters(value: number, count: number): string {
  let [rest, text] = [value, ""];
  for (let index = 0; index < count; index++) {
    text = (LETTERS[rest % LETTERS.length] ?? "") + text;
    rest = Math.floor(rest / LETTERS.length);
  }
  return text;
}

const numberOf = (text: string): number =>
  Array.from(text).reduce((sum, letter) => sum * LETTERS.length + LETTERS.indexOf(letter), 0);

const latin1Text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** A document of two pages that holds a mark wherever a document can hold text, plain and deflated. */
export function markedDocument(mark: string): Uint8Array {
  const utf16 = `FEFF${Array.from(mark, (letter) => letter.charCodeAt(0).toString(16).padStart(4, "0")).join("")}`;
  const page = (contents: string): string =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> /XObject << /X0 8 0 R >> >>` +
    ` /Contents ${contents} /Annots [10 0 R] >>`;
  const draw = `BT /F1 12 Tf 20 100 Td (${mark}) Tj ET /X0 Do`;
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /Metadata 9 0 R /Outlines 11 0 R /AcroForm << /Fields [10 0 R] >> >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
      page("6 0 R"),
      page("7 0 R"),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      flate(draw),
      { entries: "", data: latin1(draw) },
      flate(`q ${draw.replace("/X0 Do", "")} Q`, `/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Name /${mark}`),
      { entries: "/Type /Metadata /Subtype /XML", data: latin1(`<x><title>${mark}</title></x>`) },
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${mark}) /V <${utf16}> /Rect [20 20 200 40] /P 3 0 R >>`,
      "<< /Type /Outlines /First 12 0 R /Last 12 0 R /Count 1 >>",
      `<< /Title (${mark}) /Parent 11 0 R /Dest [4 0 R /Fit] >>`,
      `<< /Title (${mark}) /Author <${utf16}> /Custom (${mark}) >>`,
    ],
    `/Root 1 0 R /Info 13 0 R /ID [<0102> <0102>]`,
  );
}
