import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiError } from "../../src/http/errors.ts";
import { stemOf } from "../../src/http/file-kind.ts";
import { FormNames, readForm } from "../../src/http/form.ts";
import type { FormPart } from "../../src/http/multipart.ts";
import { defineOperation } from "../../src/operations/define.ts";
import {
  type FieldIssue,
  formBoolean,
  formChoice,
  formInteger,
  formText,
  jsonField,
  pageRange,
  pdfFile,
  pdfFiles,
  text,
} from "../../src/operations/fields.ts";
import { heapArena } from "../harness/heap-arena.ts";

const about = {
  summary: "",
  description: "",
  credits: 1,
  scope: "pdf:write",
  produces: ["application/json"],
  headers: [],
  run: async () => ({ kind: "json", value: null, headers: {} }) as const,
} as const;

const one = defineOperation({
  ...about,
  name: "one",
  fields: {
    file: pdfFile(),
    pages: text(pageRange(), ""),
    flag: text(formBoolean(), ""),
    size: text(formInteger(1, 9), ""),
    mode: text(
      z.preprocess((value) => value, z.enum(["a", "b"])),
      "",
    ),
    style: text(formChoice("x", "y"), ""),
    label: text(formText(5), ""),
    angles: text(jsonField(z.record(z.string(), z.literal([0, 90]))), ""),
  },
  check: ({ size, style }) =>
    size !== undefined && style === "y" ? [{ name: "size", issue: "belongs to style x" }] : [],
});

const many = defineOperation({ ...about, name: "many", fields: { files: pdfFiles("file", { min: 2, max: 4 }, "") } });

const value = (name: string, content: string): FormPart => ({ kind: "text", name, value: content });

function file(name: string, content = "%PDF-1.7", filename = `${name}.pdf`): FormPart {
  const arena = heapArena(2_000);
  arena.write(new TextEncoder().encode(content));
  return { kind: "file", name, filename, bytes: arena.seal() };
}

