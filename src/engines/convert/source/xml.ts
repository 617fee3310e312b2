/** The tree of an XML part of a document, and how the readers of formats look things up in it. */
import type { Refusal } from "../../errors.ts";
import { partMalformed, partTooDeep } from "../../file-errors.ts";
import { partHasTooMany } from "../../limit-errors.ts";
import { readXml, XmlProblem, type XmlTag, type XmlVisitor } from "../../markup/xml.ts";
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

class TreeBuilder implements XmlVisitor {
  readonly #top: XmlNode[] = [];
  readonly #open = [this.#top];

  /** The element that all others are in. */
  get root(): XmlElement | undefined {
    return this.#top.find((node) => typeof node !== "string");
  }

  open({ local: name, attributes: written }: XmlTag): void {
    const attributes: Record<string, string> = {};
    for (const attribute of Object.values(written))
      if (attribute.name !== "__proto__") attributes[attribute.name] = attribute.value;
    const children: XmlNode[] = [];
    this.#open.at(-1)?.push({ name, attributes, children });
    this.#open.push(children);
  }

  text(text: string): void {
    this.#open.at(-1)?.push(text);
  }

  close(): void {
    this.#open.pop();
  }
}

/**
 * The root element of a document.
 * @throws Refusal `invalid_file`, `limit_exceeded` (elements, attributes, work)
 */
export async function parseXml(work: Work, text: string, part: string): Promise<XmlElement> {
  const tree = new TreeBuilder();
  try {
    await readXml(new ParseMeter(work, "xml"), text, limits.conversion, tree);
  } catch (error) {
    throw error instanceof XmlProblem ? refusalFor(error, part) : error;
  }
  if (tree.root === undefined) throw new Error("well-formed XML has a root");
  return tree.root;
}

function refusalFor({ kind, actual }: XmlProblem, part: string): Refusal {
  if (kind === "elements" || kind === "attributes") return partHasTooMany(part, kind, actual);
  return kind === "depth" ? partTooDeep(part) : partMalformed(part);
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

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

/** An attribute by its local name, with any prefix. */
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
