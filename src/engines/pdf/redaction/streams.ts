/** Redacts the streams of a document that are not drawn: metadata, scripts, fonts, profiles, and all others. */
import type { PDFObject } from "mupdf";
import { withoutJpegMetadata, withoutJpxMetadata } from "../../image/without-metadata.ts";
import { concat } from "../../../bytes/concat.ts";
import { find } from "../../../bytes/find.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { writeMetadata } from "../document/clear-metadata.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { filtersOf } from "../objects/filters.ts";
import { entries, isNamed, objectNumber } from "../objects/objects.ts";
import { decodeText } from "../objects/text-string.ts";
import { findUsed } from "../write/save.ts";
import { cleanContent } from "./content-strings.ts";
import { asText, otherReadings } from "./searchable.ts";
import type { Matcher } from "./matcher.ts";
import { isStandardName, searchFor, type StringRedactor } from "./strings.ts";

/** Filters that decode to samples, not to the written data (7.4.8, 7.4.9, 7.4.6, 7.4.7). */
const IMAGE_FILTERS = new Set(["DCTDecode", "JPXDecode", "CCITTFaxDecode", "JBIG2Decode"]);

const OVERWRITTEN = 0x78;

/** The mark of UTF-16BE, which the strings of a CMap are without. */
const BIG_ENDIAN = Uint8Array.of(0xfe, 0xff);

/** The kinds of streams that redaction distinguishes. */
export interface StreamKinds {
  /** Content streams, by object number. */
  readonly content: ReadonlySet<number>;
  /** Streams with JavaScript. */
  readonly scripts: ReadonlySet<number>;
}

/** Inspects the objects that the document uses. */
async function findStreamKinds(open: OpenPdf): Promise<StreamKinds> {
  const { document, engine, pageCount } = open;
  const content = new Set<number>();
  const scripts = new Set<number>();
  const add = (contents: PDFObject): void => {
    if (contents.isStream()) content.add(objectNumber(contents));
    for (let index = 0; contents.isArray() && index < contents.length; index++) {
      content.add(objectNumber(contents.get(index)));
    }
  };
  for (let index = 0; index < pageCount; index++) engine.scope(() => add(document.findPage(index).get("Contents")));
  await eachObjectHaving(open, { keys: ["Subtype", "PatternType", "Contents", "JS"] }, (object, number) => {
    if (isNamed(object.get("Subtype"), "Form") || object.get("PatternType").isNumber()) content.add(number);
    if (isNamed(object.get("Type"), "Template")) add(object.get("Contents"));
    if (isNamed(object.get("Subtype"), "Type3")) {
      for (const { value } of entries(engine, object.get("CharProcs"))) content.add(objectNumber(value));
    }
    if (object.get("JS").isStream()) scripts.add(objectNumber(object.get("JS")));
  });
  return { content, scripts };
}

/** The searchable bytes of a stream, and whether they are those of its file. A copy. */
function bytesOfStream(stream: PDFObject): { readonly bytes: Uint8Array; readonly raw: boolean } {
  const raw = filtersOf(stream).some((filter) => IMAGE_FILTERS.has(filter));
  const buffer = raw ? stream.readRawStream() : stream.readStream();
  const bytes = buffer.asUint8Array().slice();
  buffer.destroy();
  return { bytes, raw };
}

const isImage = (stream: PDFObject): boolean => isNamed(stream.get("Subtype"), "Image");

/** Whether a stream is only samples, which are not text (8.9.5, 7.10.2). JPEG and JPEG 2000 may also have text. */
const isSamples = (stream: PDFObject): boolean =>
  (isImage(stream) && !filtersOf(stream).some((filter) => filter === "DCTDecode" || filter === "JPXDecode")) ||
  (stream.get("FunctionType").isNumber() && stream.get("FunctionType").asNumber() === 0);

/** Whether a stream is a CMap (9.7.5) or a function (7.10.5): a program, whose operators are no text. */
const isProgram = (stream: PDFObject): boolean =>
  stream.get("FunctionType").isNumber() || isNamed(stream.get("Type"), "CMap") || beginsCMap(stream);

