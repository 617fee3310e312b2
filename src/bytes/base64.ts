/** A multiple of three, so that no piece is padded but the last, and few enough arguments of a call for a stack. */
const PIECE = 24_576;

/** Encodes bytes of any length as base64 (RFC 4648, section 4). */
export function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(btoa(Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + PIECE)) as string));
  return pieces.join("");
}

/** Throws on invalid base64. Spaces and line ends in it are skipped. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
