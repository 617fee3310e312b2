import { beforeAll, describe, expect, test } from "vitest";
import { compareKept, mergedPages, selectedPages, type Mapping } from "../harness/compare/compare.ts";
import { allFeatures, document } from "../harness/fixtures/fixtures.ts";
import { openPdf, type DocumentView } from "../harness/engines/pdfjs.ts";
import { check, pagesSizeReference, runQpdf } from "../harness/engines/qpdf.ts";
import { cutInHalf, withoutXref } from "../harness/fixtures/broken-fixtures.ts";

// The survival tests are as good as what they compare with: each thing that an operation could lose is lost here on purpose.

const bytes = document({ name: "alpha", pages: 10, features: allFeatures });
let view: DocumentView;
let unchanged: Mapping;

beforeAll(async () => {
  view = await openPdf(bytes, { drawing: true });
  unchanged = { kind: "rotate", pages: mergedPages(view) };
});

/** What differs when the output is `changed`, by its first words. */
const whats = (changed: DocumentView, mapping = unchanged): string[] =>
  compareKept([view], changed, mapping).map(({ what }) => what);

const withPage = (index: number, change: Partial<DocumentView["pages"][number]>): DocumentView => ({
  ...view,
  pages: view.pages.map((page, at) => (at === index ? { ...page, ...change } : page)),
});

describe("compareKept", () => {
  test("compareKept finds no difference in a document that another program wrote again", async () => {
    const { output } = await runQpdf(["--object-streams=generate", "/in.pdf", "/out.pdf"], { "/in.pdf": bytes });
    const rewritten = await openPdf(output ?? new Uint8Array(), { drawing: true });
    expect(compareKept([view], rewritten, unchanged)).toEqual([]);
  });

  test("the fixture has every feature that can be lost", () => {
    expect(view.outline.length).toBeGreaterThan(0);
    expect(view.destinations.size).toBe(12);
    expect(view.labels?.[2]).toBe("A-1");
    expect(view.attachments).toHaveLength(2);
    expect([...view.fields.keys()].toSorted()).toEqual(["agree", "color", "person.city", "person.name", "radio"]);
    expect(view.layers).toHaveLength(2);
    expect(view.xmp).toContain("Title of alpha");
    expect(view.pages[0]?.structure).toBeDefined();
    expect(view.pages.map(({ rotate }) => rotate)).toEqual([0, 0, 270, 0, 0, 0, 0, 0, 90, 90]);
  });

  test.each<[string, () => DocumentView]>([
    ["text", () => withPage(3, { text: "Page 4 of beta" })],
    ["structure tree", () => withPage(3, { structure: undefined })],
    ["Rotate", () => withPage(3, { rotate: 90 })],
    ["UserUnit", () => withPage(0, { userUnit: 1 })],
    ["visible box", () => withPage(1, { view: [0, 0, 595, 842] })],
    ["drawing operators", () => withPage(3, { drawing: { content: "another", withAnnotations: "another" } })],
    ["annotation", () => withPage(3, { annotations: view.pages[3]?.annotations.slice(1) ?? [] })],
    ["annotation", () => withPage(3, { annotations: view.pages[4]?.annotations ?? [] })],
    ["outline", () => ({ ...view, outline: view.outline.slice(1) })],
    ["outline", () => ({ ...view, outline: view.outline.map((entry) => ({ ...entry, bold: !entry.bold })) })],
    ["outline", () => ({ ...view, outline: view.outline.map((entry) => ({ ...entry, items: [] })) })],
    ["destination", () => ({ ...view, destinations: new Map([...view.destinations].slice(1)) })],
    ["page label", () => ({ ...view, labels: null })],
    ["attachments", () => ({ ...view, attachments: view.attachments.slice(1) })],
    ["field", () => ({ ...view, fields: new Map([...view.fields].slice(1)) })],
    ["Info dictionary", () => ({ ...view, info: {} })],
    ["XMP", () => ({ ...view, xmp: null })],
    ["language", () => ({ ...view, language: null })],
    ["layers", () => ({ ...view, layers: [] })],
    ["page count", () => ({ ...view, pages: view.pages.slice(1) })],
  ])("compareKept finds a lost or changed %s", (what, change) => {
    expect(whats(change()).some((found) => found.startsWith(what))).toBe(true);
  });

  test("compareKept finds a link to the wrong page", () => {
    const annotations = view.pages[3]?.annotations.map((annotation) =>
      annotation.target === undefined ? annotation : { ...annotation, target: { ...annotation.target, page: 0 } },
    );
    expect(whats(withPage(3, { annotations: annotations ?? [] }))).toEqual(
      expect.arrayContaining([
        "annotation 1 (Link) target",
        "annotation 2 (Link) target",
        "annotation 3 (Link) target",
      ]),
    );
  });

  test("compareKept finds the losses of qpdf's two pages, and its remains of the others", async () => {
    const { output } = await runQpdf(["/in.pdf", "--pages", "/in.pdf", "3,5", "--", "/out.pdf"], { "/in.pdf": bytes });
    const found = whats(await openPdf(output ?? new Uint8Array()), { kind: "select", pages: selectedPages([2, 4]) });
    expect(found).toContain("attachments");
    expect(found.some((what) => what.startsWith("outline"))).toBe(true);
    expect(found.some((what) => what.startsWith("destination"))).toBe(true);
  });

  test("compareKept finds that qpdf does not shift the links and outline of a second file", async () => {
    const { output } = await runQpdf(["--empty", "--pages", "/in.pdf", "1-z", "/in.pdf", "1-z", "--", "/out.pdf"], {
      "/in.pdf": bytes,
    });
    const merged = await openPdf(output ?? new Uint8Array());
    const found = compareKept([view, view], merged, { kind: "merge", pages: mergedPages(view, view) });
    expect(found.some(({ what }) => what.startsWith("outline"))).toBe(true);
    expect(found.some(({ page, what }) => page !== null && page > 10 && what.endsWith("target"))).toBe(true);
  });
});

describe("qpdf's check", () => {
  test("qpdf's check accepts the fixture, and refuses half of it", async () => {
    expect(await check(bytes)).toMatchObject({ ok: true, warnings: [], errors: [] });
    expect((await check(cutInHalf(bytes))).errors).not.toEqual([]);
    expect((await check(withoutXref(bytes))).ok).toBe(false);
  });

  test("a page's reference size is far below the document's", async () => {
    expect(await pagesSizeReference(bytes, 1)).toBeLessThan(bytes.length / 4);
  });
});
