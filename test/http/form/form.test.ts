import { describe, expect, it } from "vitest";
import { file, issues, many, one, readForm, refusal, value } from "./forms.ts";

describe("valid forms", () => {
  it("a valid form gives every field in its type", async () => {
    const { input, stem } = await readForm(one, [
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

  it("an empty text counts as absent", async () => {
    const blank = ["pages", "flag", "size", "style", "label", "angles", "password"].map((name) => value(name, ""));
    const { input } = await readForm(one, [...blank, value("mode", "a"), file("file")]);
    expect(input).toMatchObject({
      pages: undefined,
      flag: false,
      size: undefined,
      style: undefined,
      angles: undefined,
    });
    expect(input.file).toMatchObject({ passwordIsOwn: false });
  });

  it("numbered files are sorted by number, each with its password", async () => {
    const { input, stem } = await readForm(many, [
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

  it("an invalid page range as the only problem is left to the operation", async () => {
    const { input } = await readForm(one, [value("mode", "a"), value("pages", "5-"), file("file")]);
    expect(input.pages?.problem).toBeTypeOf("string");
  });
});

describe("all problems at once", () => {
  it("missing, invalid, unknown, and repeated fields are listed", async () => {
    const found = await issues(
      one,
      value("flag", "maybe"),
      value("size", "1e1"),
      value("style", "z"),
      value("label", "123456"),
      value("pages", "5-"),
      value("color", "red"),
      value("color", "blue"),
      value("angles", "{"),
      value("angles", "{}"),
    );
    expect(found).toHaveLength(10);
    expect(found).toEqual(
      expect.arrayContaining([
        "flag: must be true or false",
        "size: must be a whole number from 1 to 9",
        "style: must be x or y",
        "label: must have at most 5 characters",
        expect.stringMatching(/^pages: /),
        "color: is not a parameter of this operation",
        "angles: was sent 2 times",
        "angles: must be valid JSON",
        "mode: is required",
        "file: is required",
      ]),
    );
  });

  it("a problem in a JSON field is located", async () => {
    const [issue] = await issues(one, value("mode", "a"), file("file"), value("angles", '{"1":90,"2":45}'));
    expect(issue).toBe("angles: is invalid: `2` must be 0 or 90");
  });

  it("a second file, a text for a file, and a file for a text are reported", async () => {
    expect(await issues(one, value("mode", "a"), file("file"), file("file"))).toEqual(["file: was sent 2 times"]);
    expect(await issues(one, value("mode", "a"), value("file", "%PDF-"))).toEqual([
      "file: must be a file, a `file_...` ID, or an https:// URL",
    ]);
    expect(await issues(one, file("mode"), file("file"))).toEqual(["mode: must be text, not a file"]);
  });

  it("every check runs whose fields are valid", async () => {
    const style = [value("style", "y"), value("name", "n")];
    expect(await issues(one, value("size", "1"), ...style, value("label", "no"), value("q", ""), file("file"))).toEqual(
      [
        "mode: is required",
        "q: is not a parameter of this operation",
        "size: must not be 1 with style y",
        "label: must not be no",
      ],
    );
    expect(
      await issues(one, value("mode", "a"), value("size", "0"), ...style, value("label", "no"), file("file")),
    ).toEqual(["size: must be a whole number from 1 to 9", "label: must not be no"]);
  });

  it("pages are counted beside another problem if the file can be opened", async () => {
    const wrong = [value("mode", "a"), value("flag", "2"), value("pages", "6"), value("size", "7")];
    const flag = "flag: must be true or false";
    expect(await issues(one, ...wrong, file("file"))).toEqual([
      flag,
      "pages: names page 6, but the document has 5 pages",
      "size: must be at most 5",
    ]);
    expect(await issues(one, ...wrong, file("file", "%PDF-", "damaged.pdf"))).toEqual([flag]);
    expect(await issues(one, ...wrong)).toEqual(["file: is required", flag]);
  });

  it("a parameter's conditions are reported, both where it applies and where it is required", async () => {
    const a = [value("mode", "a"), file("file")];
    const read = await readForm(one, [...a, value("depth", "4"), value("name", "x")]);
    expect(read.input).toMatchObject({ depth: 3, name: undefined });
    expect(read.ignored).toEqual(["depth", "name"]);
    const defaults = await readForm(one, [...a, value("depth", "3"), value("name", "")]);
    expect(defaults.input).toMatchObject({ depth: 3 });
    expect(defaults.ignored).toEqual(["depth"]);
    expect(await issues(one, ...a, value("depth", "x"))).toEqual(["depth: must be a whole number from 1 to 9"]);
    expect(await issues(one, ...a, value("style", "y"))).toEqual(["name: is required when `style` is y"]);
    // Nobody knows which mode is meant.
    expect(await issues(one, value("mode", "c"), value("depth", "4"), file("file"))).toEqual(["mode: must be a or b"]);
    expect(await issues(one, value("depth", "4"), file("file"))).toEqual(["mode: is required"]);
  });

  it.each([
    ["page", "pages"],
    ["Flags", "flag"],
    ["si_ze", "size"],
    ["anlges", "angles"],
    ["pasword", "password"],
  ])("an unknown field %s gets the suggestion %s", async (typed, meant) => {
    expect(await issues(one, value("mode", "a"), file("file"), value(typed, "1"))).toEqual([
      `${typed}: is not a parameter of this operation. Did you mean \`${meant}\`?`,
    ]);
    const { message } = await refusal(one, value("mode", "a"), file("file"), value(typed, "1"));
    expect(message).toMatch(/Did you mean `\w+`\?$/);
  });

  it("a missing index and a password without a file are named", async () => {
    expect(await issues(many, file("file0"), file("file2"), file("file3"), value("password7", "x"))).toEqual([
      "file1: is missing: number the files file0, file1, and so on, without gaps",
      "password7: has no matching file7",
    ]);
    expect(await issues(many, file("file0"))).toEqual([
      "file1: is required: send at least 2 files, numbered from file0",
    ]);
    expect(await issues(many, file("file0"), file("file01"))).toHaveLength(2);
    expect((await issues(many, file("file0"), file("file999999999"))).length).toBeLessThan(20);
  });

  it("long names and long lists are shortened", async () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => [index, 1]);
    const angles = JSON.stringify(Object.fromEntries(entries));
    const error = await refusal(
      one,
      file("file"),
      value("mode", "a"),
      value("angles", angles),
      value("n".repeat(9_999), ""),
    );
    expect(JSON.stringify(error.details).length).toBeLessThan(3_000);
  });
});