function beginsCMap(stream: PDFObject): boolean {
  if (!stream.get("Type").isNull() || !stream.get("Subtype").isNull()) return false;
  const buffer = stream.readStream();
  const begins = find(buffer.asUint8Array().subarray(0, 4096), "begincmap", 0) >= 0;
  buffer.destroy();
  return begins;
}

/** Redacts all streams. `replaced`: content streams of pages on which something was erased. */
export async function redactStreams(
  open: OpenPdf,
  matcher: Matcher,
  strings: StringRedactor,
  { replaced }: { replaced: ReadonlySet<number> },
): Promise<void> {
  const { document, engine } = open;
  const kinds = await findStreamKinds(open);
  const search = searchFor(open, matcher);
  const { reached } = await findUsed(open);
  for (const [number, isUsed] of reached.entries()) {
    if (isUsed === 0) continue;
    await engine.work.pause();
    await engine.scope(async () => {
      const stream = document.newIndirect(number);
      if (!stream.isStream() || isNamed(stream.get("Type"), "XRef") || isNamed(stream.get("Type"), "ObjStm")) return;
      if (isSamples(stream)) return;
      let read: ReturnType<typeof bytesOfStream>;
      try {
        read = bytesOfStream(stream);
      } catch (error) {
        if (!engine.isFailure(error)) throw error;
        // It cannot be searched, and no reader can read it.
        stream.writeStream("");
        return;
      }
      // The samples of an image are only searched, which counts itself.
      engine.countDecoded(read.bytes.length, isImage(stream) ? 0 : 1);
      const cleaned = await clean(stream, number, read);
      if (!cleaned) return;
      strings.count++;
      if (read.raw) stream.writeRawStream(cleaned);
      // Unencrypted XMP stays unencrypted, which needs a crypt filter of its own.
      else writeMetadata(stream, cleaned);
    });
  }

  /** Whether a text has another reading in markup or in escapes. */
  function isHidden(text: string): Promise<boolean> {
    return matcher.isInAny(otherReadings(text));
  }

  async function clean(
    stream: PDFObject,
    number: number,
    { bytes, raw }: { readonly bytes: Uint8Array; readonly raw: boolean },
  ): Promise<Uint8Array | undefined> {
    if (kinds.content.has(number) || isProgram(stream)) {
      return cleanContent(bytes, engine.work, {
        text: (text) => strings.clean(text) ?? strings.clean(decodeText(concat([BIG_ENDIAN, bytesOf(text)]))),
        name: (name) => (isStandardName(document.newName(name)) ? undefined : strings.cleanName(name)),
        dropsReplacements: replaced.has(number),
        inAllStrings: !kinds.content.has(number),
      });
    }
    const text = raw || isImage(stream) ? undefined : asText(bytes);
    // This includes XFA, whose parts many writers call embedded files.
    if (text !== undefined) {
      if ((await matcher.isInAny([text])) || (await isHidden(text))) {
        if (kinds.scripts.has(number)) return new Uint8Array();
        const result = (await strings.cleanLong(text)) ?? text;
        return new TextEncoder().encode((await isHidden(result)) ? "" : result);
      }
    }
    return overwrite(stream, bytes, raw);
  }

  async function overwrite(stream: PDFObject, bytes: Uint8Array, raw: boolean): Promise<Uint8Array | undefined> {
    if ((await search.find(bytes)).length === 0) return undefined;
    let kept = bytes;
    if (raw && isNamed(stream.get("Filter").isArray() ? stream.get("Filter", 0) : stream.get("Filter"), "DCTDecode")) {
      kept = withoutJpegMetadata(bytes).slice();
    } else if (raw && filtersOf(stream).at(0) === "JPXDecode") kept = withoutJpxMetadata(bytes).slice();
    const left = await search.find(kept);
    const result = left.length > 0 ? kept.slice() : kept;
    for (const { start, end } of left) result.fill(OVERWRITTEN, start, end);
    return result;
  }
}
