import { unzlibSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part, type Service } from "../harness/requests/client.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { flate } from "../harness/fixtures/pdf-writer.ts";
import { imageDocument } from "../harness/images/image-fixtures.ts";
import { imagesOf } from "../harness/requests/image-pdf-response.ts";
import { jpegDocument } from "../harness/images/jpeg-document-fixtures.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { Random } from "../harness/fuzz/random.ts";
import { decoded, formsOf } from "../harness/redaction/find-secret.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { type HidingPlace, hidingDocument, SECRET } from "../harness/redaction/hiding-places.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";
import { check } from "../harness/engines/qpdf.ts";
import { embeddedFontDocument, embeddedFonts } from "../harness/fonts/embedded-font-fixtures.ts";
import { show, showCodes, spelled, textDocument } from "../harness/fixtures/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const redact = (bytes: Uint8Array, fields: Record<string, Part>) =>
  post(service, "redact", { file: pdfPart(bytes), ...fields });

/** What pdf.js reads on all pages. */
const textOfPages = async (bytes: Uint8Array): Promise<string> =>
  (await openPdf(bytes)).pages.map(({ text }) => text).join("\n");

/** The places where another tool finds the secret. */
async function findSecrets(bytes: Uint8Array, places: readonly HidingPlace[]): Promise<string[]> {
  // A reference to a character stands for it.
  const raw = (await decoded(bytes)).replaceAll("&#90;", "Z").toLowerCase();
  const text = (await textOfPages(bytes)).replaceAll(/[\s-]/g, "");
  return places
    .filter(({ secret }) => formsOf(secret).some((form) => raw.includes(form)) || text.includes(secret))
    .map(({ name }) => name);
}

describe("secret in every place", () => {
  const { bytes, places } = hidingDocument();
  let redacted: Uint8Array;
  let headers: Headers;
  beforeAll(async () => {
    ({ body: redacted, headers } = await redact(bytes, { terms: JSON.stringify([SECRET]) }));
  });

  test("the secret is found by qpdf or pdf.js in more than 40 places before", async () => {
    expect(await findSecrets(bytes, places)).toEqual(places.map(({ name }) => name));
    expect(places.length).toBeGreaterThan(40);
  });

  test("the secret is found in no place after", async () => {
    expect(await findSecrets(redacted, [{ name: "any", by: "raw", secret: SECRET }])).toEqual([]);
    expect(Number(headers.get("X-Redactions"))).toBeGreaterThanOrEqual(places.length - 10);
    expect(headers.get("X-Attachments-Removed")).toBe("3");
  });

  test("redaction keeps everything else", async () => {
    expect((await check(redacted)).errors).toEqual([]);
    const text = await textOfPages(redacted);
    for (const kept of [
      "before",
      "after",
      "a line ends in",
      "and goes on",
      "at an angle",
      "what stays",
      "a page that stays",
    ])
      expect(text).toContain(kept);
    expect(await decoded(redacted)).toContain("nothing to see");
  });

  test("the secret can be a letter that the syntax of a file has everywhere", async () => {
    const { status, message, body } = await redact(bytes, { terms: '["e"]', ignoreCase: "true" });
    expect([status, message]).toEqual([200, undefined]);
    expect((await check(body)).errors).toEqual([]);
    const text = await textOfPages(body);
    expect(text).toContain("what stays".replace("e", ""));
    expect(text).not.toMatch(/e/i);
  });
});

