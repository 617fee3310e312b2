/**
 * Reads XML of documents (XML 1.0) into a tree. Entities other than the five predefined ones and character references are not expanded, whatever a
 * document type declaration defines, and nothing is fetched.
 */
import { Refusal } from "../../errors.ts";
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
/** Fuel per character and per element. */
const [CHARACTER_WORK, ELEMENT_WORK] = [2, 100];

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE(?:[^[>]|\[[^\]]*\])*>|<(\/?)([^\s/>!?]+)(?![^\s/>!?])((?:[^>"']|"[^"]*"|'[^']*')*)>|([^<]+)/gy;
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
 * @throws Refusal `invalid_file`, `limit_exceeded` (work)
 */
export async function parseXml(work: Work, text: string, part: string): Promise<XmlElement> {
  work.spend(text.length * CHARACTER_WORK);
  const top: OpenElement = { name: "", attributes: {}, children: [] };
  const open = [top];
  let [read, elements] = [0, 0];
  for (const [token, cdata, slash, name, rest = "", plain] of text.matchAll(TOKEN)) {
    work.spend(ELEMENT_WORK);
    await work.pause();
    read += token.length;
    const parent = open.at(-1) ?? top;
    if (plain !== undefined) parent.children.push(decoded(plain));
    else if (cdata !== undefined) parent.children.push(cdata);
    else if (name === undefined) continue;
    else if (slash) close(open, localName(name), part);
    else {
      elements += 1;
      if (elements > limits.conversion.elements) throw tooMany(part, elements);
      const element = { name: localName(name), attributes: attributesIn(rest), children: [] };
      parent.children.push(element);
      if (token.endsWith("/>")) continue;
      if (open.length >= DEPTH) throw damaged(part, `has elements more than ${DEPTH} levels deep`);
      open.push(element);
    }
  }
  // Tokens follow each other: one that is not complete ends the search, so that no text is searched twice.
  if (read < text.length) throw damaged(part, "is not well-formed");
  const root = top.children.find((node) => typeof node !== "string");
  if (root === undefined || open.length > 1) throw damaged(part, "is not complete");
  return root;
}

function close(open: OpenElement[], name: string, part: string): void {
  if (open.length < 2 || open.pop()?.name !== name) throw damaged(part, "is not well-formed");
}

const damaged = (part: string, what: string): Refusal =>
  new Refusal("invalid_file", `The document is damaged: \`${part}\` ${what}.`, { input: "file" });

function tooMany(part: string, actual: number): Refusal {
  const limit = limits.conversion.elements;
  return new Refusal("limit_exceeded", `\`${part}\` can have up to ${limit} elements.`, { limit, actual });
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function attributesIn(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = "", double, single] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single;
    if (value !== undefined && name !== "__proto__") attributes[name] = decoded(value);
  }
  return attributes;
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
