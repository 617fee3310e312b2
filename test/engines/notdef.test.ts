import { expect, test } from "vitest";
import { countNotdef } from "../../src/engines/convert/notdef.ts";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { latin1, type PdfObject } from "../harness/fixtures/pdf-writer.ts";

const composite = "<< /Type /Font /Subtype /Type0 /BaseFont /C /Encoding /Identity-H /DescendantFonts [] >>";

/** A form with a composite font, object 4 of the file. */
const form = (shown: string): PdfObject => ({
  entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /C 4 0 R >> >>",
  data: latin1(`BT /C 9 Tf ${shown} ET`),
});

async function count(content: string, ...forms: readonly string[]): Promise<number> {
  const file = drawing({
    width: 9,
    height: 9,
    content,
    resources: "/XObject << /X $1 /Y $2 >>",
    objects: [composite, ...forms.map(form)],
  });
  const { engines, release } = await leaseEngines(() => true);
  const arena = engines.pdf.files.arena(file.length);
  arena.write(file);
  using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  const found = await countNotdef(open);
  release(true);
  return found;
}

test("codes of a composite font have two bytes, and those of other fonts one", async () => {
  expect(await count("/X Do", "<00000001> Tj [<0100> -5 <000000000003>] TJ <1000> Tj <0001> '")).toBe(3);
  expect(await count("BT /F1 9 Tf (a\\000b) Tj [<0061> 5 <00>] TJ <0100> Tj ET")).toBe(4);
  expect(await count("BT /F1 9 Tf (ab) Tj ET /X Do", "10000 0 Td <0100> Tj <1000> Tj")).toBe(0);
});

test("a form counts once, however often it is drawn, and text without a font does not count", async () => {
  expect(await count("BT <0000> Tj ET /X Do /X Do /Y Do", "<0000> Tj", "<00000000> Tj")).toBe(3);
});
