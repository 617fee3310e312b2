import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import {
  actionLoop,
  BOMB,
  claimedPages,
  deflatedZeros,
  hiddenObjectStream,
  imagePatterns,
  longNames,
  manyChunks,
  manyProfiles,
  nestedPatterns,
  repeatedAnnotation,
  repeatedWords,
  sharedAnnotations,
  sparseNumbers,
  structureLoop,
} from "../harness/bombs/bomb-fixtures.ts";
import { besideOthers } from "../harness/work/beside-others.ts";
import { readPng } from "../harness/images/images.ts";
import { openPdf, pageRotations } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";
import { areaOf, readPage } from "../harness/engines/render.ts";
import { root } from "./server.ts";

const MiB = 1024 * 1024;
const { baseUrl, liveKey } = ownServer();
const { send, outcome } = besideOthers({ baseUrl, key: liveKey });

const REFUSED = [413, "limit_exceeded"];
const rotated = { angle: "90" };

describe("apparent object streams", () => {
  test("an apparent object stream that never ends is refused", async () => {
    expect(await outcome("rotate", repeatedWords("/ObjStm stream ", MiB / 2), rotated)).toEqual([400, "invalid_file"]);
    expect(await outcome("rotate", repeatedWords("1 0 obj<</ObjStm>>stream ", MiB), rotated)).toEqual(REFUSED);
    expect(await outcome("rotate", repeatedWords("/ObjStm ", 2 * MiB), rotated)).toEqual([400, "invalid_file"]);
  });

  test("an apparent object stream that hides its type and its size is refused", async () => {
    expect(await outcome("metadata", hiddenObjectStream(BOMB), { action: "get" })).toEqual(REFUSED);
  });
});

test("a stream of 800 MB is unchanged when a document is compressed", async () => {
  const file = deflatedZeros(BOMB);
  const { status, body } = await send("compress", file);
  expect(status).toBe(200);
  expect(Buffer.compare(body, file)).toBe(0);
});

describe("forms and annotations", () => {
  test("a form whose fields have very long names is refused", async () => {
    expect(await outcome("metadata", longNames(20_000, 100_000), { action: "get" })).toEqual(REFUSED);
  });
});

test("a page that lists an annotation 300,000 times is refused if they would be copied", async () => {
  expect(await outcome("extract-pages", repeatedAnnotation(300_000), { range: "1" })).toEqual(REFUSED);
});

test.each([
  ["rotate", rotated],
  ["attachments", { action: "list" }],
  ["compress", {}],
  ["flatten", {}],
  ["extract-text", {}],
])("annotations that many pages share are counted before they are read: %s", async (operation, fields) => {
  const { status, message } = await send(
    operation,
    sharedAnnotations(400, 10_000, "widget"),
    fields as Record<string, string>,
  );
  expect([status, message]).toEqual([413, "The pages of `file` have too many annotations."]);
});

describe("PNG", () => {
  test("a PNG with 40 profiles of 17 MiB is embedded", async () => {
    const { status, body } = await send("from-images", manyProfiles(40, 17 * MiB));
    expect(status).toBe(200);
    // Its pixels are black.
    const { picture } = await readPage(body);
    expect(areaOf(picture, (red) => red > 10)).toBeUndefined();
  });

  test("a PNG of 200,000 chunks is refused", async () => {
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
  const image = readPng((await send("to-images", structureLoop(), { dpi: "72" })).body);
  // A box of 50 by 30 points below the text.
  expect([image.at(45, 165), image.at(150, 165)]).toEqual([
    [0, 0, 0],
    [255, 255, 255],
  ]);
  const text = Array.from({ length: 80 }, (_, x) => image.at(20 + x, 94)[0]);
  expect(Math.min(...text)).toBeLessThan(128);
});

test("300 patterns with inline images are drawn", async () => {
  const { status, body } = await send("to-images", imagePatterns(300), { dpi: "72" });
  expect(status).toBe(200);
  const image = readPng(body);
  expect([image.at(50, 150), image.at(150, 50)]).toEqual([
    [0x40, 0x40, 0x40],
    [255, 255, 255],
  ]);
});

describe("sparse object numbers", () => {
  test.each([
    ["rotate", rotated],
    ["compress", { stripMetadata: "true" }],
    ["watermark", { kind: "text", text: "Draft" }],
    ["extract-pages", { range: "1" }],
    ["protect", { userPassword: "reader" }],
  ])("a document with four of 400,000 objects is processed: %s", async (operation, fields: Record<string, string>) => {
    const { status, body } = await send(operation, sparseNumbers(400_000), fields);
    expect(status).toBe(200);
    expect(body.length).toBeLessThan(50_000);
    const { picture, text } = await readPage(body, 1, { password: "reader" });
    // A black square of 99 points, 20 from the left and the bottom of a page of 200.
    const black = areaOf(picture, (red) => red === 0);
    expect(black).toEqual(operation === "rotate" ? [20, 20, 119, 119] : [20, 81, 119, 180]);
    expect(text).toContain(operation === "watermark" ? "Draft" : "");
    // qpdf takes the numbers of the input for damage, in so small a file.
    expect(await check(body, "reader")).toMatchObject({ ok: true });
    const opens = await readPage(body, 1).then(
      () => true,
      () => false,
    );
    expect(opens).toBe(operation !== "protect");
  });

  test.each(["9999999999", "-5", "6000"])(
    "a document whose page tree claims %s pages keeps its only page",
    async (count) => {
      const { status, body } = await send("rotate", claimedPages(count), rotated);
      expect(status).toBe(200);
      expect(await pageRotations(body)).toEqual([90]);
    },
  );
});

test("the platform inflates nothing that a client sends, and a bomb is received whole", async () => {
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

describe("nested patterns", () => {
  test("nested patterns are drawn: red squares of 40 points, each 50", async () => {
    const { status, body } = await send("to-images", nestedPatterns(20), { dpi: "72" });
    expect(status).toBe(200);
    const image = readPng(body);
    expect([image.at(20, 180), image.at(45, 180)]).toEqual([
      [255, 0, 0],
      [255, 255, 255],
    ]);
  });

  test("nested patterns have no text", async () => {
    const { status, body } = await send("extract-text", nestedPatterns(20));
    expect(status).toBe(200);
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ text: "", pages: [{ pageNumber: 1 }] });
  });

  test("nested patterns are the content that `auto` crops to", async () => {
    const { status, body } = await send("crop", nestedPatterns(20), { auto: "true" });
    expect(status).toBe(200);
    const { picture } = await readPage(body);
    expect([picture.width, picture.height].map(Math.round)).toEqual([190, 190]);
  });

  test("nested patterns turn gray", async () => {
    const { status, body } = await send("compress", nestedPatterns(20), { grayscale: "true" });
    expect(status).toBe(200);
    const { picture } = await readPage(body);
    expect(areaOf(picture, (red, green, blue) => red !== green || green !== blue)).toBeUndefined();
    expect(areaOf(picture, (red) => red < 200)?.map(Math.round)).toEqual([0, 10, 190, 200]);
  });

  test.each([
    ["to-images", {}],
    ["extract-text", {}],
    ["crop", { auto: "true" }],
    ["compress", { grayscale: "true" }],
  ])("patterns are refused by %s if they are nested deeper than any real ones", async (operation, fields) => {
    for (const count of [30, 60])
      expect(await outcome(operation, nestedPatterns(count), fields as Record<string, string>)).toEqual(REFUSED);
  });
});
