/** Names as they are written in files and content streams (ISO 32000-2, 7.3.5). */
import { latin1 } from "../../bytes/latin1.ts";
import { isRegular, SLASH } from "./characters.ts";

/** Decodes a name: `#` and two hexadecimal digits stand for a byte. */
export function unescapeName(name: string): string {
  return name.replace(/#([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

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
