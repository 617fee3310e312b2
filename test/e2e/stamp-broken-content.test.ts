import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { pdfPart, post } from "../harness/requests/client.ts";
import { concatenate, latin1, noise, pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();

const text = "BT /F1 12 Tf 20 170 Td (Before) Tj ET";

/** Content after which readers disagree about what is open, or give up. */
const contents: Readonly<Record<string, string>> = {
  "an operator inside of an array": `${text} BT /F1 12 Tf [(a) q (b`,
  "an array that never ends": `${text} BT /F1 12 Tf [(a) 1`,
  "a string that never ends": `${text} BT /F1 12 Tf (open \\( (`,
  "a hexadecimal string that never ends": `${text} BT /F1 12 Tf <4142`,
  "a dictionary that never ends": `${text} /P <</MCID 0 /A`,
  "a dictionary without a value": `${text} /P <</Type >> BDC`,
  "a dictionary without a key": `${text} /P <</MCID 0 1>> BDC BT`,
  "an operator that lacks operands": `${text} q 86 379 re W n`,
  "words that are no operators": `${text} q 0 0 0 0 re W n ${"nonsense 1 ".repeat(200)}`,
  "states that are restored too often": `${text} Q Q 0 0 0 0 re W n 3 Tr`,
  "delimiters without their counterpart": `${text} q ] >> ) } BT`,
  "an inline image that never ends": `${text} q BI /W 4 /H 4 /BPC 8 /CS /G ID 0123456789`,
  "a clipping path and invisible text": `${text} q 0 0 0 0 re W n BT 3 Tr 100 Tz`,
};

const deflated = new Uint8Array(deflateSync(latin1(`${text}\n${"0 0 m 9 9 l S\n".repeat(300)}`)));
const filtered: Readonly<Record<string, PdfObject>> = {
  "a truncated filter": { entries: "/Filter/FlateDecode", data: deflated.slice(0, 60) },
  "a filter with a damaged byte": {
    entries: "/Filter/FlateDecode",
    data: deflated.map((byte, at) => (at === deflated.length - 20 ? byte ^ 0xff : byte)),
  },
  "a filter over noise": {
    entries: "/Filter/FlateDecode",
    data: concatenate([deflated.slice(0, 2), noise(200, 5)]),
  },
  "a filter that readers end at different bytes": { entries: "/Filter/ASCIIHexDecode", data: latin1("71205154 zz (") },
};

const streams: Readonly<Record<string, PdfObject>> = {
  ...Object.fromEntries(
    Object.entries(contents).map(([name, content]) => [name, { entries: "", data: latin1(content) }]),
  ),
  ...filtered,
};

/** A document with a page for each stream. `tagged`: as one whose untagged content must be marked as an artifact. */
function documentOf(all: readonly PdfObject[], tagged: boolean): Uint8Array {
  const kids = all.map((_, index) => `${4 + index * 2} 0 R`);
  const pages = all.flatMap((stream, index) => [
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + index * 2} 0 R>>`,
    stream,
  ]);
  return pdf(
    [
      `<</Type/Catalog/Pages 2 0 R${tagged ? "/MarkInfo<</Marked true>>" : ""}>>`,
      `<</Type/Pages/Count ${all.length}/Kids[${kids.join(" ")}]>>`,
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
      ...pages,
    ],
    "/Root 1 0 R",
  );
}

const darkPixels = async (bytes: Uint8Array, page: number): Promise<number> => {
  const { picture } = await readPdfiumPage(bytes, page, { width: 200, height: 200 });
  // The middle, where only the stamp is.
  return picture.data.filter((sample, at) => sample < 128 && Math.abs(Math.floor(at / 600) - 100) < 60).length;
};

describe.each([{ tagged: false }, { tagged: true }])("content %j", ({ tagged }) => {
  test("a stamp is visible on every page, whatever its content leaves open", async () => {
    const bytes = documentOf(Object.values(streams), tagged);
    const fields = { kind: "text", text: "STAMP", color: "#000000", opacity: "1", position: "center", rotation: "0" };
    const { status, body } = await post({ baseUrl, key: liveKey }, "watermark", { file: pdfPart(bytes), ...fields });
    expect(status).toBe(200);
    expect((await check(body)).errors).toEqual([]);
    const { pages } = await openPdf(body);
    for (const [index, name] of Object.keys(streams).entries()) {
      expect(pages[index]?.text, name).toContain("STAMP");
      expect(await darkPixels(body, index), name).toBeGreaterThan(1_000);
    }
    // What could be read before is still there; the pages with filters come after these.
    for (const [index, name] of Object.keys(contents).entries()) expect(pages[index]?.text, name).toContain("Before");
  });
});

test("a page without a size gets that of its stamp's placement", async () => {
  const bytes = Buffer.from(documentOf([{ entries: "", data: latin1(text) }], false)).toString("latin1");
  const broken = latin1(bytes.replace("[0 0 200 200]", "[0 null 200]"));
  const { body } = await post({ baseUrl, key: liveKey }, "watermark", {
    file: pdfPart(broken),
    kind: "text",
    text: "STAMP",
  });
  expect((await openPdf(body)).pages[0]).toMatchObject({ view: [0, 0, 612, 792] });
  expect((await plainText(body)).replaceAll(/\s+/g, " ")).toContain("/MediaBox [ 0 0 612 792 ]");
});
