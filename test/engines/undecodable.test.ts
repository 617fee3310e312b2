import { expect, test } from "vitest";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { namingPage, pagesWithUndecodable } from "../../src/engines/pdf/images/undecodable.ts";
import { UndecodableImage } from "../../src/engines/file-errors.ts";
import { bilevel, INTERMEDIATE } from "../harness/bombs/drawing-bombs.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";

test("pages with an undecodable JBIG2 image are found, also within forms and masks", async () => {
  const unread = bilevel(64, INTERMEDIATE);
  const [image = ""] = unread.objects ?? [];
  const form = (inner: string) => ({
    entries: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /I ${inner} >> >>`,
    data: new Uint8Array(),
  });
  // Objects of the first page: its image is 4 0 R, after the catalog, the pages, and the font.
  const inForm = { width: 9, height: 9, content: "", resources: "/XObject << /F $0 >>", objects: [form("4 0 R")] };
  const masked = {
    width: 9,
    height: 9,
    content: "",
    resources: "/XObject << /I $0 >>",
    objects: [
      {
        entries:
          "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /Mask 4 0 R",
        data: Uint8Array.of(0),
      },
    ],
  };
  expect(image).not.toBe("");
  const file = drawing(unread, bilevel(64), inForm, masked, unread);
  const { engines, release } = await leaseEngines(() => true);
  const arena = engines.pdf.files.arena(file.length);
  arena.write(file);
  using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  expect(await pagesWithUndecodable(open, [0, 1, 2, 3, 4])).toEqual([0, 2, 3, 4]);
  expect(await pagesWithUndecodable(open, [1])).toEqual([]);
  release(true);
});

test("an error of an undecodable image names its page, and other errors are unchanged", async () => {
  const facts = { width: 3, height: 4, filter: "JBIG2Decode" };
  const fail = (error: Error): Promise<never> =>
    namingPage(6, async () => {
      throw error;
    });
  await expect(fail(new UndecodableImage("file", facts))).rejects.toMatchObject({
    code: "invalid_file",
    details: { input: "file" },
    message: expect.stringMatching(/^Page 7 of `file` has an image .* \(3 x 4 pixels, JBIG2\)/) as unknown,
  });
  const other = new Error("other");
  await expect(fail(other)).rejects.toBe(other);
});
