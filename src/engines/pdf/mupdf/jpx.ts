import { readJpx } from "../../image/jpx-header.ts";
import { FZ_COLORSPACE, FZ_IMAGE } from "./abi.ts";

interface Exports {
  readonly $reduce: { value: number };
  readonly $area: { value: number };
  readonly $part: { value: number };
  readonly $table: { readonly length: number; set(index: number, entry: unknown): void };
}

/**
 * Lets an instance of MuPDF decode JPEG 2000 no larger than it is drawn, and only its drawn part; see wasm/jpx.ts. `module`: the one that is made
 * there.
 */
export function decodePartsOfJpx(
  module: WebAssembly.Module,
  instance: WebAssembly.Instance,
  memory: WebAssembly.Memory,
): void {
  const { $reduce, $area, $part, $table } = instance.exports as unknown as Exports;
  const ask = (image: number, data: number, size: number, power: number, part: number): void => {
    $reduce.value = $area.value = $part.value = 0;
    const heap = new DataView(memory.buffer);
    const space = heap.getUint32(image + FZ_IMAGE.colorspace, true);
    // Of indices, and next to a transparent color, a mean is another color.
    const isExact =
      (space !== 0 && heap.getInt32(space + FZ_COLORSPACE.type, true) === FZ_COLORSPACE.INDEXED) ||
      (heap.getUint8(image + FZ_IMAGE.flags) & FZ_IMAGE.USE_COLORKEY) !== 0;
    const facts = isExact ? undefined : readJpx(new Uint8Array(memory.buffer, data, size));
    if (!facts) return;
    const wanted = power === 0 ? 0 : heap.getInt32(power, true);
    const levels = Math.max(0, Math.min(wanted, facts.spareLevels));
    if (levels > 0) heap.setInt32(power, wanted - levels, true);
    $reduce.value = levels;
    if (part === 0 || !facts.hasParts) return;
    // Samples that become one are in the same part.
    const step = 2 ** Math.max(0, wanted);
    const [x0, y0, x1, y1] = [0, 4, 8, 12].map((side) => heap.getInt32(part + side, true) / step);
    if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined) return;
    const left = Math.max(0, Math.floor(x0) * step);
    const top = Math.max(0, Math.floor(y0) * step);
    const right = Math.min(facts.width, Math.ceil(x1) * step);
    const bottom = Math.min(facts.height, Math.ceil(y1) * step);
    if (left >= right || top >= bottom) return;
    for (const [index, side] of [left, top, right, bottom].entries()) heap.setInt32(part + index * 4, side, true);
    $area.value = part;
    $part.value = image;
  };
  const { exports } = new WebAssembly.Instance(module, { jpx: { ask } });
  // The last entry is that of the fuel gauge.
  $table.set($table.length - 2, exports["ask"]);
}
