import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type ApiResponse } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { FormDraft, note, wholeForm } from "../harness/fixtures/form-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { shownSize } from "../harness/engines/pdfjs-page.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const send = (bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "flatten", { file: pdfPart(bytes), ...fields });

async function flattened(bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<Uint8Array> {
  const { status, body } = await send(bytes, fields);
  expect(status).toBe(200);
  expect(await check(body)).toMatchObject({ ok: true });
  return body;
}

/** The first page as PDFium draws it, annotations and fields included. */
async function drawn(bytes: Uint8Array): Promise<Uint8Array> {
  const [page] = (await openPdf(bytes)).pages;
  const [width, height] = page ? shownSize(page) : [0, 0];
  return (await readPdfiumPage(bytes, 0, { width, height })).picture.data;
}

/** Samples that differ visibly. */
async function differing(before: Uint8Array, after: Uint8Array): Promise<number> {
  const [one, other] = [await drawn(before), await drawn(after)];
  expect(one.some((sample) => sample < 128)).toBe(true);
  return one.reduce((count, sample, at) => count + (Math.abs(sample - (other[at] ?? 0)) > 24 ? 1 : 0), 0);
}

/** Annotations with appearances, of which each tests how they are placed. */
function annotated(page = ""): FormDraft {
  const draft = new FormDraft();
  draft.page = page;
  const look = (content: string, entries = ""): string => {
    const form = `/Type /XObject /Subtype /Form /BBox [0 0 40 20] ${entries}`;
    return `/AP << /N ${draft.add({ entries: form, data: latin1(content) })} >>`;
  };
  const box = "1 0 0 rg 0 0 40 20 re f 0 0 1 rg 0 0 10 10 re f";
  draft.annotation(`/Subtype /Square ${look(box)}`, [100, 100, 180, 140]);
  draft.annotation(`/Subtype /Stamp ${look(box, "/Matrix [0 1 -1 0 0 0]")}`, [200, 100, 220, 140]);
  draft.annotation(`/Subtype /Text /F 20 ${look(box)} /Contents (a comment)`, [300, 300, 340, 320]);
  draft.annotation(`/Subtype /Square /F 2 ${look(box)} /Contents (hidden)`, [400, 400, 440, 420]);
  const blended = "/Resources << /ExtGState << /G << /BM /Multiply /ca 0.5 >> >> >>";
  draft.annotation(`/Subtype /Stamp ${look(`/G gs ${box}`, blended)}`, [120, 110, 200, 150]);
  draft.annotation("/Subtype /Link /Border [0 0 0] /A << /S /URI /URI (https://example.com/) >>", [0, 0, 50, 50]);
  return draft;
}

describe("annotations", () => {
  test.each(["", "/Rotate 90", "/Rotate 180 /CropBox [50 50 500 600]", "/Rotate 270 /UserUnit 2"])(
    "annotations look the same on a page with %j",
    async (page) => {
      const bytes = annotated(page).bytes();
      const body = await flattened(bytes);
      // The edges of what is not drawn on whole pixels.
      expect(await differing(bytes, body)).toBeLessThan(300);
      const { pages } = await openPdf(body);
      expect(pages[0]?.annotations.map(({ subtype }) => subtype)).toEqual(["Link"]);
      expect(await plainText(body)).not.toMatch(/a comment|hidden|\/Subtype \/Stamp/);
    },
  );

  test("annotations without an appearance get one", async () => {
    const draft = new FormDraft();
    draft.annotation("/Subtype /Square /C [1 0 0] /IC [0 1 0]", [100, 100, 180, 140]);
    draft.annotation(
      "/Subtype /Highlight /C [1 1 0] /QuadPoints [200 140 280 140 200 100 280 100]",
      [200, 100, 280, 140],
    );
    draft.annotation("/Subtype /Unheard-of", [300, 100, 380, 140]);
    const body = await flattened(draft.bytes(), { what: "annotations" });
    const data = await drawn(body);
    const at = (x: number, y: number): number[] => [...data.subarray(((800 - y) * 600 + x) * 3).subarray(0, 3)];
    expect([at(140, 120), at(240, 120)]).toEqual([
      [0, 255, 0],
      [255, 255, 0],
    ]);
    expect(await plainText(body)).toMatch(/Unheard-of/);
  });
});

describe("selection", () => {
  const draft = wholeForm();
  note(draft);
  const bytes = draft.bytes();

  test.each([
    ["forms", 0, ["Square"]],
    ["all", 0, []],
  ] as const)("`what` %s flattens the selected kinds", async (what, fields, annotations) => {
    const found = await openPdf(await flattened(bytes, { what }));
    expect(found.fields.size).toBe(fields);
    expect(found.pages[0]?.annotations.map(({ subtype }) => subtype)).toEqual(annotations);
  });

  test("`what` annotations keeps the form", async () => {
    const before = await openPdf(bytes);
    const body = await flattened(bytes, { what: "annotations" });
    const after = await openPdf(body);
    expect([...after.fields.keys()]).toEqual([...before.fields.keys()]);
    expect(after.pages[0]?.annotations.map(({ subtype }) => subtype)).not.toContain("Square");
    expect(await differing(bytes, body)).toBe(0);
  });
});

test("a document with nothing to flatten is unchanged", async () => {
  const bytes = document({ name: "plain", pages: 2, features: ["outline", "links", "attachments"] });
  const { pages, outline, attachments } = await openPdf(await flattened(bytes));
  expect(pages[0]?.annotations.filter(({ subtype }) => subtype === "Link")).toHaveLength(4);
  expect(pages[0]?.annotations.map(({ subtype }) => subtype)).toContain("FileAttachment");
  expect([outline.length, attachments.length]).toEqual([3, 2]);
});
