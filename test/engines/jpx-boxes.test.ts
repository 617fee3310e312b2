import { expect, test } from "vitest";
import { withSoundBoxes } from "../../src/engines/image/jpx-boxes.ts";
import { readJpxFacts } from "../../src/engines/pdf/conformance/model/jpx.ts";
import { blots, blotsWithOpacity } from "../harness/images/jpx-fixtures.ts";
import { concatenate } from "../harness/fixtures/pdf-writer.ts";

const picture = (components: 1 | 2 | 3 | 4): Uint8Array => blots({ side: 64, components, levels: 1, tile: 64 });

test.each([
  [1, 17],
  [3, 16],
  [4, 12],
] as const)("a codestream of %i components gets boxes, and the color space %i", (components, enumerated) => {
  const codestream = picture(components);
  const file = withSoundBoxes(codestream) ?? new Uint8Array();
  expect(readJpxFacts(file, false)).toMatchObject({
    channels: components,
    bitDepth: 8,
    hasDepths: false,
    specifications: 1,
    method: 1,
    enumerated,
  });
  expect(file.subarray(-codestream.length)).toEqual(codestream);
});

test("the first color specification with a known method stays, and the header has the number of channels of the codestream", () => {
  const codestream = picture(3);
  const box = (type: string, data: Uint8Array): Uint8Array =>
    concatenate([
      Uint8Array.of(0, 0, 0, data.length + 8),
      Uint8Array.from(type, (letter) => letter.charCodeAt(0)),
      data,
    ]);
  const header = concatenate([
    box("ihdr", Uint8Array.of(0, 0, 0, 64, 0, 0, 0, 64, 0, 5, 255, 7, 0, 0)),
    box("bpcc", Uint8Array.of(7, 7, 7)),
    box("colr", Uint8Array.of(9, 0, 0, 0, 0, 0, 16)),
    box("colr", Uint8Array.of(1, 0, 0, 0, 0, 0, 18)),
    box("colr", Uint8Array.of(1, 0, 0, 0, 0, 0, 16)),
    box("res ", Uint8Array.of(1)),
  ]);
  const length = codestream.length + 8;
  const file = concatenate([
    box("jp2h", header),
    Uint8Array.of(0, 0, length >> 8, length & 255, 0x6a, 0x70, 0x32, 0x63),
    codestream,
  ]);
  const written = withSoundBoxes(file) ?? new Uint8Array();
  expect(readJpxFacts(written, false)).toMatchObject({
    channels: 3,
    hasDepths: false,
    specifications: 1,
    enumerated: 18,
  });
  expect(String.fromCharCode(...written.subarray(0, 120))).toContain("res \x01");
});

test("an image with opacity, and data that are no image, have no sound boxes", () => {
  expect(withSoundBoxes(blotsWithOpacity({ side: 64, components: 2, levels: 1, tile: 64 }))).toBeUndefined();
  for (let length = 0; length <= 4; length++)
    expect(withSoundBoxes(Uint8Array.of(0xff, 0x4f, 3, 4).subarray(0, length))).toBeUndefined();
  expect(withSoundBoxes(picture(3).subarray(0, 20))).toBeUndefined();
});
