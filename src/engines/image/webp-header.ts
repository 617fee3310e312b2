import { tag } from "./facts.ts";

/** The facts about a WebP that are known before its pixels are decoded. */
export interface WebpHeader {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Whether it declares that pixels may be transparent. */
  readonly alpha: boolean;
  readonly animated: boolean;
}

/**
 * Reads the header of a WebP (RFC 9649): the first chunk, `VP8X`, `VP8L` or `VP8 `; `ALPH` occurs only under `VP8X`. Undefined
 * if the bytes are not a WebP or are truncated before its size.
 */
export function readWebpHeader(file: Uint8Array): WebpHeader | undefined {
  if (file.length < 30 || tag(file, 0, 4) !== "RIFF" || tag(file, 8, 4) !== "WEBP") return undefined;
  const view = new DataView(file.buffer, file.byteOffset, 30);
  const at = 20;
  switch (tag(file, 12, 4)) {
    case "VP8X": {
      const flags = view.getUint8(at);
      return {
        width: (view.getUint32(at + 4, true) & 0xffffff) + 1,
        height: (view.getUint32(at + 6, true) >>> 8) + 1,
        alpha: (flags & 0x10) !== 0,
        animated: (flags & 0x02) !== 0,
      };
    }
    case "VP8L": {
      if (view.getUint8(at) !== 0x2f) return undefined;
      const bits = view.getUint32(at + 1, true);
      const [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
      return { width, height, alpha: ((bits >>> 28) & 1) !== 0, animated: false };
    }
    case "VP8 ": {
      // A frame tag of 3 bytes, then the start code of a key frame.
      if (view.getUint8(at + 3) !== 0x9d || view.getUint8(at + 4) !== 0x01 || view.getUint8(at + 5) !== 0x2a) {
        return undefined;
      }
      const [width, height] = [view.getUint16(at + 6, true) & 0x3fff, view.getUint16(at + 8, true) & 0x3fff];
      return { width, height, alpha: false, animated: false };
    }
    default:
      return undefined;
  }
}
