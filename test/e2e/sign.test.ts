import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { pdfPart, type Part } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { plainText } from "../harness/engines/qpdf.ts";
import { type Area, areaOf, type Picture, readPage } from "../harness/engines/render.ts";
import {
  differsOutside,
  GEOMETRIES,
  LEFTOVERS,
  picture,
  redArea,
  refusal,
  stamp,
} from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";
import { withSignature } from "../harness/signatures/updates.ts";

const empty = textDocument([{ content: "" }]);
const box = { page: 1, x: 40, y: 30, width: 100, height: 50 };
const typed = (field: object = box): Record<string, Part> => ({
  mode: "type",
  typedName: "Ada Lovelace",
  field: JSON.stringify(field),
});

const isInk = (red: number, green: number, blue: number): boolean => Math.max(red, green, blue) < 140;

/** The area of what is black; fails where nothing is. */
function inkArea(shown: Picture): Area {
  const area = areaOf(shown, isInk);
  expect(area, "nothing black is shown").toBeDefined();
  return area ?? [0, 0, 0, 0];
}

/** How far an area stands out of a box, in points. */
const beyond = ([left, top, right, bottom]: Area, [l, t, r, b]: Area): number =>
  Math.max(l - left, t - top, right - r, bottom - b);

/** Which rows of pixels of an area have ink. */
function inkRows(shown: Picture, [left, top, right, bottom]: Area): boolean[] {
  return Array.from({ length: Math.floor((bottom - top) * shown.scale) }, (_, row) => {
    const y = Math.floor(top * shown.scale) + row;
    for (let x = Math.floor(left * shown.scale); x < right * shown.scale; x++) {
      const at = (y * shown.stride + x) * 4;
      if (isInk(shown.pixels[at] ?? 255, shown.pixels[at + 1] ?? 255, shown.pixels[at + 2] ?? 255)) return true;
    }
    return false;
  });
}

/** A red image 80 x 40, its right half transparent. */
function halfRed(type: "image/png" | "image/jpeg" = "image/png"): Uint8Array {
  const canvas = createCanvas(80, 40);
  const context = canvas.getContext("2d");
  context.fillStyle = "#f00";
  context.fillRect(0, 0, type === "image/png" ? 40 : 80, 40);
  return new Uint8Array(type === "image/png" ? canvas.toBuffer(type) : canvas.toBuffer(type));
}

describe("typed names", () => {
  const places = GEOMETRIES.flatMap(([name, entries, width, height]) =>
    ([undefined, "bottom-left"] as const).map((origin) => ({ name, entries, width, height, origin })),
  );
  test.each(places)("a typed name fills its box, $origin of a page $name", async ({ entries, height, origin }) => {
    const { body } = await stamp("sign", textDocument([{ content: "", entries }]), typed({ ...box, origin }));
    const { picture: shown, text } = await readPage(body);
    const top = origin === "bottom-left" ? height - box.y - box.height : box.y;
    const area = inkArea(shown);
    expect(beyond(area, [40, top, 140, top + 50])).toBeLessThan(1);
    // As wide as the box, in its middle.
    expect(area[2] - area[0]).toBeGreaterThan(97);
    expect(Math.abs((area[1] + area[3]) / 2 - top - 25)).toBeLessThan(1);
    expect(text).toBe("Ada Lovelace");
  });

  test("a typed name is in a script face, or in another font for missing characters", async () => {
    const { body } = await stamp("sign", empty, { ...typed(), typedName: "Ada Ωμέγα" });
    expect(await plainText(body)).toMatch(/\+GreatVibes[^]*\+NotoSans|\+NotoSans[^]*\+GreatVibes/);
    expect((await readPage(body)).text).toBe("Ada Ωμέγα");
    const latin = await stamp("sign", empty, typed());
    expect(await plainText(latin.body)).not.toContain("+NotoSans");
  });

  test("a typed name is on the selected page only", async () => {
    const { body } = await stamp("sign", document({ name: "three", pages: 3 }), typed({ ...box, page: 2 }));
    const texts = await Promise.all([1, 2, 3].map(async (page) => (await readPage(body, page)).text.includes("Ada")));
    expect(texts).toEqual([false, true, false]);
  });

  test("markup in a name is text", async () => {
    const { body } = await stamp("sign", empty, { ...typed(), typedName: `<b>&lt;x</b> "'` });
    expect((await readPage(body)).text).toBe(`<b>&lt;x</b> "'`);
  });

  test("a very long name stays in the box", async () => {
    const { body } = await stamp("sign", empty, { ...typed(), typedName: "Wolfeschlegelsteinhausen ".repeat(4) });
    const area = inkArea(await picture(body));
    expect(beyond(area, [40, 30, 140, 80])).toBeLessThan(1);
    expect(area[2] - area[0]).toBeGreaterThan(95);
  });
});

