import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, type Part, post, type Service } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { type HeavyDocument, heavyDocument } from "../harness/bombs/heavy-document.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { countPages } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const small = document({ name: "small", pages: 2 });

/** Documents of 28 to 31 MiB: with 500 annotations a page, or many small images. */
const heavy: readonly (readonly [string, HeavyDocument])[] = [
  ["65,000 annotations", { pages: 130, annotations: 500, images: 1, imageBytes: 150_000 }],
  ["20,000 images", { pages: 200, annotations: 0, images: 100, imageBytes: 1400 }],
];

async function send(operation: string, parts: Record<string, Part>): Promise<Awaited<ReturnType<typeof post>>> {
  const response = await post(service, operation, parts);
  expect(response).toMatchObject({ status: 200, code: undefined });
  return response;
}

/** The pixels of a page (1-based) as pdf.js draws it, with annotations. */
const pixelsOf = async (bytes: Uint8Array, page: number): Promise<Buffer> =>
  Buffer.from((await readPage(bytes, page)).picture.pixels);

describe.each(heavy)("large document with %s", (_name, shape) => {
  const file = heavyDocument(shape);

  /** Whether a document is sound, its number of pages, and whether its first page is drawn as the page `first` (1-based) of the source. */
  async function factsOf(bytes: Uint8Array, first: number) {
    const source = await pixelsOf(file, first);
    return {
      isSound: (await check(bytes)).ok,
      pages: await countPages(bytes),
      isDrawn: source.includes(0) && (await pixelsOf(bytes, 1)).equals(source),
    };
  }

  test("a large document is merged with another", async () => {
    const { body } = await send("merge", { file0: pdfPart(file), file1: pdfPart(small) });
    expect(await factsOf(body, 1)).toEqual({ isSound: true, pages: shape.pages + 2, isDrawn: true });
  });

  test("a large document is extracted without its first page", async () => {
    const { body } = await send("extract-pages", { file: pdfPart(file), range: "2-end" });
    expect(await factsOf(body, 2)).toEqual({ isSound: true, pages: shape.pages - 1, isDrawn: true });
  });

  test("a large document is split into two parts", async () => {
    const response = await send("split", { file: pdfPart(file), mode: "ranges", ranges: "1|2-end" });
    const [one, rest, more] = documentsOf(response).map(({ bytes }) => bytes);
    if (!one || !rest || more) throw new Error("there are not two parts");
    expect(await factsOf(one, 1)).toEqual({ isSound: true, pages: 1, isDrawn: true });
    expect(await factsOf(rest, 2)).toEqual({ isSound: true, pages: shape.pages - 1, isDrawn: true });
  });

  test("a large document passes five steps that append", async () => {
    const steps = [
      { operation: "rotate", angle: "180", pages: "1" },
      { operation: "add-page-numbers", pages: "2-end" },
      { operation: "watermark", kind: "text", text: "DRAFT", pages: "3" },
      { operation: "outline", action: "set", outline: [{ title: "Only", page: 1 }] },
      { operation: "rotate", angle: "180", pages: "1" },
    ];
    const { body } = await send("pipeline", { file: pdfPart(file), steps: JSON.stringify(steps) });
    expect(Buffer.from(body.subarray(0, file.length)).equals(file)).toBe(true);
    expect(await factsOf(body, 1)).toEqual({ isSound: true, pages: shape.pages, isDrawn: true });
    expect((await pixelsOf(body, 3)).equals(await pixelsOf(file, 3))).toBe(false);
  });
});

test("a document of 12 MiB passes steps that copy pages and steps that append, in turn", async () => {
  const file = heavyDocument({ pages: 60, annotations: 20, images: 4, imageBytes: 50_000 });
  const steps = [
    { operation: "extract-pages", range: "2-end" },
    { operation: "rotate", angle: "180", pages: "1" },
    { operation: "delete-pages", pages: "2" },
    { operation: "rotate", angle: "180", pages: "1" },
  ];
  const { body } = await send("pipeline", { file: pdfPart(file), steps: JSON.stringify(steps) });
  expect((await check(body)).ok).toBe(true);
  expect(await countPages(body)).toBe(58);
  expect((await pixelsOf(body, 1)).equals(await pixelsOf(file, 2))).toBe(true);
  expect((await pixelsOf(body, 2)).equals(await pixelsOf(file, 4))).toBe(true);
});
