import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  getDocument,
  VerbosityLevel,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
} from "pdfjs-dist/legacy/build/pdf.mjs";
import { hash, readPage, targetResolver, type PageView, type Resolve, type Target } from "./pdfjs-page.ts";
import { plain, plainRecord, record, type Json, type Plain } from "./pdfjs-values.ts";

export interface OutlineEntry {
  readonly title: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly color: Json;
  readonly url: string | undefined;
  readonly action: string | undefined;
  /** undefined where the entry has no destination at all. */
  readonly target: Target | undefined;
  readonly open: boolean;
  readonly items: readonly OutlineEntry[];
}

export interface AttachmentView {
  readonly name: string;
  readonly description: string;
  readonly hash: string;
}

export interface DocumentView {
  readonly pages: readonly PageView[];
  readonly outline: readonly OutlineEntry[];
  readonly destinations: ReadonlyMap<string, Target>;
  /** One for each page, or null where the document has none. */
  readonly labels: readonly string[] | null;
  readonly attachments: readonly AttachmentView[];
  /** Full field name to its widgets; groups without a widget are left out. */
  readonly fields: ReadonlyMap<string, readonly Plain[]>;
  readonly info: Plain;
  readonly xmp: string | null;
  readonly language: string | null;
  readonly markInfo: Json;
  readonly pageMode: string;
  readonly openAction: Target | undefined;
  /** Numbers of the permissions granted, or null for all. */
  readonly permissions: readonly number[] | null;
  readonly encryptFilter: string | null;
  readonly hasXfa: boolean;
  readonly layers: readonly { readonly name: string; readonly visible: boolean }[];
}

export interface OpenOptions {
  readonly password?: string | undefined;
  /** Also reads what each page draws; slow for big images. */
  readonly drawing?: boolean;
}

const packageRoot = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
const folder = (name: string): string => `${join(packageRoot, name)}/`;

/** Where pdf.js finds its data. */
export const pdfjsFolders = {
  cMapUrl: folder("cmaps"),
  standardFontDataUrl: folder("standard_fonts"),
  wasmUrl: folder("wasm"),
  iccUrl: folder("iccs"),
} as const;

/** Reads a whole document with pdf.js, an engine that the service does not use. Throws where it does not open. */
export async function openPdf(bytes: Uint8Array, options: OpenOptions = {}): Promise<DocumentView> {
  const task = load(bytes, options.password);
  try {
    const document = await task.promise;
    return await readDocument(document, options.drawing ?? false);
  } finally {
    await task.destroy();
  }
}

/** How many pages pdf.js counts, once it has read the first and the last. Throws where it does not open. */
export async function countPages(bytes: Uint8Array, password?: string): Promise<number> {
  const task = load(bytes, password);
  try {
    const document = await task.promise;
    for (const number of new Set([1, document.numPages])) await document.getPage(number);
    return document.numPages;
  } finally {
    await task.destroy();
  }
}

/** The rotation of each page, for documents whose content need not be read. Throws where a page does not open. */
export async function pageRotations(bytes: Uint8Array): Promise<number[]> {
  const task = load(bytes, undefined);
  try {
    const document = await task.promise;
    const rotations: number[] = [];
    for (let number = 1; number <= document.numPages; number++) rotations.push((await document.getPage(number)).rotate);
    return rotations;
  } finally {
    await task.destroy();
  }
}

/** Both halves of the file identifier (ISO 32000-2, 14.4) in hex. */
export async function fileIdentifiers(bytes: Uint8Array, password?: string): Promise<string[]> {
  const task = load(bytes, password);
  try {
    const { fingerprints } = await task.promise;
    return fingerprints.map((half) => half ?? "none");
  } finally {
    await task.destroy();
  }
}

/** A piece of text in points from the top left of its page, which is not rotated. */
export interface TextPlace {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
}

/** The visible pieces of text of each page, in their order. */
export async function textPlaces(bytes: Uint8Array): Promise<TextPlace[][]> {
  const task = load(bytes, undefined);
  try {
    const document = await task.promise;
    const pages: TextPlace[][] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const [, , , top = 0] = page.view;
      pages.push(
        items.flatMap((item) => {
          if (!("str" in item) || item.str.trim() === "") return [];
          const [, , , , left, y] = item.transform as number[] as [number, number, number, number, number, number];
          return [{ text: item.str, left, right: left + item.width, baseline: top - y }];
        }),
      );
    }
    return pages;
  } finally {
    await task.destroy();
  }
}

