import { describe, expect, test } from "vitest";
import { pdfPart } from "../harness/requests/client.ts";
import { drawPage } from "../harness/engines/drawn-page.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { plainText } from "../harness/engines/qpdf.ts";
import { areaOf, countPixels, differingPixels, readPage } from "../harness/engines/render.ts";
import {
  differsOutside,
  GEOMETRIES,
  halfRed,
  isRed,
  LEFTOVERS,
  occurrences,
  picture,
  redArea,
  refusal,
  stamp,
} from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";
import { withSignature } from "../harness/signatures/updates.ts";

const empty = textDocument([{ content: "" }]);
const red = { kind: "text", text: "HHHH", color: "#f00", opacity: "1" };

describe("placement", () => {
  const places = GEOMETRIES.flatMap(([name, entries, width, height]) =>
    (["top-left", "bottom-right", "center"] as const).map((position) => ({ name, entries, width, height, position })),
  );
  test.each(places)("a mark is at the $position of a page $name", async ({ entries, width, height, position }) => {
    const { body } = await stamp("watermark", textDocument([{ content: "", entries }]), {
      ...red,
      position,
      fontSize: "20",
    });
    const { picture, text } = await readPage(body);
    const [left, top, right, bottom] = redArea(picture);
    const margin = 0.04 * Math.min(width, height);
    const [x, y] = {
      "top-left": [left - margin, top - margin],
      "bottom-right": [width - right - margin, height - bottom - margin],
      center: [(left + right - width) / 2, (top + bottom - height) / 2],
    }[position] as [number, number];
    expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThan(2);
    // Capital letters of 20 points.
    expect(Math.abs(bottom - top - 14.3)).toBeLessThan(2);
    expect(text).toBe("HHHH");
  });

  test("a mark is along the diagonal, from the bottom left up, also on a turned page", async () => {
    for (const [, entries, width, height] of GEOMETRIES) {
      const { body } = await stamp("watermark", textDocument([{ content: "", entries }]), {
        ...red,
        text: "HHHHHHHHHHHHHHHH",
        position: "diagonal",
      });
      const { picture } = await readPage(body);
      const [left, top, right, bottom] = redArea(picture);
      expect(Math.abs((left + right - width) / 2) + Math.abs((top + bottom - height) / 2)).toBeLessThan(4);
      expect(right - left).toBeGreaterThan(0.7 * width);
      expect(countPixels(picture, [0, 0, width / 3, height / 2], isRed)).toBe(0);
    }
  });

  test.each(["90", "450", "-990", "9e1", "1080000000000090.0"])(
    "a mark is turned counterclockwise by %s degrees",
    async (rotation) => {
      const { body } = await stamp("watermark", empty, { ...red, rotation, fontSize: "40" });
      const [left, top, right, bottom] = redArea(await picture(body));
      expect(bottom - top).toBeGreaterThan(3 * (right - left));
    },
  );
});

describe("leftovers of page content", () => {
  test.each(LEFTOVERS)("a mark and its page do not change each other: %s", async (_name, content) => {
    const bytes = textDocument([{ content }]);
    for (const layer of ["over", "under"]) {
      const { body } = await stamp("watermark", bytes, { ...red, position: "top-right", fontSize: "20", layer });
      const shown = await picture(body);
      const [left, top, right, bottom] = redArea(shown);
      expect(Math.abs(right - 576) + Math.abs(top - 24)).toBeLessThan(2);
      expect(differsOutside(await picture(bytes), shown, [left, top, right, bottom])).toBe(false);
      // MuPDF joins the streams of a page by spaces, pdf.js by line feeds.
      const drawn = drawPage(body);
      const across = Array.from({ length: Math.floor(right - left) }, (_, x) =>
        drawn.at(Math.round(left) + x, (top + bottom) >> 1),
      );
      expect(across.filter(([red, green, blue]) => isRed(red, green, blue)).length).toBeGreaterThan(3);
    }
  });
});

test("a mark under the page is hidden by its content, and one over the page hides it", async () => {
  const bytes = textDocument([{ content: "0 0 1 rg 0 0 600 800 re f" }]);
  const under = await stamp("watermark", bytes, { ...red, layer: "under" });
  expect(areaOf(await picture(under.body), isRed)).toBeUndefined();
  const over = await stamp("watermark", bytes, red);
  expect(areaOf(await picture(over.body), isRed)).toBeDefined();
});

test("opacity is even, also where letters overlap", async () => {
  const { body } = await stamp("watermark", empty, { ...red, text: "سلسلہ", opacity: "0.5", fontSize: "150" });
  const { pixels } = await picture(body);
  let darkest = 255;
  for (let at = 1; at < pixels.length; at += 4) darkest = Math.min(darkest, pixels[at] ?? 255);
  expect(Math.abs(darkest - 127)).toBeLessThan(4);
});

test("a color of three digits and all defaults are accepted", async () => {
  const { body } = await stamp("watermark", empty, { kind: "text", text: "A", color: "#00f", opacity: "1" });
  expect(areaOf(await picture(body), (r, g, b) => r < 20 && g < 20 && b > 235)).toBeDefined();
  const plain = await picture((await stamp("watermark", empty, { kind: "text", text: "A" })).body);
  // #888 at 0.35 on white.
  expect(areaOf(plain, (r, g, b) => r === g && g === b && Math.abs(r - 213) < 3)).toBeDefined();
});

