import { drawPages, looksThatDiffer } from "./appearance.ts";
import { pdfPart, type ApiResponse, type Part } from "../requests/client.ts";
import { compareKept, describe, mergedPages, selectedPages, type Mapping, type PageOrigin } from "./compare.ts";
import { factsThatDiffer } from "./metadata-facts.ts";
import { checkImages } from "./image-response.ts";
import { documentsOf } from "../requests/parts.ts";
import { checkText } from "./text-response.ts";
import { openPdf, type DocumentView } from "../engines/pdfjs.ts";
import { shownSize } from "../engines/pdfjs-page.ts";
import { plainRecord } from "../engines/pdfjs-values.ts";
import { check } from "../engines/qpdf.ts";
import type { Picture } from "./ssim.ts";

/** A document to send, and what pdf.js sees in it; no view where pdf.js cannot open it. */
export interface Input {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly view: DocumentView | undefined;
  readonly password?: string | undefined;
  /** What qpdf complains about in it: an output may have that too, and nothing else. */
  readonly complaints: readonly string[];
}

/** A call, and what its documents must hold. */
export interface Case {
  readonly name: string;
  readonly operation: string;
  readonly parts: Readonly<Record<string, Part>>;
  readonly sources: readonly Input[];
  /** One for each document of the response; undefined where the input has no view. */
  readonly expected: readonly Mapping[] | undefined;
  /** What is wrong with a response in JSON. */
  readonly problemsOf?: ((json: unknown) => string[]) | undefined;
  /** What opens the response's documents. */
  readonly password: string | undefined;
}

/** Bytes of a document of which it is compared what its pages draw, too: pdf.js decodes every image for that. */
const LARGEST_DRAWN = 200_000;

export async function readInput(bytes: Uint8Array, fileName: string, password?: string): Promise<Input> {
  const view = await openPdf(bytes, { password, drawing: bytes.length < LARGEST_DRAWN }).catch(() => undefined);
  const { warnings, errors } = await check(bytes, password);
  return { bytes, fileName, view, password, complaints: [...warnings, ...errors] };
}

/** A document for each group of 0-based pages. */
const select = (...groups: readonly (readonly number[])[]): Mapping[] =>
  groups.map((pages) => ({ kind: "select", pages: selectedPages(pages) }));

/** How many pages n-up puts on a sheet, in two columns and two rows. */
export const PAGES_PER_SHEET = 4;

/** What metadata-set writes. */
const newMetadata = { title: "Titre changé 変更", custom: { Reviewed: "yes & no" } };

/** Where sign draws, in points: small, since some pages are. */
function signatureBox(view: DocumentView | undefined): string {
  const [page] = view?.pages ?? [];
  const [across, down] = page === undefined ? [0, 0] : shownSize(page);
  const width = Math.floor(Math.min(120, Math.max(12, across / 3)));
  const height = Math.floor(Math.min(40, Math.max(6, down / 6)));
  return JSON.stringify({ page: 1, x: 1, y: 1, width, height });
}

/** What fill-form writes into the first text field that can be filled and shown; nothing where there is none. */
function firstValue(view: DocumentView): string {
  const name = [...view.fields].find(([, [widget]]) => {
    const { type, editable, hidden, charLimit, rect } = widget ?? {};
    const [left = 0, bottom = 0, right = 0, top = 0] = (rect ?? []) as number[];
    const isLarge = Math.abs(right - left) > 30 && Math.abs(top - bottom) > 5;
    const takesFour = typeof charLimit !== "number" || charLimit === 0 || charLimit >= 4;
    return type === "text" && editable !== false && hidden !== true && isLarge && takesFour;
  })?.[0];
  return JSON.stringify(name === undefined ? {} : { [name]: "4711" });
}

/** Whether a file begins as a PNG or a JPEG does. */
export const isImage = (bytes: Uint8Array): boolean =>
  /^(89504e47|ffd8ff)/.test(Buffer.from(bytes.slice(0, 4)).toString("hex"));

