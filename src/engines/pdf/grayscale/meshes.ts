/** Converts the colors in the data of mesh shadings (ISO 32000-2, 8.7.4.5.5 to 8.7.4.5.8). */
import type { PDFObject } from "mupdf";
import { items } from "../objects/objects.ts";

/** Converts the colors of a mesh to gray; the caller changes the shading's color space. */
export function grayMesh(shading: PDFObject, grayOf: (values: readonly number[]) => number): void {
  const type = shading.get("ShadingType").asNumber();
  const [coordinate, component, flag] = ["Coordinate", "Component", "Flag"].map((what) =>
    shading.get(`BitsPer${what}`).asNumber(),
  ) as [number, number, number];
  const decode = items(shading.get("Decode")).map((item) => item.asNumber());
  const ranges = decode.slice(4);
  const components = ranges.length / 2;
  const most = 2 ** component - 1;
  const buffer = shading.readStream();
  const from = new BitReader(buffer.asUint8Array().slice());
  buffer.destroy();
  const to = new BitWriter();
  const points = (count: number): void => {
    for (let index = 0; index < count * 2; index++) to.write(from.read(coordinate), coordinate);
  };
  const colors = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const values = Array.from({ length: components }, (_, part) => {
        const [low = 0, high = 1] = ranges.slice(part * 2);
        return low + (from.read(component) / most) * (high - low);
      });
      to.write(Math.round(grayOf(values) * most), component);
    }
  };
  const patchPoints = type === 6 ? 12 : 16;
  while (from.left >= (type === 5 ? 0 : flag) + 2 * coordinate) {
    const edge = type === 5 ? 0 : from.read(flag);
    if (type !== 5) to.write(edge, flag);
    if (type <= 5) {
      points(1);
      colors(1);
    } else {
      points(edge === 0 ? patchPoints : patchPoints - 4);
      colors(edge === 0 ? 4 : 2);
    }
    from.align();
    to.align();
  }
  shading.writeStream(to.bytes());
  const list = shading._doc.newArray();
  for (const value of [...decode.slice(0, 4), 0, 1]) list.push(value);
  shading.put("Decode", list);
}

class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length * 8 - this.#at;
  }

  /** Up to 32 bits, most significant first. */
  read(bits: number): number {
    let value = 0;
    for (let index = 0; index < bits; index++, this.#at++) {
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}

class BitWriter {
  readonly #bytes: number[] = [];
  #at = 0;

  write(value: number, bits: number): void {
    for (let index = bits - 1; index >= 0; index--, this.#at++) {
      const bit = Math.floor(value / 2 ** index) % 2;
      const place = this.#at >> 3;
      this.#bytes[place] = (this.#bytes[place] ?? 0) | (bit << (7 - (this.#at & 7)));
    }
  }

  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
