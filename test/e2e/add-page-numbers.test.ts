import { describe, expect, test } from "vitest";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { plainText } from "../harness/engines/qpdf.ts";
import { countPixels, readPage } from "../harness/engines/render.ts";
import {
  differsOutside,
  GEOMETRIES,
  LEFTOVERS,
  occurrences,
  picture,
  redArea,
  refusal,
  stamp,
} from "../harness/requests/stamp-calls.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { withSignature } from "../harness/signatures/updates.ts";

const number = (bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}) =>
  stamp("add-page-numbers", bytes, fields);

const refused = (fields: Readonly<Record<string, string>>, pages = 1) =>
  refusal("add-page-numbers", textDocument(Array.from({ length: pages }, () => ({ content: "" }))), fields);

/** The labels of all pages, as pdf.js reads them. */
async function labels(fields: Readonly<Record<string, string>>, pages = 1): Promise<string[]> {
  const { body } = await number(textDocument(Array.from({ length: pages }, () => ({ content: "" }))), fields);
  return Promise.all(Array.from({ length: pages }, async (_, page) => (await readPage(body, page + 1)).text));
}

describe("placement of labels", () => {
  const places = GEOMETRIES.flatMap(([name, entries, width, height]) =>
    ["top-left", "bottom-center", "bottom-right"].map((position) => ({ name, entries, width, height, position })),
  );
  test.each(places)("a label is at the $position of a page $name", async ({ entries, width, height, position }) => {
    const bytes = textDocument([{ content: show("Beneath", 200, 400, 20), entries }]);
    const fields = { position, template: "HHHHHHHH {n}", fontSize: "20", marginPt: "30", color: "#f00" };
    const { body } = await number(bytes, fields);
    const { picture: shown, runs, text } = await readPage(body);
    expect([shown.width, shown.height]).toEqual([width, height]);
    const [left, top, right, bottom] = redArea(shown);
    expect(bottom - top).toBeGreaterThan(12);
    expect(bottom - top).toBeLessThan(17);
    const margins = {
      "top-left": [left, top],
      "bottom-center": [30 + (left + right - width) / 2, height - bottom],
      "bottom-right": [width - right, height - bottom],
    }[position];
    // The ink begins a little within the text's box.
    expect(margins).toHaveLength(2);
    for (const margin of margins ?? []) expect(Math.abs(margin - 32)).toBeLessThan(5);
    expect(text).toBe(["Beneath", "HHHHHHHH 1"].join("\n"));
    expect(Math.abs((runs.at(-1)?.y ?? 0) - bottom)).toBeLessThan(2);
    expect(differsOutside(await picture(bytes), shown, [left, top, right, bottom])).toBe(false);
  });
});

test.each([
  ["descenders", "gjpqy(Q)"],
  ["accents", "\u1ea4\u1ed6"],
  ["Devanagari conjuncts and vowels", "\u0921\u094d\u0921\u0942 \u0930\u094d\u0925\u094c"],
  ["Thai vowels and tones", "\u0e0e\u0e39 \u0e1b\u0e49\u0e33"],
])("the ink of %s keeps the margin, with one line or two", async (_name, text) => {
  for (const template of [text, `${text}\n${text}`]) {
    for (const vertical of ["top", "bottom"]) {
      const fields = { template, position: `${vertical}-center`, fontSize: "60", marginPt: "30", color: "#f00" };
      const { body } = await number(textDocument([{ content: "" }]), fields);
      const [, top, , bottom] = redArea(await picture(body));
      const margin = vertical === "top" ? top : 800 - bottom;
      expect(margin).toBeGreaterThanOrEqual(29.5);
      expect(margin).toBeLessThan(30 + 0.3 * 60);
    }
  }
});

describe("leftovers of page content", () => {
  test.each(LEFTOVERS)("a label and its page do not change each other: %s", async (_name, content) => {
    const bytes = textDocument([{ content }]);
    const { body } = await number(bytes, { position: "top-right", template: "HHH", fontSize: "20", color: "#f00" });
    const stamped = await readPage(body);
    const [left, top, right, bottom] = redArea(stamped.picture);
    expect(Math.abs(600 - right - 20)).toBeLessThan(4);
    expect(Math.abs(top - 21.5)).toBeLessThan(4);
    expect(right - left).toBeLessThan(50);
    expect(bottom - top).toBeLessThan(17);
    expect(differsOutside(await picture(bytes), stamped.picture, [left, top, right, bottom])).toBe(false);
  });
});