describe("patterns and regions", () => {
  const lines = [
    "mail jane.doe@example.com, card 4111 1111 1111 1111, no card 4111 1111 1111 1112",
    "iban DE89 3704 0044 0532 0130 00, ssn 123-45-6789, at 10.0.0.1 and 1.2.3.999",
    "call +49 30 1234567 or see www.example.org/page. INV-123456 and INV-12",
  ];
  const shown = lines.map((line, row) => show(line, 50, 700 - row * 20)).join(" ");
  const bytes = textDocument([
    { content: `${shown} 100 400 m 150 500 250 300 300 400 c S` },
    { content: "10 10 50 50 re f", entries: "/Rotate 90" },
  ]);
  const presets = ["email", "credit-card", "iban", "us-ssn", "ip", "phone", "url"];
  const patterns = JSON.stringify([...presets, { regex: String.raw`INV-\d{6}` }]);

  test("valid matches of patterns are removed, and nothing else", async () => {
    const { body, headers } = await redact(bytes, { patterns });
    expect((await textOfPages(body)).replaceAll(/\s+/g, " ").trim()).toBe(
      "mail , card , no card 4111 1111 1111 1112 iban , ssn , at and 1.2.3.999 call or see . and INV-12",
    );
    expect(headers.get("X-Redactions")).toBe("8");
    expect(headers.get("X-Pages-Without-Text")).toBe("2");
  });

  test("a region removes its part of a curve, which cannot be computed from the rest", async () => {
    const regions = JSON.stringify([{ page: 1, x: 90, y: 380, width: 60, height: 40 }]);
    const { body } = await redact(bytes, { regions });
    expect(await decoded(bytes)).toContain("150 500 250 300");
    const content = (await decoded(body)).slice(body.length);
    expect(content).not.toContain("150 500 250 300");
    const points = [...content.matchAll(/([\d.]+) ([\d.]+) l(?= [\d.]+ [\d.]+ l)/g)].map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    expect(points.length).toBeGreaterThan(20);
    expect(points.filter(([x = 0, y = 0]) => x > 90 && x < 150 && y > 380 && y < 420)).toEqual([]);
    expect(await textOfPages(body)).toContain("4111 1111 1111 1111");
  });

  test.each([
    [{ page: 1, x: 10, y: 5000, width: 50, height: 50 }, "must touch page 1 ("],
    // The page is turned: it is wider than high.
    [{ page: 2, x: 10, y: 700, width: 50, height: 50 }, "must touch page 2 (800 x 600 points)"],
    [{ page: 1, x: -60, y: 10, width: 60, height: 50, origin: "bottom-left" }, "must touch page 1 ("],
    [{ page: 3, x: 10, y: 10, width: 50, height: 50 }, "must be at most 2"],
  ])("a region outside the document is refused: %j", async (region, issue) => {
    const fine = { page: 1, x: 0, y: 0, width: 10, height: 10 };
    const { status, body } = await redact(bytes, { regions: JSON.stringify([fine, region]) });
    const { error } = JSON.parse(new TextDecoder().decode(body)) as { error: { code: string; details: unknown } };
    expect(status).toBe(400);
    expect(error).toMatchObject({
      code: "invalid_parameters",
      details: { fields: [{ name: "regions", issue: expect.stringContaining(issue) }] },
    });
  });

  test("matches are listed with dryRun", async () => {
    const { body } = await redact(bytes, { patterns: '["email"]', dryRun: "true" });
    expect(JSON.parse(new TextDecoder().decode(body))).toMatchObject({
      matches: [{ page: 1, text: "jane.doe@example.com", boxes: [{ height: expect.any(Number) }] }],
      elsewhere: 0,
      pagesWithoutText: [2],
    });
  });
});

