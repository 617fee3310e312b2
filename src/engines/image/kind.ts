/** The accepted image formats, in the order used in messages. */
export const imageKinds = ["png", "jpeg", "webp"] as const;
export type ImageKind = (typeof imageKinds)[number];

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
const RIFF = Array.from("RIFF", (letter) => letter.charCodeAt(0));
const WEBP = Array.from("WEBP", (letter) => letter.charCodeAt(0));

/** The kind of an image, by its first bytes; undefined for anything else. */
export function imageKindOf(bytes: Uint8Array): ImageKind | undefined {
  const has = (signature: readonly number[], at = 0): boolean =>
    signature.every((byte, index) => bytes[at + index] === byte);
  if (has(PNG)) return "png";
  if (has(JPEG)) return "jpeg";
  return has(RIFF) && has(WEBP, 8) ? "webp" : undefined;
}
