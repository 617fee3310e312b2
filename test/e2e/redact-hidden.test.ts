import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { decoded } from "../harness/redaction/find-secret.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { textPlaces } from "../harness/engines/pdfjs.ts";
import { check, runQpdf } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

async function redact(
  bytes: Uint8Array,
  term: string,
  pages = "all",
): Promise<{ body: Uint8Array; count: string | null }> {
  const { status, message, body, headers } = await post(service, "redact", {
    file: pdfPart(bytes),
    terms: JSON.stringify([term]),
    pages,
  });
  expect([status, message]).toEqual([200, undefined]);
  expect((await check(body)).errors).toEqual([]);
  return { body, count: headers.get("X-Redactions") };
}

/** A page with a free text annotation that shows this content, in Helvetica, or in a font of two-byte codes that are Unicode. */
function annotated(content: string): Uint8Array {
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [4 0 R] >>",
      "<< /Type /Annot /Subtype /FreeText /Rect [20 40 220 140] /F 4 /DA (/F1 14 Tf) /Contents (note) /AP << /N 5 0 R >> >>",
      {
        entries: "/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources << /Font << /F1 6 0 R /F2 7 0 R >> >>",
        data: latin1(content),
      },
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
      "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [8 0 R] >>",
      "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor 9 0 R >>",
      "<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
    ],
    "/Root 1 0 R",
  );
}

describe("appearances with a match", () => {
  test.each([
    ["those from 0x80 on", "(caf\u00e9 M\u00fcller \u0080) Tj", "(caf\u00e9 M\u00fcller \u0080) Tj"],
    ["NUL, and what follows it", "/F2 14 Tf (\0A\0B\0C) Tj (\0D) Tj", "(\0A\0B\0C) Tj (\0D) Tj"],
  ])("the other text of an appearance with a match keeps its bytes: %s", async (_, shown, kept) => {
    const before = annotated(`BT /F1 14 Tf 4 70 Td (secret word) Tj 0 -20 Td ${shown} 0 -20 Td /F1 14 Tf (last) Tj ET`);
    const { body } = await redact(before, "secret");
    const raw = await decoded(body);
    expect(raw).not.toContain("secret");
    expect(raw).toContain(kept);
    expect(raw).toContain("(last) Tj");
  });
});

describe("encrypted files with unencrypted XMP", () => {
  const packet = (title: string): string =>
    `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
    `<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Keywords="${title}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

  async function encrypted(cipher: "128" | "256"): Promise<Uint8Array> {
    const plain = pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 6 0 R >> >> >>",
        { entries: "", data: latin1("BT /F1 14 Tf 20 70 Td (hello world) Tj ET") },
        { entries: "/Type /Metadata /Subtype /XML", data: latin1(packet("readable Zanzibar words")) },
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
      ],
      "/Root 1 0 R",
    );
    const options = [...(cipher === "128" ? ["--use-aes=y"] : []), "--cleartext-metadata"];
    const args = ["--allow-weak-crypto", "--encrypt", "", "owner", cipher, ...options, "--", "/in.pdf", "/out.pdf"];
    const { output } = await runQpdf(args, { "/in.pdf": plain });
    return output ?? new Uint8Array();
  }

  const rawOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

  test.each(["128", "256"] as const)("unencrypted XMP stays readable with AES-%s", async (cipher) => {
    const before = await encrypted(cipher);
    expect(rawOf(before)).toContain("readable Zanzibar words");
    const { body, count } = await redact(before, "hello");
    expect(count).toBe("1");
    expect(rawOf(body)).toContain("readable Zanzibar words");
    expect(await decoded(body, "owner")).not.toContain("hello");
  });

  test.each(["128", "256"] as const)("unencrypted XMP loses its matches with AES-%s", async (cipher) => {
    const { body, count } = await redact(await encrypted(cipher), "Zanzibar");
    expect(count).toBe("1");
    expect(rawOf(body)).toContain('pdf:Keywords="readable *** words"');
    expect(await decoded(body, "owner")).not.toContain("Zanzibar");
  });
});