/** The calls that every PDF goes through. `companion` is merged with it. */
export function survivalCases(input: Input, companion: Input): Case[] {
  const { view, password } = input;
  const file = pdfPart(input.bytes, input.fileName);
  const secret: Record<string, Part> = password === undefined ? {} : { password };
  const one = (
    name: string,
    operation: string,
    fields: Record<string, Part>,
    expected?: (v: DocumentView) => Mapping[],
  ): Case => ({
    name,
    operation,
    parts: { file, ...secret, ...fields },
    sources: [input],
    expected: view === undefined ? undefined : expected?.(view),
    password,
    problemsOf: view && ((json) => factsThatDiffer(json, view)),
  });
  const count = view?.pages.length ?? 1;
  const all = Array.from({ length: count }, (_, page) => page);
  return [
    mergeWith("merge-self", [input, input], { bookmarks: "keep" }),
    mergeWith("merge-interleaved", [input, companion], { interleave: "true", bookmarks: "per-file", title: "Merged" }),
    one("split-pages", "split", { mode: "pages" }, () => select(...all.map((page) => [page]))),
    one("split-chunks", "split", { mode: "chunks", chunkSize: "2" }, () =>
      select(...all.filter((page) => page % 2 === 0).map((page) => all.slice(page, page + 2))),
    ),
    one("split-ranges", "split", { mode: "ranges", ranges: "1|1-end" }, () => select([0], all)),
    one("split-bookmarks", "split", { mode: "bookmarks" }, (v) => select(...bookmarkParts(v))),
    one("extract-last", "extract-pages", { range: "last" }, () => select([count - 1])),
    one("extract-odd", "extract-pages", { range: "odd" }, () => select(all.filter((page) => page % 2 === 0))),
    one("extract-reverse", "extract-pages", { range: `${count}-1` }, () => select(all.toReversed())),
    ...(count > 1
      ? [
          one("delete-first", "delete-pages", { pages: "1" }, () =>
            select(all.slice(1)).map((mapping) => ({ ...mapping, keepsAttachments: true })),
          ),
        ]
      : []),
    ...(["aes-256", "aes-128"] as const).map((encryption) => ({
      ...one(`protect-${encryption}`, "protect", { ...protection, encryption }, () => [
        {
          kind: "rotate",
          pages: selectedPages(all),
          encryption: { encryptFilter: "Standard", permissions: PRINT_AND_FILL },
        },
      ]),
      password: protection.userPassword,
    })),
    ...(password === undefined
      ? []
      : [
          {
            ...one("unlock", "unlock", {}, () => [
              { kind: "rotate", pages: selectedPages(all), encryption: { encryptFilter: null, permissions: null } },
            ]),
            password: undefined,
          },
        ]),
    one("rotate", "rotate", { angle: "90", rotations: '{"1":180}' }, () => [
      { kind: "rotate", pages: all.map((page) => ({ source: 0, page, rotate: page === 0 ? 180 : 90 })) },
    ]),
    one("compress", "compress", {}, () => [{ kind: "rotate", pages: selectedPages(all), redrawn: true }]),
    one("compress-grayscale", "compress", { grayscale: "true", level: "max" }, () => [
      { kind: "rotate", pages: selectedPages(all), redrawn: true, recolored: true },
    ]),
    one("numbers", "add-page-numbers", { template: "{n} / {total} صفحة", position: "top-right" }, () => [
      { kind: "rotate", pages: all.map((page) => ({ source: 0, page, stamp: `${page + 1} / ${count} صفحة` })) },
    ]),
    one("watermark", "watermark", { kind: "text", text: "Confidential", opacity: "0.3" }, () => [
      { kind: "rotate", pages: all.map((page) => ({ source: 0, page, stamp: "Confidential" })) },
    ]),
    one("sign", "sign", { mode: "type", field: signatureBox(view), typedName: "Ada" }, () => [
      { kind: "rotate", pages: all.map((page) => ({ source: 0, page, ...(page === 0 ? { stamp: "Ada" } : {}) })) },
    ]),
    // Its sheets are looked at (looks.ts): pages are no pages any more, so nothing is where it was.
    one("n-up", "n-up", { pagesPerSheet: String(PAGES_PER_SHEET) }),
    // Attached documents are removed, because they cannot be searched.
    ...(view?.attachments.some(({ name }) => name.endsWith(".pdf"))
      ? []
      : [
          one("redact", "redact", { terms: '["no such words"]', ignoreCase: "true" }, () => [
            { kind: "rotate", pages: all.map((page) => ({ source: 0, page })) },
          ]),
        ]),
    // A form that pdf.js finds no field in is one for the tests of fill-form.
    ...(view === undefined || view.fields.size === 0
      ? []
      : [
          one("fill-form", "fill-form", { values: '{"no such field":"x"}' }, () => [
            { kind: "rotate", pages: all.map((page) => ({ source: 0, page })), fieldsDrawn: true },
          ]),
          {
            ...one("fill-form-flatten", "fill-form", { values: firstValue(view), flatten: "true" }),
            expected: undefined,
          },
        ]),
    one("text", "extract-text", { words: "true", markdown: "true", furniture: "true" }),
    one("ocr", "ocr", { output: "pdf", pages: "1" }),
    ...(isImage(input.bytes) ? [{ ...one("from-images", "from-images", {}), parts: { image0: file } }] : []),
    one("to-images", "to-images", { dpi: "36" }),
    one("to-images-jpeg", "to-images", { dpi: "50", format: "jpeg" }),
    one("metadata-set", "metadata", { action: "set", metadata: JSON.stringify(newMetadata) }, (v) => [
      {
        kind: "rotate",
        pages: all.map((page) => ({ source: 0, page })),
        info: { Title: newMetadata.title, Custom: { ...plainRecord(v.info["Custom"]), ...newMetadata.custom } },
      },
    ]),
    one("metadata-get", "metadata", { action: "get" }),
  ];
}

