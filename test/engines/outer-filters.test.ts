import { expect, test } from "vitest";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { dropAllOuterFilters } from "../../src/engines/pdf/images/outer-filters.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";

/** The entries of an image that says how it is coded, and its data, after outer filters were dropped. */
async function dropped(
  coding: string,
  data: string,
): Promise<readonly [filter: string, parameters: string, data: string]> {
  const file = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
      { entries: `/Type /XObject /Subtype /Image /Width 1 /Height 1 ${coding}`, data: latin1(data) },
    ],
    "/Root 1 0 R",
  );
  const { engines, release } = await leaseEngines(() => true);
  const arena = engines.pdf.files.arena(file.length);
  arena.write(file);
  using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  await dropAllOuterFilters(open);
  const image = open.document.newIndirect(4);
  const found = [
    image.get("Filter").toString(),
    image.get("DecodeParms").toString(),
    image.readRawStream().asString(),
  ] as const;
  release(true);
  return found;
}

test("a codec within other filters becomes the only filter, with its own parameters", async () => {
  expect(await dropped("/Filter [/AHx /DCTDecode] /DecodeParms [null << /ColorTransform 0 >>]", "616263>")).toEqual([
    "/DCTDecode",
    "<</ColorTransform 0>>",
    "abc",
  ]);
  expect(await dropped("/Filter [/ASCIIHexDecode /ASCIIHexDecode /JPXDecode]", "36313E>")).toEqual([
    "/JPXDecode",
    "null",
    "a",
  ]);
});

test("images without a codec, with no other filter, or with a cipher of their own stay as they are", async () => {
  for (const filter of ["[/ASCIIHexDecode/CCITTFaxDecode]", "[/DCTDecode]", "[/Crypt/DCTDecode]"]) {
    expect(await dropped(`/Filter ${filter}`, "616263>")).toEqual([filter, "null", "616263>"]);
  }
});
