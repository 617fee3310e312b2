import { PDFArray, PDFDict, PDFDocument, PDFName, PDFNumber, PDFStream, PDFRef } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { type ApiResponse, pdfPart, post } from "../harness/requests/client.ts";
import { drawing, type DrawnPage } from "../harness/fixtures/drawing-fixtures.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { type DocumentView, openPdf } from "../harness/engines/pdfjs.ts";
import { shownSize } from "../harness/engines/pdfjs-page.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { check } from "../harness/engines/qpdf.ts";
import type { Picture } from "../harness/compare/ssim.ts";

const { baseUrl, liveKey } = ownServer();
const send = (bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "n-up", { file: pdfPart(bytes), ...fields });

async function arranged(bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const { status, body } = await send(bytes, fields);
  expect(status).toBe(200);
  expect(await check(body, fields["password"])).toMatchObject({ ok: true });
  return body;
}

const drawn = async (bytes: Uint8Array, page: number, width: number, height = width): Promise<Picture> =>
  (await readPdfiumPage(bytes, page, { width, height })).picture;

function partOf({ width, data }: Picture, x: number, y: number, size: number): Uint8Array {
  const rows = Array.from({ length: size }, (_, row) =>
    data.subarray(((y + row) * width + x) * 3).subarray(0, size * 3),
  );
  return Uint8Array.from(rows.flatMap((row) => [...row]));
}

const differing = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((count, sample, at) => count + (Math.abs(sample - (other[at] ?? 0)) > 48 ? 1 : 0), 0);

/** No two parts of it look alike. */
const content = [
  "1 1 0.8 rg 0 0 200 200 re f 1 0 0 rg 20 30 60 40 re f 0 0 1 rg 130 100 40 60 re f",
  "0 0.5 0 RG 4 w 30 180 m 170 40 l S 0 g BT /F1 24 Tf 40 110 Td (Upright) Tj ET",
].join("\n");
const square = (entries: string, more = content, rest: Partial<DrawnPage> = {}): DrawnPage => ({
  width: 200,
  height: 200,
  content: more,
  entries,
  ...rest,
});

describe("cells", () => {
  const pages = [
    ...[0, 90, 180, 270].flatMap((rotation) =>
      ["", "/CropBox [10 20 190 200]", "/UserUnit 2 /CropBox [-50 20 180 999]"].map((entries) =>
        square(`/Rotate ${rotation} ${entries}`),
      ),
    ),
    // Content that leaves its state behind, closes what it has not opened, or ends in the middle.
    square("", `q 0.5 0 0 0.5 0 0 cm ${content}`),
    square("", `Q Q ${content} Q`),
    square("", `${content} BT /F1 12 Tf (open`),
    // A page is a group of its own.
    square("/Group << /S /Transparency /CS /DeviceRGB >>", `${content} /G gs 0 1 1 rg 0 0 150 150 re f`, {
      resources: "/ExtGState << /G << /BM /Multiply /ca 0.5 >> >>",
    }),
  ];
  const bytes = drawing(...pages);

  test("a page looks as before in its cell, whatever its rotation, crop box, unit, and content", async () => {
    const sheets = await arranged(bytes, { pagesPerSheet: "4" });
    const { pages: views } = await openPdf(sheets);
    expect(views.map((view) => shownSize(view))).toEqual(Array.from({ length: 4 }, () => [200, 200]));
    for (const sheet of views.keys()) {
      const picture = await drawn(sheets, sheet, 400);
      for (const [cell, [x, y]] of [
        [0, 0],
        [200, 0],
        [0, 200],
        [200, 200],
      ].entries()) {
        const page = sheet * 4 + cell;
        const before = await drawn(bytes, page, 200);
        expect(before.data.some((sample) => sample < 100)).toBe(true);
        expect(differing(before.data, partOf(picture, x ?? 0, y ?? 0, 200)), `page ${page + 1}`).toBeLessThan(1_500);
      }
    }
  });

  test("a page with several content streams looks as before, even if all pages share one", async () => {
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 200] /Rotate 90 /Resources << >> >>",
      "<< /Type /Page /Parent 2 0 R /Contents [5 0 R 6 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>",
      { entries: "", data: latin1("1 0 0 rg 0 0 50 50 re f q 1 0 0 1 90 90") },
      { entries: "", data: latin1("cm 0 0 1 rg 0 0 50 50 re f") },
    ];
    const two = pdf(objects, "/Root 1 0 R");
    const picture = await drawn(await arranged(two, { pagesPerSheet: "4", pageSize: "auto" }), 0, 400);
    for (const page of [0, 1]) {
      const before = await drawn(two, page, 200);
      expect(differing(before.data, partOf(picture, page * 200, 0, 200))).toBeLessThan(200);
    }
  });

  test("a page with resources inherited from a direct dictionary looks as before", async () => {
    const square = { entries: "/Type /XObject /Subtype /Form /BBox [0 0 200 200]", data: latin1("50 50 100 100 re f") };
    const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 7 0 R >>";
    const bytes = pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /Resources << /XObject << /X 8 0 R >> >> >>",
        page,
        page,
        page,
        "(An object that nothing refers to, so that those after it get other numbers)",
        { entries: "", data: latin1("/X Do") },
        square,
      ],
      "/Root 1 0 R",
    );
    const picture = await drawn(await arranged(bytes, { pagesPerSheet: "4" }), 0, 400);
    for (const [x, y] of [
      [0, 0],
      [200, 0],
      [0, 200],
    ] as const) {
      expect(partOf(picture, x, y, 200).filter((sample) => sample < 100).length).toBeGreaterThan(1_000);
    }
  });

  test("pages are in the order of their numbers, with margins and borders", async () => {
    const shade = (value: number): DrawnPage => square("", `${value} g 0 0 200 200 re f`);
    const nine = drawing(...Array.from({ length: 9 }, (_, index) => shade(0.1 + index / 12)));
    const fields = { pagesPerSheet: "9", marginPt: "10", border: "true" };
    const { data } = await drawn(await arranged(nine, fields), 0, 400);
    // Cells of 160 / 3 points, two pixels to a point.
    const gray = (x: number, y: number): number => data[(Math.round(y * 2) * 400 + Math.round(x * 2)) * 3] ?? 0;
    const middle = (cell: number): number => 10 + 160 / 6 + (cell % 3) * (10 + 160 / 3);
    for (let cell = 0; cell < 9; cell++) {
      const y = 10 + 160 / 6 + Math.floor(cell / 3) * (10 + 160 / 3);
      expect(Math.abs(gray(middle(cell), y) - 255 * (0.1 + cell / 12))).toBeLessThan(3);
      expect(gray(middle(cell), y - 160 / 6 - 5)).toBe(255);
      expect(gray(middle(cell), y - 160 / 6)).toBeLessThan(230);
    }
  });
});

