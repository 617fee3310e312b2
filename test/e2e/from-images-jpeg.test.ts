import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { ImageCalls, imagesOf } from "../harness/requests/image-pdf-response.ts";
import { drawPage } from "../harness/engines/drawn-page.ts";
import {
  makeJpeg,
  namedRgb,
  withExif,
  withoutApplications,
  withSegment,
  type ExifFacts,
} from "../harness/images/jpeg-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const calls = new ImageCalls({ baseUrl, key: liveKey });

const size = { width: 48, height: 32 };
const ramp = (x: number, _: number, component: number): number => [x * 5, 255 - x * 5, 60, 0][component] ?? 0;
const color = makeJpeg({ ...size, components: 3 }, ramp);
const gray = makeJpeg({ ...size, components: 1 }, ramp);
/** Half of cyan all over, and a ramp of yellow. */
const ink = (x: number, _: number, component: number): number => [128, 0, x * 5, 0][component] ?? 0;
const cmyk = makeJpeg({ ...size, components: 4, inverted: true }, ink);
const plainCmyk = withoutApplications(makeJpeg({ ...size, components: 4 }, ink));

async function onlyImage(pdf: Uint8Array) {
  const images = await imagesOf(pdf);
  expect(images.size).toBe(1);
  return [...images.values()][0] ?? { dictionary: {}, data: new Uint8Array() };
}

/** Whether two colors are as near as a JPEG's loss leaves them. */
const near = (drawn: readonly number[], wanted: readonly number[]): void => {
  for (const [index, value] of wanted.entries()) {
    expect(Math.abs((drawn[index] ?? 999) - value), `${drawn.join(",")} for ${wanted.join(",")}`).toBeLessThan(9);
  }
};

describe("embedding", () => {
  test.each([
    ["color", color, "/DeviceRGB", undefined, [100, 155, 60]],
    ["gray", gray, "/DeviceGray", undefined, [100, 100, 100]],
    ["CMYK of Adobe's kind", cmyk, "/DeviceCMYK", [1, 0, 1, 0, 1, 0, 1, 0], undefined],
    ["CMYK of the plain kind", plainCmyk, "/DeviceCMYK", undefined, undefined],
  ])("a JPEG (%s) is embedded byte for byte, with its colors", async (_, jpeg, space, decode, wanted) => {
    const pdf = await calls.pdf([jpeg]);
    const { dictionary, data } = await onlyImage(pdf);
    expect(Buffer.compare(data, jpeg)).toBe(0);
    expect(Buffer.from(jpeg).includes(Buffer.from([0xff, 0xc2])), "progressive").toBe(true);
    expect(dictionary).toMatchObject({ "/Filter": "/DCTDecode", "/ColorSpace": space, "/Width": 48, "/Height": 32 });
    expect(dictionary["/Decode"]).toEqual(decode);
    if (wanted) near(drawPage(pdf).at(20, 16), wanted);
  });

  test("both kinds of CMYK look the same", async () => {
    const pages = await Promise.all([cmyk, plainCmyk].map(async (jpeg) => drawPage(await calls.pdf([jpeg]))));
    for (const x of [2, 20, 45]) {
      near(pages[0]?.at(x, 10) ?? [], pages[1]?.at(x, 10) ?? []);
      // Half of cyan takes red away, never the other two.
      expect(pages[0]?.at(2, 10)[0]).toBeLessThan(180);
      expect(pages[0]?.at(2, 10)[1]).toBeGreaterThan(150);
    }
  });

  test("RGB that only the component names identify keeps its colors", async () => {
    const pdf = await calls.pdf([namedRgb(makeJpeg({ ...size, components: 3 }, () => 90))]);
    expect((await onlyImage(pdf)).dictionary["/DecodeParms"]).toEqual({ "/ColorTransform": 0 });
    near(drawPage(pdf).at(5, 5), [90, 128, 128]);
  });

  test("an image that is sent twice is stored once", async () => {
    const pdf = await calls.pdf([color, gray, color]);
    expect((await imagesOf(pdf)).size).toBe(2);
    near(drawPage(pdf, 1).at(20, 16), [100, 100, 100]);
    near(drawPage(pdf, 2).at(20, 16), [100, 155, 60]);
  });

  test("bytes after the end of a JPEG are left out", async () => {
    const jpeg = new Uint8Array(Buffer.concat([color, Buffer.alloc(100, 7)]));
    expect(Buffer.compare((await onlyImage(await calls.pdf([jpeg]))).data, jpeg)).toBe(0);
  });
});