/** The titles of the first level of the outline, for documents whose pages need not be read. */
export async function outlineTitles(bytes: Uint8Array): Promise<string[]> {
  const task = load(bytes, undefined);
  try {
    const document = await task.promise;
    return ((await document.getOutline()) ?? []).map(({ title }: { title: string }) => title);
  } finally {
    await task.destroy();
  }
}

function load(bytes: Uint8Array, password: string | undefined): PDFDocumentLoadingTask {
  return getDocument({
    // pdf.js takes the buffer away.
    data: bytes.slice(),
    verbosity: VerbosityLevel.ERRORS,
    ...pdfjsFolders,
    useSystemFonts: false,
    ...(password === undefined ? {} : { password }),
  });
}

async function readDocument(document: PDFDocumentProxy, drawing: boolean): Promise<DocumentView> {
  const resolve = targetResolver(document);
  const pages: PageView[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    pages.push(await readPage(document, page, resolve, drawing));
    page.cleanup();
  }
  const { info, metadata } = await document.getMetadata();
  const facts = record(info);
  const permissions = await document.getPermissions();
  const openAction = plainRecord(await document.getOpenAction());
  return {
    pages,
    outline: await readOutline((await document.getOutline()) ?? [], resolve),
    destinations: await readDestinations(document, resolve),
    labels: await document.getPageLabels(),
    attachments: await readAttachments(document),
    fields: readFields((await document.getFieldObjects()) ?? new Map<string, object[]>()),
    info: Object.fromEntries(
      Object.entries(plainRecord(info)).filter(
        ([key]) => !/^(Is|PDFFormatVersion|EncryptFilterName|Language)/.test(key),
      ),
    ),
    xmp: metadata === null ? null : String(record(metadata)["rawData"] ?? metadata.getRaw()),
    language: typeof facts["Language"] === "string" ? facts["Language"] : null,
    markInfo: plain(await document.getMarkInfo()),
    pageMode: await document.getPageMode(),
    openAction: openAction["dest"] === undefined ? undefined : await resolve(openAction["dest"]),
    permissions: permissions === null ? null : [...permissions].toSorted((a, b) => a - b),
    encryptFilter: typeof facts["EncryptFilterName"] === "string" ? facts["EncryptFilterName"] : null,
    hasXfa: facts["IsXFAPresent"] === true,
    layers: await readLayers(document),
  };
}

async function readOutline(nodes: readonly unknown[], resolve: Resolve): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = [];
  for (const node of nodes) {
    const { title, bold, italic, color, url, unsafeUrl, action, dest, count, items } = record(node);
    entries.push({
      title: String(title),
      bold: bold === true,
      italic: italic === true,
      color: plain(color),
      url: typeof unsafeUrl === "string" ? unsafeUrl : typeof url === "string" ? url : undefined,
      action: typeof action === "string" ? action : undefined,
      target: dest === undefined || dest === null ? undefined : await resolve(dest),
      open: typeof count === "number" && count > 0,
      items: await readOutline(Array.isArray(items) ? (items as unknown[]) : [], resolve),
    });
  }
  return entries;
}

async function readDestinations(document: PDFDocumentProxy, resolve: Resolve): Promise<Map<string, Target>> {
  const targets = new Map<string, Target>();
  for (const [name, destination] of await document.getDestinations()) targets.set(name, await resolve(destination));
  return targets;
}

async function readAttachments(document: PDFDocumentProxy): Promise<AttachmentView[]> {
  const attachments: AttachmentView[] = [];
  for (const [name, file] of (await document.getAttachments()) ?? []) {
    const content: unknown = await document.getAttachmentContent(name);
    attachments.push({ name, description: String(record(file)["description"] ?? ""), hash: hash(content) });
  }
  return attachments;
}

const fieldKeysLeftOut = new Set(["id", "kidIds", "name", "hasDatetimeHTML", "datetimeFormat"]);

function readFields(objects: ReadonlyMap<string, readonly object[]>): Map<string, Plain[]> {
  const fields = new Map<string, Plain[]>();
  for (const [name, entries] of objects) {
    const widgets = entries
      .map((entry) => plainRecord(entry))
      .filter((entry) => entry["type"] !== "")
      .map((entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => !fieldKeysLeftOut.has(key))));
    if (widgets.length > 0) fields.set(name, widgets);
  }
  return fields;
}

async function readLayers(document: PDFDocumentProxy): Promise<{ name: string; visible: boolean }[]> {
  const config = await document.getOptionalContentConfig();
  const groups = [...config] as (readonly [unknown, unknown])[];
  return groups.map(([, group]) => {
    const { name, visible } = group as { name: unknown; visible: unknown };
    return { name: String(name), visible: visible === true };
  });
}
