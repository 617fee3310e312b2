/**
 * Reads XMP as its data model: the subset of RDF/XML of ISO 16684-1, clause 7. Strict, as conformance needs it: anything else is a packet without a
 * valid serialization. (`metadata/xmp.ts` reads and edits whatever a document has.)
 */
import type { Work } from "../../../work.ts";
import {
  isElement,
  parseXmp,
  RDF,
  textWithin,
  XML,
  type XmpAttribute,
  type XmpElement,
  type XmpEncoding,
} from "../../metadata/xmp.ts";

/** A property, a field of a structure, or an item of an array. */
export interface XmpNode {
  readonly namespace: string;
  readonly local: string;
  /** As written: conformance asks for certain prefixes. */
  readonly prefix: string;
  readonly value: XmpValue;
  /** `xml:lang`. */
  readonly language: string | undefined;
}

export type XmpValue =
  | { readonly form: "simple"; readonly text: string }
  | { readonly form: "structure" | "Bag" | "Seq" | "Alt"; readonly nodes: readonly XmpNode[] };

export interface XmpPacket {
  readonly encoding: XmpEncoding;
  /** Attributes of the header, which is a processing instruction (ISO 16684-1, 7.3.2). */
  readonly header: ReadonlySet<string>;
  readonly properties: readonly XmpNode[];
}

class NotXmp extends Error {}

/** Fuel for a node. */
const NODE = 300;

/**
 * Reads a packet, or returns undefined if it is not well-formed XML or not XMP's subset of RDF.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpTags`, or elements too deep
 */
