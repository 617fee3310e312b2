/**
 * Keeps XMP (ISO 16684-1) in sync with the Info dictionary: sets or removes the matching properties and keeps the rest of
 * the packet. The pairs are those of ISO 19005-1, 6.7.3, which every PDF/A must keep equal.
 */
import {
  type Attr,
  type Document,
  DOMParser,
  type Element,
  type Node,
  onErrorStopParsing,
  XMLSerializer,
} from "@xmldom/xmldom";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { isoOfPdfDate } from "../objects/dates.ts";
import { TRAPPED } from "./info.ts";

export const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const DC = "http://purl.org/dc/elements/1.1/";
const PDF = "http://ns.adobe.com/pdf/1.3/";
const PDFX = "http://ns.adobe.com/pdfx/1.3/";
const PDFA_ID = "http://www.aiim.org/pdfa/ns/id/";
const XMP = "http://ns.adobe.com/xap/1.0/";
const XML = "http://www.w3.org/XML/1998/namespace";
/** Prefixes for namespaces that the packet does not declare. */
const PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries({ [DC]: "dc", [PDF]: "pdf", [PDFX]: "pdfx", [XMP]: "xmp" }),
);

interface Name {
  readonly namespace: string;
  readonly local: string;
}

interface Property extends Name {
  /** A language alternative, an ordered or unordered array, or plain text. */
  readonly form: "Alt" | "Seq" | "Bag" | "text";
  /** Other properties in which old writers put the same value. They must not keep an old value. */
  readonly also: readonly Name[];
}

const name = (namespace: string, local: string): Name => ({ namespace, local });

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
 * @throws Refusal `limit_exceeded` beyond `xmpTags`, `xmpNamespaces`, or `xmpEscapes` of `limits.metadata`
 */
export function editXmp(
  work: Work,
  packet: Uint8Array,
  changes: ReadonlyMap<string, string | null>,
  clearsCustom: boolean,
): Uint8Array | undefined {
  const document = parseXmp(work, packet);
  const roots = document ? [...document.getElementsByTagNameNS(RDF, "RDF")] : [];
  const [root] = roots;
  if (!document || !root) return undefined;
  const descriptions = roots.flatMap(elementsOf);
  if (descriptions.length === 0) {
    const description = document.createElementNS(RDF, `${root.prefix ?? "rdf"}:Description`);
    description.setAttributeNS(RDF, `${root.prefix ?? "rdf"}:about`, "");
    root.appendChild(description);
    descriptions.push(description);
  }
  const properties = new Properties(document, descriptions);
  // PDF/A allows custom properties only with a schema that describes them, so none are added.
  const isArchival = properties.find(name(PDFA_ID, "part")).length > 0;
  if (clearsCustom) properties.removeAll(PDFX);
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
  return new TextEncoder().encode(properties.serialized());
}

/** The entries of the Info dictionary that a packet has, by Info key: text, dates in ISO 8601. */
export function readXmp(work: Work, packet: Uint8Array): ReadonlyMap<string, string> {
  const document = parseXmp(work, packet);
  if (document === undefined) return new Map();
  const properties = new Properties(document, [...document.getElementsByTagNameNS(RDF, "RDF")].flatMap(elementsOf));
  const texts = new Map<string, string>();
  const read = (key: string, property: Property, separator: string): void => {
    const [found] = [property, ...property.also].flatMap((place) => properties.find(place));
    const text = found && textsOf(found.node).join(separator);
    if (text !== undefined && text !== "" && !texts.has(key)) texts.set(key, text);
  };
  for (const [key, property] of PROPERTIES) read(key, property, "; ");
  read("Keywords", SUBJECT, ", ");
  return texts;
}

/**
 * Parses the packet, or returns undefined if it is not well-formed.
 * @throws Refusal `limit_exceeded` beyond `xmpTags`, `xmpNamespaces`, or `xmpEscapes` of `limits.metadata`
 */
