import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { drawPages } from "../harness/compare/appearance.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { colorDocument } from "../harness/fixtures/color-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check, runQpdf } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

test("every way to paint turns gray, as light as it was", async () => {
  const bytes = colorDocument();
  const { status, body } = await post(service, "compress", { file: pdfPart(bytes), grayscale: "true" });
  expect(status).toBe(200);
  expect((await check(body)).errors).toEqual([]);
  const [before, after] = [drawPages(bytes)[0], drawPages(body)[0]];
  if (!before || !after) throw new Error("no page");
  // MuPDF's own way from gray to RGB rounds.
  const tinted = after.data.findIndex((value, at) => Math.abs(value - (after.data[at - (at % 3)] ?? 0)) > 1);
  expect(tinted).toBe(-1);

  // The means of blocks of 8 by 8 pixels. The standard's formula for inks is up to 55 off what a profile gives.
  const off: string[] = [];
  for (let y = 0; y + 8 <= after.height; y += 8) {
    for (let x = 0; x + 8 <= after.width; x += 8) {
      let [was, is] = [0, 0];
      for (let pixel = 0; pixel < 64; pixel++) {
        const at = ((y + (pixel >> 3)) * after.width + x + (pixel & 7)) * 3;
        const [red = 0, green = 0, blue = 0] = before.data.subarray(at, at + 3);
        was += (0.3 * red + 0.59 * green + 0.11 * blue) / 64;
        is += (after.data[at] ?? 0) / 64;
      }
      if (Math.abs(was - is) > 60) off.push(`${x},${y}: ${was.toFixed(0)} became ${is.toFixed(0)}`);
    }
  }
  expect(off).toEqual([]);
});

test("no color is left in content, annotations and form", async () => {
  const { body } = await post(service, "compress", { file: pdfPart(colorDocument()), grayscale: "true" });
  const { output } = await runQpdf(["--qdf", "--object-streams=disable", "/in.pdf", "/out.pdf"], { "/in.pdf": body });
  const text = Buffer.from(output ?? []).toString("latin1");
  expect(text.match(/.*[\d.] (rg|RG|k|K|scn?|SCN?)\s/g)).toBeNull();
  const annotations = (await openPdf(body)).pages[0]?.annotations;
  expect(annotations?.length).toBe(2);
});
