import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, encodeText } from "../../src/engines/pdf/objects/text-string.ts";

const bytes = (...values: (number | string)[]): Uint8Array =>
  Uint8Array.from(
    values.flatMap((value) => (typeof value === "number" ? [value] : [...value].map((letter) => letter.charCodeAt(0)))),
  );

/** Any text. `fc.string({ unit: "binary" })` takes a second to list all characters first. */
const character = fc.oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
const anyText = fc.array(character).map((codes) => String.fromCodePoint(...codes));

describe("text strings", () => {
  it.each([
    ["PDFDocEncoding", bytes("Caf\u00e9 ", 0x80, 0xa0, 0x1f, 0x93), "Café •€˜ﬁ"],
    ["UTF-16, high byte first", bytes(0xfe, 0xff, 0x65, 0xe5, 0xd8, 0x3d, 0xde, 0x00), "日😀"],
    ["UTF-16, low byte first", bytes(0xff, 0xfe, 0xe5, 0x65, 0x3d, 0xd8, 0x00, 0xde), "日😀"],
    ["UTF-8", bytes(0xef, 0xbb, 0xbf, 0xe6, 0x97, 0xa5), "日"],
    ["UTF-16 with a language", bytes(0xfe, 0xff, 0, 0x1b, 0, "e", 0, "n", 0, "U", 0, "S", 0, 0x1b, 0, "a"), "a"],
    ["half a surrogate pair", bytes(0xfe, 0xff, 0xd8, 0x3d, 0, "a"), "\ufffda"],
    ["an odd byte at the end", bytes(0xfe, 0xff, 0, "a", 0), "a"],
    ["NUL", bytes("a", 0, "b", 0), "ab"],
    ["nothing but a mark", bytes(0xfe, 0xff), ""],
  ])("a text string is decoded: %s", (_what, string, text) => expect(decodeText(string)).toBe(text));

  it("a text string is decoded as it was encoded", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!text.includes("\0") && !text.includes("\u001b"));
        expect(decodeText(encodeText(text))).toBe(text);
      }),
    );
  });

  it("a text string is well-formed for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom([], [0xfe, 0xff], [0xff, 0xfe]), (rest, mark) => {
        const text = decodeText(Uint8Array.from([...mark, ...rest]));
        expect(text.isWellFormed() && !text.includes("\0")).toBe(true);
      }),
    );
  });
});