/** What protect is asked for. */
const protection = { userPassword: "a user's", ownerPassword: "an, owner's", permissions: "print,fill-forms" };
/** The permissions as pdf.js numbers them: print, fill-forms, accessibility. */
const PRINT_AND_FILL = [4, 256, 512];

function mergeWith(name: string, sources: readonly [Input, Input], fields: Record<string, string>): Case {
  const [first, second] = sources;
  const parts: Record<string, Part> = { ...fields };
  sources.forEach(({ bytes, fileName, password }, index) => {
    parts[`file${index}`] = pdfPart(bytes, fileName);
    if (password !== undefined) parts[`password${index}`] = password;
  });
  const views = first.view !== undefined && second.view !== undefined ? [first.view, second.view] : undefined;
  const pages = views && (fields["interleave"] === "true" ? interleavedPages(views) : mergedPages(...views));
  const { title } = fields;
  const mapping: Mapping | undefined = pages && {
    kind: "merge",
    pages,
    outline: fields["bookmarks"] === "per-file" ? "per-file" : "keep",
    fileNames: sources.map(({ fileName }) => fileName.replace(/\.pdf$/i, "")),
    ...(title === undefined ? {} : { info: { Title: title } }),
  };
  return { name, operation: "merge", parts, sources, expected: mapping && [mapping], password: undefined };
}

/** One page of each in turn; when one runs out, the rest go on. */
function interleavedPages(views: readonly DocumentView[]): PageOrigin[] {
  const longest = Math.max(...views.map(({ pages }) => pages.length));
  return Array.from({ length: longest }, (_, page) => page).flatMap((page) =>
    views.flatMap((view, source) => (page < view.pages.length ? [{ source, page }] : [])),
  );
}

/** A part for each top-level outline entry: from its page up to the next one's; pages before the first go with the first. */
function bookmarkParts(view: DocumentView): number[][] {
  const starts = view.outline
    .flatMap(({ target }) => (target === undefined || target.page === null ? [] : [target.page]))
    .toSorted((a, b) => a - b);
  return starts.map((start, index) => {
    const from = index === 0 ? 0 : start;
    const to = Math.max(start, (starts[index + 1] ?? view.pages.length) - 1);
    return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
  });
}

/** Documents of one response that are opened; of more, as many are taken evenly, the first and last among them. */
const OPENED_DOCUMENTS = 6;

/** SSIM of a page before and after compress; real photographs at level medium are at 0.95 and more. */
const LEAST_ALIKE = 0.93;

/** Inputs as MuPDF draws them, for all cases that compare with them. */
const drawnSources = new WeakMap<Input, readonly Picture[]>();

