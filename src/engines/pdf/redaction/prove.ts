/**
 * Proof that nothing is left of what was redacted: the written file is opened again, and everything in it is decoded and searched. It uses
 * none of the code that redacts, apart from the search for terms in text.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { bytesOf } from "../../bytes/latin1.ts";
import type { OpenPdf } from "../document/document.ts";
import { shareKey } from "../encryption/file-key.ts";
import { isNamed, items, objectNumber } from "../objects/objects.ts";
import { serialize } from "../objects/serialize.ts";
import { decodeText } from "../objects/text-string.ts";
import { ByteSearch } from "./byte-search.ts";
import { readContentStrings } from "./content-strings.ts";
import type { Matcher } from "./matcher.ts";
import { findOnPage } from "./page-matches.ts";
import { asText } from "./searchable.ts";
import { bytesOfStream, findStreamKinds, isProgram, markupText } from "./streams.ts";
import { FONT_NAMES, isFontByName, isStandardName } from "./strings.ts";

/** Fuel per object. */
const OBJECT_WORK = 500;

/** The part of the file in which the proof fails. It never says what was found. */
class Found extends Error {}

export const redactionFailed = (place: string): Refusal =>
  new Refusal("redaction_failed", `The redacted file still had a match in ${place}. Nothing was sent.`);

/**
 * Opens a written file and searches it.
 * @param pages 0-based, on which text was redacted
 * @throws Refusal `redaction_failed`
 */
export async function proveRedacted(
  open: OpenPdf,
  file: EngineBytes,
  matcher: Matcher,
  pages: readonly number[],
): Promise<void> {
  if (matcher.isEmpty) return;
  const { engine } = open;
  const stream = engine.streamOf(file);
  let document: PDFDocument | null = null;
  try {
    document = await engine.long.open(stream);
    if (!document) throw new Error("the written file is no PDF");
    if (open.encrypted) shareKey(engine, open.document, document);
    const { input, unrestricted, encrypted, pageCount } = open;
    const written: OpenPdf = {
      input,
      engine,
      document,
      pageCount,
      encrypted,
      unrestricted,
      repaired: false,
      treeIsSound: true,
      [Symbol.dispose]: () => undefined,
    };
    await searchPages(written, matcher, pages);
    engine.work.allow(limits.work.request);
    await searchObjects(written, matcher, pages);
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    throw redactionFailed(error.message);
  } finally {
    stream.destroy();
    document?.destroy();
  }
}

async function searchPages(written: OpenPdf, matcher: Matcher, pages: readonly number[]): Promise<void> {
  for (const index of pages) {
    // Reading a page again may take as much as reading it at first.
    written.engine.work.allow(limits.work.request);
    const page = await written.engine.long.loadPage(written.document, index);
    const { matches } = await findOnPage(written, page, matcher, { annotations: true }).finally(() => page.destroy());
    if (matches.length > 0) throw new Found(`the text of page ${index + 1}`);
  }
}

async function searchObjects(written: OpenPdf, matcher: Matcher, pages: readonly number[]): Promise<void> {
  const { document, engine, pageCount } = written;
  const kinds = await findStreamKinds(written);
  const search = new ByteSearch(matcher, engine.work);
  const skipped = pages.length < pageCount ? kinds.content : new Set<number>();
  const encryption = objectNumber(document.getTrailer().get("Encrypt"));
  const count = document.countObjects();
  for (let number = 1; number < count; number++) {
    engine.work.spend(OBJECT_WORK);
    await engine.work.pause();
    if (number === encryption) continue;
    await engine.scope(async () => {
      const object = document.newIndirect(number);
      if (object.isNull()) return;
      // The one has objects that are searched by themselves, the other the identifiers of the file.
      if (["ObjStm", "XRef"].some((type) => isNamed(object.get("Type"), type))) return;
      await searchValue(object);
      if (object.isStream() && !skipped.has(number)) await searchStream(object, number);
    });
  }

  async function searchValue(object: PDFObject): Promise<void> {
    const text = serialize(engine, object, { generations: new Map(), secret: false }).join("");
    const { strings, names } = await readContentStrings(bytesOf(`${text} end`), engine.work);
    const needed = neededNames(object);
    for (const string of strings) if (await isInString(string, needed)) throw new Found("a string");
    for (const name of names) if (isInName(name, needed)) throw new Found("a name");
  }

  async function searchStream(stream: PDFObject, number: number): Promise<void> {
    const { bytes, raw } = bytesOfStream(stream);
    const isSamples = raw || stream.get("Width").isNumber();
    engine.countDecoded(bytes.length, isSamples ? 0 : 1);
    const isContent = kinds.content.has(number);
    if (isContent || isProgram(stream)) {
      const { shown, strings, names, comments } = await readContentStrings(bytes, engine.work);
      for (const part of shown) if ((await search.find(part)).length > 0) throw new Found("the content of a page");
      for (const part of [...strings, ...comments]) {
        if (await isInString(part, new Set())) throw new Found(isContent ? "the content of a page" : "a font");
      }
      for (const name of names) if (isInName(name, new Set())) throw new Found("the content of a page");
      return;
    }
    const text = isSamples ? undefined : asText(bytes);
    const isFound =
      text !== undefined ? matcher.isIn(text) || matcher.isIn(markupText(text)) : (await search.find(bytes)).length > 0;
    if (isFound) throw new Found("a stream");
  }

  async function isInString(bytes: Uint8Array, needed: ReadonlySet<string>): Promise<boolean> {
    const text = decodeText(bytes);
    if (needed.has(text)) return false;
    return isBinary(text) ? (await search.find(bytes)).length > 0 : matcher.isIn(text);
  }

  function isInName(name: string, needed: ReadonlySet<string>): boolean {
    return !isStandardName(document.newName(name)) && !needed.has(name) && matcher.isIn(name);
  }
}

// oxlint-disable-next-line no-control-regex -- that is what it looks for
const isBinary = (text: string): boolean => /[\0-\x08\x0e-\x17\ufffd]/.test(text);

/** Names without which a font would not be found, or its codes not be read. */
function neededNames(object: PDFObject): ReadonlySet<string> {
  const needed = new Set<string>();
  const add = (value: PDFObject): void => {
    if (value.isName()) needed.add(value.asName());
    if (value.isString()) needed.add(decodeText(value.asByteString()));
  };
  const visit = (dictionary: PDFObject): void => {
    const type = dictionary.get("Type");
    const isFont = type.isName() && ["Font", "FontDescriptor"].includes(type.asName());
    if (isFont && isFontByName(dictionary)) for (const key of FONT_NAMES) add(dictionary.get(key));
    for (const key of ["Registry", "Ordering"]) add(dictionary.get("CIDSystemInfo", key));
    for (const key of ["Registry", "Ordering"]) add(dictionary.get(key));
  };
  if (object.isDictionary()) visit(object);
  for (const item of items(object)) if (item.isDictionary() && !item.isIndirect()) visit(item);
  return needed;
}
