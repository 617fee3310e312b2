import { describe, expect, test, vi } from "vitest";
import { pipeline, post, type Steps, stepsOf } from "./pipeline-service.ts";
import { errorOf, newKey } from "../http/echo-service.ts";
import { withoutIdentifiers } from "../harness/compare/identifiers.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { writePng } from "../harness/images/png-writer.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

const letter = document({ name: "letter", pages: 3 });
const pngOf = (gray: number): Uint8Array => writePng({ width: 2, height: 2, colorType: 0, depth: 8 }, () => gray);
const logo = pngOf(0);

const rotate = { operation: "rotate", angle: 90 };
const compress = { operation: "compress" };
const image = { operation: "watermark", kind: "image", image: "part:logo" };

/** The numbers and names of the fields that a request is rejected for. */
async function problemsOf(steps: Steps | string, parts = {}): Promise<unknown> {
  const given = typeof steps === "string" ? steps : JSON.stringify(steps);
  const [status, code, details] = await errorOf(await post("pipeline", { file: letter, ...parts, steps: given }));
  expect([status, code]).toEqual([400, "invalid_parameters"]);
  const { fields } = details as { fields: { step?: number; name: string }[] };
  return fields.map(({ step, name }) => (step === undefined ? name : `${step} ${name}`)).toSorted();
}

const remainingOf = (response: Response): number => Number(response.headers.get("X-Credits-Remaining"));

describe("pipelines", () => {
  test("a pipeline costs the credits of its steps, and lists the result of each", async () => {
    const response = await pipeline([rotate, { operation: "extract-pages", range: "2" }, compress], { file: letter });
    expect(response.status).toBe(200);
    expect(response.headers.get("X-Credits-Charged")).toBe("4");
    expect(response.headers.get("Content-Disposition")).toContain('"file-pipeline.pdf"');
    expect(response.headers.get("X-Original-Size")).not.toBeNull();
    const steps = stepsOf(response);
    expect(steps.map(({ operation, pages }) => [operation, pages])).toEqual([
      ["rotate", 3],
      ["extract-pages", 1],
      ["compress", 1],
    ]);
    expect(steps[2]?.bytes).toBe((await response.bytes()).length);
  });

  test("a pipeline returns text, an archive, or any result of its last step", async () => {
    const text = await pipeline([{ operation: "extract-pages", range: "3" }, { operation: "extract-text" }], {
      file: letter,
    });
    expect(await text.json()).toMatchObject({ text: "Page 3 of letter", pages: [{ pageNumber: 1 }] });
    expect(stepsOf(text)[1]).toEqual({ operation: "extract-text" });
    const archive = await pipeline([rotate, { operation: "split", mode: "pages" }], { file: letter });
    expect(archive.headers.get("Content-Type")).toBe("application/zip");
  });

  test("a pipeline recognizes text for the next step as a single request does", async () => {
    const content = "BT /F1 12 Tf 20 30 Td (Letters to be recognized) Tj ET";
    const scan = drawing({ width: 300, height: 60, content });
    const read = await (await post("ocr", { file: scan, mode: "force", output: "pdf" })).bytes();
    const compressed = await (await post("compress", { file: read })).bytes();
    const response = await pipeline([{ operation: "ocr", mode: "force" }, compress], { file: scan });
    expect(withoutIdentifiers(await response.bytes())).toBe(withoutIdentifiers(compressed));
    // Identifiers are random, and so is the length that some are written with.
    expect(Math.abs((stepsOf(response)[0]?.bytes ?? 0) - read.length)).toBeLessThan(16);
  });

  test("a pipeline reports a repaired input of any step", async () => {
    const damaged = letter.slice(0, -20);
    const response = await pipeline([rotate, compress], { file: damaged });
    expect(response.headers.get("X-Input-Repaired")).toBe("true");
  });

  test("a pipeline takes the files of its first step, and those named by later steps", async () => {
    const images = await pipeline([{ operation: "from-images" }, image], { image0: logo, image1: logo, logo });
    expect(images.status).toBe(200);
    expect(images.headers.get("X-Page-Count")).toBe("2");
    const merged = await pipeline(
      [
        { operation: "merge", file1: "part:end" },
        { operation: "extract-pages", range: "4,1" },
        { operation: "merge", file1: "part:end", file2: "part:file0" },
        image,
        { operation: "extract-text" },
      ],
      { file0: letter, end: document({ name: "end", pages: 1 }), logo },
    );
    const { pages } = await merged.json<{ pages: { text: string }[] }>();
    const names = ["1 of end", "1 of letter", "1 of end", "1 of letter", "2 of letter", "3 of letter"];
    expect(pages.map((page) => page.text)).toEqual(names.map((name) => `Page ${name}`));
  });

  test("a pipeline reads an encrypted document with the password of its first step, until another is set", async () => {
    const secret = { operation: "protect", userPassword: "first", ownerPassword: "owner" };
    const locked = await (
      await post("protect", { file: letter, userPassword: "first", ownerPassword: "owner" })
    ).bytes();
    const read = await pipeline([{ ...rotate, password: "first" }, compress, { operation: "extract-text" }], {
      file: locked,
    });
    expect(read.status).toBe(200);
    const again = [secret, { ...compress, password: "owner" }, rotate];
    expect((await pipeline(again, { file: letter })).status).toBe(200);
    const [status, code, details] = await errorOf(await pipeline([rotate, secret, compress], { file: letter }));
    expect([status, code, details]).toEqual([400, "password_required", { input: "file", step: 3 }]);
  });
});

