import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { limits, MiB } from "../../src/limits.ts";
import { pdfPart, post, type Part, type Service } from "../harness/requests/client.ts";
import { flate, latin1, pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** 200, or the refusal: status, code and details. */
async function outcome(operation: string, parts: Readonly<Record<string, Part>>): Promise<unknown> {
  const { status, body } = await post(service, operation, parts);
  if (status === 200) return 200;
  const { error } = JSON.parse(new TextDecoder().decode(body)) as { error: { code: string; details: unknown } };
  return [status, error.code, error.details];
}

const passed = (limit: number, actual: number): unknown => [413, "limit_exceeded", { limit, actual }];

const root = "<< /Type /Catalog /Pages 2 0 R >>";
const page = (entries = ""): string => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ${entries} >>`;

const withPages = (count: number, entries = "", objects: readonly PdfObject[] = []): Uint8Array => {
  const kids = Array.from({ length: count }, (_, index) => `${index + 3 + objects.length} 0 R`).join(" ");
  const tree = `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`;
  return pdf([root, tree, ...objects, ...Array<string>(count).fill(page(entries))], "/Root 1 0 R");
};

const onePage = withPages(1);

describe("document limits", () => {
  const { pages, objects, decompressedBytes, treeEntries } = limits;

  test.each([
    ["rotate", { angle: "90" }],
    ["extract-text", {}],
    ["metadata", { action: "get" }],
  ])(
    "a document of 5,000 pages is accepted, and one with more is refused by %s",
    async (operation, fields: Record<string, string>) => {
      expect(await outcome(operation, { file: pdfPart(withPages(pages)), ...fields })).toBe(200);
      const refused = await outcome(operation, { file: pdfPart(withPages(pages + 1)), ...fields });
      expect(refused).toEqual(passed(pages, pages + 1));
    },
  );

  test("a merge to more than 5,000 pages is refused", async () => {
    const half = pdfPart(withPages(pages / 2));
    expect(await outcome("merge", { file0: half, file1: half })).toBe(200);
    const refused = await outcome("merge", { file0: half, file1: half, file2: pdfPart(onePage) });
    expect(refused).toEqual(passed(pages, pages + 1));
  });

  test("a document of 500,000 objects is accepted, and one with more is refused", async () => {
    const last = (number: number): Uint8Array => {
      const text = new TextDecoder("latin1").decode(onePage);
      const row = `trailer\n<< /Size ${number + 1}`;
      return latin1(text.replace(/trailer\n<< \/Size \d+/, `${number} 1\n0000000000 00000 n \n${row}`));
    };
    const fields = { action: "get" };
    expect(await outcome("metadata", { file: pdfPart(last(objects - 1)), ...fields })).toBe(200);
    const refused = await outcome("metadata", { file: pdfPart(last(objects)), ...fields });
    expect(refused).toEqual(passed(objects, objects + 1));
  });

  test("content that decompresses to 512 MiB is read, and more is refused", async () => {
    const size = 32 * MiB;
    const content = flate(new Uint8Array(size).fill(32));
    const entries = "/Contents 3 0 R /Resources << /ExtGState << /G0 << >> >> >>";
    const read = (count: number): Promise<unknown> =>
      outcome("extract-pages", { file: pdfPart(withPages(count + 1, entries, [content])), range: "2-end" });
    const fitting = decompressedBytes / size;
    expect(await read(fitting)).toBe(200);
    expect(await read(fitting + 1)).toEqual(passed(decompressedBytes, decompressedBytes + size));
  });

  test("a name tree of 200,000 entries is accepted, and one with more is refused", async () => {
    const tree = (count: number): Uint8Array => {
      const names = Array.from({ length: count }, (_, index) => `(n${index}) 0`).join(" ");
      const catalog = `<< /Type /Catalog /Pages 2 0 R /Names << /JavaScript << /Names [${names}] >> >> >>`;
      return pdf([catalog, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page()], "/Root 1 0 R");
    };
    const extract = (count: number): Promise<unknown> =>
      outcome("extract-pages", { file: pdfPart(tree(count)), range: "1" });
    expect(await extract(treeEntries)).toBe(200);
    expect(await extract(treeEntries + 1)).toEqual(passed(treeEntries, treeEntries + 1));
  });
});

describe("extract-text limits", () => {
  const lines = (count: number): Uint8Array => {
    const line = (index: number): string => show("a ".repeat(100), 10, 799 - index / 2, 0.4);
    return textDocument([{ content: Array.from({ length: count }, (_, index) => line(index)).join("\n") }]);
  };

  test("150,000 words with their places are extracted, and more are refused", async () => {
    const most = limits.text.words;
    const file = pdfPart(lines(most / 100));
    expect(await outcome("extract-text", { file, words: "true" })).toBe(200);
    const more = pdfPart(lines(most / 100 + 1));
    expect(await outcome("extract-text", { file: more, words: "true" })).toEqual(passed(most, most + 100));
    expect(await outcome("extract-text", { file: more })).toBe(200);
  });
});

describe("split limits", () => {
  test("more than 5,000 parts are refused", async () => {
    const ranges = Array<string>(limits.zipEntries + 1)
      .fill("1")
      .join("|");
    const refused = await outcome("split", { file: pdfPart(onePage), mode: "ranges", ranges });
    expect(refused).toEqual(passed(limits.zipEntries, limits.zipEntries + 1));
  });

  test("parts of more than 50,000 pages in total are refused", async () => {
    const ranges = Array<string>(101).fill("all").join("|");
    const refused = await outcome("split", { file: pdfPart(withPages(500)), mode: "ranges", ranges });
    expect(refused).toEqual(passed(limits.splitPages, 50_500));
  });
});

describe("form limits", () => {
  const { fields, textBytes, allTextBytes } = limits.form;

  test("a JSON parameter of 1 MiB is accepted, and one more byte is refused", async () => {
    const metadata = (bytes: number): string => `{"title":"${"x".repeat(bytes - 12)}"}`;
    const set = { file: pdfPart(onePage), action: "set" };
    expect(await outcome("metadata", { ...set, metadata: metadata(textBytes) })).toBe(200);
    const refused = await outcome("metadata", { ...set, metadata: metadata(textBytes + 1) });
    expect(refused).toMatchObject([413, "limit_exceeded", { limit: textBytes }]);
  });

  test("more than 4 MiB of text are refused", async () => {
    const texts = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`f${index}`, "x".repeat(textBytes - 9)]));
    const refused = await outcome("rotate", { file: pdfPart(onePage), ...texts });
    expect(refused).toMatchObject([413, "limit_exceeded", { limit: allTextBytes }]);
  });

  test("more than 1,000 fields are refused", async () => {
    const many = Object.fromEntries(Array.from({ length: fields }, (_, index) => [`f${index}`, ""]));
    expect(await outcome("rotate", { file: pdfPart(onePage), ...many })).toEqual(passed(fields, fields + 1));
  });

  test("a field name longer than the headers of a part is refused", async () => {
    const refused = await outcome("rotate", { [`f${"x".repeat(limits.form.partHeaderBytes)}`]: "" });
    expect(refused).toMatchObject([413, "limit_exceeded", { limit: limits.form.partHeaderBytes }]);
  });
});
