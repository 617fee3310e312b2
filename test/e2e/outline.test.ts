import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type ApiResponse } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { pdf } from "../harness/fixtures/pdf-writer.ts";
import { openPdf, type OutlineEntry } from "../harness/engines/pdfjs.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const send = (bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "outline", { file: pdfPart(bytes), ...fields });

interface Entry {
  readonly title: string;
  readonly page?: number | null;
  readonly children?: readonly Entry[];
  readonly [fact: string]: unknown;
}

async function outlineOf(bytes: Uint8Array): Promise<Entry[]> {
  const { status, body } = await send(bytes, { action: "get" });
  expect(status).toBe(200);
  return (JSON.parse(new TextDecoder().decode(body)) as { outline: Entry[] }).outline;
}

async function withOutline(bytes: Uint8Array, outline: readonly Entry[]): Promise<Uint8Array> {
  const { status, body } = await send(bytes, { action: "set", outline: JSON.stringify(outline) });
  expect(status).toBe(200);
  return body;
}

/** As pdf.js sees it, without what differs between a name and the destination that it stands for. */
const seen = (list: readonly OutlineEntry[]): unknown =>
  list.map(({ title, bold, italic, url, target, open, items }) => {
    return { title, bold, italic, url, page: target?.page, open, items: seen(items) };
  });

const empty = document({ name: "empty", pages: 3 });

describe("outline get and set", () => {
  test("destinations, actions, headings, and links can be set as `get` returns them, with their styles", async () => {
    const source = document({ name: "source", pages: 7, features: ["destinations", "outline"] });
    const outline = await outlineOf(source);
    expect(outline[0]).toMatchObject({ title: "Chapter 1 of source", page: 1, bold: true, open: true });
    expect(outline.at(-1)).toMatchObject({ title: "Web", page: null, url: "https://example.com/" });
    expect(outline.at(-2)).toMatchObject({ title: "Appendix", page: null, children: [{ title: "End", page: 7 }] });
    const before = await openPdf(source);
    const replaced = await withOutline(await withOutline(source, []), outline);
    expect(seen((await openPdf(replaced)).outline)).toEqual(seen(before.outline));
    expect(await outlineOf(replaced)).toEqual(outline);
    expect(await check(replaced)).toMatchObject({ ok: true });
  });

  test("every view and titles in every script can be set as `get` returns them", async () => {
    const views = [
      ["XYZ", 72, 700.5, null],
      ["Fit"],
      ["FitH", null],
      ["FitV", 3],
      ["FitR", 1, 2, 3, 4],
      ["FitB"],
      ["FitBH", 5],
      ["FitBV", -6],
    ];
    const titles = ["Überblick", "目次", "فهرس", "Зміст", "विषय", "🙂 (1) \\", "", "line\nline"];
    const outline = titles.map((title, index) => ({ title, page: 1 + (index % 3), view: views[index], children: [] }));
    const body = await withOutline(empty, outline);
    expect(await outlineOf(body)).toEqual(outline);
    const { outline: found } = await openPdf(body);
    expect(found.map(({ title, target }) => [title, target?.page])).toEqual(
      outline.map(({ title, page }) => [title, page - 1]),
    );
  });
});

test("an empty outline removes the outline and the page mode that opens it", async () => {
  const source = document({ name: "source", pages: 3, features: ["outline"] });
  const body = await withOutline(source, []);
  expect(await openPdf(body)).toMatchObject({ outline: [], pageMode: "UseNone" });
  expect(await plainText(body)).not.toMatch(/Chapter|Outlines/);
});

test("a cyclic outline ends", async () => {
  const looped = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
      "<< /First 5 0 R /Last 6 0 R >>",
      "<< /Title (one) /Dest [3 0 R /XYZ] /Next 6 0 R /First 5 0 R >>",
      "<< /Title (two) /Next 5 0 R /First 4 0 R /Dest [9 0 R /Fit] /C [2 -1 0.5] >>",
    ],
    "/Root 1 0 R",
  );
  expect(await outlineOf(looped)).toMatchObject([
    { title: "one", page: 1, view: ["XYZ", null, null, null], children: [] },
    { title: "two", page: null, color: "#ff0080" },
  ]);
});

test.each([
  [[{ title: "a", page: 4 }], /`0\.page` must be at most 3, the last page/],
  [[{ title: "a", children: [{ title: "b", page: 9 }] }], /`0\.children\.0\.page` must be at most 3/],
  [[{ title: "a", page: 0 }], /`0\.page` must be at least 1/],
  [[{ page: 1 }], /`0\.title` is required/],
  [[{ title: "a", pages: 1 }], /`0\.pages` is not a known parameter/],
  [[{ title: "a", page: 1, view: ["XYZ", 1] }], /`0\.view` must have 3 numbers after `XYZ`/],
  [[{ title: "a", view: ["Fit"] }], /`0\.view` requires `page`/],
  [[{ title: "a", page: 1, url: "https://example.com" }], /`0\.url` cannot be sent with `page`/],
  [{ title: "a" }, /must be an array/],
])("invalid parameters are named: %j", async (outline, issue) => {
  const { status, body } = await send(empty, { action: "set", outline: JSON.stringify(outline) });
  const { error } = JSON.parse(new TextDecoder().decode(body)) as { error: { details: { fields: object[] } } };
  expect(status).toBe(400);
  expect(error.details.fields).toEqual([{ name: "outline", issue: expect.stringMatching(issue) as unknown }]);
});
