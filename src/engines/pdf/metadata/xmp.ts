/**
 * Keeps XMP (ISO 16684-1) in sync with the Info dictionary: sets or removes the matching properties. The rest of the packet is unchanged, byte by
 * byte. The pairs are those of ISO 19005-1, 6.7.3, which every PDF/A must keep equal.
 */
import { limits } from "../../../limits.ts";
import { xmpHasTooMany } from "../../limit-errors.ts";
import { readXml, type XmlSpan, XmlProblem, type XmlTag, type XmlVisitor } from "../../markup/xml.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { isoOfPdfDate } from "../objects/dates.ts";
import { TRAPPED } from "./info.ts";

export const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const DC = "http://purl.org/dc/elements/1.1/";
const PDF = "http://ns.adobe.com/pdf/1.3/";
const PDFX = "http://ns.adobe.com/pdfx/1.3/";
/** Of the properties that claim conformance to PDF/A. */
export const PDFA_ID = "http://www.aiim.org/pdfa/ns/id/";
const XMP = "http://ns.adobe.com/xap/1.0/";
export const XML = "http://www.w3.org/XML/1998/namespace";
/** Prefixes for namespaces that the packet does not declare. */
const PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries({ [DC]: "dc", [PDF]: "pdf", [PDFX]: "pdfx", [XMP]: "xmp" }),
);

export interface XmpName {
  readonly namespace: string;
  readonly local: string;
}

interface Property extends XmpName {
  /** A language alternative, an ordered or unordered array, or plain text. */
  readonly form: "Alt" | "Seq" | "Bag" | "text";
  /** Other properties in which old writers put the same value. They must not keep an old value. */
  readonly also: readonly XmpName[];
}

const name = (namespace: string, local: string): XmpName => ({ namespace, local });

/** Properties by Info key. */
const PROPERTIES: ReadonlyMap<string, Property> = new Map(
  Object.entries<Property>({
    Title: { ...name(DC, "title"), form: "Alt", also: [name(PDF, "Title"), name(XMP, "Title")] },
    Author: { ...name(DC, "creator"), form: "Seq", also: [name(PDF, "Author"), name(XMP, "Author")] },
    Subject: { ...name(DC, "description"), form: "Alt", also: [name(PDF, "Subject"), name(XMP, "Description")] },
    Keywords: { ...name(PDF, "Keywords"), form: "text", also: [name(XMP, "Keywords")] },
    Creator: { ...name(XMP, "CreatorTool"), form: "text", also: [name(PDF, "Creator")] },
    Producer: { ...name(PDF, "Producer"), form: "text", also: [] },
    CreationDate: { ...name(XMP, "CreateDate"), form: "text", also: [name(PDF, "CreationDate")] },
    ModDate: { ...name(XMP, "ModifyDate"), form: "text", also: [name(PDF, "ModDate")] },
    [TRAPPED]: { ...name(PDF, "Trapped"), form: "text", also: [] },
  }),
);

/** The keywords as a list. Not every packet has it, so it is updated only if present. */
const SUBJECT: Property = { ...name(DC, "subject"), form: "Bag", also: [] };

/**
 * Applies the changes to the packet and returns it as UTF-8. Undefined if it is not well-formed XML with an `rdf:RDF`, which
 * no reader can use.
 * @param changes text by Info key (dates as PDF dates); null if the entry was removed
 * @param clearsCustom whether custom properties that are not listed are removed as well
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpTags`, or elements too deep
 */
export async function editXmp(
  work: Work,
  packet: Uint8Array,
  changes: ReadonlyMap<string, string | null>,
  clearsCustom: boolean,
): Promise<Uint8Array | undefined> {
  const parsed = await parseXmp(work, packet);
  if (parsed?.roots[0] === undefined) return undefined;
  const properties = await Properties.of(work, parsed);
  // PDF/A allows custom properties only with a schema that describes them, so none are added.
  const isArchival = properties.find(name(PDFA_ID, "part")).length > 0;
  if (clearsCustom) {
    properties.removeAll(PDFX);
    await work.pause();
  }
  for (const [key, text] of changes) {
    const property = PROPERTIES.get(key);
    if (property) properties.set(property, text === null ? [] : [valueFor(key, text)]);
    else {
      const custom = { ...name(PDFX, localName(key)), form: "text", also: [] } as const;
      const add = text !== null && (!isArchival || properties.find(custom).length > 0);
      properties.set(custom, add ? [text] : []);
    }
    if (key === "Keywords" && properties.find(SUBJECT).length > 0) properties.set(SUBJECT, listOf(text ?? ""));
  }
  await work.pause();
  return new TextEncoder().encode(properties.written());
}

