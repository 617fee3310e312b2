import { PDFArray, PDFDocument, type PDFHexString, type PDFString } from "pdf-lib";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { drawPages, looksThatDiffer } from "../harness/compare/appearance.ts";
import { compressor } from "../harness/requests/compress-calls.ts";
import { jpegWith } from "../harness/images/jpeg-fixtures.ts";
import { smallDocument, xmpPacket } from "../harness/fixtures/metadata-fixtures.ts";
import { flate, latin1, type PdfStream } from "../harness/fixtures/pdf-writer.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { plainText } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const compress = compressor({ baseUrl, key: liveKey });

const xmp = (properties: string): PdfStream => ({
  entries: "/Type /Metadata /Subtype /XML",
  data: xmpPacket(properties, 'xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"'),
});
const box = (type: string, content: string): string =>
  `\0\0\0${String.fromCharCode(content.length + 8)}${type}${content}`;

/** A page with an image; whatever says where it comes from says `secret`. */
function secretive(properties: string): Uint8Array {
  const side = 64;
  const jpeg = jpegWith(
    { width: side, height: side, components: 3 },
    { 0xe1: "Exif\0\0secret-camera", 0xed: "Photoshop 3.0\0secret", 0xfe: "secret-comment" },
  );
  const jpx = latin1(`${box("jP  ", "\r\n\x87\n")}${box("uuid", "0123456789abcdefsecret")}${box("jp2c", "\xff\x4f")}`);
  const image = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /BitsPerComponent 8`;
  return smallDocument({
    info: "/Title (secret-title) /Author (secret) /Company (secret)",
    xmp: xmp(
      `${properties}<xmpMM:DocumentID>secret-id</xmpMM:DocumentID><xmpMM:History><rdf:Seq><rdf:li rdf:parseType="Resource">` +
        `<xmp:CreatorTool>C:/secret.exe</xmp:CreatorTool></rdf:li></rdf:Seq></xmpMM:History>` +
        "<dc:rights><rdf:Alt><rdf:li>secret</rdf:li></rdf:Alt></dc:rights>",
    ).data,
    catalog: "/SpiderInfo << /V 1 /C [(secret)] >> /Threads [<< /Type /Thread /F 11 0 R /I << /Author (secret) >> >>]",
    page:
      "/Contents 12 0 R /Thumb 10 0 R /LastModified (D:20200102secret) /PieceInfo << /App << /Private (secret) >> >>" +
      " /Resources << /XObject << /I 6 0 R /J 9 0 R >> /Properties << /P << /Metadata 8 0 R >> >> >> /B [11 0 R]",
    objects: [
      {
        // Its mask says that its samples are to stay as they are.
        entries: `${image} /ColorSpace /DeviceRGB /Filter /DCTDecode /SMask 7 0 R /Metadata 8 0 R`,
        // What programs leave behind the end.
        data: Buffer.concat([jpeg, latin1("secret-trailer")]),
      },
      flate(new Uint8Array(side * side).fill(200), `${image} /ColorSpace /DeviceGray /Matte [0 0 0]`),
      xmp("<dc:creator><rdf:Seq><rdf:li>secret</rdf:li></rdf:Seq></dc:creator>"),
      { entries: `${image} /Filter /JPXDecode`, data: jpx },
      flate(latin1("secret-thumbnail"), "/Width 4 /Height 4 /BitsPerComponent 8 /ColorSpace /DeviceGray"),
      "<< /T << /Type /Thread /F 11 0 R >> /N 11 0 R /V 11 0 R /P 3 0 R /R [0 0 10 10] >>",
      flate("/P /P BDC 64 0 0 64 20 20 cm /I Do EMC"),
    ],
  });
}

test("stripMetadata removes all traces of a document's origin, and keeps its appearance", async () => {
  const bytes = secretive("");
  expect((await plainText(bytes)).match(/secret/g)?.length).toBeGreaterThan(15);
  const { body } = await compress(bytes, { stripMetadata: "true" });
  expect(await plainText(body)).not.toContain("secret");
  expect((await openPdf(body)).xmp).toBeNull();
  expect(await plainText(body)).toMatch(/\/JPXDecode[\s\S]*jP {2}\r\n\x87\n[\s\S]*jp2c\xff\x4f/);
  expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.9999)).toEqual([]);
  expect((await plainText((await compress(bytes)).body)).match(/secret/g)?.length).toBeGreaterThan(10);
});

test("only the identifiers of PDF/A and PDF/UA stay in XMP", async () => {
  const properties =
    "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance><pdfaid:rev>by secret, with love</pdfaid:rev>" +
    '<u:part xmlns:u="http://www.aiim.org/pdfua/ns/id/">1</u:part>';
  const { body } = await compress(secretive(properties), { stripMetadata: "true" });
  const text = await plainText(body);
  expect(text).not.toContain("secret");
  for (const kept of ["<pdfaid:part>2<", "<pdfaid:conformance>A<", "<pdfuaid:part>1<"]) expect(text).toContain(kept);
});

test("a stripped file has another identifier", async () => {
  /** Each half in hexadecimal, however it is written. */
  const idOf = async (bytes: Uint8Array): Promise<string[]> => {
    const { context } = await PDFDocument.load(bytes);
    const halves = context.lookup(context.trailerInfo.ID, PDFArray).asArray();
    return halves.map((half) => Buffer.from((half as PDFHexString | PDFString).asBytes()).toString("hex"));
  };
  const bytes = secretive("");
  const stripped = await idOf((await compress(bytes, { stripMetadata: "true" })).body);
  expect(stripped).toEqual([expect.stringMatching(/^[\da-f]{32}$/), expect.stringMatching(/^[\da-f]{32}$/)]);
  expect(await idOf((await compress(bytes)).body)).toContain("01");
});
