import { describe, expect, test } from "vitest";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { withObjectStreams } from "../harness/fixtures/revision-fixtures.ts";
import { call, verify } from "../harness/signatures/signed-operations.ts";
import { streamText, update } from "../harness/signatures/updates.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();
const service = { baseUrl, key: liveKey };
const ada = await issue({ subject: "Ada" });
const credentials = { privateKey: await keyPem(ada), chain: chainPem(ada) };

/** An object number that nobody has defined, behind the last of the file. */
const MISSING = 6;

interface References {
  readonly trailer?: string;
  readonly contents?: string;
  readonly annotations?: string;
  readonly catalog?: string;
}

/** A page with text, and references to objects that the file does not have. */
function withReferences({ trailer = "", contents = "", annotations = "", catalog = "" }: References): Uint8Array {
  const objects: PdfObject[] = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents [5 0 R ${contents}] /Annots [${annotations}] /Resources << /Font << /F 4 0 R >> >> >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    streamText("BT /F 12 Tf 20 250 Td (Pay 100) Tj ET"),
  ];
  return pdf(objects, `/Root 1 0 R /ID [<01> <01>] ${trailer}`);
}

const hybrid = { trailer: `/AdditionalStreams [/application#2Fvnd.oasis.opendocument.text ${MISSING} 0 R]` };
// Not `stamp`: qpdf complains about references to nothing.
const seal = async (file: Uint8Array): Promise<Uint8Array> => (await call(service, "seal", file, credentials)).body;

describe("numbers of new objects", () => {
  test.each<[string, References]>([
    ["the trailer, as LibreOffice writes it", hybrid],
    ["the contents of a page", { contents: `${MISSING} 0 R` }],
    ["a page's annotations, further on", { annotations: `${MISSING + 2} 0 R ${MISSING} 0 R` }],
  ])("new objects get numbers above all references by %s", async (_name, references) => {
    const file = withReferences(references);
    for (const [operation, fields] of [
      ["seal", credentials],
      ["watermark", { kind: "text", text: "DRAFT" }],
      ["metadata", { action: "set", metadata: '{"title":"New"}' }],
    ] as const) {
      const { body } = await call(service, operation, file, fields);
      const defined = Array.from(
        Buffer.from(body)
          .toString("latin1")
          .matchAll(/\n(\d+) 0 obj\b/g),
        ([, one]) => Number(one),
      );
      const dangling = Object.values(references).flatMap((text: string) =>
        Array.from(text.matchAll(/(\d+) 0 R/g), ([, one]) => Number(one)),
      );
      expect(
        defined.filter((one) => dangling.includes(one)),
        operation,
      ).toEqual([]);
      expect(Math.max(...defined), operation).toBeGreaterThan(Math.max(...dangling));
    }
  });

  test("new objects get free numbers with object streams, and a seal stays valid under another one", async () => {
    for (const file of [withReferences(hybrid), await withObjectStreams(withReferences(hybrid))])
      expect(await verify(service, await seal(await seal(file)))).toMatchObject({ documentIntact: true });
  });

  test("a number that the file is too small for does not count", async () => {
    const { body } = await call(service, "seal", withReferences({ annotations: "8000000 0 R" }), credentials);
    expect(body.length).toBeLessThan(20_000);
    expect(await verify(service, body)).toMatchObject({ documentIntact: true });
  });
});

describe("updates with missing objects", () => {
  const zip = "PK\u0003\u0004 a document of its own PK\u0005\u0006 its directory";
  const widget = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (x) /F 4 /Rect [0 0 300 300] /AP << /N 5 0 R >> >>";

  test.each<[string, References, string, boolean]>([
    ["an entry of the trailer that readers of PDF do not know", hybrid, "<< /Any /Thing >>", true],
    ["the same, and it is the document that LibreOffice opens", hybrid, streamText(zip), false],
    ["the contents of a page", { contents: `${MISSING} 0 R` }, streamText("BT /F 12 Tf 90 250 Td (000) Tj ET"), false],
    ["the contents, and the trailer", { ...hybrid, contents: `${MISSING} 0 R` }, streamText("0 0 9 9 re f"), false],
    [
      "a page's annotations",
      { annotations: `${MISSING} 0 R` },
      "<< /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] >>",
      false,
    ],
    ["a page's annotations, and it is a field", { annotations: `${MISSING} 0 R` }, widget, false],
    ["the names of the document", { catalog: `/Names ${MISSING} 0 R` }, "<< /JavaScript << /Names [] >> >>", false],
    [
      "the metadata",
      { catalog: `/Metadata ${MISSING} 0 R` },
      streamText(
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF></x:xmpmeta>',
        "/Type /Metadata /Subtype /XML",
      ),
      true,
    ],
  ])(
    "an update that defines an object missing in the signed revision is judged: %s",
    async (_name, references, object, documentIntact) => {
      const signed = await seal(withReferences(references));
      expect(await verify(service, signed)).toMatchObject({ documentIntact: true });
      const report = await verify(service, update(signed, { [MISSING]: object }));
      expect(report.documentIntact, JSON.stringify(report.signatures[0]?.changes)).toBe(documentIntact);
    },
  );
});

test("a field on a page but not in the form must not change", async () => {
  const widget = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (x) /F 4 /Rect [0 0 30 30] >>";
  const file = update(withReferences({ annotations: `${MISSING} 0 R` }), { [MISSING]: widget });
  const signed = await seal(file);
  expect(await verify(service, signed)).toMatchObject({ documentIntact: true });
  const changed = update(signed, { [MISSING]: widget.replace("30 30", "300 300") });
  expect(await verify(service, changed)).toMatchObject({ documentIntact: false });
});