describe("validation", () => {
  test("problems of all steps are found, with their numbers", async () => {
    const steps = [
      { operation: "rotate", angle: 45, color: "red" },
      { operation: "extract-pages", range: "x" },
      { operation: "watermark", kind: "text", opacity: 7, image: "part:none" },
      { operation: "fly" },
      {},
      { operation: "metadata", action: "set", metadata: { title: [] } },
      { operation: "sign", mode: { type: "type" }, field: [1] },
      { operation: "protect" },
    ];
    expect(await problemsOf(steps, { logo })).toEqual([
      "1 angle",
      "1 color",
      "2 range",
      "3 image",
      "3 opacity",
      "3 text",
      "4 operation",
      "5 operation",
      "6 metadata",
      "7 field",
      "7 mode",
      "8 userPassword",
      "logo",
    ]);
  });

  test.each<[string, Steps | string, string[]]>([
    ["no JSON", "[", ["steps"]],
    ["no steps", [], ["steps"]],
    ["too many steps", Array.from({ length: 11 }, () => rotate), ["steps"]],
    ["what is no step", "[1]", ["steps"]],
    ["the same key twice", '[{"operation":"rotate","angle":90,"angle":90}]', ["steps"]],
    ["a file of a later step", [rotate, { ...compress, file: "part:file" }], ["2 file"]],
    ["a file that is not a part", [{ ...image, image: "file_1" }], ["1 image"]],
    ["text before another step", [{ operation: "extract-text" }, compress], ["1 operation"]],
    ["several files before another step", [{ operation: "split", mode: "pages" }, compress], ["1 operation"]],
    ["text of `ocr`, on request", [{ operation: "ocr", output: "json" }, compress], ["1 operation"]],
    ["images of a PDF", [rotate, { operation: "from-images", image0: "part:file" }], ["2 operation"]],
    [
      "a range of the first step that is out of bounds, beside others",
      [{ ...rotate, pages: "9" }, {}],
      ["1 pages", "2 operation"],
    ],
  ])("a pipeline with %s is rejected", async (_, steps, problems) => {
    expect(await problemsOf(steps)).toEqual(problems);
  });

  test("a parameter in the form is not one of a step", async () => {
    expect(await problemsOf([rotate], { angle: "90" })).toEqual(["angle"]);
    expect(await problemsOf([{ operation: "rotate" }], { angle: "90" })).toEqual(["1 angle", "angle"]);
  });

  test("a file of the wrong kind is rejected, with the step that takes it", async () => {
    const error = await errorOf(await pipeline([rotate, image], { file: letter, logo: letter }));
    expect(error).toEqual([415, "unsupported_format", { input: "logo", step: 2 }]);
  });

  test("a key needs the scopes of all steps", async () => {
    const key = await newKey("business", ["pdf:read"]);
    const pages = { operation: "extract-pages", range: "1" };
    expect((await pipeline([pages, { operation: "ocr" }], { file: letter }, { key })).status).toBe(200);
    const error = await errorOf(await pipeline([pages, compress], { file: letter }, { key }));
    expect(error).toEqual([403, "forbidden", { requiredScope: "pdf:write" }]);
  });
});

describe("failing steps", () => {
  const first = { operation: "extract-pages", range: "1" };

  test.each<[number, Steps, string, object]>([
    [1, [{ ...rotate, pages: "4" }, compress], "invalid_page_range", { field: "pages", range: "4", maxPage: 3 }],
    [2, [first, { ...rotate, pages: "2" }, compress], "invalid_page_range", { field: "pages", range: "2", maxPage: 1 }],
    [3, [first, compress, { operation: "to-images", pages: "2" }], "invalid_page_range", { maxPage: 1 }],
    [
      2,
      [first, { operation: "rotate", angle: 90, pages: "2", rotations: { 3: 90 } }],
      "invalid_parameters",
      { fields: [{ step: 2 }, { step: 2 }] },
    ],
    [2, [first, { operation: "fill-form", values: { a: "b" } }], "no_form", {}],
  ])("a step that fails as number %i is named, and nothing is charged", async (step, steps, code, details) => {
    const key = await newKey("free");
    const response = await pipeline(steps, { file: letter }, { key });
    const { error } = await response.json<{ error: { code: string; message: string; details: object } }>();
    expect(error).toMatchObject({ code, details: { ...details, step } });
    expect(error.message).toMatch(`Step ${step} (\`${String(steps[step - 1]?.["operation"])}\`): `);
    expect(remainingOf(await post("rotate", { file: letter, angle: "90" }, { key }))).toBe(99);
  });
});

test("a retry under the same key is charged once, and one with other steps or another file is another request", async () => {
  const key = await newKey("free");
  const sender = { key, headers: { "Idempotency-Key": "order" } };
  const parts = { file: letter, logo };
  expect(remainingOf(await pipeline([rotate, image], parts, sender))).toBe(98);
  const again = await pipeline([rotate, image], parts, sender);
  expect([again.headers.get("X-Credits-Charged"), again.headers.get("Idempotency-Replayed")]).toEqual(["0", "true"]);
  expect((await pipeline([image, rotate], parts, sender)).status).toBe(422);
  const other = { ...parts, logo: pngOf(1) };
  expect((await pipeline([rotate, image], other, sender)).status).toBe(422);
});
