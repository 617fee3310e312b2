import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const features = ["links", "outline", "form", "attachments"] as const;
const [first, second, third] = [
  document({ name: "first", pages: 3, features }),
  document({ name: "second", pages: 2, features }),
  document({ name: "third", pages: 1 }),
];

async function merged(fields: Readonly<Record<string, string>> = {}, files = [first, second, third]) {
  const parts = files.map((bytes, index) => [`file${index}`, pdfPart(bytes, `file ${index}.pdf`)] as const);
  const { status, headers, body } = await post(service, "merge", { ...Object.fromEntries(parts), ...fields });
  expect(status).toBe(200);
  expect(await check(body)).toMatchObject({ ok: true });
  const view = await openPdf(body);
  expect(headers.get("X-Page-Count")).toBe(String(view.pages.length));
  return { body, view, order: view.pages.map(({ text }) => /Page \d+ of \w+/.exec(text)?.[0]) };
}

test("joins the pages of all files in the order of their numbers", async () => {
  const { body, order } = await merged();
  expect(order).toEqual([
    "Page 1 of first",
    "Page 2 of first",
    "Page 3 of first",
    "Page 1 of second",
    "Page 2 of second",
    "Page 1 of third",
  ]);
  expect((await readPage(body, 6)).picture.png.equals((await readPage(third)).picture.png)).toBe(true);
});

test("takes a page from each file in turn with `interleave`", async () => {
  const { order } = await merged({ interleave: "true" });
  expect(order).toEqual([
    "Page 1 of first",
    "Page 1 of second",
    "Page 1 of third",
    "Page 2 of first",
    "Page 2 of second",
    "Page 3 of first",
  ]);
});

test("keeps links, fields, and attachments of each file, and renames duplicates", async () => {
  const { view } = await merged({}, [first, second]);
  const [one, other] = await Promise.all([openPdf(first), openPdf(second)]);
  // The first link of a page leads to the next page, that of the last to the first.
  const targets = view.pages.map(({ annotations }) => annotations[0]?.target?.page);
  expect(targets).toEqual([1, 2, 0, 4, 3]);
  expect(view.fields.size).toBe(one.fields.size + other.fields.size);
  expect([...view.fields.keys()].some((name) => name.includes("_2"))).toBe(true);
  const hashes = [...one.attachments, ...other.attachments].map(({ hash }) => hash);
  expect(view.attachments.map(({ hash }) => hash).toSorted()).toEqual(hashes.toSorted());
});

test("keeps all outlines, one for each file, or none", async () => {
  const [one, other] = await Promise.all([openPdf(first), openPdf(second)]);
  const titles = [...one.outline, ...other.outline].map(({ title }) => title);
  expect((await merged({}, [first, second])).view.outline.map(({ title }) => title)).toEqual(titles);
  const { view } = await merged({ bookmarks: "per-file" }, [first, second]);
  expect(view.outline).toMatchObject([
    { title: "file 0", target: { page: 0 } },
    { title: "file 1", target: { page: 3 } },
  ]);
  expect(view.outline.map(({ items }) => items.length)).toEqual([one.outline.length, other.outline.length]);
  expect((await merged({ bookmarks: "none" }, [first, second])).view.outline).toEqual([]);
});

test("takes metadata from the first file, except the given title and author", async () => {
  expect((await merged()).view.info).toMatchObject({ Title: "Title of first", Author: "The author" });
  const { view } = await merged({ title: "All of them", author: "Ada" });
  expect(view.info).toMatchObject({ Title: "All of them", Author: "Ada", Subject: "A fixture" });
});
