/** Base64 (RFC 4648, section 4) of any length. */

/** A multiple of three, so that no piece is padded but the last. */
const PIECE = 24_576;

export function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(btoa(Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + PIECE)) as string));
  return pieces.join("");
}