describe("sheets", () => {
  const five = document({ name: "five", pages: 5 });
  const sizes = async (bytes: Uint8Array): Promise<number[][]> =>
    (await openPdf(bytes)).pages.map((view) => shownSize(view).map(Math.round));
  const textsOf = async (bytes: Uint8Array): Promise<string[][]> =>
    (await openPdf(bytes)).pages.map(({ text }) => [...text.matchAll(/Page (\d)/g)].map(([, page]) => page ?? ""));

  test("sheets are turned so that pages are large", async () => {
    const a4 = [595, 842];
    for (const [pagesPerSheet, expected] of [
      ["2", a4.toReversed()],
      ["4", a4],
      ["6", a4.toReversed()],
    ] as const) {
      const bytes = await arranged(five, { pagesPerSheet, pageSize: "a4" });
      expect((await sizes(bytes))[0]).toEqual(expected);
    }
    const wide = drawing({ width: 1600, height: 900, content });
    expect(await sizes(await arranged(wide, { pagesPerSheet: "2", pageSize: "letter" }))).toEqual([[612, 792]]);
    const huge = drawing({ width: 14_400, height: 7_200, content, entries: "/UserUnit 3" });
    expect(await sizes(await arranged(huge, { pagesPerSheet: "4" }))).toEqual([[14_400, 7_200]]);
  });

  test("sheets of a booklet have their pages in the order for folding", async () => {
    const bytes = await arranged(five, { layout: "booklet" });
    expect(await textsOf(bytes)).toEqual([["1"], ["2"], ["3"], ["4", "5"]]);
    const blank = async (sheet: number): Promise<boolean[]> => {
      const picture = await drawn(bytes, sheet, 400);
      return [0, 200].map((x) => partOf(picture, x, 0, 200).every((sample) => sample === 255));
    };
    expect(await Promise.all([0, 1, 2, 3].map(blank))).toEqual([
      [true, false],
      [false, true],
      [true, false],
      [false, false],
    ]);
  });

  test("sheets of a right-to-left document begin on the right", async () => {
    const file = await PDFDocument.load(five);
    file.catalog.set(PDFName.of("ViewerPreferences"), file.context.obj({ Direction: "R2L" }));
    const bytes = await arranged(await file.save(), { pagesPerSheet: "2" });
    const picture = await drawn(bytes, 2, 400);
    expect([0, 200].map((x) => partOf(picture, x, 0, 200).every((sample) => sample === 255))).toEqual([true, false]);
  });

  test.each([
    [{ pagesPerSheet: "2", layout: "booklet" }, "invalid_parameters"],
    [{}, "invalid_parameters"],
    [{ pagesPerSheet: "3" }, "invalid_parameters"],
    [{ pagesPerSheet: "16", marginPt: "119" }, "invalid_parameters"],
  ])("invalid parameters are refused: %j", async (fields, code) => {
    const { status, body } = await send(five, fields as Record<string, string>);
    expect([status, new TextDecoder().decode(body)]).toEqual([400, expect.stringContaining(code)]);
  });
});