export function parseXmp(work: Work, packet: Uint8Array): Document | undefined {
  // Writers leave zeros around the packet. The XML declaration may name an encoding other than the output's.
  const text = trimmed(decode(packet)).replace(/^<\?xml\s[^>]*\?>/, "");
  const { xmpTags, xmpNamespaces, xmpEscapes } = limits.metadata;
  const meter = new ParseMeter(work, "xml");
  meter.bytes(packet.length);
  const tags = counted(text, /[<=]/g, "tags", xmpTags);
  const namespaces = counted(text, /xmlns/g, "namespaces", xmpNamespaces);
  counted(text, /[&>"]/g, "characters to escape", xmpEscapes);
  meter.element(tags);
  // Each element looks through the namespaces around it.
  meter.bytes(Math.ceil((tags * namespaces) / 4));
  try {
    return new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, "text/xml");
  } catch (error) {
    // A stack overflow is not a syntax error.
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

/** How often something is in a packet, which may be up to a limit. */
function counted(text: string, what: RegExp, name: string, limit: number): number {
  const actual = text.match(what)?.length ?? 0;
  if (actual > limit)
    throw new Refusal("limit_exceeded", `The XMP metadata of the PDF has too many ${name}.`, { limit, actual });
  return actual;
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
function decode(packet: Uint8Array): string {
  const [first, second] = packet;
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) {
    return new TextDecoder("utf-16be").decode(packet);
  }
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) {
    return new TextDecoder("utf-16le").decode(packet);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(packet);
  } catch {
    return new TextDecoder("windows-1252").decode(packet);
  }
}

interface Found {
  readonly description: Element;
  /** An element, or an attribute for plain text (ISO 16684-1, 7.9.2.2). */
  readonly node: Element | Attr;
}

/** The properties of a packet by their names. */
class Properties {
  readonly #document: Document;
  readonly #descriptions: readonly Element[];
  readonly #found = new Map<string, Map<string, Found[]>>();
  /** What the packet no longer has. xmldom numbers all children of an element again for each that is removed, so they are left out when it is written. */
  readonly #removed = new Set<Node>();
  /** The prefixes of namespaces in a description. */
  readonly #prefixes = new Map<Element, Map<string, string | undefined>>();

  constructor(document: Document, descriptions: readonly Element[]) {
    this.#document = document;
    this.#descriptions = descriptions;
    for (const description of descriptions) {
      for (const node of elementsOf(description)) this.#add({ description, node });
      for (const node of description.attributes) this.#add({ description, node });
    }
  }

  #add(found: Found): void {
    const { namespaceURI, localName } = found.node;
    const names = this.#found.get(namespaceURI ?? "") ?? new Map<string, Found[]>();
    this.#found.set(namespaceURI ?? "", names);
    const same = names.get(localName ?? "");
    if (same) same.push(found);
    else names.set(localName ?? "", [found]);
  }

  find({ namespace, local }: Name): readonly Found[] {
    return this.#found.get(namespace)?.get(local) ?? [];
  }

  removeAll(namespace: string): void {
    for (const found of this.#found.get(namespace)?.values() ?? []) for (const { node } of found) this.#remove(node);
    this.#found.delete(namespace);
  }

  #remove(node: Element | Attr): void {
    this.#removed.add(node);
    const { previousSibling } = node;
    // Removes its line as well.
    if (previousSibling?.nodeType === 3 && (previousSibling.nodeValue ?? "").trim() === "")
      this.#removed.add(previousSibling);
  }

  set(property: Property, values: readonly string[]): void {
    const places = [property, ...property.also];
    const found = places.flatMap((place) => this.find(place));
    const home = found[0]?.description ?? this.#descriptions[0];
    for (const { node } of found) this.#remove(node);
    for (const { namespace, local } of places) this.#found.get(namespace)?.delete(local);
    if (values.length === 0 || !home) return;
    const node = element(
      this.#document,
      this.#prefixOf(home, RDF) ?? "rdf",
      this.#nameIn(home, property),
      property,
      values,
    );
    home.appendChild(node);
    this.#add({ description: home, node });
  }

  #nameIn(home: Element, { namespace, local }: Name): string {
    return `${this.#prefixOf(home, namespace) ?? PREFIXES.get(namespace)}:${local}`;
  }

  #prefixOf(home: Element, namespace: string): string | undefined {
    const known = this.#prefixes.get(home) ?? new Map<string, string | undefined>();
    this.#prefixes.set(home, known);
    if (!known.has(namespace)) known.set(namespace, home.lookupPrefix(namespace) || undefined);
    return known.get(namespace);
  }

  /** The packet as XML. */
  serialized(): string {
    const nodeFilter = (node: Node): Node | null => (this.#removed.has(node) ? null : node);
    return new XMLSerializer().serializeToString(this.#document, { nodeFilter });
  }
}

/** Its items, if it is an array; the one in the default language of a language alternative. */
function textsOf(property: Element | Attr): string[] {
  if (!isElement(property)) return [property.value];
  const [array] = elementsOf(property).filter(({ namespaceURI }) => namespaceURI === RDF);
  if (array === undefined) return [property.textContent ?? ""];
  const elements = elementsOf(array);
  const standard = elements.find((item) => item.getAttributeNS(XML, "lang") === "x-default") ?? elements[0];
  const items = array.localName === "Alt" ? (standard ? [standard] : []) : elements;
  return items.map((item) => item.textContent ?? "");
}

/** The element of a property. */
function element(
  document: Document,
  rdf: string,
  qualified: string,
  { namespace, form }: Property,
  values: readonly string[],
): Element {
  const property = document.createElementNS(namespace, qualified);
  if (form === "text") {
    property.appendChild(document.createTextNode(xmlText(values[0] ?? "")));
    return property;
  }
  const list = document.createElementNS(RDF, `${rdf}:${form}`);
  property.appendChild(list);
  for (const value of values) {
    const item = document.createElementNS(RDF, `${rdf}:li`);
    list.appendChild(item);
    if (form === "Alt") item.setAttributeNS(XML, "xml:lang", "x-default");
    item.appendChild(document.createTextNode(xmlText(value)));
  }
  return property;
}

const isElement = (node: Node): node is Element => node.nodeType === 1;

export function elementsOf(parent: Element): Element[] {
  const elements: Element[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    if (isElement(node)) elements.push(node);
  }
  return elements;
}

function valueFor(key: string, text: string): string {
  return key === "CreationDate" || key === "ModDate" ? (isoOfPdfDate(text) ?? text) : text;
}

const listOf = (keywords: string): string[] =>
  keywords
    .split(/[,;]/)
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== "");

/** XML cannot represent two code points, and reads a carriage return as a line feed (XML 1.0, 2.2 and 2.11). */
const xmlText = (text: string): string => text.replaceAll(/\r\n?/g, "\n").replaceAll(/[\ufffe\uffff]/g, "\ufffd");

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