describe("unselected pages", () => {
  const shows = "BT /F1 14 Tf 4 10 Td (secret) Tj ET";
  const form = "/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources << /Font << /F1 5 0 R >> >>";

  /** Two pages: the first shows the text itself, the second by what `entries` add to it and `drawn` shows. Object 6 is free for that. */
  const twoPages = (entries: string, drawn: string, sixth: { entries: string; data: Uint8Array }, first = shows) =>
    pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 300 200] >>",
        `<< /Type /Page /Parent 2 0 R /Contents 7 0 R /Resources << /Font << /F1 5 0 R >> ${first === shows ? "" : "/XObject << /Shared 6 0 R >>"} >> >>`,
        `<< /Type /Page /Parent 2 0 R /Contents 8 0 R ${entries} >>`,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        sixth,
        { entries: "", data: latin1(first) },
        { entries: "", data: latin1(drawn) },
      ],
      "/Root 1 0 R",
    );
  const tiling =
    "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 100 50] /XStep 100 /YStep 50 /Resources << /Font << /F1 5 0 R >> >>";

  /** In the file as qpdf writes it. */
  const timesShown = async (body: Uint8Array): Promise<number> =>
    (await decoded(body)).slice(body.length).split("(secret)").length - 1;

  test.each<[string, string, string, string?]>([
    ["its content", "/Resources << /Font << /F1 5 0 R >> >>", shows],
    ["a form", "/Resources << /XObject << /Shared 6 0 R >> >>", "/Shared Do"],
    [
      "a form that the selected page draws, too",
      "/Resources << /XObject << /Shared 6 0 R >> >>",
      "/Shared Do",
      "/Shared Do",
    ],
    ["a pattern", "/Resources << /Pattern << /P 6 0 R >> >>", "/Pattern cs /P scn 0 0 200 100 re f"],
    ["a soft mask", "/Resources << /ExtGState << /G << /SMask << /S /Alpha /G 6 0 R >> >> >> >>", "/G gs 0 0 9 9 re f"],
  ])("text of a page that is not selected stays in %s", async (_, entries, drawn, first) => {
    const sixth = { entries: entries.includes("Pattern") ? tiling : form, data: latin1(shows) };
    const { body, count } = await redact(twoPages(entries, drawn, sixth, first), "secret", "1");
    expect(count).toBe("1");
    expect(await timesShown(body)).toBe(1);
  });

  test("text of a page that is not selected stays in an appearance", async () => {
    const entries = "/Annots [<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 200 100] /AP << /N 6 0 R >> >>]";
    const { body } = await redact(twoPages(entries, "", { entries: form, data: latin1(shows) }), "secret", "1");
    expect(await timesShown(body)).toBe(1);
  });
});

test("text beyond every page does not stop the search for glyphs", async () => {
  const far = ["9".repeat(20), "9".repeat(60), "9".repeat(400)];
  const shown = far.map((x) => `1 0 0 1 ${x} -${x} Tm (secret) Tj`);
  const { body, count } = await redact(
    pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        { entries: "", data: latin1(`BT /F1 14 Tf 20 70 Td (a secret word) Tj ${shown.join(" ")} ET`) },
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
      ],
      "/Root 1 0 R",
    ),
    "secret",
  );
  expect(Number(count)).toBeGreaterThan(0);
  expect(await decoded(body)).not.toContain("secret");
});

/** A page that shows a word in Courier New, which is not embedded, with this content before it. */
function inNamedFont(before: string): Uint8Array {
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
      { entries: "", data: latin1(`${before} BT /F1 14 Tf 20 100 Td (kept Courier) Tj ET`) },
      "<< /Type /Font /Subtype /TrueType /BaseFont /CourierNew /Encoding /WinAnsiEncoding /FontDescriptor 6 0 R >>",
      "<< /Type /FontDescriptor /FontName /CourierNew /FontFamily (Courier New) /Flags 33 /FontBBox [0 -200 600 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
    ],
    "/Root 1 0 R",
  );
}

test("the family of a font that is not embedded stays, like its name", async () => {
  const { body } = await redact(inNamedFont(""), "Courier");
  const raw = await decoded(body);
  expect(raw).toContain("/FontFamily (Courier New)");
  expect(raw).not.toContain("(kept Courier)");
});

test("names and comments behind a string of marked content are removed", async () => {
  const before = "/Artifact << /Note (a note) /Type /Footer % the Footer\n >> BDC EMC";
  const { body } = await redact(inNamedFont(before), "Foot");
  const raw = await decoded(body);
  expect(raw).toContain("/Artifact << /Note (a note) /Type /_er");
  expect(raw).not.toContain("Foot");
});

describe("short terms", () => {
  const toUnicode = (entries: string, end: string): Uint8Array =>
    latin1(`/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Fixture def 1 begincodespacerange <00> <ff> endcodespacerange
${entries}
endcmap CMapName currentdict /CMap ${end} pop end end`);
  /** A page on which a font shows codes with other meanings than their letters: `acb` is read as `xyc`. */
  const recoded = (content: string): Uint8Array =>
    pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        { entries: "", data: latin1(content) },
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 7 0 R >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding /ToUnicode 8 0 R >>",
        {
          entries: "",
          data: toUnicode(
            "2 beginbfchar <61> <0078> <62> <0063> endbfchar 1 beginbfrange <63> <63> [<0079>] endbfrange",
            "defineresource",
          ),
        },
        { entries: "", data: toUnicode("1 beginbfrange <63> <65> <0070> endbfrange", "define resource") },
      ],
      "/Root 1 0 R",
    );

  test.each([
    ["c", "xy pqr"],
    ["x", "yc pqr"],
    ["e", "xyc pqr"],
    ["r", "xyc pq"],
  ])("text whose codes look like the redacted letter %s keeps its meaning", async (term, kept) => {
    const content = "BT /F1 14 Tf 20 100 Td (acb) Tj 100 0 Td /F2 14 Tf (cde) Tj ET";
    const { body } = await redact(recoded(content), term);
    const [page = []] = await textPlaces(body);
    expect(page.map(({ text }) => text.trim()).filter(Boolean)).toEqual(kept.split(" "));
  });

  test("words of content that are no operators are removed if they match, and true, false, and null stay", async () => {
    const before = "/Span << /Kept true /Other null >> BDC 1 2 mysecretword EMC 3 xsecret";
    const { body } = await redact(inNamedFont(`${before} 0 0 5 5 re f`), "e");
    const raw = await decoded(body);
    expect(raw).toContain("BDC 1 2 _ EMC 3 _ 0 0 5 5 re f");
    expect(raw).toMatch(/\/K_pt true \/Oth_r null/);
  });
});
