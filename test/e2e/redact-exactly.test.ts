import { unzlibSync } from "fflate";
import { getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part, type Service } from "../harness/requests/client.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { decoded, readAll, whoFinds } from "../harness/redaction/find-secret.ts";
import { imagesOf } from "../harness/requests/image-pdf-response.ts";
import { flate, latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { pdfjsFolders } from "../harness/engines/pdfjs.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const SECRET = "Zanzibar";

async function redact(bytes: Uint8Array, fields: Record<string, Part> = { terms: JSON.stringify([SECRET]) }) {
  const { status, body, headers, message } = await post(service, "redact", { file: pdfPart(bytes), ...fields });
  expect([status, message]).toEqual([200, undefined]);
  expect((await check(body)).errors).toEqual([]);
  return { body, headers };
}

/** Texts with the place where each begins, in points, as pdf.js shows them. */
async function placed(bytes: Uint8Array): Promise<{ text: string; x: number; y: number }[]> {
  const task = getDocument({ data: bytes.slice(), ...pdfjsFolders, verbosity: VerbosityLevel.ERRORS });
  const { items } = await (await (await task.promise).getPage(1)).getTextContent();
  await task.destroy();
  return items.flatMap((item) => {
    if (!("str" in item) || item.str.trim() === "") return [];
    const [, , , , x = 0, y = 0] = item.transform as number[];
    return [{ text: item.str.trim(), x, y }];
  });
}

/** Each text begins where it began, to a hundredth of a point. */
async function expectInPlace(before: Uint8Array, after: Uint8Array, texts: readonly string[]): Promise<void> {
  const [were, are] = [await placed(before), await placed(after)];
  for (const text of texts) {
    const [was, is] = [were, are].map((all) => all.find((one) => one.text === text));
    expect(was, text).toBeDefined();
    expect(is, text).toBeDefined();
    expect(Math.hypot((was?.x ?? 0) - (is?.x ?? 9), (was?.y ?? 0) - (is?.y ?? 9)), text).toBeLessThan(0.01);
  }
}

test("the words on both sides of a removed match are not joined", async () => {
  const line = "[(At) -224 (the) -228 (heart) -228 (of) -228 (the) -228 (health)] TJ";
  const { body, headers } = await redact(textDocument([{ content: `BT /F1 10 Tf 72 700 Td ${line} ET` }]), {
    terms: '["the"]',
  });
  expect(headers.get("X-Redactions")).toBe("2");
  const words = (await placed(body)).flatMap(({ text }) => text.split(/\s+/));
  expect(words).toEqual(["At", "heart", "of", "health"]);
});

describe("positions of the remaining text", () => {
  const start = "BT /F1 12 Tf";
  test.each([
    [
      "the leading of TL after Td, and of the next lines",
      `${start} 72 700 Td 20 TL (one) Tj 0 -30 Td 9 TL (a${SECRET}) ' (two) ' (three) '`,
      ["one", "two", "three"],
    ],
    ['the spacing that " sets', `${start} 72 700 Td 20 TL 3 2 (${SECRET} first) " 0 0 (b) " (last) '`, ["last"]],
    ["TD, T*, and rise", `${start} 72 700 TD (one) Tj 0 -15 TD (${SECRET}) Tj T* (two) Tj 4 Ts (up) Tj`, ["one"]],
    [
      "scaling and spacing before it",
      `${start} 72 700 Td 3 Tc 9 Tw 70 Tz (a ${SECRET} b) Tj 0 Tc 0 Tw 100 Tz 200 0 Td (end) Tj`,
      ["end"],
    ],
    ["an array of adjustments", `${start} 72 700 Td [(a) -900 (Zan) 20 (zib) -20 (ar) -900 (tail)] TJ`, ["a", "tail"]],
    ["turned and slanted text", `BT /F1 1 Tf 12 5 -3 14 150 300 Tm (left ${SECRET}) Tj [-2000 (right)] TJ`, ["right"]],
  ])("the remaining text keeps its place with %s", async (_, content, kept) => {
    const before = textDocument([{ content: `${content} ET` }]);
    const { body } = await redact(before);
    expect(whoFinds(await readAll(body), SECRET)).toEqual([]);
    await expectInPlace(before, body, kept);
  });

  test("the remaining text keeps its place in lines whose glyphs overlap those of the match", async () => {
    const before = textDocument([
      { content: `${show("above this", 72, 706, 12)} ${show(SECRET, 72, 700, 8)} ${show("below this", 72, 694, 12)}` },
    ]);
    const { body } = await redact(before);
    expect(whoFinds(await readAll(body), SECRET)).toEqual([]);
    await expectInPlace(before, body, ["above this", "below this"]);
  });

  test("the remaining text keeps its place, and other content keeps its bytes", async () => {
    const line = "0.123456789 0 0 1 100.1234567 200 cm";
    const before = textDocument([{ content: `q ${line} 0 0 5 5 re f Q ${show(`a ${SECRET}`, 72, 700)}` }]);
    expect(await decoded((await redact(before)).body)).toContain(line);
  });
});

describe("replacement texts", () => {
  const span = (list: string, shown: string): string => `/Span ${list} BDC ${show(shown, 50, 700)} EMC`;

  test.each([
    ["inline", "<< /ActualText (mail Zanzibar or call) >>"],
    [
      "in UTF-16",
      `<< /ActualText <feff${Buffer.from("mail Zanzibar or call", "utf16le").swap16().toString("hex")}> >>`,
    ],
  ])("a replacement text loses only the match: %s", async (_, list) => {
    const { body } = await redact(textDocument([{ content: span(list, "mail Zanzibar or call") }]));
    const { pdfjs, pdfium } = await readAll(body);
    for (const reading of [pdfjs, pdfium]) expect(reading).toContain("mailorcall");
    const text = await plainText(body);
    const rest = "6d61696c20206f722063616c6c";
    expect(text.toLowerCase()).toMatch(new RegExp(`mail  or call|${rest}`));
    expect(text).not.toContain(SECRET);
  });

  test("a match in a replacement text takes its glyphs along, even if they show other text", async () => {
    const { body } = await redact(textDocument([{ content: span(`<< /ActualText (x ${SECRET}) >>`, "qwertzuiop") }]));
    const { pdfjs, pdfium } = await readAll(body);
    for (const reading of [pdfjs, pdfium]) expect(reading).not.toMatch(/[ertzuiop]/);
  });

  test("alternate texts keep the part without the match", async () => {
    const { body } = await redact(
      textDocument([{ content: span(`<< /Alt (portrait of ${SECRET}, 1901) >>`, "figure") }]),
    );
    const text = await plainText(body);
    expect(text).toMatch(/portrait of .*, 1901|706f727472616974206f66/);
    expect(text).not.toContain(SECRET);
  });
});

test.each([
  ["outside of its clipping path", "q 0 0 10 10 re W n BT /F1 12 Tf 100 700 Td (left Zanzibar) Tj ET Q"],
  ["of size 0", "BT /F1 12 Tf 100 700 Td (left) Tj /F1 0 Tf (Zanzibar) Tj ET"],
  ["scaled to nothing", "BT /F1 12 Tf 100 700 Td 0 Tz (Zanzibar) Tj 100 Tz (left) Tj ET"],
  ["scaled to next to nothing", "BT /F1 12 Tf 100 700 Td 1 Tz (Zanzibar) Tj 100 Tz (left) Tj ET"],
  [
    "of a property of marked content",
    "/Note (Zanzibar) DP /Tag << /Foo [(Zanzibar)] >> BDC BT /F1 12 Tf 100 700 Td (left) Tj ET EMC",
  ],
  ["of an unknown operator", "(Zanzibar) foo BT /F1 12 Tf 100 700 Td (left) Tj ET"],
  ["in a string that does not end", "BT /F1 12 Tf 100 700 Td (left) Tj ET (Zanzibar"],
])("a match is removed %s", async (_, content) => {
  const before = textDocument([{ content }]);
  const { body, headers } = await redact(before);
  expect(await decoded(before)).toContain(SECRET);
  expect(await decoded(body)).not.toContain(SECRET);
  expect((await readAll(body)).pdfjs).toContain("left");
  const { body: dry } = await post(service, "redact", {
    file: pdfPart(before),
    terms: JSON.stringify([SECRET]),
    dryRun: "true",
  });
  const found = JSON.parse(new TextDecoder().decode(dry)) as { matches: unknown[]; elsewhere: number };
  expect(headers.get("X-Redactions")).toBe(String(found.matches.length + found.elsewhere));
});

describe("regions", () => {
  const image = (entries = ""): Parameters<typeof flate> => [
    new Uint8Array(16).fill(65),
    `/Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceGray /BitsPerComponent 8 ${entries}`,
  ];
  const area = { regions: '[{"page":1,"x":90,"y":90,"width":120,"height":120}]' };

  test("shadings, images, and patterns painted only in a region are removed from the file", async () => {
    const before = drawing({
      width: 400,
      height: 400,
      content:
        "q 100 200 100 100 re W n /S sh Q q 50 0 0 50 120 220 cm /I Do Q /Pattern cs /P scn 130 230 40 40 re f " +
        "q 50 0 0 50 300 50 cm /K Do Q",
      resources: "/XObject << /I $0 /K $1 >> /Shading << /S $2 >> /Pattern << /P $3 >>",
      objects: [
        flate(...image("/Name /Secret")),
        flate(...image("/Name /Kept")),
        "<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [100 0 200 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1 >> >>",
        {
          entries:
            "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>",
          data: latin1("0 0 7 7 re f"),
        },
      ],
    });
    const { body } = await redact(before, area);
    const text = await plainText(body);
    expect(text).toContain("/Name /Kept");
    for (const gone of ["/Name /Secret", "/ShadingType", "0 0 7 7 re"]) {
      expect(await plainText(before), gone).toContain(gone);
      expect(text, gone).not.toContain(gone);
    }
  });

  test("glyphs whose ink does not touch a region stay", async () => {
    // The region touches the descent of the line above, which has no descenders.
    const before = textDocument([{ content: `${show("HOME", 100, 700, 20)} ${show("gone", 100, 680, 20)}` }]);
    const { body } = await redact(before, { regions: '[{"page":1,"x":90,"y":102,"width":120,"height":20}]' });
    const { pdfjs } = await readAll(body);
    expect(pdfjs).toContain("HOME");
    expect(pdfjs).not.toMatch(/[gone]/);
  });
});

test("pixels of an image in one ink become paper", async () => {
  const before = drawing({
    width: 100,
    height: 100,
    content: "q 80 0 0 80 10 10 cm /I Do Q",
    resources: "/XObject << /I $0 >>",
    objects: [
      flate(
        new Uint8Array(64).fill(180),
        "/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace [/Separation /Spot /DeviceCMYK" +
          " << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0 0 1] /N 1 >>]",
      ),
    ],
  });
  const { body } = await redact(before, { regions: '[{"page":1,"x":0,"y":0,"width":50,"height":100}]' });
  const [[, image] = []] = [...(await imagesOf(body))];
  const samples = [...unzlibSync(image?.data ?? new Uint8Array())];
  expect(samples).toEqual(Array.from({ length: 64 }, (_, at) => (at % 8 < 4 ? 0 : 180)));
});

test.each([
  [
    "sections of character data",
    "/Metadata 6 0 R",
    "<x:xmpmeta><title>Zan<![CDATA[zibar]]></title></x:xmpmeta>",
    "CDATA[zibar",
  ],
  ["tags", "/Metadata 6 0 R", "<x:xmpmeta><title>Zan<!-- - --><b>zibar</b></title></x:xmpmeta>", "<b>zibar"],
  [
    "escapes of a script",
    String.raw`/OpenAction << /S /JavaScript /JS (alert\("\\x5aanziba\\u{72}"\)) >>`,
    "",
    "anziba",
  ],
  [
    "escapes of a stream with a script",
    "/OpenAction << /S /JavaScript /JS 6 0 R >>",
    String.raw`alert("\132an\zibar")`,
    "132an",
  ],
])("a term that occurs only in %s is removed", async (_, entries, data, trace) => {
  const before = pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${entries} >>`,
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
      { entries: "", data: latin1("BT /F1 12 Tf 10 50 Td (Other text) Tj ET") },
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      { entries: entries.startsWith("/Metadata") ? "/Type /Metadata /Subtype /XML" : "", data: latin1(data) },
    ],
    "/Root 1 0 R",
  );
  expect(await plainText(before)).toContain(trace);
  const { body } = await redact(before);
  expect(await plainText(body)).not.toContain(trace);
});

describe("shared and inherited resources", () => {
  const shared = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 2 /Kids [3 0 R 8 0 R] /Resources 6 0 R >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 100] /Contents 4 0 R >>",
      { entries: "", data: latin1("/X Do q 50 0 0 50 10 10 cm /I Do Q q 50 0 0 50 90 10 cm /K Do Q") },
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      "<< /Font << /F1 5 0 R >> /XObject << /X 7 0 R /I 9 0 R /K 10 0 R >> >>",
      {
        entries: "/Type /XObject /Subtype /Form /BBox [0 0 400 100] /Resources << /Font << /F1 5 0 R >> >>",
        data: latin1(`BT /F1 12 Tf 10 50 Td (${SECRET}) Tj ET`),
      },
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 100] /Contents 11 0 R >>",
      ...["Secret", "Other"].map((name) => ({
        entries: `/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /Name /${name}Image`,
        data: latin1("x"),
      })),
      { entries: "", data: latin1("q 50 0 0 50 10 10 cm /K Do Q") },
    ],
    "/Root 1 0 R",
  );
  const region = '[{"page":1,"x":0,"y":0,"width":400,"height":100}]';

  test.each<[string, Record<string, string>, string[], string[]]>([
    ["a region", { regions: region }, [SECRET, "/SecretImage"], ["/OtherImage"]],
    ["a term on one page", { terms: `["${SECRET}"]`, pages: "1" }, [SECRET], ["/SecretImage", "/OtherImage"]],
  ])("an object without a drawing page is removed from the file with %s", async (_, fields, gone, kept) => {
    const { body } = await redact(shared, fields);
    const text = await plainText(body);
    for (const one of gone) expect(text).not.toContain(one);
    for (const one of kept) expect(text).toContain(one);
  });
});

describe("Type 3 fonts", () => {
  /** `T` has a filled square of almost `width` units as the letter a. */
  const page = (content: string, matrix: string, width: number): Uint8Array =>
    pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /T 6 0 R >> >> >>",
        { entries: "", data: latin1(content) },
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 ${width} ${width}] /FontMatrix [${matrix}] /FirstChar 97 /LastChar 97` +
          ` /Widths [${width}] /CharProcs << /a 7 0 R >> /Encoding << /Differences [97 /a] >> /Resources << >> >>`,
        { entries: "", data: latin1(`${width} 0 0 0 ${width} ${width} d1 0 0 ${width - 2} ${width - 2} re f`) },
      ],
      "/Root 1 0 R",
    );

  test("Type 3 glyphs are removed without moving later text, although readers round their widths to thousandths", async () => {
    const before = page(
      `BT /T 8 Tf 10 50 Td (${"a".repeat(60)}) Tj /F1 12 Tf (after) Tj ET`,
      ".01493 0 0 .01493 0 0",
      19,
    );
    const { body } = await redact(before, { regions: '[{"page":1,"x":0,"y":40,"width":145,"height":15}]' });
    expect((await readAll(body)).pdfjs).toBe("after");
    await expectInPlace(before, body, ["after"]);
  });

  test("Type 3 glyphs that reach into a region from many font sizes away are removed", async () => {
    const before = page("BT /T 0.5 Tf 10 10 Td (a) Tj /F1 10 Tf 300 0 Td (stays) Tj ET", "1 0 0 1 0 0", 80);
    const { body } = await redact(before, { regions: '[{"page":1,"x":35,"y":60,"width":10,"height":10}]' });
    await expectInPlace(before, body, ["stays"]);
    expect((await readAll(body)).pdfjs).not.toContain("a ");
  });
});

