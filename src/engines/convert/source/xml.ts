/**
 * Reads XML of documents (XML 1.0) into a tree. Entities other than the five predefined ones and character references are not expanded, whatever a
 * document type declaration defines, and nothing is fetched.
 */
import { Refusal } from "../../errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { limits } from "../../../limits.ts";

export interface XmlElement {
  /** Without its prefix: the formats here use each local name for one thing. */
  readonly name: string;
  /** By their names as written, such as `r:id`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Elements inside each other. The deepest real one that was seen has 60. */
const DEPTH = 200;
/** With a value or without: a name that has none is not looked for again within itself. */
const ATTRIBUTE = /([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const PREDEFINED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

interface OpenElement {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly children: XmlNode[];
}

/**
 * The root element of a document.
 * @throws Refusal `invalid_file`, `limit_exceeded` (elements, attributes, work)
 */
export async function parseXml(work: Work, text: string, part: string): Promise<XmlElement> {
  const meter = new ParseMeter(work, "xml");
  const top: OpenElement = { name: "", attributes: {}, children: [] };
  const open = [top];
  let elements = 0;
  for (const { kind, start, end } of tokensOf(text, part)) {
    meter.bytes(end - start);
    await meter.pause();
    const parent = open.at(-1) ?? top;
    if (kind === "text") parent.children.push(decoded(text.slice(start, end)));
    else if (kind === "cdata") parent.children.push(text.slice(start, end));
    else if (text[start] === "/") close(open, localName(nameIn(text, start + 1, end, part)), part);
    else {
      elements += 1;
      if (elements > limits.conversion.elements) throw tooMany(part, "elements", limits.conversion.elements, elements);
      const name = nameIn(text, start, end, part);
      const element = { name: localName(name), attributes: {}, children: [] };
      meter.element();
      readAttributes(meter, text.slice(start + name.length, end), part, element.attributes);
      parent.children.push(element);
      if (text[end - 1] === "/") continue;
      if (open.length >= DEPTH) throw damaged(part, `has elements more than ${DEPTH} levels deep`);
      open.push(element);
    }
  }
  const root = top.children.find((node) => typeof node !== "string");
  if (root === undefined || open.length > 1) throw damaged(part, "is not complete");
  return root;
}

interface Token {
  /** A tag is without its `<` and `>`, and character data without what encloses it. */
  readonly kind: "text" | "cdata" | "tag";
  readonly start: number;
  readonly end: number;
}

/** Tokens one after the other, each searched for once, without comments, processing instructions, and the document type. */
function* tokensOf(text: string, part: string): Generator<Token, void> {
  const after = (mark: string, from: number): number => {
    const at = text.indexOf(mark, from);
    if (at < 0) throw damaged(part, "is not well-formed");
    return at + mark.length;
  };
  for (let at = 0; at < text.length;) {
    const start = text.indexOf("<", at);
    const end = start < 0 ? text.length : start;
    if (end > at) yield { kind: "text", start: at, end };
    if (start < 0) return;
    if (text.startsWith("<!--", start)) at = after("-->", start + 4);
    else if (text.startsWith("<?", start)) at = after("?>", start + 2);
    else if (text.startsWith("<![CDATA[", start)) {
      at = after("]]>", start + 9);
      yield { kind: "cdata", start: start + 9, end: at - 3 };
    } else if (text.startsWith("<!DOCTYPE", start)) {
      const subset = text.indexOf("[", start);
      const close = after(">", start);
      at = subset < 0 || subset > close ? close : after(">", after("]", subset));
    } else {
      at = endOfTag(text, start + 1);
      if (at < 0) throw damaged(part, "is not well-formed");
      yield { kind: "tag", start: start + 1, end: at - 1 };
    }
  }
}

/** Behind the `>` of a tag, which is in no value in quotes; -1 if there is none. */
function endOfTag(text: string, from: number): number {
  const mark = /["'>]/g;
  for (let at = from; ;) {
    mark.lastIndex = at;
    const found = mark.exec(text);
    if (found === null) return -1;
    if (found[0] === ">") return found.index + 1;
    at = text.indexOf(found[0], found.index + 1) + 1;
    if (at === 0) return -1;
  }
}

const NAME = /[^\s/>!?]+/y;

function nameIn(text: string, start: number, end: number, part: string): string {
  NAME.lastIndex = start;
  const name = NAME.exec(text)?.[0];
  if (name === undefined || start + name.length > end) throw damaged(part, "is not well-formed");
  return name;
}

function close(open: OpenElement[], name: string, part: string): void {
  if (open.length < 2 || open.pop()?.name !== name) throw damaged(part, "is not well-formed");
}

const damaged = (part: string, what: string): Refusal =>
  new Refusal("invalid_file", `The document is damaged: \`${part}\` ${what}.`, { input: "file" });

const tooMany = (part: string, what: string, limit: number, actual: number): Refusal =>
  new Refusal("limit_exceeded", `\`${part}\` can have up to ${limit} ${what}.`, { limit, actual });

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function readAttributes(meter: ParseMeter, text: string, part: string, into: Record<string, string>): void {
  const limit = limits.conversion.attributes;
  let count = 0;
  for (const [, name = "", double, single] of text.matchAll(ATTRIBUTE)) {
    meter.element();
    count += 1;
    if (count > limit) throw tooMany(part, "attributes of an element", limit, count);
    const value = double ?? single;
    if (value !== undefined && name !== "__proto__") into[name] = decoded(value);
  }
}

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (whole, decimal?: string, hexadecimal?: string, named?: string) => {
    if (named !== undefined) return PREDEFINED[named.toLowerCase()] ?? whole;
    const code = decimal === undefined ? parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "\ufffd";
  });
}

/** The elements below one, of one name if it is given. */
export const elementsIn = (element: XmlElement | undefined, name?: string): XmlElement[] =>
  (element?.children ?? []).filter(
    (node): node is XmlElement => typeof node !== "string" && (name === undefined || node.name === name),
  );

/** The first element at a path of names below one. */
export function elementAt(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) found = elementsIn(found, name)[0];
  return found;
}

/** An attribute by its local name, whatever its prefix. */
export function attribute(element: XmlElement | undefined, name: string): string | undefined {
  if (element === undefined) return undefined;
  const { attributes } = element;
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const key = Object.keys(attributes).find((written) => localName(written) === name);
  return key === undefined ? undefined : attributes[key];
}

/** All text below an element. */
export function textIn(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((node) => (typeof node === "string" ? node : textIn(node))).join("");
}