describe("ICC profiles", () => {
  const profile = (space: string, bytes = 400): Buffer => {
    const header = Buffer.alloc(bytes);
    header.writeUInt32BE(bytes, 0);
    header[8] = 2;
    header.write(`mntr${space}XYZ `, 12, "latin1");
    header.write("acsp", 36, "latin1");
    return header;
  };
  const piece = (number: number, count: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from("ICC_PROFILE\0", "latin1"), Buffer.from([number, count]), bytes]);

  test("an ICC profile in pieces becomes the color space, once for all its images", async () => {
    const whole = profile("RGB ");
    // Each goes in before the others: the second piece comes to stand before the first.
    const first = withSegment(color, 0xe2, piece(1, 2, whole.subarray(0, 150)));
    const jpeg = withSegment(first, 0xe2, piece(2, 2, whole.subarray(150)));
    const pdf = await calls.pdf([jpeg, withExif(jpeg, { orientation: 3 })]);
    const spaces = [...(await imagesOf(pdf)).values()].map(({ dictionary }) => dictionary["/ColorSpace"]);
    expect(spaces).toEqual([
      ["/ICCBased", expect.stringMatching(/^\d+ 0 R$/)],
      ["/ICCBased", expect.anything()],
    ]);
    expect(spaces[0]).toEqual(spaces[1]);
    expect(
      Buffer.from(pdf)
        .toString("latin1")
        .match(/\/N 3 /g),
    ).toHaveLength(1);
  });

  test.each([
    ["of another number of components", [piece(1, 1, profile("CMYK"))]],
    ["that is damaged", [piece(1, 1, Buffer.alloc(400))]],
    ["of which a piece is missing", [piece(1, 2, profile("RGB "))]],
  ])("an ICC profile %s is left out", async (_, pieces) => {
    const jpeg = pieces.reduce((bytes, segment) => withSegment(bytes, 0xe2, segment), color);
    expect((await onlyImage(await calls.pdf([jpeg]))).dictionary["/ColorSpace"]).toBe("/DeviceRGB");
  });
});

describe("EXIF", () => {
  /** Red, green / blue, white as they are stored. */
  const corners = makeJpeg({ ...size, components: 3 }, (x, y, component) => {
    const pixels = [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 255],
    ];
    return pixels[(x < 24 ? 0 : 1) + (y < 16 ? 0 : 2)]?.[component] ?? 0;
  });
  const names: Readonly<Record<string, string>> = { "100": "red", "010": "green", "001": "blue", "111": "white" };

  // What is seen upper left, upper right, lower left, lower right (CIPA DC-008, table 6).
  test.each([
    [1, "red green blue white"],
    [2, "green red white blue"],
    [3, "white blue green red"],
    [4, "blue white red green"],
    [5, "red blue green white"],
    [6, "blue red white green"],
    [7, "white green blue red"],
    [8, "green white red blue"],
    [9, "red green blue white"],
  ])("EXIF orientation %i turns the image", async (orientation, wanted) => {
    const jpeg = withExif(corners, { orientation }, orientation % 2 === 0);
    const page = drawPage(await calls.pdf([jpeg]));
    const [width, height] = orientation >= 5 && orientation <= 8 ? [32, 48] : [48, 32];
    expect([page.width, page.height]).toEqual([width, height]);
    const seen = [
      [4, 4],
      [width - 5, 4],
      [4, height - 5],
      [width - 5, height - 5],
    ].map(([x = 0, y = 0]) => {
      const [r, g, b] = page.at(x, y);
      return names[[r, g, b].map((value) => (value > 127 ? 1 : 0)).join("")];
    });
    expect(seen.join(" ")).toBe(wanted);
  });

  const jfif = (unit: number, x: number, y: number): Uint8Array =>
    withSegment(
      color,
      0xe0,
      Buffer.from([0x4a, 0x46, 0x49, 0x46, 0, 1, 1, unit, x >> 8, x & 255, y >> 8, y & 255, 0, 0]),
    );
  const exif = (facts: ExifFacts): Uint8Array => withExif(color, facts);

  test.each([
    ["none", color, 48, 32],
    ["JFIF, dpi", jfif(1, 144, 288), 24, 8],
    ["JFIF, dots a centimetre", jfif(2, 100, 100), 13.606, 9.071],
    ["JFIF, the pixels' shape only", jfif(0, 2, 1), 48, 32],
    ["JFIF, absurd", jfif(1, 1, 65535), 48, 32],
    ["EXIF, inch", exif({ resolution: [300, 1], unit: 2 }), 11.52, 7.68],
    ["EXIF, centimetre", exif({ resolution: [3000, 30], unit: 3 }), 13.606, 9.071],
    ["EXIF, no unit given", exif({ resolution: [144, 1] }), 24, 16],
    ["EXIF, divided by nothing", exif({ resolution: [144, 0] }), 48, 32],
    ["EXIF, turned", exif({ orientation: 6, resolution: [144, 1] }), 16, 24],
    ["both: JFIF's", withExif(jfif(1, 144, 144), { resolution: [300, 1] }), 24, 16],
  ])("EXIF resolution sets the size: %s", async (_, jpeg, width, height) => {
    const page = drawPage(await calls.pdf([jpeg]));
    expect(page.width).toBeCloseTo(width, 2);
    expect(page.height).toBeCloseTo(height, 2);
  });
});
