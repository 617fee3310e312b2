import { describe, expect, test } from "vitest";
import { type Searched, searchIn } from "../../src/site/description/search.ts";

/** The names of what a question finds, best first. */
function found(entries: readonly Partial<Searched>[], question: string): string[] {
  const all = entries.map((one) => ({ name: "", words: "", place: "", text: "", weight: 1, ...one }));
  return searchIn(all)(question).map((at) => all[at]?.name ?? "");
}

describe("search", () => {
  test("an entry with all words of a question comes before one with a common word more often", () => {
    const entries = [
      { name: "read", text: "file file file" },
      { name: "upload", text: "a file from a bucket" },
      { name: "store", text: "a file" },
    ];
    expect(found(entries, "file bucket")[0]).toBe("upload");
  });

  test("a rare word decides between entries that have one word each", () => {
    const common = Array.from({ length: 10 }, (_, at) => ({ name: `other${at}`, text: "page" }));
    expect(found([...common, { name: "seal", text: "certificate" }], "page certificate")[0]).toBe("seal");
  });

  test("a parameter whose place the question names comes before the same parameter elsewhere, and before its place", () => {
    const entries = [
      { name: "crop", place: "Operations", weight: 2 },
      { name: "pages", words: "only", place: "crop" },
      { name: "rotate", place: "Operations", weight: 2 },
      { name: "pages", words: "only", place: "rotate" },
    ];
    const all = entries.map((one) => ({ words: "", text: "", weight: 1, ...one }));
    expect(searchIn(all)("rotate only page 3")[0]).toBe(3);
    expect(searchIn(all)("crop")[0]).toBe(0);
  });

  test("a title that is the whole question comes before sections of this name", () => {
    const entries = [
      { name: "Jobs", text: "section" },
      { name: "jobs", isTitle: true, text: "a much longer text about jobs and their results, with webhooks" },
    ];
    expect(found(entries, "jobs")).toEqual(["jobs", "Jobs"]);
  });

  test("typos, beginnings of words, plurals, and accents are forgiven", () => {
    const entries = [{ name: "résumé" }, { name: "watermark" }, { name: "bookmarks" }];
    expect(found(entries, "watermrak")).toEqual(["watermark"]);
    expect(found(entries, "bookm")).toEqual(["bookmarks"]);
    expect(found(entries, "bookmark")).toEqual(["bookmarks"]);
    expect(found(entries, "resume")).toEqual(["résumé"]);
  });

  test("a question of stop words alone finds nothing", () => {
    expect(found([{ name: "how to" }, { name: "what" }], "how do I")).toEqual([]);
  });
});