/** The part of PDF/A that a packet claims. */
export async function claimedPart(work: Work, packet: Uint8Array): Promise<string | undefined> {
  const parsed = await parseXmp(work, packet);
  const [found] = parsed === undefined ? [] : (await Properties.of(work, parsed)).find(name(PDFA_ID, "part"));
  return found && textsOf(found.node).join("").trim();
}

/**
 * A packet without the properties of a namespace, in UTF-8. Undefined if it is not well-formed XML.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpTags`, or elements too deep
 */
export async function withoutNamespace(
  work: Work,
  packet: Uint8Array,
  namespace: string,
): Promise<Uint8Array | undefined> {
  const parsed = await parseXmp(work, packet);
  if (parsed === undefined) return undefined;
  const properties = await Properties.of(work, parsed);
  properties.removeAll(namespace);
  return new TextEncoder().encode(properties.written());
}

/** The entries of the Info dictionary that a packet has, by Info key: text, dates in ISO 8601. */
export async function readXmp(work: Work, packet: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const parsed = await parseXmp(work, packet);
  if (parsed === undefined) return texts;
  const properties = await Properties.of(work, parsed);
  const read = (key: string, property: Property, separator: string): void => {
    const [found] = [property, ...property.also].flatMap((place) => properties.find(place));
    const text = found && textsOf(found.node).join(separator);
    if (text !== undefined && text !== "" && !texts.has(key)) texts.set(key, text);
  };
  for (const [key, property] of PROPERTIES) read(key, property, "; ");
  read("Keywords", SUBJECT, ", ");
  return texts;
}

/** An attribute that is a property (ISO 16684-1, 7.9.2.2), or qualifies one. */
export interface XmpAttribute extends XmpName {
  /** As written. */
  readonly qualified: string;
  readonly value: string;
  readonly span: XmlSpan;
}

export interface XmpElement extends XmpName {
  /** As written. */
  readonly qualified: string;
  readonly attributes: readonly XmpAttribute[];
  readonly children: readonly (XmpElement | string)[];
  readonly parent: XmpElement | undefined;
  /** The prefixes that it declares. */
  readonly declared: Readonly<Record<string, string>>;
  /** Its start tag, and its end tag: the same one if it has no contents. */
  readonly tags: readonly [XmlSpan, XmlSpan];
}

export type XmpEncoding = "UTF-8" | "UTF-16" | "UTF-32" | "unknown";

interface Packet {
  readonly text: string;
  /** That of the bytes, whatever they declare. Unknown: not UTF-8, and read as Windows-1252. */
  readonly encoding: XmpEncoding;
  /** Each `rdf:RDF`. */
  readonly roots: readonly XmpElement[];
}

type OpenElement = XmpElement & { readonly children: (XmpElement | string)[]; tags: readonly [XmlSpan, XmlSpan] };

/** Tags and attributes, and attributes of one tag, which are read at once. */
const BOUNDS = { elements: limits.metadata.xmpTags, attributes: limits.metadata.xmpAttributes };
/** Fuel to note where a property is. */
const PROPERTY_WORK = 200;

class PacketReader implements XmlVisitor {
  readonly roots: XmpElement[] = [];
  readonly #open: OpenElement[] = [];
  #count = 0;

  open({ name: qualified, local, uri, ns, attributes, attributeSpans, span }: XmlTag): void {
    this.#count += 1 + attributeSpans.length;
    if (this.#count > BOUNDS.elements) throw new XmlProblem("elements", this.#count);
    const parent = this.#open.at(-1);
    const element: OpenElement = {
      namespace: uri,
      local,
      qualified,
      attributes: Object.values(attributes).map((one, index) => ({
        namespace: one.uri,
        local: one.local,
        qualified: one.name,
        value: one.value,
        span: attributeSpans[index] ?? span,
      })),
      children: [],
      parent,
      declared: ns,
      tags: [span, span],
    };
    parent?.children.push(element);
    this.#open.push(element);
    if (uri === RDF && local === "RDF") this.roots.push(element);
  }

  text(text: string): void {
    this.#open.at(-1)?.children.push(text);
  }

  close(span: XmlSpan): void {
    const element = this.#open.pop();
    if (element) element.tags = [element.tags[0], span];
  }
}

/**
 * Parses the packet, or returns undefined if it is not well-formed.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpTags`, or elements too deep
 */
export async function parseXmp(work: Work, packet: Uint8Array): Promise<Packet | undefined> {
  // Writers leave zeros around the packet. The XML declaration may name an encoding other than the output's.
  const decoded = decode(packet);
  const text = trimmed(decoded.text).replace(/^<\?xml\s[^>]*\?>/, "");
  const reader = new PacketReader();
  try {
    await readXml(new ParseMeter(work, "xml"), text, BOUNDS, reader);
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    if (error.kind === "malformed") return undefined;
    throw xmpHasTooMany(error.kind, error.actual);
  }
  return { text, encoding: decoded.encoding, roots: reader.roots };
}

/** Strips zeros and whitespace from both ends. (A regular expression for trailing whitespace takes quadratic time.) */
function trimmed(text: string): string {
  const isOutside = (at: number): boolean => (text.codePointAt(at) ?? 0) <= 0x20 || text[at] === "\ufeff";
  let start = 0;
  let end = text.length;
  while (start < end && isOutside(start)) start++;
  while (end > start && isOutside(end - 1)) end--;
  return text.slice(start, end);
}

/** Detects the encoding by the byte order mark or else by the position of the first `<` (ISO 16684-1, 7.3). */
function decode(packet: Uint8Array): { readonly text: string; readonly encoding: XmpEncoding } {
  const [first = 0, second = 0, third = 0, fourth = 0] = packet;
  const starts = ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0;
  if (starts === 0xfeff || starts === 0x3c) return { text: utf32(packet, false), encoding: "UTF-32" };
  if (starts === 0xfffe0000 || starts === 0x3c000000) return { text: utf32(packet, true), encoding: "UTF-32" };
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) {
    return { text: new TextDecoder("utf-16be").decode(packet), encoding: "UTF-16" };
  }
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) {
    return { text: new TextDecoder("utf-16le").decode(packet), encoding: "UTF-16" };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(packet), encoding: "UTF-8" };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(packet), encoding: "unknown" };
  }
}