describe("footer", () => {
  const footer = { timestamp: "true", signerName: "Ada Lovelace (née Byron)", signerEmail: "ada@example.com" };

  test.each(GEOMETRIES)("the footer is below the signature in the box of a page %s", async (_name, entries) => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const { body } = await stamp("sign", textDocument([{ content: "", entries }]), { ...typed(), ...footer });
    const after = Date.now();
    const { picture: shown, runs } = await readPage(body);
    const area: Area = [40, 30, 140, 80];
    expect(beyond(inkArea(shown), area)).toBeLessThan(1);
    const lines = runs.filter(({ text }) => text.trim() !== "");
    const line = (start: string): { text: string; y: number } =>
      lines.find(({ text }) => text.startsWith(start)) ?? { text: "", y: NaN };
    const all = runs.map(({ text }) => text).join("");
    expect(all).toContain("Ada Lovelace (née Byron)");
    expect(all).toContain("ada@example.com");
    const time = /signed at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/.exec(all)?.[1] ?? "";
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(time)).toBeLessThanOrEqual(after);
    expect(line("ada@").y).toBeGreaterThan(60);
    expect(line("signed").y).toBeGreaterThan(line("ada@").y);
    expect(line("signed").y).toBeLessThanOrEqual(80);
    // Ink above, then a row without, then the lines down to the bottom.
    const rows = inkRows(shown, area);
    expect(rows.slice(0, 30).some(Boolean)).toBe(true);
    const white = rows.slice(40, 70).filter((ink) => !ink);
    expect(white.length).toBeGreaterThan(0);
    expect(rows.slice(-6).some(Boolean)).toBe(true);
  });

  test("the footer is absent unless requested", async () => {
    const { body } = await stamp("sign", empty, { ...typed(), timestamp: "false" });
    expect((await readPage(body)).text).toBe("Ada Lovelace");
  });
});

describe("images", () => {
  const drawn = (image: Uint8Array, field: object = box): Record<string, Part> => ({
    mode: "image",
    signatureImage: pdfPart(image, "signature.png"),
    field: JSON.stringify(field),
  });

  test.each(GEOMETRIES)("an image keeps its shape and transparency on a page %s", async (_name, entries) => {
    const bytes = textDocument([{ content: "0 0 1 rg 0 0 600 800 re f", entries }]);
    const { body } = await stamp("sign", bytes, drawn(halfRed()));
    // 100 x 50 is its shape too; the right half shows the page.
    const area = redArea(await picture(body));
    const expected = [40, 30, 90, 80];
    expect(area.every((edge, at) => Math.abs(edge - (expected[at] ?? 0)) < 1)).toBe(true);
  });

  test.each([
    [{ x: 575, y: 30 }, [575, 30, 600, 80]],
    [{ x: -25, y: -20 }, [0, 0, 25, 30]],
    [{ x: 40, y: 780 }, [40, 780, 90, 800]],
  ])("an image is cut off where its box leaves the page: %j", async (place, expected) => {
    const { body } = await stamp("sign", empty, drawn(halfRed(), { ...box, ...place }));
    const area = redArea(await picture(body));
    expect(area.map(Math.round)).toEqual(expected);
  });

  test("an image is contained in a box of another shape, and may be a JPEG with a footer below", async () => {
    const tall = { page: 1, x: 100, y: 200, width: 60, height: 200, origin: "bottom-left" };
    const { body } = await stamp("sign", empty, drawn(halfRed("image/jpeg"), tall));
    const area = redArea(await picture(body));
    const expected = [100, 485, 160, 515];
    expect(area.every((edge, at) => Math.abs(edge - (expected[at] ?? 0)) < 1.5)).toBe(true);
    const more = await stamp("sign", empty, { ...drawn(halfRed(), tall), signerName: "Ada", timestamp: "1" });
    const { picture: shown, text } = await readPage(more.body);
    expect(text).toMatch(/^Ada\s*signed at .*Z$/);
    expect(redArea(shown)[3]).toBeLessThan(inkArea(shown)[1]);
  });
});

