import { unzipSync } from "fflate";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { folderOrNote, outsideFolder } from "../../scripts/outside-folders.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { corners, drawing, textPage } from "../harness/fixtures/drawing-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { difference, readJpeg, readPng } from "../harness/images/images.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

async function imageOf(bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const response = await post(service, "to-images", { file: pdfPart(bytes), ...fields });
  expect(response.status, response.code).toBe(200);
  return response.body;
}

/** Mean difference of samples that smoothing of edges makes on pages of text; another Helvetica makes more. */
const SMOOTHING = 4;
const OTHER_FONT = 7;

describe("comparison with pdf.js", () => {
  const color = textPage({ width: 595, height: 842, color: true });
  test.each([
    ["in one band", drawing(color), 100],
    ["in two bands", drawing(color), 260],
    ["turned and cut", drawing({ ...corners, entries: "/Rotate 90 /CropBox [10 10 110 70] /UserUnit 2" }), 150],
    ["a form and its fields", document({ name: "form", pages: 1, features: ["form", "shared-image"] }), 100],
  ])("a page looks as in pdf.js: %s", async (_, file, dpi) => {
    const own = readPng(await imageOf(file, { dpi: String(dpi), pages: "1" }));
    expect(difference(own, await renderPage(file, 1, dpi), 2)).toBeLessThan(OTHER_FONT);
  });

  const corpus = folderOrNote(outsideFolder("corpus"), "pages of real documents", "a folder of PDFs (CORPUS_DIR)");
  const real = [
    "text-truth/GeoTopo-komprimiert.pdf",
    "scans/graph_ocred.pdf",
    "tagged-outlines/annotated_pdf.pdf",
    "forms/libreoffice-form.pdf",
    "tagged-outlines/page-boxes-example.pdf",
    "cjk-rtl/right_to_left_01.pdf",
  ].flatMap((name) => (corpus !== undefined && existsSync(join(corpus, name)) ? [join(corpus, name)] : []));
  test.runIf(real.length > 0).each(real)("a real page looks as in pdf.js: %s", async (path) => {
    const file = new Uint8Array(await readFile(path));
    const own = readPng(await imageOf(file, { dpi: "100", pages: "1" }));
    expect(difference(own, await renderPage(file, 1, 100), 2)).toBeLessThan(SMOOTHING);
  });
});

test("60 pages are one complete ZIP", async () => {
  const file = drawing(...Array.from({ length: 60 }, (_, index) => ({ ...corners, width: 120 + index })));
  for (const format of ["png", "jpeg"]) {
    const response = await post(service, "to-images", { file: pdfPart(file), dpi: "72", format });
    const images = Object.entries(unzipSync(response.body));
    const widths = images.map(([, bytes]) => (format === "png" ? readPng(bytes) : readJpeg(bytes)).width);
    expect(widths).toEqual(Array.from({ length: 60 }, (_, index) => 120 + index));
  }
});