describe("fonts", () => {
  const { meanings, codes } = spelled("quiz");
  const bytes = textDocument(
    [
      { content: `${showCodes(codes, 50, 700)} ${showCodes(codes.slice(1, 3), 50, 600)}` },
      { content: showCodes(codes.slice(1, 2), 50, 700) },
    ],
    meanings,
  );
  const hexOf = (letter: string): string => `00${letter.charCodeAt(0).toString(16)}>`;

  test("a font loses code mappings that only the redacted text used", async () => {
    const [before, { body }] = [await decoded(bytes), await redact(bytes, { terms: '["quiz"]' })];
    const after = await decoded(body);
    for (const letter of "quiz") expect(before).toContain(hexOf(letter));
    for (const letter of "ui") expect(after).toContain(hexOf(letter));
    for (const letter of "qz") expect(after).not.toContain(hexOf(letter));
    expect(await textOfPages(body)).toBe("ui\nu");
  });

  test("a font loses glyphs, names, and widths that only the redacted text used", async () => {
    const [fixture] = embeddedFonts.filter(({ name }) => name === "letters by their names");
    if (!fixture) throw new Error("the font is not among the fixtures");
    const document = embeddedFontDocument(fixture);
    const { body } = await redact(document, { terms: '["quartz"]' });
    const [before, after] = [await decoded(document), (await decoded(body)).slice(body.length)];
    expect(before).toMatch(/\/q\s\/u\s/);
    expect(after).toMatch(/\/k\b/);
    expect(after).not.toMatch(/\/[qz]\b/);
    expect(after.length).toBeLessThan(before.length / 2);
    expect(await textOfPages(body)).toContain("Jackdaws love my");
    expect((await check(body)).errors).toEqual([]);
  });

  /** Redacts the glyphs whose ink reaches `x` points from the left, or beyond. */
  const keptFonts = async (document: Uint8Array, x: number, width: number): Promise<string | null> => {
    const { status, headers, message } = await redact(document, {
      regions: JSON.stringify([{ page: 1, x, y: 90, width, height: 30 }]),
    });
    expect([status, message]).toEqual([200, undefined]);
    return headers.get("X-Fonts-Kept");
  };

  test.each(embeddedFonts.map((fixture) => [fixture.name, fixture] as const))(
    "a font is named in a header unless it loses the glyphs of the redacted text: %s",
    async (_, fixture) => {
      const kept = await keptFonts(embeddedFontDocument(fixture), 120, 500);
      expect(kept).toBe(fixture.shrinks ? null : "GreatVibes");
    },
  );

  test("a font is named if a glyph stays because other readers may show it for a code that stays", async () => {
    const [fixture] = embeddedFonts.filter(({ name }) => name === "letters by their names");
    if (!fixture) throw new Error("the font is not among the fixtures");
    // The first code is that of the J, and another one is J in ASCII.
    expect(await keptFonts(embeddedFontDocument(fixture), 40, 12)).toBe("GreatVibes");
  });
});

test("a box covers the background of a form field, whose text is removed", async () => {
  const word = "MMMMMMMM";
  const shown = `0 0 1 rg 0 0 200 40 re f BT /F1 20 Tf 0 g 20 14 Td (${word}) Tj ET`;
  const fonts = "/Resources << /Font << /Helv 4 0 R /F1 4 0 R >> >>";
  const draft = new FormDraft();
  const stream = draft.add({
    entries: `/Type /XObject /Subtype /Form /BBox [0 0 200 40] ${fonts}`,
    data: new TextEncoder().encode(shown),
  });
  draft.own("name", `/FT /Tx /V (${word}) /AP << /N ${stream} >>`, [100, 600, 300, 640]);
  const before = draft.bytes();
  const { body } = await redact(before, { terms: JSON.stringify([word]), fill: "#00ff00" });
  expect(await decoded(body)).not.toContain(word);
  // The field is from 160 to 200 below the top. The word starts at 120 and is 133 wide.
  const places = [110, 290, 140, 180, 240] as const;
  const [blue, green] = [
    [0, 0, 255],
    [0, 255, 0],
  ];
  const inPdfium = async (file: Uint8Array): Promise<number[][]> => {
    const { data, components } = (await readPdfiumPage(file, 0, { width: 600, height: 800 })).picture;
    return places.map((x) => [...data.subarray((185 * 600 + x) * components).subarray(0, 3)]);
  };
  const inPdfjs = async (file: Uint8Array): Promise<number[][]> => {
    const picture = await renderPage(file, 1, 72);
    return places.map((x) => picture.at(x, 185));
  };
  for (const colors of [inPdfium, inPdfjs]) {
    expect((await colors(before)).slice(0, 2)).toEqual([blue, blue]);
    expect(await colors(before)).not.toContainEqual(green);
    expect(await colors(body)).toEqual([blue, blue, green, green, green]);
  }
});