function refusal(operation: typeof one | typeof many, ...parts: FormPart[]): ApiError {
  try {
    if (operation === one) readForm(one, parts);
    else readForm(many, parts);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function issues(operation: typeof one | typeof many, ...parts: FormPart[]): string[] {
  const error = refusal(operation, ...parts);
  expect(error.code).toBe("invalid_parameters");
  return ((error.details ?? {})["fields"] as FieldIssue[]).map(({ name, issue }) => `${name}: ${issue}`);
}

describe("a form that is right", () => {
  it("gives every field in its type", () => {
    const { input, stem } = readForm(one, [
      value("mode", "b"),
      value("flag", "1"),
      value("size", "7"),
      value("angles", '{"3":90}'),
      value("pages", "1-2"),
      value("password", "secret"),
      file("file", "%PDF-1.7", "dir/report.v2.pdf"),
    ]);
    expect(stem).toBe("report.v2");
    expect(input).toMatchObject({ mode: "b", flag: true, size: 7, angles: { 3: 90 }, pages: { text: "1-2" } });
    expect(input.file).toMatchObject({ field: "file", stem: "report.v2", password: "secret", passwordIsOwn: true });
  });

  it("takes an empty text for one that is not given", () => {
    const blank = ["pages", "flag", "size", "style", "label", "angles", "password"].map((name) => value(name, ""));
    const { input } = readForm(one, [...blank, value("mode", "a"), file("file")]);
    expect(input).toMatchObject({
      pages: undefined,
      flag: false,
      size: undefined,
      style: undefined,
      angles: undefined,
    });
    expect(input.file).toMatchObject({ passwordIsOwn: false });
  });

  it("sorts numbered files by number and gives each its password", () => {
    const { input, stem } = readForm(many, [
      file("file1"),
      value("password1", "own"),
      value("password", "all"),
      file("file0", "%PDF-", "first.pdf"),
    ]);
    expect(stem).toBe("first");
    expect(input.files).toMatchObject([
      { field: "file0", password: "all", passwordIsOwn: false },
      { field: "file1", password: "own", passwordIsOwn: true },
    ]);
  });

  it("lets a bad page range through that is the only problem", () => {
    const { input } = readForm(one, [value("mode", "a"), value("pages", "5-"), file("file")]);
    expect(input.pages?.problem).toBeTypeOf("string");
  });
});

describe("problems, all at once", () => {
  it("names what is missing, wrong, unknown and given twice", () => {
    const found = issues(
      one,
      value("flag", "yes"),
      value("size", "1e1"),
      value("style", "z"),
      value("label", "123456"),
      value("pages", "5-"),
      value("colour", "red"),
      value("colour", "blue"),
      value("angles", "{"),
      value("angles", "{}"),
    );
    expect(found).toHaveLength(10);
    expect(found).toEqual(
      expect.arrayContaining([
        "flag: must be true, false, 1 or 0",
        "size: must be a whole number",
        "style: must be one of x, y",
        expect.stringMatching(/^label: /),
        expect.stringMatching(/^pages: /),
        "colour: is not a field of this operation",
        "angles: is given 2 times",
        "angles: must be valid JSON",
        "mode: is required",
        "file: is required: a file",
      ]),
    );
  });

  it("says where in a JSON field it is", () => {
    const [issue] = issues(one, value("mode", "a"), file("file"), value("angles", '{"1":90,"2":45}'));
    expect(issue).toMatch(/^angles: at 2: /);
  });

  it("reports a second file, a text for a file and a file for a text", () => {
    expect(issues(one, value("mode", "a"), file("file"), file("file"))).toEqual(["file: is given 2 times"]);
    expect(issues(one, value("mode", "a"), value("file", "%PDF-"))).toEqual([
      "file: must be a file: a part with a filename",
    ]);
    expect(issues(one, file("mode"), file("file"))).toEqual(["mode: must be text, not a file"]);
  });

  it("asks the operation's own check once every field has a value", () => {
    expect(
      issues(one, value("mode", "a"), value("size", "1"), value("style", "y"), value("q", ""), file("file")),
    ).toEqual(["q: is not a field of this operation", "size: belongs to style x"]);
  });

  it("names the missing index and the password without a file", () => {
    expect(issues(many, file("file0"), file("file2"), file("file3"), value("password7", "x"))).toEqual([
      "file1: is missing: file0, file1, ... are numbered without a gap",
      "password7: there is no file7",
    ]);
    expect(issues(many, file("file0"))).toEqual(["file1: is required: at least 2 files, from file0 on"]);
    expect(issues(many, file("file0"), file("file01"))).toHaveLength(2);
    expect(issues(many, file("file0"), file("file999999999")).length).toBeLessThan(20);
  });

  it("cuts long names and long lists", () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => [index, 1]);
    const angles = JSON.stringify(Object.fromEntries(entries));
    const error = refusal(one, file("file"), value("mode", "a"), value("angles", angles), value("n".repeat(9_999), ""));
    expect(JSON.stringify(error.details).length).toBeLessThan(3_000);
  });
});

describe("files", () => {
  it("refuses the first file too many", () => {
    const names = new FormNames(many.fields);
    for (const name of ["file0", "file1", "file2", "file3"]) expect(names.wantsFile(name)).toBe(true);
    expect(names.wantsFile("file3")).toBe(false);
    expect(names.wantsFile("else")).toBe(false);
    expect(() => names.wantsFile("file4")).toThrow(expect.objectContaining({ code: "limit_exceeded" }));
  });

  it("are told by their bytes, once the parameters are right", () => {
    const mode = value("mode", "a");
    const late = (at: number): FormPart => file("file", `${" ".repeat(at)}%PDF-1.4`, "x.txt");
    expect(() => readForm(one, [mode, late(1_023)])).not.toThrow();
    expect(refusal(one, mode, late(1_024))).toMatchObject({ code: "unsupported_format", details: { input: "file" } });
    expect(refusal(one, mode, file("file", "hello"))).toMatchObject({ code: "unsupported_format" });
    expect(refusal(one, mode, file("file", ""))).toMatchObject({ code: "invalid_file", details: { input: "file" } });
    expect(refusal(one, file("file", "hello"))).toMatchObject({ code: "invalid_parameters" });
  });

  it("are not given where a browser sends an empty file input", () => {
    expect(issues(one, value("mode", "a"), file("file", "", ""))).toEqual(["file: is required: a file"]);
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
  ])("%j is called %j", (filename, stem) => {
    expect(stemOf(filename)).toBe(stem);
  });
});
