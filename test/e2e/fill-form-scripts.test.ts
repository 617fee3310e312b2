import { describe, expect, test } from "vitest";
import { fill, valuesOf } from "../harness/requests/form-calls.ts";
import { FormDraft, formOf } from "../harness/fixtures/form-fixtures.ts";
import { likeness, shapeOf } from "../harness/compare/ink-shape.ts";
import { areaOf, readPage } from "../harness/engines/render.ts";
import { isRed, stamp } from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";

/** By script: a text and another of about its length, which looks different. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  Arabic: [
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
    "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645",
  ],
  Hebrew: [
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "\u05d1\u05d5\u05e7\u05e8 \u05d8\u05d5\u05d1 \u05dc\u05da",
  ],
  Devanagari: [
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0915\u0935\u093f\u0924\u093e",
  ],
  Thai: [
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01",
    "\u0e02\u0e2d\u0e1a\u0e04\u0e38\u0e13\u0e21\u0e32\u0e01\u0e04\u0e23\u0e31\u0e1a",
  ],
  Chinese: ["\u4f60\u597d\u4e16\u754c", "\u518d\u89c1\u670b\u53cb"],
  Japanese: ["\u3053\u3093\u306b\u3061\u306f\u4e16\u754c", "\u3055\u3088\u3046\u306a\u3089\u732b"],
  Korean: ["\uc548\ub155\ud558\uc138\uc694", "\uac10\uc0ac\ud569\ub2c8\ub2e4"],
  Cyrillic: [
    "\u041f\u0440\u0438\u0432\u0456\u0442 \u0441\u0432\u0456\u0442\u0435",
    "\u0414\u044f\u043a\u0443\u044e \u0434\u0440\u0443\u0436\u0435",
  ],
};

describe("scripts", () => {
  const draft = new FormDraft();
  draft.own("field", "/FT /Tx /DA (/Helv 48 Tf 1 0 0 rg)", draft.place(560, 80));
  const form = draft.bytes();
  const filled = async (text: string): Promise<number[]> =>
    shapeOf((await readPage((await fill(form, { field: text })).body)).picture, isRed);

  test.each(Object.entries(TEXTS))(
    "a value in %s looks like a stamp of the same text, and unlike another text",
    async (_script, [text, other]) => {
      const stamped = await stamp("watermark", textDocument([{ content: "" }]), {
        kind: "text",
        text,
        fontSize: "48",
        color: "#ff0000",
        opacity: "1",
      });
      const expected = shapeOf((await readPage(stamped.body)).picture, isRed);
      expect(likeness(await filled(text), expected)).toBeGreaterThan(0.75);
      expect(likeness(await filled(other), expected)).toBeLessThan(0.5);
      const { body } = await fill(form, { field: text });
      expect(await valuesOf(body)).toEqual({ field: text });
    },
  );

  test("several lines, a comb, and a label for a value are shaped", async () => {
    const draft = formOf({
      lines: "/FT /Tx /Ff 4096 /DA (/Helv 8 Tf 1 0 0 rg)",
      comb: "/FT /Tx /Ff 16777216 /MaxLen 6",
      choice: "/FT /Ch /Ff 131072 /Opt [[(a) <FEFF0627>] (b)]",
    });
    const [arabic = "", thai = ""] = [TEXTS["Arabic"]?.[0], TEXTS["Thai"]?.[0]];
    const values = { lines: `${arabic}\n${thai}`, comb: "\u0434\u043e\u043c", choice: "\u0627" };
    const flat = await fill(draft, values, { flatten: "true" });
    const { text, picture } = await readPage(flat.body);
    for (const part of [thai, "\u0434", "\u043e", "\u043c"]) expect(text).toContain(part);
    expect(areaOf(picture, isRed)).toBeDefined();
    expect(await valuesOf((await fill(draft, values)).body)).toMatchObject({ ...values, choice: ["a"] });
  });
});
