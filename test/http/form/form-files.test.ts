import { describe, expect, it } from "vitest";
import { file, issues, many, one, readForm, refusal, value } from "./forms.ts";
import { stemOf } from "../../../src/operations/definition/file-names.ts";
import { FormNames } from "../../../src/http/form/form-reader.ts";
import type { FormPart } from "../../../src/http/multipart/multipart.ts";

describe("files", () => {
  it("refuses the first file too many", async () => {
    const names = new FormNames(many);
    for (const name of ["file0", "file1", "file2", "file3"]) expect(names.wantsFile(name)).toBe(true);
    expect(names.wantsFile("file3")).toBe(false);
    expect(names.wantsFile("else")).toBe(false);
    expect(() => names.wantsFile("file4")).toThrow(expect.objectContaining({ code: "limit_exceeded" }));
  });

  it("files are recognized by their bytes once the parameters are valid", async () => {
    const mode = value("mode", "a");
    const late = (at: number): FormPart => file("file", `${" ".repeat(at)}%PDF-1.4`, "x.txt");
    await readForm(one, [mode, late(1_023)]);
    expect(await refusal(one, mode, late(1_024))).toMatchObject({
      code: "unsupported_format",
      details: { input: "file" },
    });
    expect(await refusal(one, mode, file("file", "hello"))).toMatchObject({ code: "unsupported_format" });
    expect(await refusal(one, mode, file("file", ""))).toMatchObject({
      code: "invalid_file",
      details: { input: "file" },
    });
    expect(await refusal(one, file("file", "hello"))).toMatchObject({ code: "invalid_parameters" });
  });

  it.each([
    ["an image", "GIF89a", " Make a PDF of it with `from-images`."],
    ["a DOCX", "PK\x03\x04", " Make a PDF of it with `to-pdf`."],
    ["an RTF", "{\\rtf1", " Make a PDF of it with `to-pdf`."],
    ["a text", "hello", ""],
  ])("%s in the place of a PDF is refused, with the operation that makes a PDF of it", async (_, content, advice) => {
    expect(await refusal(one, value("mode", "a"), file("file", content))).toMatchObject({
      code: "unsupported_format",
      message: `\`file\` is not a PDF.${advice}`,
    });
  });

  it("an empty file input of a browser counts as no file", async () => {
    expect(await issues(one, value("mode", "a"), file("file", "", ""))).toEqual(["file: is required"]);
  });

  it.each([
    ["C:\\Users\\me\\report.final.PDF", "report.final"],
    ["../../etc/passwd", "passwd"],
    [".pdf", "document"],
    ["..", "document"],
    ["", "document"],
    ["a\u202Egpj.pdf", "agpj"],
    ["年次報告.pdf", "年次報告"],
    ['we"ird:name?.pdf', "we_ird_name_"],
    [`${"x".repeat(500)}.pdf`, "x".repeat(150)],
  ])("the name of file %j is stemmed as %j", (filename, stem) => {
    expect(stemOf(filename)).toBe(stem);
  });
});
