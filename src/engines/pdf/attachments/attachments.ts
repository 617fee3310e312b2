/** The files attached to a document (ISO 32000-2, 7.11.4): named ones, associated ones (14.13), and those pinned to pages (12.5.6.15). */
import type { PDFObject } from "mupdf";
import { attachedStreams, writeFileTree } from "../document/attachments.ts";
import { decryptAttachments } from "../write/decrypt.ts";
import type { OpenPdf } from "../document/document.ts";
import { fetchAttachments } from "../document/fetch-pages.ts";
import { mapOf, names } from "../document/names.ts";
import { pageAt } from "../document/page-tree.ts";
import { isoOfPdfDate } from "../objects/dates.ts";
import { eachItem, isNamed, objectNumber } from "../objects/objects.ts";
import { decodeText, encodeText, TextReader, textString } from "../objects/text-string.ts";
import { decodedSize } from "../objects/stream-size.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";

/** Fuel per page, and per attachment. */
const PAGE_WORK = 200;
const FILE_WORK = 2_000;

/** Entries with a file's name, best first. */
const NAMES = ["UF", "F", "Unix", "Mac", "DOS"];

/** How a file relates to the document (7.11.3, `AFRelationship`). */
export const RELATIONSHIPS = [
  "Unspecified",
  "Source",
  "Data",
  "Alternative",
  "Supplement",
  "FormData",
  "Schema",
] as const;

/** Where a document has an attachment. */
interface Occurrence {
  /** The file specification (7.11.3). */
  readonly specification: PDFObject;
  /** The key in the document's name tree. */
  readonly key?: string | undefined;
  /** The page (0-based) and the annotation that it is pinned to. */
  readonly pin?: { readonly page: number; readonly annotation: PDFObject };
}

export interface Attachment extends Occurrence {
  readonly name: string;
  /** The embedded file. */
  readonly stream: PDFObject;
  /** Where else the document has the file under this name. */
  readonly others: Occurrence[];
}

/** All attachments: the document's by name, then those of its pages. A file is listed once under each of its names. */
export async function readAttachments(open: OpenPdf): Promise<Attachment[]> {
  const { engine, document, pageCount } = open;
  const { work } = engine;
  await fetchAttachments(open);
  const texts = new TextReader(engine);
  const root = document.getTrailer().get("Root");
  const found = new Map<string, Attachment>();
  const add = (specification: PDFObject, key?: string, pin?: Occurrence["pin"]): void => {
    work.spend(FILE_WORK);
    const stream = NAMES.map((name) => specification.get("EF", name)).find((file) => file.isStream());
    if (!stream) return;
    const given = NAMES.map((entry) => texts.text(specification.get(entry))).find((name) => name);
    const name = (given ?? (key === undefined ? "" : decodeText(bytesOf(key)))) || "attachment";
    const identity = `${objectNumber(stream)} ${name}`;
    const occurrence = { specification, key, ...(pin && { pin }) };
    const known = found.get(identity);
    if (known) known.others.push(occurrence);
    else found.set(identity, { name, stream, others: [], ...occurrence });
  };
  for await (const [key, specification] of names(open, root.get("Names", "EmbeddedFiles"))) add(specification, key);
  for await (const specification of eachItem(engine, root.get("AF"))) add(specification);
  for (let page = 0; page < pageCount; page++) {
    work.spend(PAGE_WORK);
    await work.pause();
    for await (const annotation of eachItem(engine, pageAt(open, page).get("Annots"))) {
      work.spend(PAGE_WORK);
      if (isNamed(annotation.get("Subtype"), "FileAttachment"))
        add(annotation.get("FS"), undefined, { page, annotation });
    }
  }
  return [...found.values()];
}

export interface AttachmentFacts {
  readonly name: string;
  readonly size: number | null;
  readonly contentType: string | null;
  readonly description: string | null;
  readonly modified: string | null;
  readonly relationship: string | null;
  /** 1-based. */
  readonly page: number | null;
}

/** The facts about the attachments of a document. The size is measured if the document does not state it. */
export async function describeAttachments(open: OpenPdf, list: readonly Attachment[]): Promise<AttachmentFacts[]> {
  const { engine } = open;
  const texts = new TextReader(engine);
  const facts: AttachmentFacts[] = [];
  for (const { name, specification, stream, pin } of list) {
    const size = stream.get("Params", "Size");
    const modified = texts.text(stream.get("Params", "ModDate"));
    const relationship = texts.name(specification.get("AFRelationship"));
    facts.push({
      name,
      size: size.isNumber() && size.asNumber() >= 0 ? Math.trunc(size.asNumber()) : await measured(open, stream),
      contentType: texts.name(stream.get("Subtype")) ?? null,
      description:
        texts.text(specification.get("Desc")) || texts.text(pin?.annotation.get("Contents") ?? specification) || null,
      modified: (modified !== undefined && isoOfPdfDate(modified)) || null,
      relationship: relationship ?? null,
      page: pin ? pin.page + 1 : null,
    });
    await engine.work.pause();
  }
  return facts;
}

/** Decompressed bytes up to which an attachment is measured. */
const MEASURED = 128 * 1024 * 1024;

