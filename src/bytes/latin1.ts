/** Text whose characters are bytes, as in most PDF syntax. */

/** Each byte as the character with its code. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  // Spread arguments would be iterated, which takes six times as long.
  for (let at = 0; at < bytes.length; at += 8192)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + 8192)) as string;
  return text;
}

/** The reverse of `latin1`: the low byte of each character's code. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
