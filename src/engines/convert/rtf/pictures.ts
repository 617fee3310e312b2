/** Pictures in Rich Text (RTF 1.9.1, "Pictures"): binary or in hexadecimal digits, with their format and size in control words. */
import { TWIPS } from "./page.ts";

export class PictureReader {
  #hex = "";
  #isDecodable = false;
  #width: number | undefined;
  #height: number | undefined;

  word(name: string, value = 0): void {
    if (name === "pngblip" || name === "jpegblip") this.#isDecodable = true;
    else if (name === "picwgoal") this.#width = value / TWIPS;
    else if (name === "pichgoal") this.#height = value / TWIPS;
  }

  text(hex: string): void {
    this.#hex += hex;
  }

  binary(binary: string): void {
    this.#hex += hexOf(binary);
  }

  get isEmpty(): boolean {
    return this.#hex.trim() === "";
  }

  /** Undefined if it is of another format than PNG and JPEG. */
  get bytes(): Uint8Array | undefined {
    return this.#isDecodable ? bytesOf(this.#hex) : undefined;
  }

  /** In points. */
  get size(): { readonly width: number | undefined; readonly height: number | undefined } {
    return { width: this.#width, height: this.#height };
  }
}

const hexOf = (binary: string): string =>
  Array.from(binary, (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");

/** The bytes of digits, with anything between them. */
function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(hex.length / 2));
  let digits = 0;
  for (let at = 0; at < hex.length; at++) {
    const code = hex.charCodeAt(at) | 0x20;
    const digit = code >= 0x61 && code <= 0x66 ? code - 0x57 : hex.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 15 || (digit > 9 && code < 0x61)) continue;
    const place = digits >> 1;
    bytes[place] = ((bytes[place] ?? 0) << 4) | digit;
    digits += 1;
  }
  return bytes.subarray(0, digits >> 1);
}
