/** Encodes bytes as base64 (RFC 4648, section 4). For short input only. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += STEP) text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}

/** Arguments of a call: a stack has room for about a hundred thousand. */
const STEP = 8_192;

/** Throws on invalid base64. Spaces and line ends in it are skipped. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
