/** What a page needs is given back before the next, and no page of ordinary size needs more than a request may have. */
import { expect, test } from "vitest";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { colorScans, recognize, setLines } from "./ocr-service.ts";
import { texts } from "./ocr-texts.ts";

const ENGLISH = texts["eng"] ?? "";

test("four color scans of 15 MB of samples each are recognized", async () => {
  const { pages } = await recognize(await colorScans(ENGLISH, 4));
  for (const { text } of pages) expect(text).toContain(ENGLISH);
  expect(pages).toHaveLength(4);
});

test("a large page with few letters is recognized", async () => {
  const content = setLines(ENGLISH, { x: 100, y: 1500, size: 30 });
  const { text } = await recognize(drawing({ width: 1684, height: 2384, content }), { mode: "force" });
  expect(text).toBe(ENGLISH);
});

test("nested groups drawn through masks on a page with small letters are recognized", async () => {
  const form = (content: string): string =>
    `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency /CS /DeviceRGB /I true >> ${content}`;
  const masked = "/ExtGState << /G << /SMask << /S /Luminosity /G 4 0 R >> >> >>";
  const file = drawing({
    width: 612,
    height: 792,
    content: "/G gs /A Do",
    resources: `${masked} /XObject << /A $3 >>`,
    objects: [
      { entries: form(""), data: new TextEncoder().encode("1 g 0 0 612 792 re f") },
      {
        entries: form("/Resources << /Font << /F1 3 0 R >> >>"),
        data: new TextEncoder().encode(setLines(ENGLISH, { x: 40, y: 400, size: 4 })),
      },
      { entries: form(`/Resources << ${masked} /XObject << /A 5 0 R >> >>`), data: DRAWN },
      { entries: form(`/Resources << ${masked} /XObject << /A 6 0 R >> >>`), data: DRAWN },
    ],
  });
  const { text } = await recognize(file, { mode: "force" });
  expect(text).toBe(ENGLISH);
});

const DRAWN = new TextEncoder().encode("q /G gs /A Do Q");