/** No pages where MuPDF by itself does not find those that the service finds. */
function drawSource(source: Input): readonly Picture[] {
  const draw = (): readonly Picture[] => {
    try {
      return drawPages(source.bytes, source.password);
    } catch {
      return [];
    }
  };
  const drawn = drawnSources.get(source) ?? draw();
  drawnSources.set(source, drawn);
  return drawn;
}

/** What is wrong with the size or the look of a compressed document. */
function compressionProblems(
  response: ApiResponse,
  { sources, password }: Case,
  bytes: Uint8Array,
  gray: boolean,
): string[] {
  const [source] = sources;
  if (!source) return [];
  const problems: string[] = [];
  const sizes = [response.headers.get("X-Original-Size"), response.headers.get("X-Output-Size")];
  const expected = [String(source.bytes.length), String(bytes.length)];
  if (sizes.join() !== expected.join()) problems.push(`sizes: ${expected.join()} expected, got ${sizes.join()}`);
  if (!gray && bytes.length > source.bytes.length) problems.push(`grew from ${source.bytes.length} to ${bytes.length}`);
  const [before, after] = [drawSource(source), drawPages(bytes, password)];
  if (before.length === 0) return problems;
  // Colors that differ only in hue are one in gray.
  problems.push(...looksThatDiffer(before, after, gray ? 0.85 : LEAST_ALIKE));
  return problems;
}

/** A page looks as before, to the pixel, with text under it. */
function searchableProblems({ sources, password }: Case, bytes: Uint8Array): string[] {
  const [source] = sources;
  if (!source?.view || source.bytes.length > LARGEST_DRAWN) return [];
  const before = drawSource(source);
  return before.length === 0 ? [] : looksThatDiffer(before, drawPages(bytes, password), 0.9999);
}

/** Everything that is wrong with a 200, in words; empty when nothing is. */
export async function checkResponse(response: ApiResponse, one: Case): Promise<string[]> {
  const { sources, expected, password, problemsOf } = one;
  if (one.operation === "extract-text") return checkText(response, sources[0]?.view);
  if (one.operation === "to-images") return checkImages(response, sources[0]?.view, Number(one.parts["dpi"]));
  if (response.headers.get("Content-Type") === "application/json") {
    return problemsOf?.(JSON.parse(new TextDecoder().decode(response.body))) ?? [];
  }
  const documents = documentsOf(response);
  const problems: string[] = [];
  if (expected !== undefined && documents.length !== expected.length) {
    return [`${expected.length} documents expected, got ${documents.length}`];
  }
  const pageCount = response.headers.get("X-Page-Count");
  if (response.headers.get("Content-Type") === "application/pdf" && expected !== undefined) {
    const pages = expected[0]?.pages.length;
    if (pageCount !== String(pages)) problems.push(`X-Page-Count: ${pages} expected, got ${pageCount ?? "none"}`);
  }
  const known = new Set(sources.flatMap(({ complaints }) => complaints));
  const views = sources.flatMap(({ view }) => (view === undefined ? [] : [view]));
  for (const [index, { name, bytes }] of documents.entries()) {
    const step = Math.max(1, (documents.length - 1) / (OPENED_DOCUMENTS - 1));
    if (Math.round(Math.round(index / step) * step) !== index) continue;
    const report = await check(bytes, password);
    problems.push(...report.errors.filter((error) => !known.has(error)).map((error) => `${name} qpdf: ${error}`));
    problems.push(
      ...report.warnings.filter((warning) => !known.has(warning)).map((warning) => `${name} qpdf warns: ${warning}`),
    );
    if (one.operation === "ocr") problems.push(...searchableProblems(one, bytes));
    const mapping = expected?.[index];
    if (mapping === undefined) continue;
    const drawing = views.some(({ pages }) => pages[0]?.drawing !== undefined);
    const output = await openPdf(bytes, { password, drawing });
    if (mapping.redrawn) problems.push(...compressionProblems(response, one, bytes, mapping.recolored === true));
    problems.push(...compareKept(views, output, mapping).map((difference) => `${name} ${describe(difference)}`));
  }
  return problems;
}
