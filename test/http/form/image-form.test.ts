import { describe, expect, it } from "vitest";
import { about, readForm } from "./forms.ts";
import { ApiError } from "../../../src/http/errors/api-error.ts";
import type { FormPart } from "../../../src/http/multipart/multipart.ts";
import { formEncoding, formSchema } from "../../../src/http/openapi/form.ts";
import { defineOperation, type Operation } from "../../../src/operations/definition/define.ts";
import { imageFile, imageFiles, pdfFile } from "../../../src/operations/definition/fields.ts";
import { heapArena } from "../../harness/work/heap-arena.ts";

const pages = defineOperation({
  ...about,
  name: "pages",
  fields: { images: imageFiles("image", { min: 1, max: 3 }, "Pages.") },
});
const stamp = defineOperation({ ...about, name: "stamp", fields: { file: pdfFile(), image: imageFile("A stamp.") } });

const png = "\u0089PNG\r\n\u001a\n";
const jpeg = "\u00ff\u00d8\u00ff\u00e0";
const webp = "RIFF\0\0\0\0WEBPVP8 ";
const pdf = "%PDF-1.7";

function file(name: string, content: string): FormPart {
  const arena = heapArena(100);
  arena.write(Uint8Array.from(content, (character) => character.charCodeAt(0)));
  return { kind: "file", field: name, filename: `${name}.pdf`, bytes: arena.seal() };
}

async function refusal(operation: Operation, ...parts: FormPart[]): Promise<[string, string, unknown]> {
  try {
    await readForm(operation, parts);
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message, error.details];
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("numbered images", () => {
  it("numbered images are recognized by their first bytes, whatever their names", async () => {
    const { input } = await readForm(pages, [file("image2", webp), file("image0", png), file("image1", jpeg)]);
    expect(input.images.map(({ field }) => field)).toEqual(["image0", "image1", "image2"]);
    for (const other of [pdf, ` ${png}`, "BMW", "RIFF\0\0\0\0WAVE"]) {
      expect(await refusal(pages, file("image0", png), file("image1", other))).toEqual([
        "unsupported_format",
        "`image1` is not a PNG, JPEG, WebP, TIFF, GIF, or BMP.",
        { input: "image1" },
      ]);
    }
    expect(await refusal(pages, file("image0", ""))).toMatchObject(["invalid_file", {}, { input: "image0" }]);
  });

  it.each([
    ["\0\0\0\u0018ftypheic", "of the format HEIC, which is not supported. Save it as JPEG or PNG."],
    ["\0\0\0\u0018ftypavif", "of the format AVIF, which is not supported. Save it as JPEG or PNG."],
    [
      "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "of the format SVG, which is not supported. Send it to `to-pdf`, which prints it with a browser.",
    ],
  ])("the name of another format, and what to do, is in the error: %j", async (other, problem) => {
    expect(await refusal(pages, file("image0", other))).toEqual([
      "unsupported_format",
      `\`image0\` is ${problem}`,
      { input: "image0" },
    ]);
  });

  it("numbered images have no gap and no passwords", async () => {
    const password: FormPart = { kind: "text", field: "password0", value: "x" };
    expect((await refusal(pages, file("image0", png), file("image2", png), password))[2]).toEqual({
      fields: [
        { name: "image1", issue: "is missing: number the files image0, image1, and so on, without gaps" },
        { name: "password0", issue: "is not a parameter of this operation" },
      ],
    });
    expect((await refusal(pages))[2]).toEqual({
      fields: [{ name: "image0", issue: "is required: send at least 1 file, numbered from image0" }],
    });
  });
});

describe("optional images", () => {
  it("an optional image may be absent, beside a PDF with its password", async () => {
    const password: FormPart = { kind: "text", field: "password", value: "x" };
    expect((await readForm(stamp, [file("file", pdf), password])).input).toMatchObject({
      file: { password: "x" },
      image: undefined,
    });
    const { input } = await readForm(stamp, [file("file", pdf), file("image", jpeg)]);
    expect(input.image?.field).toBe("image");
    expect(input.image?.password).toBeUndefined();
    expect((await refusal(stamp, file("file", jpeg)))[0]).toBe("unsupported_format");
    expect((await refusal(stamp, file("file", pdf), file("image", pdf)))[2]).toEqual({ input: "image" });
  });
});

describe("formEncoding", () => {
  it("the description lists the media types of images", () => {
    const reference = { $ref: "#/components/schemas/FileReference" };
    const contentType = "image/png, image/jpeg, image/webp, image/tiff, image/gif, image/bmp";
    expect(formEncoding(pages)).toEqual({ image0: { contentType }, image1: { contentType } });
    expect(formEncoding(stamp)).toEqual({ image: { contentType } });
    expect(formSchema(pages)).toMatchObject({
      properties: { image0: { anyOf: [{ type: "string", format: "binary" }, reference], description: "Pages." } },
      required: ["image0"],
      patternProperties: { "^image(0|[1-9][0-9]*)$": { anyOf: [{ format: "binary" }, reference] } },
    });
    expect(formSchema(stamp)).toMatchObject({ required: ["file"] });
  });
});