test.each(LEFTOVERS)("a mark and its page do not change each other: %s", async (_n, content) => {
  const bytes = textDocument([{ content }]);
  const place = { page: 1, x: 400, y: 20, width: 150, height: 60 };
  const { body } = await stamp("sign", bytes, typed(place));
  const [was, shown] = [await picture(bytes), await picture(body)];
  const area: Area = [400, 20, 550, 80];
  expect(inkRows(shown, area).filter(Boolean).length).toBeGreaterThan(60);
  expect(differsOutside(was, shown, area)).toBe(false);
});

test("a tagged document gets an artifact; encryption and the bytes that were signed stay", async () => {
  const tagged = await stamp("sign", document({ name: "t", pages: 1, features: ["tagged"] }), typed());
  expect(await plainText(tagged.body)).toMatch(/\/Artifact BMC [^]*Do [^]*EMC/);
  const keys = { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" } as const;
  const secret = await encrypt(document({ name: "s", pages: 1 }), keys);
  const { body } = await stamp("sign", secret, { ...typed(), password: "user" });
  expect((await readPage(body, 1, { password: "user" })).text).toContain("Ada Lovelace");
  const signed = await withSignature(signedDocument());
  const response = await stamp("sign", signed, typed());
  expect(response.headers.get("X-Signature-Invalidated")).toBe("true");
  expect(Buffer.compare(response.body.subarray(0, signed.length), signed)).toBe(0);
  inkArea(await picture(response.body));
});

describe("refusals", () => {
  const field = (changes: object): Record<string, Part> => typed({ ...box, ...changes });
  test.each([
    ["no name", { mode: "type", field: JSON.stringify(box) }, "typedName", "required"],
    ["no image", { mode: "image", field: JSON.stringify(box) }, "signatureImage", "required"],
    ["no field", { mode: "type", typedName: "Ada" }, "field", "required"],
    ["no JSON", { ...typed(), field: "{" }, "field", "valid JSON"],
    ["a blank name", { ...typed(), typedName: "  " }, "typedName", "blank"],
    ["a page too many", field({ page: 2 }), "field", "at most 1"],
    ["page 0", field({ page: 0 }), "field", "at least 1"],
    ["no width", field({ width: undefined }), "field", "`width` is required"],
    ["an empty box", field({ height: 0 }), "field", "at least 1"],
    ["another origin", field({ origin: "center" }), "field", "top-left or bottom-left"],
    ["right of the page", field({ x: 600 }), "field", "x 600, y 30, width 100, height 50"],
    ["below the page", field({ y: 801 }), "field", "page 1 (600 x 800 points)"],
    ["above the page", field({ y: -50 }), "field", "must touch page 1"],
  ])("an invalid value is refused: %s", async (_name, fields: Record<string, Part>, name, text) => {
    const issue = { fields: [{ name, issue: expect.stringContaining(text) as string }] };
    expect(await refusal("sign", empty, fields)).toEqual([400, "invalid_parameters", issue]);
  });

  test("a box is measured on the displayed page", async () => {
    const [, entries] = GEOMETRIES[2] ?? ["", ""];
    const turned = textDocument([{ content: "", entries }]);
    await stamp("sign", turned, field({ x: 199, y: 299 }));
    const [status] = await refusal("sign", turned, field({ x: 200, y: 299 }));
    expect(status).toBe(400);
  });

  test("characters without a font and a text that is too long are refused", async () => {
    const unknown = await refusal("sign", empty, { ...typed(), typedName: "Ada 𓀀" });
    expect(unknown).toEqual([400, "unsupported_text", { characters: ["𓀀"] }]);
    const long = await refusal("sign", empty, {
      ...typed(),
      signerName: "a".repeat(1990),
      signerEmail: "b".repeat(20),
    });
    expect(long).toEqual([413, "limit_exceeded", { limit: 2000, actual: 2011 }]);
  });
});
