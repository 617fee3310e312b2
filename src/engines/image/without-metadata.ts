/** Removes the metadata that cameras and programs write into image files, which no PDF reader shows. */
import { concat } from "../bytes/concat.ts";
import { latin1 } from "../bytes/latin1.ts";

const [END_OF_IMAGE, START_OF_SCAN, COMMENT] = [0xd9, 0xda, 0xfe];
const [FIRST_APPLICATION, LAST_APPLICATION] = [0xe0, 0xef];

/** A JPEG without comments, Exif, XMP, thumbnails and anything after its end; the same bytes if it has none. */
export function withoutJpegMetadata(jpeg: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let [at, from] = [2, 0];
  while (at + 4 <= jpeg.length) {
    if (jpeg[at] !== 0xff) return jpeg;
    const marker = jpeg[at + 1] ?? 0;
    if (marker === 0xff) at++;
    else if (marker === END_OF_IMAGE) break;
    else {
      const end = at + 2 + (((jpeg[at + 2] ?? 0) << 8) | (jpeg[at + 3] ?? 0));
      if (isMetadata(marker, jpeg.subarray(at + 4, end))) {
        kept.push(jpeg.subarray(from, at));
        from = end;
      }
      at = marker === START_OF_SCAN ? endOfScan(jpeg, end) : end;
    }
  }
  const isEnd = jpeg[at] === 0xff && jpeg[at + 1] === END_OF_IMAGE;
  if (kept.length === 0 && (!isEnd || at + 2 >= jpeg.length)) return jpeg;
  kept.push(jpeg.subarray(from, isEnd ? at + 2 : jpeg.length));
  return concat(kept);
}

/** Keeps the segments that say how the samples are coded: JFIF's, Adobe's, and the profile. */
function isMetadata(marker: number, content: Uint8Array): boolean {
  if (marker === COMMENT) return true;
  if (marker < FIRST_APPLICATION || marker > LAST_APPLICATION) return false;
  return !/^(JFIF\0|Adobe|ICC_PROFILE\0)/.test(latin1(content.subarray(0, 12)));
}

/** The next marker that is neither a restart nor a stuffed byte. */
function endOfScan(jpeg: Uint8Array, start: number): number {
  let at = start;
  for (; at + 1 < jpeg.length; at++) {
    if (jpeg[at] !== 0xff) continue;
    const next = jpeg[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) break;
  }
  return at;
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
