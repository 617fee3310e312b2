/** Names in their written form in files and content streams (ISO 32000-2, 7.3.5). */
import { hex } from "../../../bytes/hex.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import { hexadecimalOf, isRegular, SLASH } from "./characters.ts";

/** Decodes a name: `#` and two hexadecimal digits represent a byte. */
export function unescapeName(name: string): string {
  let [decoded, from] = ["", 0];
  for (let at = name.indexOf("#"); at >= 0; at = name.indexOf("#", Math.max(from, at + 1))) {
    const [high, low] = [hexadecimalOf(name.charCodeAt(at + 1)), hexadecimalOf(name.charCodeAt(at + 2))];
    if (high === undefined || low === undefined) continue;
    decoded += name.slice(from, at) + String.fromCharCode(high * 16 + low);
    from = at + 3;
  }
  return decoded + name.slice(from);
}

/** A name in its written form, without its slash: the reverse of `unescapeName`. Both have one character for each byte. */
export const escapeName = (name: string): string =>
  Array.from(name, (character) => {
    const byte = character.charCodeAt(0);
    const isPlain = isRegular(byte) && byte > 0x20 && byte < 0x7f && character !== "#";
    return isPlain ? character : `#${hex([byte])}`;
  }).join("");

/**
 * All names that any reader may see in bytes: after each slash, even in a string or a comment. Names are cut off after `most` bytes.
 */
export function* possibleNames(bytes: Uint8Array, most = Infinity): Generator<string, void> {
  for (let slash = bytes.indexOf(SLASH); slash >= 0; slash = bytes.indexOf(SLASH, slash + 1)) {
    let end = slash + 1;
    while (isRegular(bytes[end]) && end - slash <= most) end++;
    yield unescapeName(latin1(bytes.subarray(slash + 1, end)));
  }
}
