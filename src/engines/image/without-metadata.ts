/** Removes the metadata that cameras and programs write into image files, which no PDF reader shows. */
import { concat } from "../../bytes/concat.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { EOI, markers } from "./jpeg-segments.ts";

const [FIRST_APPLICATION, LAST_APPLICATION, COMMENT] = [0xe0, 0xef, 0xfe];

/** Bytes of a segment before its content: its marker and its length. */
const SEGMENT_HEAD = 4;

/** A JPEG without comments, Exif, XMP, thumbnails and anything after its end; the same bytes if it has none. */
export function withoutJpegMetadata(jpeg: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let [from, last] = [0, jpeg.length];
  for (const { marker, start, end } of markers(jpeg)) {
    if (marker === EOI) last = end;
    else if (start <= end && isMetadata(marker, jpeg.subarray(start, end))) {
      kept.push(jpeg.subarray(from, start - SEGMENT_HEAD));
      from = end;
    }
  }
  if (kept.length === 0 && last === jpeg.length) return jpeg;
  kept.push(jpeg.subarray(from, last));
  return concat(kept);
}

/** Keeps the segments that specify the coding of the samples: JFIF's, Adobe's, and the profile. */
function isMetadata(marker: number, content: Uint8Array): boolean {
  if (marker === COMMENT) return true;
  if (marker < FIRST_APPLICATION || marker > LAST_APPLICATION) return false;
  return !/^(JFIF\0|Adobe|ICC_PROFILE\0)/.test(latin1(content.subarray(0, 12)));
}

const BOXES_LEFT_OUT = new Set(["uuid", "xml ", "uinf", "jp2i"]);

/** A JPEG 2000 file without metadata boxes (ISO/IEC 15444-1, annex I); the same bytes if it has none. */
export function withoutJpxMetadata(jpx: Uint8Array): Uint8Array {
  const view = new DataView(jpx.buffer, jpx.byteOffset, jpx.byteLength);
  const kept: Uint8Array[] = [];
  let at = 0;
  while (at + 8 <= jpx.length) {
    const short = view.getUint32(at);
    const length =
      short === 0 ? jpx.length - at : short === 1 && at + 16 <= jpx.length ? Number(view.getBigUint64(at + 8)) : short;
    // A codestream without boxes begins differently.
    if (length < 8 || at + length > jpx.length) return jpx;
    if (!BOXES_LEFT_OUT.has(latin1(jpx.subarray(at + 4, at + 8)))) kept.push(jpx.subarray(at, at + length));
    at += length;
  }
  const size = kept.reduce((sum, box) => sum + box.length, 0);
  return at === jpx.length && size < jpx.length ? concat(kept) : jpx;
}