describe("labels", () => {
  test("labels number all pages, {n} of {total}", async () => {
    expect(await labels({}, 3)).toEqual(["1 of 3", "2 of 3", "3 of 3"]);
  });

  test.each([
    ["arabic", "9", ["9", "10", "11"]],
    ["roman", "3998", ["MMMCMXCVIII", "MMMCMXCIX"]],
    ["romanLower", "8", ["viii", "ix", "x"]],
    ["alpha", "25", ["Y", "Z", "AA"]],
    ["alphaLower", "701", ["zy", "zz", "aaa"]],
  ])("labels have the style %s from %s", async (style, startAt, expected) => {
    expect(await labels({ template: "{n}", style, startAt }, expected.length)).toEqual(expected);
  });

  test("braces that are no token stay in the label", async () => {
    const template = "{N} {{n}} {x} {roman}/{total} }{";
    expect(await labels({ template, startAt: "4" })).toEqual(["{N} {4} {x} IV/1 }{"]);
  });

  test("labels are on the selected pages only, numbered by their places", async () => {
    expect(await labels({ template: "{n}", pages: "2,4-5", startAt: "0" }, 5)).toEqual(["", "1", "", "3", "4"]);
  });

  test.each([
    ["markup", `<b>&lt;x</b> "' &amp;amp; </p> &#65;`],
    ["Latin, Greek, Cyrillic", "Žluťoučký Việt ΣΊΣΥΦΟΣ ἄνθρωπος Ґанок Ё"],
    ["Arabic", "صفحة 12 من السلام (لا) محمد"],
    ["Arabic with vowel signs", "مُحَمَّد"],
    ["Hebrew", "עמוד 3 שָׁלוֹם"],
    ["Devanagari", "पृष्ठ क्षत्रिय हिन्दी"],
    ["Thai", "หน้าที่ ๑ ไก่"],
    ["Chinese, Japanese, Korean", "第1页 頁 ページ 쪽"],
    ["all in one", "a я \u0639 ह ก 中"],
  ])("labels can be extracted as text: %s", async (_name, template) => {
    const [label] = await labels({ template, color: "#f00" });
    expect(label?.normalize("NFC")).toBe(template.normalize("NFC"));
  });

  test("labels keep their spaces", async () => {
    const { body } = await number(textDocument([{ content: "" }]), { template: "  a   b " });
    expect(await plainText(body)).toContain("/ActualText (  a   b )");
    // pdf.js makes one space of several in a run.
    expect((await readPage(body)).text.trim()).toMatch(/^a +b$/);
  });

  test("lines of a label are one below the other", async () => {
    const { body } = await number(textDocument([{ content: "" }]), {
      template: "AAA\nBB\n\nC",
      position: "bottom-left",
    });
    const { runs } = await readPage(body);
    const shown = runs.filter(({ text }) => text.trim() !== "");
    expect(shown.map(({ text }) => text)).toEqual(["AAA", "BB", "C"]);
    const [a = 0, b = 0, c = 0] = shown.map(({ y }) => y);
    expect([b - a, c - b].map((value) => Math.round(value))).toEqual([12, 24]);
  });

  test("right-to-left labels are shaped with joined letters", async () => {
    const { body } = await number(textDocument([{ content: "" }]), { template: "سسسس", fontSize: "60", color: "#f00" });
    const { picture } = await readPage(body);
    const [left, , right] = redArea(picture);
    // One stroke from end to end: every column has ink.
    const pixel = 1 / picture.scale;
    for (let x = Math.ceil(left * picture.scale) * pixel; x + pixel <= right; x += pixel) {
      expect(countPixels(picture, [x, 0, x + pixel, picture.height], (_red, green) => green < 128)).toBeGreaterThan(0);
    }
  });
});

