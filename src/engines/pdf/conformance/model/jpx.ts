/** The boxes of a JPEG 2000 file that matter to PDF/A (ISO/IEC 15444-1, annex I, and 15444-2, annex M). */
import type { JpxBoxes } from "./elements.ts";
import { latin1 } from "../../../../bytes/latin1.ts";

interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Boxes that are looked at. */
const MOST_BOXES = 10_000;

function* boxes(view: DataView, from: number, to: number): Generator<Box> {
  for (let at = from, count = 0; at + 8 <= to && count < MOST_BOXES; count++) {
    const length = view.getUint32(at);
    const type = latin1(new Uint8Array(view.buffer, view.byteOffset + at + 4, 4));
    const isLong = length === 1 && at + 16 <= to;
    const size = length === 0 ? to - at : isLong ? Number(view.getBigUint64(at + 8)) : length;
    if (size < 8) return;
    yield { type, start: at + (isLong ? 16 : 8), end: Math.min(to, at + size) };
    at += size;
  }
}

/** A codestream without boxes has none of the facts. */
export function readJpxFacts(data: Uint8Array, hasColorSpace: boolean): JpxBoxes {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let [channels, bitDepth, hasDepths, specifications, approximations] = [0, 0, false, 0, 0];
  let first: { readonly method: number; readonly enumerated: number | undefined } | undefined;
  let best: typeof first;
  for (const outer of boxes(view, 0, data.length)) {
    if (outer.type !== "jp2h") continue;
    for (const { type, start, end } of boxes(view, outer.start, outer.end)) {
      if (type === "ihdr" && end - start >= 14) {
        channels = view.getUint16(start + 8);
        const depth = view.getUint8(start + 10);
        hasDepths = depth === 255;
        bitDepth = (depth & 0x7f) + 1;
      } else if (type === "bpcc") hasDepths = true;
      else if (type === "colr" && end - start >= 3) {
        const method = view.getUint8(start);
        const found = { method, enumerated: method === 1 && end - start >= 7 ? view.getUint32(start + 3) : undefined };
        specifications += 1;
        first ??= found;
        if (view.getUint8(start + 2) !== 1) continue;
        approximations += 1;
        best ??= found;
      }
    }
  }
  const counting = specifications > 1 ? best : first;
  return {
    channels,
    specifications,
    approximations,
    method: counting?.method,
    enumerated: counting?.enumerated,
    bitDepth,
    hasDepths,
    hasColorSpace,
  };
}