describe("crop with remove", () => {
  const samples = Uint8Array.from({ length: 64 }, (_, at) => (((at % 8) + (at >> 3)) % 2 ? 200 : 60));
  const page = (content: string): Uint8Array =>
    drawing({
      width: 200,
      height: 200,
      content,
      resources: "/XObject << /I $0 >>",
      objects: [
        flate(samples, "/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8"),
      ],
    });

  test.each([
    ["turned", "q 80 80 -80 80 100 20 cm /I Do Q", 4],
    ["of coarse pixels", "q 160 0 0 160 15 15 cm /I Do Q", 28],
  ])("an image that is %s is cut, and the inside looks the same", async (_, content, blanked) => {
    const before = page(content);
    const box = { x: 45, y: 45, width: 110, height: 110 };
    const response = await post(service, "crop", { file: pdfPart(before), box: JSON.stringify(box), remove: "true" });
    expect(response.status).toBe(200);
    const plain = await post(service, "crop", { file: pdfPart(before), box: JSON.stringify(box) });
    const size = { width: 110, height: 110 };
    const [a, b] = [await readPdfiumPage(response.body, 0, size), await readPdfiumPage(plain.body, 0, size)];
    const differing = a.picture.data.reduce(
      (sum, value, at) => sum + Number(Math.abs(value - (b.picture.data[at] ?? 0)) > 8),
      0,
    );
    expect(differing).toBe(0);
    // Pixels of which no part is inside are blank.
    const [[, found] = []] = [...(await imagesOf(response.body))];
    const left = unzlibSync(found?.data ?? new Uint8Array());
    const blank = [...left].filter((value, at) => value !== samples[at]);
    expect([...new Set(blank)]).toEqual([255]);
    expect(blank.length).toBe(blanked);
  });
});

test("a word at the end of a column's line is not joined with the next column's line", async () => {
  const left = ["what it returns", "your return", "on a form"].map((line, at) => show(line, 72, 700 - at * 20));
  const right = ["second", "sold for less"].map((line, at) => show(line, 300, 694 - at * 20));
  const bytes = textDocument([{ content: [...left, ...right].join("\n") }]);
  const { body, headers } = await redact(bytes, { terms: '["returns"]' });
  expect(headers.get("X-Redactions")).toBe("1");
  await expectInPlace(bytes, body, ["your return", "on a form", "second", "sold for less"]);
});
