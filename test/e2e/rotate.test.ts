import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";
import { areaOf, readPage } from "../harness/engines/render.ts";
import { isRed } from "../harness/requests/stamp-calls.ts";
import { textDocument } from "../harness/fixtures/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** A red square of 100 points, 50 points from the left and the top of a page of 600 by 800. */
const square = "1 0 0 rg 50 650 100 100 re f";
const pages = (...entries: string[]): Uint8Array =>
  textDocument(
    entries.map((entry, index) => ({
      content: `${square} BT 0 g /F1 12 Tf 300 400 Td (Page ${index + 1}) Tj ET`,
      entries: entry,
    })),
  );

async function rotated(bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const { status, headers, body } = await post(service, "rotate", { file: pdfPart(bytes), ...fields });
  expect(status).toBe(200);
  const view = await openPdf(body);
  expect(headers.get("X-Page-Count")).toBe(String(view.pages.length));
  expect(view.pages.map(({ text }) => text.trim())).toEqual(view.pages.map((_, index) => `Page ${index + 1}`));
  expect(await check(body)).toMatchObject({ ok: true });
  return body;
}

/** The distance of the red square from the left and the top of the page as pdf.js shows it, and the page's size. */
async function shown(bytes: Uint8Array, page = 1): Promise<readonly number[]> {
  const { picture } = await readPage(bytes, page, { scale: 1 });
  const [left = -1, top = -1] = areaOf(picture, isRed) ?? [];
  return [left, top, picture.width, picture.height];
}

test.each([
  ["0", [50, 50, 600, 800]],
  ["90", [650, 50, 800, 600]],
  ["180", [450, 650, 600, 800]],
  ["270", [50, 450, 800, 600]],
])("turns a page clockwise by %s degrees", async (angle, expected) => {
  expect(await shown(await rotated(pages(""), { angle }))).toEqual(expected);
});

test("adds to the rotation of a page, and reads one that is no multiple of 90 as none", async () => {
  const body = await rotated(pages("/Rotate 270", "/Rotate -90", "/Rotate 45"), { angle: "180" });
  expect((await openPdf(body)).pages.map(({ rotate }) => rotate)).toEqual([90, 90, 180]);
  expect(await shown(body, 2)).toEqual([650, 50, 800, 600]);
});

test("turns only the selected pages, and `rotations` overrides `angle`", async () => {
  const fields = { angle: "90", pages: "2-4", rotations: '{"3":180,"5":270}' };
  const body = await rotated(pages("", "", "", "", ""), fields);
  expect((await openPdf(body)).pages.map(({ rotate }) => rotate)).toEqual([0, 90, 180, 90, 270]);
});

test("rejects a page outside the document", async () => {
  const file = pdfPart(pages("", ""));
  const { status, code, message } = await post(service, "rotate", { file, rotations: '{"3":90}' });
  expect([status, code]).toEqual([400, "invalid_page_range"]);
  expect(message).toContain("`rotations`");
});