describe("links, names, and tags", () => {
  const bytes = document({
    name: "linked",
    pages: 5,
    features: ["destinations", "outline", "links", "labels", "attachments", "layers", "tagged"],
  });
  const [width, height] = [595, 842];
  /** Two pages on an A4 sheet in landscape: as high as it, or half as wide. */
  const scale = Math.min(width / height, height / 2 / width);
  const place = (page: number, x: number, y: number): [number, number] => [
    (page % 2) * (height / 2) + (height / 2 - width * scale) / 2 + x * scale,
    (width - height * scale) / 2 + y * scale,
  ];
  const rounded = (values: unknown): unknown[] =>
    (values as unknown[]).map((value) => (typeof value === "number" ? Math.round(value) : value));
  /** What a destination of a page becomes. */
  const target = (page: number | null, fit: readonly unknown[]): unknown => {
    if (page === null) return undefined;
    const [name, ...numbers] = fit as [string, ...number[]];
    const [a = 0, b = 0, c = 0, d = 0] = numbers;
    const become: Record<string, () => unknown[]> = {
      XYZ: () => ["XYZ", ...place(page, a, b), null],
      FitH: () => ["XYZ", ...place(page, 0, a), null],
      FitR: () => ["FitR", ...place(page, a, b), ...place(page, c, d)],
      Fit: () => ["FitR", ...place(page, 0, 0), ...place(page, width, height)],
    };
    return [Math.floor(page / 2), ...rounded(become[name]?.() ?? [])];
  };

  test("links, named destinations, and the outline lead to the page's place on a sheet", async () => {
    const [before, after] = [await openPdf(bytes), await openPdf(await arranged(bytes, { pagesPerSheet: "2" }))];
    expect(before.pages.map((view) => shownSize(view).map(Math.round))[0]).toEqual([width, height]);
    expect(after.pages).toHaveLength(3);
    const links = (view: DocumentView) =>
      view.pages.map(({ annotations }) => annotations.filter(({ subtype }) => subtype === "Link"));
    const expected = links(before).flatMap((list, page) =>
      list.map(({ rect, target: to, url }) => {
        const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = rect as number[];
        const shown = [...rounded(place(page, x0, y0)), ...rounded(place(page, x1, y1))];
        return [Math.floor(page / 2), shown, to && target(to.page, to.fit), url];
      }),
    );
    expect(expected).toHaveLength(25);
    const found = links(after).flatMap((list, sheet) =>
      list.map(({ rect, target: to, url }) => [sheet, rounded(rect), to && [to.page, ...rounded(to.fit)], url]),
    );
    expect(found).toEqual(expected);

    expect([...after.destinations].map(([name, to]) => [name, [to.page, ...rounded(to.fit)]])).toEqual(
      [...before.destinations].map(([name, to]) => [name, target(to.page, to.fit)]),
    );
    const flat = (entries: DocumentView["outline"]): DocumentView["outline"] =>
      entries.flatMap((entry) => [entry, ...flat(entry.items)]);
    expect(flat(after.outline).map(({ title, target: to }) => [title, to && [to.page, ...rounded(to.fit)]])).toEqual(
      flat(before.outline).map(({ title, target: to }) => [title, to && target(to.page, to.fit)]),
    );
    expect(after.attachments).toEqual(before.attachments);
    expect(after.layers).toEqual(before.layers);
    expect(after.labels).toBeNull();
  });

  test("tags of a page become those of its form, and tags of a link on two pages stay with one of them", async () => {
    const given = await PDFDocument.load(bytes);
    const [first, second] = given.getPages();
    const shared = first?.node.Annots()?.get(0);
    if (!(shared instanceof PDFRef)) throw new Error("no link");
    second?.node.addAnnot(shared);
    const file = await PDFDocument.load(await arranged(await given.save(), { pagesPerSheet: "2" }));
    const { context } = file;
    const annotations = file.getPages().flatMap(({ node }) => node.Annots()?.asArray() ?? []);
    const tree = file.catalog.lookup(PDFName.of("StructTreeRoot"), PDFDict);
    const sheets = new Set(file.getPages().map(({ ref }) => String(ref)));
    const keys = new Map<number, PDFArray>();
    const elements = new Map<number, unknown>();
    const walkTree = (node: PDFDict): void => {
      const nums = node.lookupMaybe(PDFName.of("Nums"), PDFArray)?.asArray() ?? [];
      for (let at = 0; at < nums.length; at += 2) {
        const value = context.lookup(nums[at + 1]);
        if (value instanceof PDFArray) keys.set(Number(String(nums[at])), value);
        else elements.set(Number(String(nums[at])), nums[at + 1]);
      }
      for (const kid of node.lookupMaybe(PDFName.of("Kids"), PDFArray)?.asArray() ?? [])
        walkTree(context.lookup(kid, PDFDict));
    };
    walkTree(tree.lookup(PDFName.of("ParentTree"), PDFDict));
    const pages = new Set<string>();
    const owners: [inParentTree: unknown, inTree: unknown][] = [];
    const loose: unknown[] = [];
    const links: unknown[] = [];
    const walk = (reference: unknown, owner: PDFRef | undefined): void => {
      if (reference instanceof PDFNumber) loose.push(reference);
      const element = reference instanceof PDFRef ? context.lookup(reference, PDFDict) : reference;
      if (!(element instanceof PDFDict)) return;
      const page = element.get(PDFName.of("Pg"));
      if (page !== undefined) pages.add(String(page));
      if (element.has(PDFName.of("MCID"))) {
        const form = element.lookup(PDFName.of("Stm"), PDFStream);
        const list = keys.get(form.dict.lookup(PDFName.of("StructParents"), PDFNumber).asNumber());
        owners.push([list?.get(element.lookup(PDFName.of("MCID"), PDFNumber).asNumber()), owner]);
        return;
      }
      const object = element.get(PDFName.of("Obj"));
      if (object !== undefined) {
        const key = context.lookup(object, PDFDict).lookup(PDFName.of("StructParent"), PDFNumber).asNumber();
        owners.push([elements.get(key), owner]);
        links.push(object);
        return;
      }
      const kids = element.lookup(PDFName.of("K"));
      const list = kids instanceof PDFArray ? kids.asArray() : [element.get(PDFName.of("K"))];
      for (const kid of list) walk(kid, reference instanceof PDFRef ? reference : owner);
    };
    walk(tree.get(PDFName.of("K")), undefined);
    expect(loose).toEqual([]);
    expect(annotations).toHaveLength(27);
    expect(links).toHaveLength(25);
    expect(annotations).toEqual(expect.arrayContaining(links));
    const tagged = annotations.filter((one) => context.lookup(one, PDFDict).has(PDFName.of("StructParent")));
    expect(new Set(tagged)).toEqual(new Set(links));
    expect(pages).toEqual(sheets);
    expect(owners.length).toBeGreaterThan(15);
    expect(owners.map(([one]) => String(one))).toEqual(owners.map(([, other]) => String(other)));
  });
});

test("form fields and comments become part of the page, and the encryption stays", async () => {
  const draft = new FormDraft();
  draft.own("name", "/FT /Tx /V (Filled in)");
  draft.annotation("/Subtype /Link /Border [0 0 0] /A << /S /URI /URI (https://example.com/) >>", [0, 0, 50, 50]);
  const locked = await encrypt(draft.bytes(), { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" });
  const bytes = await arranged(locked, { pagesPerSheet: "2", password: "user" });
  await expect(openPdf(bytes)).rejects.toThrow(/password/i);
  const { fields, pages } = await openPdf(bytes, { password: "user" });
  expect(fields.size).toBe(0);
  expect(pages[0]?.text).toContain("Filled in");
  expect(pages[0]?.annotations.map(({ url }) => url)).toEqual(["https://example.com/"]);
});

test("sheets keep the digits of the size of the first page", async () => {
  const body = await arranged(
    drawing(square("/CropBox [3.36 7.92 598.32 849.84]", content, { width: 900, height: 900 })),
    { pagesPerSheet: "2" },
  );
  const [sheet] = (await PDFDocument.load(body)).getPages();
  expect(String(sheet?.node.get(PDFName.of("MediaBox")))).toBe("[ 0 0 841.92 594.96 ]");
});
