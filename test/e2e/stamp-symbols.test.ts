import { expect, test } from "vitest";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { fill, valuesOf } from "../harness/requests/form-calls.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { likeness, shapeOf } from "../harness/compare/ink-shape.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";
import { areaOf, readPage } from "../harness/engines/render.ts";
import { isRed, refusal, stamp } from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";

/** Symbols that Noto Sans does not have, with their codes in the standard font Symbol (ISO 32000-2, annex D.5). */
const SYMBOLS: readonly (readonly [symbols: string, codes: string])[] = [
  ["\u2190\u2191\u2192\u2193\u2194\u21b5\u21d0\u21d1\u21d2\u21d3\u21d4", "acadaeafabbfdcdddedfdb"],
  ["\u2200\u2202\u2203\u2205\u2207\u2208\u2209\u220b\u220f\u2211\u2217", "22b624c6d1cecf27d5e52a"],
  ["\u221a\u221d\u221e\u2220\u2227\u2228\u2229\u222a\u222b\u2234\u223c", "d6b5a5d0d9dac7c8f25c7e"],
  ["\u2245\u2248\u2260\u2261\u2264\u2265\u2282\u2283\u2284\u2286\u2287", "40bbb9baa3b3ccc9cbcdca"],
  ["\u2295\u2297\u22a5\u22c5\u2320\u2321\u25ca\u2660\u2663\u2665\u2666", "c5c45ed7f3f5e0aaa7a9a8"],
];

const empty = textDocument([{ content: "" }]);
const red = { kind: "text", fontSize: "48", color: "#f00", opacity: "1" };

test.each(SYMBOLS)("%s are drawn as in the standard font, and can be found", async (symbols, codes) => {
  const form = {
    entries:
      "/Type /XObject /Subtype /Form /BBox [0 0 600 200]" +
      " /Resources << /Font << /S << /Type /Font /Subtype /Type1 /BaseFont /Symbol >> >> >>",
    data: latin1(`1 0 0 rg BT /S 48 Tf 10 100 Td <${codes}> Tj ET`),
  };
  const page = { width: 600, height: 200, content: "/X Do", resources: "/XObject << /X $0 >>", objects: [form] };
  const expected = shapeOf((await readPage(drawing(page))).picture, isRed);
  const { body } = await stamp("watermark", empty, { ...red, text: symbols });
  const { picture, text } = await readPage(body);
  expect(text).toBe(symbols);
  expect(likeness(shapeOf(picture, isRed), expected)).toBeGreaterThan(0.6);
  const reversed = await stamp("watermark", empty, { ...red, text: Array.from(symbols).toReversed().join("") });
  expect(likeness(shapeOf((await readPage(reversed.body)).picture, isRed), expected)).toBeLessThan(0.5);
});

test("symbols are drawn among letters, in page numbers, signatures, and fields", async () => {
  const text = "x \u2208 A \u2192 y\u0336\u2192";
  const numbered = await stamp("add-page-numbers", empty, { template: text, color: "#f00" });
  const box = JSON.stringify({ page: 1, x: 50, y: 50, width: 300, height: 60 });
  const signed = await stamp("sign", empty, { mode: "type", typedName: text, field: box });
  const draft = new FormDraft();
  draft.own("field", "/FT /Tx /DA (/Helv 48 Tf 1 0 0 rg)", draft.place(560, 80));
  const filled = await fill(draft.bytes(), { field: text });
  expect(await valuesOf(filled.body)).toEqual({ field: text });
  expect(areaOf((await readPage(filled.body)).picture, isRed)).toBeDefined();
  const flat = await fill(draft.bytes(), { field: text }, { flatten: "true" });
  for (const { body } of [numbered, signed, flat]) expect((await readPage(body)).text).toBe(text);
});

test("check marks, boxes, bullets, and emoji are drawn in stamps and fields", async () => {
  const text = "\u2713 \u2610 \u2611 \u25cf \u2605 \u2500 \u{1f642} a";
  const watermark = await stamp("watermark", empty, { ...red, text, fontSize: "24" });
  const numbered = await stamp("add-page-numbers", empty, { template: text, color: "#f00" });
  const box = JSON.stringify({ page: 1, x: 50, y: 50, width: 300, height: 60 });
  const signed = await stamp("sign", empty, { mode: "type", typedName: text, field: box });
  const draft = new FormDraft();
  draft.own("field", "/FT /Tx /DA (/Helv 24 Tf 1 0 0 rg)", draft.place(560, 80));
  const flat = await fill(draft.bytes(), { field: text }, { flatten: "true" });
  for (const { body } of [watermark, numbered, signed, flat]) expect((await readPage(body)).text).toBe(text);
  // Each has a shape of its own.
  const shapes = await Promise.all(
    Array.from("\u2713\u2610\u25cf\u{1f642}", async (symbol) => {
      const { body } = await stamp("watermark", empty, { ...red, text: symbol });
      return shapeOf((await readPage(body)).picture, isRed);
    }),
  );
  const [check, open, filled] = shapes;
  if (!check || !open || !filled) throw new Error("nothing was drawn");
  for (const [one, other] of [
    [check, open],
    [open, filled],
    [check, filled],
  ] as const)
    expect(likeness(one, other)).toBeLessThan(0.7);
});

test("characters that cannot be drawn are named", async () => {
  const characters = { characters: ["\u{10330}", "\u239b"] };
  const text = "\u{10330} \u2192 \u239b";
  expect(await refusal("watermark", empty, { ...red, text })).toEqual([400, "unsupported_text", characters]);
  expect(await refusal("add-page-numbers", empty, { template: text })).toEqual([400, "unsupported_text", characters]);
});
