/**
 * Reads XML 1.0 with namespaces, for everything here that is XML. `saxes` checks that it is well-formed; the bounds, fuel, and pauses are ours.
 * Entities other than the five predefined ones are an error, regardless of a document type declaration, and nothing is fetched.
 */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { limits } from "../../limits.ts";
import type { ParseMeter } from "../parse-meter.ts";

/** Whether a file begins as XML does: with a tag or a declaration, in UTF-8 or UTF-16. A byte order mark and white space may precede it. */
export function beginsAsXml(head: Uint8Array): boolean {
  const [first] = head.filter((byte) => byte !== 0).filter((byte) => !BEFORE_XML.has(byte));
  return first === 0x3c;
}

/** Byte order marks of UTF-8 and UTF-16, tab, line feed, carriage return, and space. */
const BEFORE_XML = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x09, 0x0a, 0x0d, 0x20]);

/** Characters that are read between two pauses: some milliseconds at most. */
const CHUNK = 16_384;

/** The fault of a text. `actual`: the number or depth that is over its limit. */
export class XmlProblem extends Error {
  readonly kind: "malformed" | "depth" | "elements" | "attributes";
  readonly actual: number;

  constructor(kind: XmlProblem["kind"], actual = 0) {
    super(kind);
    this.kind = kind;
    this.actual = actual;
  }
}

export interface XmlBounds {
  /** Elements of the text. */
  readonly elements: number;
  /** Attributes of one element. */
  readonly attributes: number;
}

/** Where something is in the text, in UTF-16 units. */
export interface XmlSpan {
  readonly start: number;
  readonly end: number;
}

/** A start tag. */
export interface XmlTag extends Pick<SaxesTagNS, "name" | "local" | "uri" | "ns" | "attributes"> {
  readonly span: XmlSpan;
  /** Where each attribute is, with the space before it, in the order of `attributes`. */
  readonly attributeSpans: readonly XmlSpan[];
  readonly isSelfClosing: boolean;
}

/** The callbacks for the parts of a text, in order. */
export interface XmlVisitor {
  open(tag: XmlTag): void;
  /** Text of an element, decoded: also that in CDATA sections. */
  text(text: string): void;
  /** `span`: the end tag; for an element without one, its start tag. */
  close(span: XmlSpan): void;
}

/**
 * Reads all of a text.
 * @throws XmlProblem; Refusal `limit_exceeded` (work)
 */
export async function readXml(meter: ParseMeter, text: string, bounds: XmlBounds, visitor: XmlVisitor): Promise<void> {
  const parser = new SaxesParser({ xmlns: true });
  let [elements, depth, attributeStart] = [0, 0, 0];
  let attributeSpans: XmlSpan[] = [];
  /** No tag has `<` inside it. */
  const tagStart = (): number => text.lastIndexOf("<", parser.position - 1);
  parser.on("error", () => {
    throw new XmlProblem("malformed");
  });
  parser.on("opentagstart", ({ name }) => {
    elements += 1;
    if (elements > bounds.elements) throw new XmlProblem("elements", elements);
    depth += 1;
    if (depth > limits.xmlLevels) throw new XmlProblem("depth", depth);
    attributeStart = tagStart() + 1 + name.length;
    attributeSpans = [];
    charge();
  });
  /** Its prefix may be looked for in all elements around it. */
  const charge = (): void => {
    meter.element();
    meter.bytes(Math.ceil(depth / 4));
  };
  parser.on("attribute", () => {
    const count = attributeSpans.push({ start: attributeStart, end: parser.position });
    if (count > bounds.attributes) throw new XmlProblem("attributes", count);
    attributeStart = parser.position;
    charge();
  });
  parser.on("opentag", ({ name, local, uri, ns, attributes, isSelfClosing }) => {
    const span = { start: attributeSpans[0]?.start ?? attributeStart, end: parser.position };
    const start = span.start - name.length - 1;
    visitor.open({ name, local, uri, ns, attributes, isSelfClosing, attributeSpans, span: { start, end: span.end } });
  });
  const addText = (added: string): void => {
    if (depth > 0) visitor.text(added);
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    depth -= 1;
    visitor.close({ start: tagStart(), end: parser.position });
  });
  for (let at = 0; at < text.length; at += CHUNK) {
    const chunk = text.slice(at, at + CHUNK);
    meter.bytes(chunk.length);
    await meter.pause();
    parser.write(chunk);
  }
  parser.close();
}