function utf32(packet: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const pieces: string[] = [];
  for (let at = 0; at + 4 <= packet.length; at += 4) {
    const point = view.getUint32(at, isLittleEndian);
    pieces.push(point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point));
  }
  return pieces.join("");
}

interface Found {
  readonly description: XmpElement;
  readonly node: XmpElement | XmpAttribute;
}

export const isElement = (node: XmpElement | XmpAttribute | string): node is XmpElement =>
  typeof node !== "string" && "children" in node;

export const elementsOf = (parent: XmpElement): XmpElement[] => parent.children.filter(isElement);

/** All text in an element. */
export const textWithin = (element: XmpElement): string =>
  element.children.map((node) => (isElement(node) ? textWithin(node) : node)).join("");

/** The properties of a packet by their names, and its text with changes. */
class Properties {
  readonly #text: string;
  readonly #descriptions: readonly XmpElement[];
  /** The element that properties are added to: a description, or the root if there is none. */
  readonly #home: XmpElement | undefined;
  readonly #found = new Map<string, Found[]>();
  /** The parts removed from the packet. */
  readonly #removed: XmlSpan[] = [];
  readonly #added = new Map<XmpElement, string[]>();
  /** The prefixes of namespaces in an element. */
  readonly #prefixes = new Map<XmpElement, Map<string, string | undefined>>();

  private constructor({ text, roots }: Packet) {
    this.#text = text;
    this.#descriptions = roots.flatMap(elementsOf);
    this.#home = this.#descriptions[0] ?? roots[0];
  }

  static async of(work: Work, packet: Packet): Promise<Properties> {
    const properties = new Properties(packet);
    for (const description of properties.#descriptions) {
      for (const node of [...elementsOf(description), ...description.attributes]) {
        work.spend(PROPERTY_WORK);
        await work.pause();
        const same = properties.#found.get(keyOf(node));
        if (same) same.push({ description, node });
        else properties.#found.set(keyOf(node), [{ description, node }]);
      }
    }
    return properties;
  }

  find(wanted: XmpName): readonly Found[] {
    return this.#found.get(keyOf(wanted)) ?? [];
  }

  removeAll(namespace: string): void {
    for (const found of this.#found.values()) if (found[0]?.node.namespace === namespace) this.#remove(found);
  }

  /** Removes elements with the space before them, which may be their line. */
  #remove(found: Found[]): void {
    for (const { node } of found.splice(0)) {
      if (!isElement(node)) {
        this.#removed.push(node.span);
        continue;
      }
      const [{ start }, { end }] = node.tags;
      let before = start;
      while (this.#text.charCodeAt(before - 1) <= 0x20) before--;
      this.#removed.push({ start: this.#text[before - 1] === ">" ? before : start, end });
    }
  }

  set(property: Property, values: readonly string[]): void {
    const places = [property, ...property.also];
    const home = places.flatMap((place) => this.find(place))[0]?.description ?? this.#home;
    for (const place of places) this.#remove(this.#found.get(keyOf(place)) ?? []);
    if (values.length === 0 || !home) return;
    const added = this.#added.get(home) ?? [];
    this.#added.set(home, [...added, this.#element(home, property, values)]);
  }

  /** The element of a property as XML. */
  #element(home: XmpElement, { namespace, local, form }: Property, values: readonly string[]): string {
    const declarations: string[] = [];
    const qualified = (of: string, standard: string, localPart: string): string => {
      const prefix = this.#prefixOf(home, of);
      if (prefix === undefined && !declarations.includes(standard)) declarations.push(standard);
      return `${prefix ?? standard}:${localPart}`;
    };
    const element = qualified(namespace, PREFIXES.get(namespace) ?? "", local);
    let inside = escaped(values[0] ?? "");
    if (form !== "text") {
      const [list, item] = [qualified(RDF, "rdf", form), qualified(RDF, "rdf", "li")];
      const language = form === "Alt" ? ' xml:lang="x-default"' : "";
      const items = values.map((value) => `<${item}${language}>${escaped(value)}</${item}>`);
      inside = `<${list}>${items.join("")}</${list}>`;
    }
    const declared = declarations.map((prefix) => ` xmlns:${prefix}="${prefix === "rdf" ? RDF : namespace}"`);
    return `<${element}${declared.join("")}>${inside}</${element}>`;
  }