describe("refusals", () => {
  const issue = (name: string, text: string) => ({
    fields: [{ name, issue: expect.stringContaining(text) as string }],
  });

  test("a character without a glyph in any font is refused", async () => {
    expect(await refused({ template: "Ⴀ {n} 𓀀" })).toEqual([400, "unsupported_text", { characters: ["Ⴀ", "𓀀"] }]);
  });

  test.each([
    [{ style: "roman", startAt: "3999" }, "startAt", "3999"],
    [{ template: "{roman}", startAt: "4000" }, "startAt", "3999"],
    [{ style: "alpha", startAt: "0" }, "startAt", "lowest number in this style is 1"],
    [{ startAt: "-1" }, "startAt", "lowest number in this style is 0"],
    [{ marginPt: "300" }, "marginPt", "less than half"],
    [{ fontSize: "0" }, "fontSize", "from 1 to 1,000"],
    [{ template: "a\tb" }, "template", "control characters"],
    [{ template: " \n\u00a0\u200b" }, "template", "blank"],
    [{ color: "red" }, "color", "#888"],
    [{ position: "middle" }, "position", "bottom-center"],
  ])("invalid parameters are refused: %o", async (fields, name, text) => {
    expect(await refused(fields, 2)).toEqual([400, "invalid_parameters", issue(name, text)]);
  });

  test("a text beyond the limit is refused", async () => {
    const details = { limit: 2_000, actual: 2_001 };
    expect(await refused({ template: "x".repeat(2_001) })).toEqual([413, "limit_exceeded", details]);
  });
});

describe("documents with labels", () => {
  test("a document grows by less than 400 bytes a page, and by one font", async () => {
    const bytes = document({ name: "many", pages: 500 });
    const { body } = await number(bytes);
    expect((body.length - bytes.length) / 500).toBeLessThan(400);
    expect(occurrences(await plainText(body), /\/FontFile2/g)).toBe(1);
    expect((await readPage(body, 377)).text).toContain("377 of 500");
  });

  test("a document keeps shared objects of the pages without labels", async () => {
    const bytes = document({ name: "shared", pages: 3, features: ["shared-image"] });
    const { body } = await number(bytes, { pages: "2" });
    expect((await readPage(body, 2)).text).toContain("2 of 3");
    for (const page of [1, 3]) {
      expect((await readPage(body, page)).text).toBe((await readPage(bytes, page)).text);
      const [before, after] = [await picture(bytes, page), await picture(body, page)];
      expect(differsOutside(before, after, [0, 0, 0, 0])).toBe(false);
    }
  });

  test("a tagged document gets its labels as artifacts", async () => {
    const text = await plainText((await number(document({ name: "tagged", pages: 2, features: ["tagged"] }))).body);
    expect(occurrences(text, /\/Artifact BMC[^]*?\/ActualText \([12] of 2\)[^]*?EMC EMC/g)).toBe(2);
    expect(
      occurrences(await plainText((await number(document({ name: "plain", pages: 1 }))).body), /\/Artifact/g),
    ).toBe(0);
  });

  test("an encrypted document keeps its encryption", async () => {
    const bytes = await encrypt(document({ name: "secret", pages: 1 }), {
      cipher: "aes-256",
      userPassword: "user",
      ownerPassword: "owner",
    });
    const { body } = await number(bytes, { password: "user" });
    expect((await readPage(body, 1, { password: "user" })).text).toContain("1 of 1");
    await expect(readPage(body)).rejects.toThrow("password");
  });

  test("a signed document is appended to, with a header that reports the broken signature", async () => {
    const signed = await withSignature(signedDocument());
    const response = await number(signed);
    expect(response.headers.get("X-Signature-Invalidated")).toBe("true");
    expect(Buffer.compare(response.body.subarray(0, signed.length), signed)).toBe(0);
    expect((await readPage(response.body)).text).toContain("1 of 1");
  });
});

test("the default margin is smaller on small pages, and an excessive margin is refused", async () => {
  for (const side of [24, 32, 39]) {
    const bytes = textDocument([{ content: "", entries: `/MediaBox [0 0 ${side} ${side}]` }]);
    const fields = { template: "H", fontSize: "8", position: "bottom-left", color: "#f00" };
    const [left, , , bottom] = redArea(await picture((await number(bytes, fields)).body));
    expect(Math.abs(left - side / 4)).toBeLessThan(2);
    expect(Math.abs(side - bottom - side / 4 - 0.22 * 8)).toBeLessThan(2);
    const [status, code] = await refusal("add-page-numbers", bytes, { ...fields, marginPt: "20" });
    expect([status, code]).toEqual([400, "invalid_parameters"]);
  }
});
