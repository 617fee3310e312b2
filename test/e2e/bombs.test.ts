import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import {
  actionLoop,
  BOMB,
  claimedPages,
  deepPageTree,
  deflatedZeros,
  hiddenObjectStream,
  imagePatterns,
  longList,
  longNames,
  longOutline,
  lostObjects,
  manyAttachments,
  manyChunks,
  manyProfiles,
  repeatedAnnotation,
  repeatedWords,
  sharedAnnotations,
  sharedOptions,
  sharedResources,
  sparseNumbers,
  structureLoop,
} from "../harness/bomb-fixtures.ts";
import { type Answer, noticeClosed, patiently, pdfPart, post, type Part, type Service } from "../harness/client.ts";
import { valuesOf } from "../harness/form-calls.ts";
import { countPages, openPdf } from "../harness/pdfjs.ts";
import { runQpdf } from "../harness/qpdf.ts";
import { readPage } from "../harness/render.ts";
import { root } from "./server.ts";

const MiB = 1024 * 1024;
const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** Sends a file; while the service works on it, others are answered. */
async function send(operation: string, file: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Promise<Answer> {
  const name = operation === "from-images" ? "image0" : "file";
  await noticeClosed();
  const answer = post(service, operation, { [name]: pdfPart(file), ...fields });
  const [health, other] = await Promise.all([
    fetch(`${baseUrl}/api/v1/health`),
    patiently(() => post(service, "rotate", { file: pdfPart(claimedPages("1")), angle: "90" })),
  ]);
  expect([health.status, other.status]).toEqual([200, 200]);
  return answer;
}

async function outcome(...call: Parameters<typeof send>): Promise<readonly [number, string | undefined]> {
  const { status, code } = await send(...call);
  return [status, code];
}

const REFUSED = [413, "limit_exceeded"];
const rotated = { angle: "90" };

describe("what looks like object streams", () => {
  test("and never ends", async () => {
    expect(await outcome("rotate", repeatedWords("/ObjStm stream ", MiB / 2), rotated)).toEqual(REFUSED);
    expect(await outcome("rotate", repeatedWords("1 0 obj<</ObjStm>>stream ", MiB), rotated)).toEqual(REFUSED);
    expect(await outcome("rotate", repeatedWords("/ObjStm ", 2 * MiB), rotated)).toEqual([400, "invalid_file"]);
  });

  test("and hides its type and its size", async () => {
    expect(await outcome("metadata", hiddenObjectStream(BOMB), { action: "get" })).toEqual(REFUSED);
  });
});

test("a stream of 800 MB stays as it is when a document is compressed", async () => {
  const file = deflatedZeros(BOMB);
  const { status, body } = await send("compress", file);
  expect(status).toBe(200);
  expect(Buffer.compare(body, file)).toBe(0);
});

describe("a form", () => {
  test("with a list of 40,000 options is filled in with all of them, each twice", async () => {
    const options = Array.from({ length: 40_000 }, (_, index) => `o${index}`);
    const values = JSON.stringify({ list: [...options, ...options] });
    const { status, body } = await send("fill-form", longList(40_000), { values });
    expect(status).toBe(200);
    expect(await valuesOf(body)).toEqual({ list: options });
  });

  test("whose 400 fields share 20,000 options is filled in, but not listed", async () => {
    const values = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${index}`, "o19999"]));
    const { status, body } = await send("fill-form", sharedOptions(400, 20_000), { values: JSON.stringify(values) });
    expect(status).toBe(200);
    expect(await valuesOf(body)).toEqual(
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]])),
    );
    expect(await outcome("metadata", sharedOptions(400, 20_000), { action: "get" })).toEqual(REFUSED);
  });

  test("whose fields have very long names is refused", async () => {
    expect(await outcome("metadata", longNames(20_000, 100_000), { action: "get" })).toEqual(REFUSED);
  });
});

describe("pages that share", () => {
  test.each([40, 5_000])("40,000 annotations (%i pages)", async (pages) => {
    const file = sharedAnnotations(pages, 40_000, "square");
    const { status, body } = await send("rotate", file, rotated);
    expect(status).toBe(200);
    expect(await countPages(body)).toBe(pages);
    expect((await send("metadata", file, { action: "get" })).status).toBe(200);
    const copied = await send("extract-pages", file, { range: "2-end" });
    expect(copied.status).toBe(200);
    expect(await countPages(copied.body)).toBe(pages - 1);
    // All of them, and each once.
    expect(copied.body.length).toBeGreaterThan(0.9 * body.length);
    expect(copied.body.length).toBeLessThan(1.2 * body.length);
  });

  test("40,000 annotations with an appearance, which become part of the pages", async () => {
    const { status, body } = await send("flatten", sharedAnnotations(40, 40_000, "drawn"), {});
    expect(status).toBe(200);
    expect(await countPages(body)).toBe(40);
    expect(Buffer.from(body).includes("/Annots")).toBe(false);
    const few = await send("flatten", sharedAnnotations(3, 2, "drawn"), {});
    const { pixels, stride, height, scale } = (await readPage(few.body, 3)).picture;
    // The middle of the black square at the bottom left.
    expect(pixels[4 * (stride * Math.round((height - 4) * scale) + Math.round(4 * scale))]).toBe(0);
  });

  test("40,000 widgets of one field", async () => {
    const { body } = await send("metadata", sharedAnnotations(5_000, 40_000, "widget"), { action: "get" });
    const { formFields } = JSON.parse(Buffer.from(body).toString()) as { formFields: unknown };
    expect(formFields).toEqual([expect.objectContaining({ name: "text", page: 1 })]);
  });

  test("resources with 20,000 forms", async () => {
    const { status, body } = await send("rotate", sharedResources(100, 20_000), rotated);
    expect(status).toBe(200);
    expect(await countPages(body)).toBe(100);
  });
});

test("a page below 20,000 nodes of the page tree is rotated and extracted", async () => {
  for (const [operation, fields] of [
    ["rotate", rotated],
    ["extract-pages", { range: "1" }],
  ] as const) {
    const { status, body } = await send(operation, deepPageTree(20_000), fields);
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

test("of 20,000 attachments, one is removed and one is read", async () => {
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

test("a page among 200,000 objects without cross-references is found, and the last one of its number is taken", async () => {
  const { status, body } = await send("repair", lostObjects(100_000));
  expect(status).toBe(200);
  expect((await readPage(body, 1)).picture.stride).toBeGreaterThan(0);
  expect(await countPages(body)).toBe(1);
});

test("annotations that are the same 300,000 times are refused where they would be copied", async () => {
  expect(await outcome("extract-pages", repeatedAnnotation(300_000), { range: "1" })).toEqual(REFUSED);
});

describe("a PNG", () => {
  test("with 40 profiles of 17 MiB", async () => {
    expect(await outcome("from-images", manyProfiles(40, 17 * MiB))).toEqual([200, undefined]);
  });

  test("of 200,000 chunks", async () => {
    expect(await outcome("from-images", manyChunks(200_000))).toEqual(REFUSED);
  });
});

test("a link whose action is followed by itself, twice, is copied", async () => {
  const { status, body } = await send("extract-pages", actionLoop(), { range: "1,1" });
  expect(status).toBe(200);
  const [page] = (await openPdf(body)).pages;
  expect(page?.annotations).toMatchObject([{ subtype: "Link", target: { page: 0 } }]);
});

test("text whose structure element is its own ancestor is drawn and read", async () => {
  const { status, body } = await send("extract-text", structureLoop());
  expect(status).toBe(200);
  expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ text: "Looped" });
  expect((await send("to-images", structureLoop(), { dpi: "72" })).status).toBe(200);
});

test("300 patterns with inline images are drawn", async () => {
  expect((await send("to-images", imagePatterns(300), { dpi: "72" })).status).toBe(200);
});

describe("a document whose numbers are not its objects'", () => {
  test.each([
    ["rotate", rotated],
    ["compress", { stripMetadata: "true" }],
    ["watermark", { kind: "text", text: "Draft" }],
    ["extract-pages", { range: "1" }],
    ["protect", { userPassword: "reader" }],
  ])("of which it has four among 400,000: %s", async (operation, fields: Record<string, string>) => {
    const { status, body } = await send(operation, sparseNumbers(400_000), fields);
    expect(status).toBe(200);
    expect(body.length).toBeLessThan(50_000);
    const { pixels } = (await readPage(body, 1, { password: "reader" })).picture;
    expect(pixels.some((value, index) => index % 4 === 0 && value === 0)).toBe(true);
  });

  test.each(["9999999999", "-5", "6000"])("and whose page tree claims to have %s pages", async (count) => {
    const { status, body } = await send("rotate", claimedPages(count), rotated);
    expect(status).toBe(200);
    expect(await countPages(body)).toBe(1);
  });
});

test("nothing that a client sends is inflated by the platform, which takes in a bomb whole", async () => {
  const files = (await readdir(join(root, "src"), { recursive: true })).filter((name) => name.endsWith(".ts"));
  const uses = await Promise.all(
    files.map(async (name) => [
      name,
      (await readFile(join(root, "src", name), "utf8")).includes("new DecompressionStream"),
    ]),
  );
  // The models of text recognition are the service's own.
  expect(uses.filter(([, uses]) => uses)).toEqual([[join("engines", "ocr", "models.ts"), true]]);
});