  #prefixOf(home: XmpElement, namespace: string): string | undefined {
    const known = this.#prefixes.get(home) ?? new Map<string, string | undefined>();
    this.#prefixes.set(home, known);
    if (!known.has(namespace)) known.set(namespace, prefixIn(home, namespace));
    return known.get(namespace);
  }

  /** The packet as XML, with the changes. */
  written(): string {
    const edits = this.#removed.map(({ start, end }) => ({ start, end, text: "" }));
    for (const [home, added] of this.#added) {
      const [open, close] = home.tags;
      const isDescription = this.#descriptions.includes(home);
      const rdf = this.#prefixOf(home, RDF);
      const description = `${rdf ?? "rdf"}:Description`;
      const declared = rdf === undefined ? ` xmlns:rdf="${RDF}"` : "";
      const text = isDescription
        ? added.join("")
        : `<${description}${declared} ${rdf ?? "rdf"}:about="">${added.join("")}</${description}>`;
      // An element without contents gets an end tag.
      edits.push(
        open.end === close.end
          ? { start: open.end - 2, end: open.end, text: `>${text}</${home.qualified}>` }
          : { start: close.start, end: close.start, text },
      );
    }
    const pieces: string[] = [];
    let at = 0;
    for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
      // The content of a removed element is removed with it.
      if (start < at) continue;
      pieces.push(this.#text.slice(at, start), text);
      at = end;
    }
    return pieces.join("") + this.#text.slice(at);
  }
}

const keyOf = ({ namespace, local }: XmpName): string => `${namespace} ${local}`;

/** A prefix that means a namespace in an element, and in all that is in it. */
function prefixIn(home: XmpElement, namespace: string): string | undefined {
  const hidden = new Set<string>();
  for (let element: XmpElement | undefined = home; element; element = element.parent) {
    for (const [prefix, uri] of Object.entries(element.declared)) {
      if (uri === namespace && prefix !== "" && !hidden.has(prefix)) return prefix;
      hidden.add(prefix);
    }
  }
  return undefined;
}

/** Its items, if it is an array; the one in the default language of a language alternative. */
function textsOf(property: XmpElement | XmpAttribute): string[] {
  if (!isElement(property)) return [property.value];
  const array = elementsOf(property).find(({ namespace }) => namespace === RDF);
  if (array === undefined) return [textWithin(property)];
  const elements = elementsOf(array);
  const isStandard = ({ attributes }: XmpElement): boolean =>
    attributes.some(({ namespace, local, value }) => namespace === XML && local === "lang" && value === "x-default");
  const standard = elements.find(isStandard) ?? elements[0];
  const items = array.local === "Alt" ? (standard ? [standard] : []) : elements;
  return items.map(textWithin);
}

function valueFor(key: string, text: string): string {
  return key === "CreationDate" || key === "ModDate" ? (isoOfPdfDate(text) ?? text) : text;
}

const listOf = (keywords: string): string[] =>
  keywords
    .split(/[,;]/)
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== "");

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text in XML, which cannot represent two code points, and reads a carriage return as a line feed (XML 1.0, 2.2 and 2.11). */
const escaped = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\ufffe\uffff]/g, "\ufffd")
    .replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? character);

const NAME_START =
  "A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u2181" +
  "\\u2183-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd";
const NOT_START = new RegExp(`^[^${NAME_START}]`);
const NOT_NAME = new RegExp(`[^${NAME_START}\\-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040]`, "g");

/** The XML name for a custom key. Escapes invalid characters as Adobe does: U+2182 and four digits. */
function localName(key: string): string {
  const escape = (unit: string): string => `\u2182${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return key.replace(NOT_NAME, escape).replace(NOT_START, (unit) => (unit === "\u2182" ? unit : escape(unit)));
}
