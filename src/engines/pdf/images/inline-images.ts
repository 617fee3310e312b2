/** Turns inline images into XObjects, which can be re-encoded (ISO 32000-2, 8.9.7). */
import type { PDFDocument, PDFObject } from "mupdf";
import { type Content, forEachContent } from "../content/streams.ts";
import { ContentWriter } from "../content/content-writer.ts";
import type { ContentOperators } from "../content/operators.ts";
import { process, type Visitor } from "../content/processor.ts";
import type { OpenPdf } from "../document/document.ts";
import { FULL_NAMES } from "../objects/filters.ts";
import { parseValue } from "../content/values.ts";
import { FreeNames } from "../objects/objects.ts";

const KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    BPC: "BitsPerComponent",
    CS: "ColorSpace",
    D: "Decode",
    DP: "DecodeParms",
    F: "Filter",
    H: "Height",
    IM: "ImageMask",
    I: "Interpolate",
    W: "Width",
  }),
);
const SPACES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    G: "DeviceGray",
    RGB: "DeviceRGB",
    CMYK: "DeviceCMYK",
    I: "Indexed",
  }),
);

interface Lifted {
  readonly entries: readonly (readonly [string, string])[];
  readonly data: Uint8Array;
}

/**
 * Moves inline images of at least `smallest` bytes out of content. Moves stencil masks only if they are large, since they
 * have no colors of their own. Anything unexpected stays in place.
 */
export async function liftInlineImages(open: OpenPdf, { smallest }: { smallest: number }): Promise<void> {
  const lift = new Lift(open, smallest);
  await forEachContent(open, (content) => lift.content(content));
}

/** Stencil masks below this size in bytes, such as glyphs, are never moved. */
const SMALLEST_STENCIL = 4096;

class Lift {
  readonly #open: OpenPdf;
  readonly #smallest: number;
  readonly #names = new FreeNames();

  constructor(open: OpenPdf, smallest: number) {
    this.#open = open;
    this.#smallest = smallest;
  }

  async content({ streams, resources }: Content): Promise<void> {
    if (!resources.isDictionary()) return;
    for (const stream of streams) await this.#stream(stream, resources);
  }

  async #stream(stream: PDFObject, resources: PDFObject): Promise<void> {
    const { engine, document } = this.#open;
    let bytes: Uint8Array;
    try {
      const buffer = await engine.long.readStream(stream);
      engine.countDecoded(buffer.getLength());
      const content = buffer.asUint8Array();
      // Most content has none and need not be copied.
      const any = mayHoldImages(content) && content.length > this.#smallest;
      bytes = any ? content.slice() : new Uint8Array();
      buffer.destroy();
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
      return;
    }
    const writer = new ContentWriter(bytes);
    const visitor: Visitor = {
      keeps: [],
      image: ({ operators }) => {
        const image = this.#read(operators, bytes);
        const name = image && this.#add(image, resources);
        if (name !== undefined) writer.replace(operators.start, operators.end, `/${name} Do`);
      },
    };
    await process(bytes, visitor, engine.work);
    const changed = writer.result();
    if (changed && stream.isIndirect()) document.newIndirect(stream.asIndirect()).writeStream(changed);
  }

  #read(tokens: ContentOperators, bytes: Uint8Array): Lifted | undefined {
    const { data } = tokens;
    if (data.end - data.start < this.#smallest) return undefined;
    const lifted = readInline(tokens, bytes);
    const isStencil = lifted?.entries.some(([key, value]) => key === "ImageMask" && value === "true");
    if (isStencil && data.end - data.start < SMALLEST_STENCIL) return undefined;
    return lifted;
  }

  /** The name of the new object in the resources, or undefined if an entry is unexpected. */
  #add(lifted: Lifted, resources: PDFObject): string | undefined {
    const { document } = this.#open;
    const image = imageOf(document, lifted, resources);
    if (!image) return undefined;
    const present = resources.get("XObject");
    const objects = present.isDictionary()
      ? present
      : (resources.put("XObject", document.newDictionary()) as PDFObject);
    const name = this.#names.of("InlineImage", (used) => !objects.get(used).isNull());
    objects.put(name, image);
    return name;
  }
}

/** The inline image that was just read, as an XObject; undefined if an entry of it is unexpected. */
export function inlineImage(
  { document }: OpenPdf,
  tokens: ContentOperators,
  bytes: Uint8Array,
  resources: PDFObject,
): PDFObject | undefined {
  const lifted = readInline(tokens, bytes);
  return lifted && imageOf(document, lifted, resources);
}

function readInline(tokens: ContentOperators, bytes: Uint8Array): Lifted | undefined {
  const { data } = tokens;
  if (tokens.count % 2 !== 0) return undefined;
  const list: [string, string][] = [];
  for (let index = 0; index < tokens.count; index += 2) {
    const key = tokens.name(index);
    if (key === undefined) return undefined;
    list.push([KEYS.get(key) ?? key, tokens.text(index + 1)]);
  }
  return { entries: list, data: bytes.slice(data.start, data.end) };
}

function imageOf(document: PDFDocument, { entries, data }: Lifted, resources: PDFObject): PDFObject | undefined {
  const dictionary = document.newDictionary();
  dictionary.put("Type", document.newName("XObject"));
  dictionary.put("Subtype", document.newName("Image"));
  for (const [key, text] of entries) {
    const value = entryOf(document, key, text, resources);
    if (!value) return undefined;
    dictionary.put(key, value);
  }
  return document.addRawStream(data, dictionary);
}

function entryOf(document: PDFDocument, key: string, text: string, resources: PDFObject): PDFObject | undefined {
  const parsed = parseValue(document, text);
  if (!parsed) return undefined;
  if (key === "Filter") return renamed(parsed, FULL_NAMES);
  if (key !== "ColorSpace") return parsed;
  if (parsed.isName() && !SPACES.has(parsed.asName())) {
    const named = resources.get("ColorSpace", parsed.asName());
    return named.isNull() ? parsed : named;
  }
  if (parsed.isArray() && parsed.get(1).isName()) {
    const base = resources.get("ColorSpace", parsed.get(1).asName());
    if (!base.isNull()) parsed.put(1, base);
  }
  return renamed(parsed, SPACES);
}

/** Whether the content contains `ID`. */
function mayHoldImages(content: Uint8Array): boolean {
  for (let at = content.indexOf(0x49); at >= 0; at = content.indexOf(0x49, at + 1)) {
    if (content[at + 1] === 0x44) return true;
  }
  return false;
}

function renamed(value: PDFObject, names: ReadonlyMap<string, string>): PDFObject {
  const document = value._doc;
  if (value.isName()) return document.newName(names.get(value.asName()) ?? value.asName());
  for (let index = 0; value.isArray() && index < value.length; index++) {
    const item = value.get(index);
    if (item.isName()) value.put(index, document.newName(names.get(item.asName()) ?? item.asName()));
  }
  return value;
}