async function measured({ engine }: OpenPdf, stream: PDFObject): Promise<number | null> {
  if (engine.ranges) return null;
  const size = await decodedSize(engine, stream, MEASURED);
  return size > MEASURED ? null : size;
}

/**
 * The bytes of an attachment, which belong to the caller.
 * @throws Refusal `invalid_file`, `limit_exceeded` (decompressed bytes, memory)
 */
export async function readAttachment(open: OpenPdf, { stream }: Attachment): Promise<EngineBytes> {
  const { engine } = open;
  try {
    await engine.long.loadStream(stream);
    const bytes = engine.bytesOf(await engine.long.readStream(stream));
    engine.countDecoded(bytes.length);
    return bytes;
  } catch (error) {
    throw engine.explain(error);
  }
}

/** Call before reading attachments that are encrypted in a way of their own (crypt filter `EFF`). */
export async function decryptAll(open: OpenPdf, list: readonly Attachment[]): Promise<void> {
  await decryptAttachments(
    open,
    list.flatMap(({ specification }) => attachedStreams(open, specification)),
  );
}

export interface NewAttachment {
  readonly name: string;
  readonly bytes: EngineBytes;
  readonly description: string | undefined;
  readonly relationship: (typeof RELATIONSHIPS)[number];
  /** A PDF date. */
  readonly modified: string;
}

/** Media types by extension, which readers of attachments expect. */
const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  txt: "text/plain",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "text/xml",
  zip: "application/zip",
};

function contentTypeOf(name: string): string | undefined {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
}

/** Attaches a file to the document. Its name must not be taken. */
export async function addAttachment(open: OpenPdf, added: NewAttachment): Promise<void> {
  const { engine, document } = open;
  const { name, bytes, description, relationship, modified } = added;
  const root = document.getTrailer().get("Root");
  const buffer = await engine.copied(bytes, bytes.length);
  const stream = document.addStream(buffer, { Type: document.newName("EmbeddedFile") });
  buffer.destroy();
  const contentType = contentTypeOf(name);
  if (contentType !== undefined) stream.put("Subtype", document.newName(contentType));
  stream.put("Params", { Size: bytes.length, ModDate: textString(root, modified) });
  const specification = document.addObject({
    Type: document.newName("Filespec"),
    F: textString(root, name),
    UF: textString(root, name),
    EF: { F: stream, UF: stream },
    AFRelationship: document.newName(relationship),
  });
  if (description !== undefined) specification.put("Desc", textString(root, description));
  const tree = await mapOf(names(open, root.get("Names", "EmbeddedFiles")));
  tree.set(freeKey(tree, name), specification);
  await writeFileTree(open, root, tree);
  const associated = root.get("AF");
  if (associated.isArray()) associated.push(specification);
  else root.put("AF", [specification]);
}

/** A key that is not in the tree: two files with different names may have the same one. */
function freeKey(tree: ReadonlyMap<string, PDFObject>, name: string): string {
  for (let number = 1; ; number++) {
    const key = latin1(encodeText(number === 1 ? name : `${name} (${number})`));
    if (!tree.has(key)) return key;
  }
}

/**
 * Removes attachments, with the annotations that they are pinned to; `all` has those of the document. A file that is left under another name stays.
 * Returns the pages (0-based) that changed.
 */
export async function removeAttachments(
  open: OpenPdf,
  list: readonly Attachment[],
  all: readonly Attachment[],
): Promise<number[]> {
  const { engine, document } = open;
  const root = document.getTrailer().get("Root");
  const occurrences = list.flatMap(occurrencesOf);
  const keys = new Set(occurrences.map(({ key }) => key));
  const gone = new Set(occurrences.map(({ specification }) => identityOf(specification)));
  for (const { specification } of all.filter((one) => !list.includes(one)).flatMap(occurrencesOf))
    gone.delete(identityOf(specification));
  const isGone = (specification: PDFObject): boolean => gone.has(identityOf(specification));
  const tree = await mapOf(names(open, root.get("Names", "EmbeddedFiles")));
  const kept = new Map([...tree].filter(([key]) => !keys.has(key)));
  if (kept.size < tree.size) await writeFileTree(open, root, kept);
  const associated = root.get("AF");
  const left: PDFObject[] = [];
  for await (const specification of eachItem(engine, associated)) if (!isGone(specification)) left.push(specification);
  if (left.length === 0) root.delete("AF");
  else if (left.length < associated.length) root.put("AF", left);
  const changed: number[] = [];
  for (const { pin } of occurrences) {
    if (!pin) continue;
    const page = document.findPage(pin.page);
    const own = objectNumber(pin.annotation);
    const kept: PDFObject[] = [];
    for await (const one of eachItem(engine, page.get("Annots")))
      if (own > 0 ? objectNumber(one) !== own : !isGone(one.get("FS"))) kept.push(one);
    page.put("Annots", kept);
    changed.push(pin.page);
  }
  // Other references to the files find them empty.
  for (const { specification } of occurrences) if (isGone(specification)) specification.delete("EF");
  return [...new Set(changed)];
}

const occurrencesOf = (one: Attachment): readonly Occurrence[] => [one, ...one.others];

/** The identity of an object: its number, or its address in memory. */
const identityOf = (object: PDFObject): string =>
  object.isIndirect() ? `${objectNumber(object)} R` : String(object.pointer);
