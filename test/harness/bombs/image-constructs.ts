/** The dearest constructs of the readers of TIFF and GIF. */
import { tiffOf, writeTiff } from "../images/tiff-writer.ts";

const image = (file: (count: number) => Uint8Array) =>
  ({
    parser: "image",
    operation: "from-images",
    parts: (count: number) => ({ image0: { bytes: file(count), fileName: "image.bin" } }),
  }) as const;

const fax = { width: 2_000, bits: 1, photometric: 0, coding: "fax-g4" } as const;
const gray = { width: 8, bits: 8, photometric: 1 } as const;

export const imageConstructs = [
  {
    name: "strips of a row",
    ...image((height) => writeTiff({ ...gray, height, rowsPerStrip: 1 }, (x, y) => (x * y) & 255)),
  },
  {
    name: "runs of fax data",
    first: 50,
    ...image((height) => writeTiff({ ...fax, height, rowsPerStrip: 25 }, (x, y) => (x ^ y) & 1)),
  },
  {
    name: "long LZW strings",
    first: 200,
    ...image((height) => writeTiff({ ...gray, width: 5_000, height, coding: "lzw" }, () => 0)),
  },
  {
    name: "codes that clear the LZW table",
    first: 20_000,
    refused: "invalid_file",
    ...image((count) => {
      // Code 256 of 9 bits, eight of them in 9 bytes.
      const clear = [0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01, 0x00];
      const data = Uint8Array.from({ length: 9 * count }, (_, at) => clear[at % 9] ?? 0);
      return tiffOf([
        {
          entries: [
            [256, 3, [8]],
            [257, 3, [8]],
            [258, 3, [8]],
            [259, 3, [5]],
            [262, 3, [1]],
          ],
          parts: [data],
        },
      ]);
    }),
  },
  {
    name: "blocks of a GIF extension",
    first: 20_000,
    refused: "invalid_file",
    ...image((count) => {
      const head = [...new TextEncoder().encode("GIF89a"), 8, 0, 8, 0, 0, 0, 0, 0x21, 0xfe];
      const bytes = new Uint8Array(head.length + 2 * count + 1).fill(1);
      bytes.set(head);
      bytes[bytes.length - 1] = 0;
      return bytes;
    }),
  },
] as const;
