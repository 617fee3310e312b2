/** The fonts of the operator of `npm run serve`, through the front door. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as mupdf from "mupdf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { operatorFont } from "../harness/fonts/operator-fonts.ts";
import { type ApiResponse, type Part, pdfPart, post } from "../harness/requests/client.ts";
import { differingPixels, readPage } from "../harness/engines/render.ts";

let folder: string;
let server: StartedServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-own-fonts-"));
  await writeFile(join(folder, "brand #1.ttf"), operatorFont({ family: "Brand Script" }));
  await writeFile(join(folder, "bad.ttf"), "no font");
  await writeFile(join(folder, "secret.ttf"), operatorFont({ family: "Secret", type: 2 }));
  const data = await mkdtemp(join(tmpdir(), "pdf-service-serve-"));
  server = await startServer(data, ["--var", `FONTS_DIR:${folder}`]);
});
afterAll(async () => {
  await server.stop();
  for (const path of [server.persistTo, folder]) await rm(path, { recursive: true, force: true });
});

const send = async (operation: string, fields: Record<string, Part>): Promise<ApiResponse> => {
  const response = await post({ baseUrl: server.baseUrl, key: server.liveKey }, operation, fields);
  expect([operation, response.status, response.message]).toEqual([operation, 200, undefined]);
  return response;
};

/** The names of the fonts of a text, without the tags of subsets, as MuPDF reads them. */
function fontsOf(bytes: Uint8Array, text: string): string[] {
  const pages = mupdf.Document.openDocument(bytes.slice(), "application/pdf");
  const found: [character: string, font: string][] = [];
  pages
    .loadPage(0)
    .toStructuredText("")
    .walk({ onChar: (character, _origin, font) => void found.push([character, font.getName()]) });
  const at = found
    .map(([character]) => character)
    .join("")
    .indexOf(text);
  expect(at).toBeGreaterThanOrEqual(0);
  return [...new Set(found.slice(at, at + text.length).map(([, font]) => font.replace(/^[A-Z]{6}\+/, "")))];
}

const html = (family: string): Part => ({
  bytes: Buffer.from(`<p style="font-family:${family};font-size:40pt">Brandung</p><p>plain</p>`),
  fileName: "page.html",
});

test("bad fonts are named in one line each at the start, and the server starts", () => {
  const lines = server.printed().split("\n");
  expect(lines.filter((line) => line.includes("font not used")).map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      level: "error",
      message: "font not used",
      file: "bad.ttf",
      problem: "is damaged, or no TrueType or OpenType font",
    },
    {
      level: "error",
      message: "font not used",
      file: "secret.ttf",
      problem: "does not allow embedding (fsType 2: restricted license)",
    },
  ]);
  expect(server.printed()).toContain('"families":["Brand Script"]');
});

test("a document that names the family is set in it", async () => {
  const [own, other] = [
    await send("to-pdf", { file: html("'Brand Script'") }),
    await send("to-pdf", { file: html("'Unknown Script'") }),
  ];
  expect(fontsOf(own.body, "Brandung")).toEqual(["BrandScript"]);
  expect(fontsOf(own.body, "plain")).toEqual(fontsOf(other.body, "Brandung"));
  const [drawn, plain] = [await readPage(own.body), await readPage(other.body)];
  expect(drawn.text).toContain("Brandung");
  expect(differingPixels(drawn.picture, plain.picture, [0, 0, drawn.picture.width, 150])).toBeGreaterThan(1_000);
});

test("a watermark and page numbers are set in the font that they name", async () => {
  const file = pdfPart(document({ name: "letter", pages: 1 }));
  const black = { file, kind: "text", text: "Brandung", color: "#000000", opacity: "1" };
  const marked = await send("watermark", { ...black, font: "brand script" });
  expect(fontsOf(marked.body, "Brandung")).toEqual(["BrandScript"]);
  const plain = await send("watermark", black);
  const pictures = [(await readPage(marked.body)).picture, (await readPage(plain.body)).picture] as const;
  expect(differingPixels(...pictures, [0, 0, pictures[0].width, pictures[0].height])).toBeGreaterThan(1_000);
  const numbered = await send("add-page-numbers", { file, template: "Seite {n}", font: "Brand Script" });
  expect(fontsOf(numbered.body, "Seite 1")).toEqual(["BrandScript"]);
});

test("a character that the font lacks is set in another", async () => {
  const file = pdfPart(document({ name: "letter", pages: 1 }));
  const { body } = await send("watermark", { file, kind: "text", text: "ไทย", font: "Brand Script" });
  expect(fontsOf(body, "ไทย")).toEqual(["NotoSansThai"]);
});

test("a font that the server lacks is refused, with those that it has", async () => {
  const file = pdfPart(document({ name: "letter", pages: 1 }));
  const fields = { file, kind: "text", text: "Brandung", font: "Secret" };
  const response = await post({ baseUrl: server.baseUrl, key: server.liveKey }, "watermark", fields);
  expect([response.status, response.code, response.message]).toEqual([
    400,
    "invalid_parameters",
    "`font` must be the family of a font of this server: Brand Script.",
  ]);
});