export async function readXmpPacket(work: Work, packet: Uint8Array): Promise<XmpPacket | undefined> {
  const parsed = await parseXmp(work, packet);
  if (parsed === undefined) return undefined;
  const [root] = parsed.roots;
  // The header comes first: text that looks like one further on is a value.
  const header = /^\s*<\?xpacket\s([^>]*)\?>/.exec(parsed.text)?.[1] ?? "";
  const names = [...header.matchAll(/([\w:]+)\s*=\s*(?:"[^"]*"|'[^']*')/g)].map(([, name]) => name ?? "");
  try {
    const properties = root === undefined ? [] : await new RdfReader(work).descriptions(root);
    return { encoding: parsed.encoding, header: new Set(names), properties };
  } catch (error) {
    if (error instanceof NotXmp) return undefined;
    throw error;
  }
}

const isRdf = (node: { readonly namespace: string; readonly local: string }, local: string): boolean =>
  node.namespace === RDF && node.local === local;

/** Names of RDF's syntax, and those that it no longer has: none may be a property (RDF/XML, 7.2.2 to 7.2.5). */
const NOT_A_PROPERTY = new Set(
  "RDF ID about parseType resource nodeID datatype Description aboutEach aboutEachPrefix bagID".split(" "),
);
const ARRAYS = ["Bag", "Seq", "Alt"] as const;

class RdfReader {
  readonly #work: Work;
  /** What the top descriptions are about: the same resource each. */
  #about = "";

  constructor(work: Work) {
    this.#work = work;
  }

  async descriptions(root: XmpElement): Promise<readonly XmpNode[]> {
    const nodes: XmpNode[] = [];
    for (const element of this.#elements(root)) {
      if (!isRdf(element, "Description")) throw new NotXmp();
      for (const attribute of element.attributes.filter((one) => isRdf(one, "about"))) {
        if (this.#about !== "" && attribute.value !== "" && attribute.value !== this.#about) throw new NotXmp();
        if (attribute.value !== "") this.#about = attribute.value;
      }
      await this.#work.pause();
      nodes.push(...this.#nodesOf(element, "about"));
    }
    return unique(nodes);
  }

  /** The elements in an element that has nothing else but white space. */
  #elements(parent: XmpElement): XmpElement[] {
    return parent.children.filter((child): child is XmpElement => {
      if (isElement(child)) return true;
      if (child.trim() !== "") throw new NotXmp();
      return false;
    });
  }

  /** The properties that a description has as attributes and as elements. `skipped`: attributes of RDF that may be there. */
  #nodesOf(description: XmpElement, ...skipped: string[]): XmpNode[] {
    const nodes: XmpNode[] = [];
    for (const attribute of description.attributes) {
      if (isDeclaration(attribute) || (attribute.namespace === XML && attribute.local === "lang")) continue;
      if (attribute.namespace === RDF && (skipped.includes(attribute.local) || /^(ID|nodeID)$/.test(attribute.local)))
        continue;
      nodes.push(this.#simple(attribute, attribute.value));
    }
    for (const element of this.#elements(description)) nodes.push(this.#property(element));
    return nodes;
  }

  #simple(named: XmpElement | XmpAttribute, text: string, language?: string): XmpNode {
    return this.#node(named, { form: "simple", text }, language);
  }

  #node(named: XmpElement | XmpAttribute, value: XmpValue, language: string | undefined): XmpNode {
    this.#work.spend(NODE);
    const { namespace, local, qualified } = named;
    // XMP has names in namespaces only.
    if (namespace === "" || (namespace === RDF && NOT_A_PROPERTY.has(local))) throw new NotXmp();
    return { namespace, local, prefix: qualified.includes(":") ? qualified.split(":")[0]! : "", value, language };
  }

  /** RDF/XML, 7.2.14 to 7.2.21. */
  #property(element: XmpElement): XmpNode {
    const attributes = element.attributes.filter((one) => !isDeclaration(one));
    const language = attributes.find((one) => one.namespace === XML && one.local === "lang")?.value;
    const others = attributes.filter((one) => !(one.namespace === XML && one.local === "lang") && !isRdf(one, "ID"));
    const parseType = others.find((one) => isRdf(one, "parseType"));
    if (parseType !== undefined) {
      if (parseType.value !== "Resource" || others.length > 1) throw new NotXmp();
      return this.#structure(
        element,
        this.#elements(element).map((child) => this.#property(child)),
        language,
      );
    }
    const hasElements = element.children.some(isElement);
    if (others.every((one) => isRdf(one, "datatype")) && (others.length > 0 || element.children.length > 0)) {
      if (!hasElements) return this.#simple(element, textWithin(element), language);
      if (others.length > 0) throw new NotXmp();
      return this.#resource(element, language);
    }
    return this.#empty(element, others, language);
  }

  #resource(element: XmpElement, language: string | undefined): XmpNode {
    const [inner, ...more] = this.#elements(element);
    if (inner === undefined || more.length > 0) throw new NotXmp();
    const form = ARRAYS.find((one) => isRdf(inner, one));
    if (form === undefined) {
      if (inner.namespace === RDF && inner.local !== "Description") throw new NotXmp();
      return this.#structure(element, this.#nodesOf(inner, "about"), language);
    }
    const items = this.#elements(inner).map((item) => {
      if (!isRdf(item, "li")) throw new NotXmp();
      return this.#property(item);
    });
    return this.#node(element, { form, nodes: items }, language);
  }

  /** A structure, or the value of one with qualifiers (`rdf:value`; ISO 16684-1, 7.8). */
  #structure(element: XmpElement, nodes: XmpNode[], language: string | undefined): XmpNode {
    const value = nodes.find((node) => isRdf(node, "value"));
    if (value !== undefined) {
      return this.#node(element, value.value, value.language ?? language);
    }
    if (nodes.some((node) => isRdf(node, "li"))) throw new NotXmp();
    return this.#node(element, { form: "structure", nodes: unique(nodes) }, language);
  }

  /** An element without contents, whose attributes are its value, its fields, or its qualifiers (RDF/XML, 7.2.21). */
  #empty(element: XmpElement, attributes: readonly XmpAttribute[], language: string | undefined): XmpNode {
    if (element.children.some((child) => isElement(child) || child.trim() !== "")) throw new NotXmp();
    const value = attributes.find((one) => isRdf(one, "resource") || isRdf(one, "value"));
    const fields = attributes.filter((one) => one.namespace !== RDF);
    if (attributes.some((one) => one.namespace === RDF && !/^(resource|value|nodeID)$/.test(one.local))) {
      throw new NotXmp();
    }
    if (value !== undefined) return this.#simple(element, value.value, language);
    if (fields.length === 0) return this.#simple(element, "", language);
    return this.#structure(
      element,
      fields.map((one) => this.#simple(one, one.value)),
      language,
    );
  }
}

const XMLNS = "http://www.w3.org/2000/xmlns/";
const isDeclaration = ({ namespace, qualified }: XmpAttribute): boolean =>
  namespace === XMLNS || qualified === "xmlns" || qualified.startsWith("xmlns:");

/** A name is used once in a structure or packet. */
function unique(nodes: XmpNode[]): XmpNode[] {
  const names = new Set(nodes.map(({ namespace, local }) => `${namespace} ${local}`));
  if (names.size < nodes.length) throw new NotXmp();
  return nodes;
}