describe("images", () => {
  test("an image keeps its transparency and its shape, also on a turned page", async () => {
    const content = "0 0 1 rg 0 0 600 800 re f";
    for (const [, entries, width, height] of GEOMETRIES) {
      const { body } = await stamp("watermark", textDocument([{ content, entries }]), {
        kind: "image",
        image: pdfPart(halfRed(), "mark.png"),
        opacity: "1",
      });
      const [left, top, right, bottom] = redArea(await picture(body));
      // The left half of an image that is half as wide as the page, and half as high as wide.
      expect([left, right].map((x) => Math.round((x / width) * 100))).toEqual([25, 50]);
      expect(Math.abs(bottom - top - width / 4)).toBeLessThan(2);
      expect(Math.abs((top + bottom - height) / 2)).toBeLessThan(2);
    }
  });

  test("an image may be a JPEG", async () => {
    const image = pdfPart(halfRed("image/jpeg"), "m.jpg");
    const { body } = await stamp("watermark", empty, { kind: "image", image, scale: "0.25", opacity: "1" });
    const [left, , right] = redArea(await picture(body));
    expect(Math.abs(right - left - 75)).toBeLessThan(3);
  });
});

describe("documents with a mark", () => {
  test("a document grows by less than 60 KB for 100 pages, with the mark stored once", async () => {
    const bytes = document({ name: "many", pages: 100 });
    const { body } = await stamp("watermark", bytes, { kind: "text", text: "سري 机密 Confidential", tile: "true" });
    expect(body.length - bytes.length).toBeLessThan(60_000);
    expect(occurrences(await plainText(body), /\/FontFile2/g)).toBe(2);
    expect((await readPage(body, 77)).text).toMatch(/Confidential/);
  });

  test("a document shows its mark on the selected pages", async () => {
    const bytes = document({ name: "some", pages: 3 });
    const { body } = await stamp("watermark", bytes, { ...red, pages: "!2" });
    const texts = await Promise.all([1, 2, 3].map(async (page) => (await readPage(body, page)).text.includes("HHHH")));
    expect(texts).toEqual([true, false, true]);
  });

  test("a tagged document gets its mark as an artifact, and keeps its encryption and its signed bytes", async () => {
    const tagged = await stamp("watermark", document({ name: "t", pages: 1, features: ["tagged"] }), red);
    expect(await plainText(tagged.body)).toMatch(/\/Artifact BMC [^]*Do EMC/);
    const keys = { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" } as const;
    const secret = await encrypt(document({ name: "s", pages: 1 }), keys);
    const { body } = await stamp("watermark", secret, { ...red, password: "user" });
    expect((await readPage(body, 1, { password: "user" })).text).toContain("HHHH");
    const signed = await withSignature(signedDocument());
    const response = await stamp("watermark", signed, red);
    expect(response.headers.get("X-Signature-Invalidated")).toBe("true");
    expect(Buffer.compare(response.body.subarray(0, signed.length), signed)).toBe(0);
    redArea(await picture(response.body));
  });
});

test("parameters of another kind or position are ignored, and listed", async () => {
  const others = { image: pdfPart(halfRed(), "logo.png"), scale: "0.5", tile: "True" };
  const { body, headers } = await stamp("watermark", empty, { ...red, ...others, position: "top-left" });
  expect(headers.get("X-Ignored-Parameters")).toBe("image,scale,tile");
  const plain = await stamp("watermark", empty, { ...red, position: "top-left" });
  expect(plain.headers.get("X-Ignored-Parameters")).toBeNull();
  expect(differingPixels(await picture(body), await picture(plain.body), [0, 0, 600, 800])).toBe(0);
});

describe("refusals", () => {
  test.each([
    [{ kind: "text" }, "text", "required"],
    [{ kind: "image" }, "image", "required"],
    [{ ...red, scale: "half" }, "scale", "must be a number"],
    [{ ...red, opacity: "1.1" }, "opacity", "from 0 to 1"],
    [{ ...red, color: "#ff" }, "color", "#888"],
    [{ ...red, text: "a\u0007" }, "text", "control characters"],
    [{ ...red, text: " \n " }, "text", "blank"],
    [{ ...red, rotation: "1e999" }, "rotation", "must be a number"],
    [{ ...red, rotation: "Infinity" }, "rotation", "must be a number"],
  ])("invalid parameters are refused: %o", async (fields, name, text) => {
    const issue = { fields: [{ name, issue: expect.stringContaining(text) as string }] };
    expect(await refusal("watermark", empty, fields)).toEqual([400, "invalid_parameters", issue]);
  });

  test("characters without a font, too many tiles, and a file that is not an image are refused", async () => {
    const unknown = await refusal("watermark", empty, { ...red, text: "𓀀" });
    expect(unknown).toEqual([400, "unsupported_text", { characters: ["𓀀"] }]);
    const tiny = await refusal("watermark", empty, { ...red, text: ".", tile: "true", fontSize: "1" });
    expect(tiny.slice(0, 2)).toEqual([413, "limit_exceeded"]);
    const image = await refusal("watermark", empty, { kind: "image", image: pdfPart(empty, "x.png") });
    expect(image.slice(0, 2)).toEqual([415, "unsupported_format"]);
  });
});
