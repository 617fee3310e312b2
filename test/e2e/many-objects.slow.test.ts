import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { besideOthers } from "../harness/work/beside-others.ts";
import {
  bareAnnotations,
  deepPageTree,
  linkedLetters,
  longList,
  longOutline,
  lostObjects,
  manyAttachments,
  sharedAnnotations,
  sharedOptions,
  sharedResources,
} from "../harness/bombs/bomb-fixtures.ts";
import { patiently } from "../harness/requests/client.ts";
import { valuesOf } from "../harness/requests/form-calls.ts";
import { countPages, openPdf } from "../harness/engines/pdfjs.ts";
import { plainText, runQpdf } from "../harness/engines/qpdf.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const { send, outcome } = besideOthers({ baseUrl, key: liveKey });

const REFUSED = [413, "limit_exceeded"];
const rotated = { angle: "90" };

test("a form with two fields of 40,000 options each is filled in", async () => {
  const options = Array.from({ length: 40_000 }, (_, index) => `o${index}`);
  const values = JSON.stringify({ list: [...options, ...options] });
  const { status, body } = await send("fill-form", longList(40_000), { values });
  expect(status).toBe(200);
  expect(await valuesOf(body)).toEqual({ list: options });
});

test("a form whose 400 fields share 20,000 options is filled in, but not listed", async () => {
  const values = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${index}`, "o19999"]));
  const { status, body } = await send("fill-form", sharedOptions(400, 20_000), { values: JSON.stringify(values) });
  expect(status).toBe(200);
  expect(await valuesOf(body)).toEqual(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]])),
  );
  expect(await outcome("metadata", sharedOptions(400, 20_000), { action: "get" })).toEqual(REFUSED);
});

describe("linked letters", () => {
  test("a page of letters that are all links is redacted, and keeps all links without the term", async () => {
    const { status, body } = await send("redact", linkedLetters(190, 310), { terms: '["the"]' });
    expect(status).toBe(200);
    expect((await plainText(body)).match(/\/URI \(/g)?.length).toBe(190 * 310);
    const [page] = (await openPdf(body)).pages;
    expect(page?.text.replaceAll(/\s/g, "")).toBe("a".repeat(190 * 310));
  });

  test("a page of letters that are all links is redacted, and loses the links of all matches", async () => {
    const { status, body, headers } = await send("redact", linkedLetters(100, 150), { terms: '["aaaa"]' });
    expect(status).toBe(200);
    expect(headers.get("X-Redactions")).toBe(String((100 * 150) / 4));
    const [page] = (await openPdf(body)).pages;
    expect(page?.text.trim()).toBe("");
    expect(page?.annotations).toEqual([]);
  });
});

describe("a page of annotations without appearances", () => {
  test("30,000 of them are read and flattened", async () => {
    const file = bareAnnotations(30_000);
    const { status, body } = await send("extract-text", file);
    expect(status).toBe(200);
    // In the text of the document, and in that of its page.
    expect(
      Buffer.from(body)
        .toString()
        .match(/Label \d+/g),
    ).toHaveLength(2 * 6_000);
    const flattened = await send("flatten", file);
    expect(flattened.status).toBe(200);
    const [page] = (await openPdf(flattened.body)).pages;
    expect(page?.annotations).toHaveLength(6_000);
    expect(page?.text.match(/Label \d+/g)).toHaveLength(6_000);
  });

  test("a document with 10,000 of them becomes PDF/A", async () => {
    const { status, body, headers } = await patiently(() => send("archive", bareAnnotations(10_000)));
    expect(status).toBe(200);
    expect(headers.get("X-Conformance")).toBe("PDF/A-2b");
    expect(headers.get("X-Pages-Changed")).toBeNull();
    expect((await openPdf(body)).pages[0]?.annotations).toHaveLength(10_000);
  });
});

describe("shared objects", () => {
  test("pages that share 40,000 annotations are processed", async () => {
    const pages = 40;
    const file = sharedAnnotations(pages, 40_000, "square");
    const { status, body } = await send("rotate", file, rotated);
    expect(status).toBe(200);
    expect(await countPages(body)).toBe(pages);
    expect((await send("metadata", file, { action: "get" })).status).toBe(200);
    const copied = await send("extract-pages", file, { range: "2-end" });
    expect(copied.status).toBe(200);
    expect(await countPages(copied.body)).toBe(pages - 1);
    // All of them, and each once.
    const rewritten = await send("repair", file, {});
    expect(copied.body.length).toBeGreaterThan(0.9 * rewritten.body.length);
    expect(copied.body.length).toBeLessThan(1.2 * rewritten.body.length);
  });

  test("pages that share 40,000 annotations with an appearance are flattened", async () => {
    const { status, body } = await send("flatten", sharedAnnotations(40, 40_000, "drawn"), {});
    expect(status).toBe(200);
    expect(await countPages(body)).toBe(40);
    expect(Buffer.from(body).includes("/Annots")).toBe(false);
    const few = await send("flatten", sharedAnnotations(3, 2, "drawn"), {});
    const { pixels, stride, height, scale } = (await readPage(few.body, 3)).picture;
    // The middle of the black square at the bottom left.
    expect(pixels[4 * (stride * Math.round((height - 4) * scale) + Math.round(4 * scale))]).toBe(0);
  });

  test("pages that share 40,000 widgets of one field are processed", async () => {
    const { body } = await send("metadata", sharedAnnotations(50, 40_000, "widget"), { action: "get" });
    const { formFields } = JSON.parse(Buffer.from(body).toString()) as { formFields: unknown };
    expect(formFields).toEqual([expect.objectContaining({ name: "text", page: 1 })]);
  });

  test("pages that share resources with 20,000 forms are processed", async () => {
    const { status, body } = await send("rotate", sharedResources(100, 20_000), rotated);
    expect(status).toBe(200);
    expect(await countPages(body)).toBe(100);
  });
});

test("a page tree with more levels than the limit is refused, and one with fewer is not", async () => {
  const { status, body } = await send("rotate", deepPageTree(20_000), rotated);
  expect(status).toBe(413);
  const { error } = JSON.parse(new TextDecoder().decode(body)) as { error: object };
  expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: 500, actual: 501 } });
  for (const [operation, fields] of [
    ["rotate", rotated],
    ["extract-pages", { range: "1" }],
  ] as const) {
    const { status, body } = await send(operation, deepPageTree(499), fields);
    expect(status).toBe(200);
    expect((await readPage(body, 1)).picture.stride).toBeGreaterThan(0);
  }
});

test("an outline of 100,000 titles is read and replaced", async () => {
  const file = longOutline(100_000);
  const { status, body } = await send("outline", file, { action: "get" });
  expect(status).toBe(200);
  const { outline } = JSON.parse(new TextDecoder().decode(body)) as { outline: { title: string; page: number }[] };
  expect(outline).toHaveLength(100_000);
  expect(outline[99_999]).toMatchObject({ title: "99999", page: 1 });
  const replaced = await send("outline", file, { action: "set", outline: '[{"title":"Only","page":1}]' });
  expect(replaced.status).toBe(200);
  expect((await openPdf(replaced.body)).outline).toMatchObject([{ title: "Only", items: [], target: { page: 0 } }]);
});

test("one of 20,000 attachments is removed and one is read", async () => {
  const file = manyAttachments(20_000);
  const list = await send("attachments", file, { action: "list" });
  const { attachments } = JSON.parse(new TextDecoder().decode(list.body)) as { attachments: { name: string }[] };
  expect(attachments).toHaveLength(20_000);
  expect(await outcome("attachments", file, { action: "extract" })).toEqual(REFUSED);
  const one = await send("attachments", file, { action: "extract", name: "f019999" });
  expect([one.status, new TextDecoder().decode(one.body)]).toEqual([200, "content 19999"]);
  const { status, body } = await send("attachments", file, { action: "remove", name: "f000001" });
  expect(status).toBe(200);
  const { stdout } = await runQpdf(["--list-attachments", "/in.pdf"], { "/in.pdf": body });
  const left = stdout.split("\n").flatMap((line) => /^f\d+/.exec(line) ?? []);
  expect([left.length, left.includes("f000001"), left.includes("f000002")]).toEqual([19_999, false, true]);
});

test("a page is found among 200,000 objects without cross-references, with the last object of each number", async () => {
  const { status, body } = await send("repair", lostObjects(100_000));
  expect(status).toBe(200);
  expect((await readPage(body, 1)).picture.stride).toBeGreaterThan(0);
  expect(await countPages(body)).toBe(1);
});
