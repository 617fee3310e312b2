/** Streams whose decoding takes much work for their size: filters behind filters, programs that run for each pixel, scans that refine one image. */
import { latin1 } from "../fixtures/pdf-writer.ts";
import { drawing } from "../fixtures/drawing-fixtures.ts";

/** `bytes` in ASCII85 (ISO 32000-2, 7.4.3), whose length is a multiple of four. */
function ascii85(bytes: Uint8Array): Uint8Array {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = new Uint8Array((bytes.length / 4) * 5 + 2);
  for (let at = 0, to = 0; at < bytes.length; at += 4, to += 5) {
    let word = words.getUint32(at);
    for (let digit = 4; digit >= 0; digit--) {
      text[to + digit] = 33 + (word % 85);
      word = Math.floor(word / 85);
    }
  }
  text.set(latin1("~>"), text.length - 2);
  return text;
}

/** A page with a gray image of so many pixels that was encoded again and again: each filter adds a quarter to its data. */
export function ascii85Image(filters: number, pixels = 16): Uint8Array {
  const side = Math.ceil(Math.sqrt(pixels) / 4) * 4;
  let data = Uint8Array.from({ length: side * side }, (_, index) => index * 7 + 1);
  for (let filter = 0; filter < filters; filter++) {
    const coded = ascii85(data);
    // White space up to a multiple of four.
    data = new Uint8Array(Math.ceil(coded.length / 4) * 4).fill(32);
    data.set(coded);
  }
  return imagePage(Array<string>(filters).fill("/ASCII85Decode"), side, data);
}

function imagePage(filters: readonly string[], side: number, data: Uint8Array): Uint8Array {
  const image = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter [${filters.join(" ")}]`;
  return drawing({
    width: 200,
    height: 200,
    content: "200 0 0 200 0 0 cm /I Do",
    resources: "/XObject << /I $0 >>",
    objects: [{ entries: image, data }],
  });
}

/** A page that is shaded by a function with a program of so many bytes (7.10.5). */
export function longProgram(bytes: number): Uint8Array {
  return drawing({
    width: 200,
    height: 200,
    content: "/S sh",
    resources: "/Shading << /S << /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 200 0 200] /Function $0 >> >>",
    objects: [
      {
        entries: "/FunctionType 4 /Domain [0 200 0 200] /Range [0 1]",
        data: latin1(`{ add ${"sin cos ".repeat(bytes / 8)} }`),
      },
    ],
  });
}

/** A gray progressive JPEG of `side` pixels with so many scans of its first coefficient (ITU T.81, annex G). */
export function scannedJpeg(side: number, scans: number): Uint8Array {
  const table = Array<number>(64).fill(1);
  const size = [side >> 8, side & 255, side >> 8, side & 255];
  // One code, of one bit, for a difference of zero.
  const codes = [1, ...Array<number>(15).fill(0), 0];
  const quantization = [0xff, 0xdb, 0, 67, 0, ...table];
  const frame = [0xff, 0xc2, 0, 11, 8, ...size, 1, 1, 0x11, 0];
  const head = [0xff, 0xd8, ...quantization, ...frame, 0xff, 0xc4, 0, 20, 0, ...codes];
  // First bits of the difference, and then one more bit again and again.
  const scan = (low: number, high: number): number[] => [0xff, 0xda, 0, 8, 1, 1, 0x00, 0, 0, (high << 4) | low];
  const first = [...scan(1, 0), ...Array<number>(Math.ceil((side / 8) ** 2 / 8)).fill(0)];
  const again = [...scan(0, 1), 0];
  const bytes = new Uint8Array(head.length + first.length + again.length * scans + 2);
  bytes.set(head);
  bytes.set(first, head.length);
  for (let index = 0; index < scans; index++) bytes.set(again, head.length + first.length + index * again.length);
  bytes.set([0xff, 0xd9], bytes.length - 2);
  return bytes;
}

/** A page with a JPEG, as it is. */
export function jpegPage(side: number, jpeg: Uint8Array): Uint8Array {
  return imagePage(["/DCTDecode"], side, jpeg);
}