test("text in another case stays everywhere, unless case is ignored", async () => {
  const bytes = textDocument([{ content: show("Topology and topology", 50, 700) }]);
  const { status, body } = await redact(bytes, { terms: '["Topology"]' });
  expect(status).toBe(200);
  expect((await textOfPages(body)).trim()).toBe("and topology");
});

test.each(["/ColorSpace /DeviceGray", "/ColorSpace /DeviceGray /Decode [1 0]", "/ImageMask true"])(
  "a black and white image with %s is overwritten, and written as fax, which is smaller",
  async (kind) => {
    const [width, height] = [480, 480];
    // A black bar whose sides move a little from row to row, as those of letters, in which Flate finds little that repeats.
    const random = new Random(1, 2);
    let [from, to] = [100, 380];
    const rows = Array.from({ length: height }, () => {
      [from, to] = [from + random.below(5) - 2, to + random.below(5) - 2];
      const bits = Array.from({ length: width }, (_, x) => (x < from || x >= to ? "1" : "0")).join("");
      return (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
    });
    const data = Uint8Array.from(rows.flat());
    const before = imageDocument({ name: "fax", entries: `${kind} /BitsPerComponent 1`, data, width, height });
    const { body } = await redact(before, { regions: '[{"page":1,"x":100,"y":192,"width":200,"height":100}]' });
    expect(await check(body)).toMatchObject({ ok: true });
    const [[, image] = []] = [...(await imagesOf(body))];
    expect(image?.dictionary).toMatchObject({ "/Filter": "/CCITTFaxDecode", "/Width": width });
    const size = { width: 612, height: 792 };
    const [shown, was] = [await readPdfiumPage(body, 0, size), await readPdfiumPage(before, 0, size)];
    // The ground goes as a drawing that the region touches.
    const ground = "51,153,77";
    const colorAt = ({ picture }: typeof shown, x: number, y: number): string =>
      picture.data
        .subarray((y * 612 + x) * 3, (y * 612 + x) * 3 + 3)
        .join()
        .replace(ground, "255,255,255");
    const colors = new Set<string>();
    for (let x = 104; x < 297; x++) {
      for (let y = 196; y < 285; y += 3) expect(colorAt(shown, x, y)).toBe("0,0,0");
      for (let y = 300; y < 388; y++) {
        // Where black and white meet, the scaled image is neither.
        const color = colorAt(was, x, y);
        if (!/^(0,0,0|255,255,255|(229|230),102,2[56])$/.test(color)) continue;
        expect(colorAt(shown, x, y), `${x}, ${y}`).toBe(color);
        colors.add(color);
      }
    }
    expect(colors.size).toBe(2);
  },
);

test("a photograph is overwritten, and written as JPEG again at about its size", async () => {
  const before = jpegDocument(3);
  // The upper half of the image.
  const { body } = await redact(before, { regions: '[{"page":1,"x":100,"y":192,"width":200,"height":100}]' });
  const [[, photograph] = []] = [...(await imagesOf(before))];
  const [[, image] = []] = [...(await imagesOf(body))];
  expect(image?.dictionary).toMatchObject({ "/Filter": "/DCTDecode", "/Width": 480 });
  const data = image?.data ?? new Uint8Array();
  expect(data.length).toBeLessThan((photograph?.data.length ?? 0) * 1.2);
  // The image without the box that the page shows over it.
  const entries = "/ColorSpace /DeviceRGB /BitsPerComponent 8";
  const alone = imageDocument({ name: "redacted", entries, data, filter: "DCTDecode", width: 480, height: 480 });
  const size = { width: 612, height: 792 };
  const [shown, was] = [await readPdfiumPage(alone, 0, size), await readPdfiumPage(before, 0, size)];
  const valuesIn = ({ picture: { data, components } }: typeof shown, top: number, bottom: number): number[] =>
    Array.from({ length: bottom - top }, (_, row) => [
      ...data.subarray(((top + row) * 612 + 104) * components, ((top + row) * 612 + 296) * components),
    ]).flat();
  const rangeOf = (values: readonly number[]): number =>
    values.reduce((most, value) => Math.max(most, value), 0) -
    values.reduce((least, value) => Math.min(least, value), 255);
  expect(rangeOf(valuesIn(was, 196, 284))).toBeGreaterThan(100);
  expect(rangeOf(valuesIn(shown, 196, 284))).toBeLessThan(16);
  const [kept, original] = [valuesIn(shown, 300, 390), valuesIn(was, 300, 390)];
  const difference = kept.reduce((sum, value, at) => sum + Math.abs(value - (original[at] ?? 0)), 0) / kept.length;
  expect(difference).toBeLessThan(4);
});

test("the pixels of a word that ocr finds in a scan are overwritten", async () => {
  const [width, height] = [1_200, 120];
  const shown = textDocument([{ content: show("public Zanzibar plain", 20, 765, 30) }]);
  const { data, components } = (await readPdfiumPage(shown, 0, { width, height: 1_600 })).picture;
  const before = Uint8Array.from({ length: width * height }, (_, at) => data[at * components] ?? 255);
  const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
  const scan = drawing({
    width: 600,
    height: 60,
    content: "q 600 0 0 60 0 0 cm /I Do Q",
    resources: "/XObject << /I $0 >>",
    objects: [flate(before, image)],
  });
  const alone = await redact(scan, { terms: '["Zanzibar"]' });
  expect([alone.headers.get("X-Pages-Without-Text"), alone.headers.get("X-Redactions")]).toEqual(["1", "0"]);
  const steps = JSON.stringify([{ operation: "ocr" }, { operation: "redact", terms: ["Zanzibar"] }]);
  const { body, headers } = await post(service, "pipeline", { file: pdfPart(scan), steps });
  expect(headers.has("X-Pages-Without-Text")).toBe(false);
  const [[, found] = []] = [...(await imagesOf(body))];
  expect(found?.dictionary).toMatchObject({ "/Width": width, "/Height": height, "/Filter": "/FlateDecode" });
  const after = unzlibSync(found?.data ?? new Uint8Array());
  expect(after.length).toBe(width * height);
  // The word is from 214 to 447, and the last one from 464 to 590.
  const rows = (pixels: Uint8Array, from: number, to: number): number[][] =>
    Array.from({ length: height }, (_, row) => [...pixels.subarray(row * width + from, row * width + to)]);
  const isEven = (row: readonly number[]): boolean => row.every((value) => value === row[0]);
  expect(rows(before, 216, 445).every(isEven)).toBe(false);
  expect(rows(after, 216, 445).every(isEven)).toBe(true);
  expect(rows(after, 500, 590)).toEqual(rows(before, 500, 590));
  expect(rows(after, 500, 590).every(isEven)).toBe(false);
});

describe("terms", () => {
  test.each([
    ["a telephone number", "555-1234", "555-1234"],
    ["an en dash", "1990\u20131999", "1990\u00961999"],
    ["a soft hyphen", "co\u00adop", "co\u00adop"],
    ["what expressions have for syntax", "a-[b]{c}/(d)|e^$.*+?\\", "a-[b]{c}/(d)|e^$.*+?\\"],
  ])("terms may have %s", async (_, term, written) => {
    const bytes = textDocument([{ content: show(`left ${written} right`, 50, 700) }]);
    const { status, body, headers } = await redact(bytes, { terms: JSON.stringify([term]) });
    expect([status, headers.get("X-Redactions")]).toEqual([200, "1"]);
    expect((await textOfPages(body)).replaceAll(/\s+/g, " ").trim()).toBe("left right");
  });

  test.each(["auto- ", "auto -", "auto - ", "auto-", "auto"])(
    "terms are found where a line ends in %j",
    async (end) => {
      const bytes = textDocument([{ content: `${show(`first ${end}`, 50, 700)} ${show("matically last", 50, 686)}` }]);
      const { status, body } = await redact(bytes, { terms: '["automatically"]' });
      expect(status).toBe(200);
      const text = await textOfPages(body);
      expect(text).not.toMatch(/auto|matically/);
      expect(text).toMatch(/first[^]*last/);
    },
  );
});
