/** The XML of an invoice as a tree whose elements know where they are. */
import { readXml, XmlProblem, type XmlTag, type XmlVisitor } from "../markup/xml.ts";
import { ParseMeter } from "../parse-meter.ts";
import type { Work } from "../work.ts";
import { limits } from "../../limits.ts";

export interface Element {
  /** Without its prefix: CII and UBL use each local name for one thing. */
  readonly name: string;
  readonly namespace: string;
  /** By their names as written. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: Element | undefined;
  readonly children: readonly Element[];
  /** Its own, and not that of its children. */
  readonly text: string;
}

interface OpenElement extends Element {
  readonly children: OpenElement[];
  text: string;
}

class TreeBuilder implements XmlVisitor {
  root: OpenElement | undefined;
  #current: OpenElement | undefined;

  open({ local: name, uri: namespace, attributes }: XmlTag): void {
    const parent = this.#current;
    const values = new Map(Object.values(attributes).map((attribute) => [attribute.name, attribute.value]));
    const element = { name, namespace, attributes: values, parent, children: [], text: "" };
    parent?.children.push(element);
    this.root ??= element;
    this.#current = element;
  }

  text(text: string): void {
    if (this.#current) this.#current.text += text;
  }

  close(): void {
    this.#current = this.#current?.parent as OpenElement | undefined;
  }
}

/** Why a file is not XML that can be read. */
export type NotXml = "encoding" | "malformed" | "size";

const DECLARED = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/;

/** Decodes XML by its byte order mark, else by its declaration, else as UTF-8 (XML 1.0, appendix F). */
function decode(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const head = String.fromCharCode(...bytes.subarray(0, 256));
  const wide =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  const marked = head.startsWith("\u00EF\u00BB\u00BF");
  const declared = DECLARED.exec(marked ? head.slice(3) : head)?.[1];
  try {
    // A declaration that names no encoding is an error even if a mark decides.
    const label = declared === undefined ? "utf-8" : new TextDecoder(declared).encoding;
    return new TextDecoder(wide ?? (marked ? "utf-8" : label), { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The root element, or why there is none.
 * @throws Refusal `limit_exceeded` (elements, work)
 */
export async function readTree(work: Work, bytes: Uint8Array): Promise<Element | NotXml> {
  const text = decode(bytes);
  if (text === undefined) return "encoding";
  const tree = new TreeBuilder();
  try {
    await readXml(new ParseMeter(work, "xml"), text, limits.conversion, tree);
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    return error.kind === "malformed" ? "malformed" : "size";
  }
  return tree.root ?? "malformed";
}

/** The elements below one at a path of names, separated by `/`; `|` separates alternatives. */
export function all(element: Element | undefined, path: string): readonly Element[] {
  let found: readonly Element[] = element === undefined ? [] : [element];
  for (const step of path.split("/")) {
    const names = step.split("|");
    found = found.flatMap(({ children }) => children.filter(({ name }) => names.includes(name)));
  }
  return found;
}

export const first = (element: Element | undefined, path: string): Element | undefined => all(element, path)[0];

/** Where an element is, as XPath without prefixes. Numbers tell siblings of the same name apart. */
export function xpathOf(element: Element): string {
  const steps: string[] = [];
  for (let at: Element | undefined = element; at !== undefined; at = at.parent) {
    const { name, parent } = at;
    const same = parent?.children.filter((sibling) => sibling.name === name) ?? [];
    steps.unshift(same.length > 1 ? `${name}[${same.indexOf(at) + 1}]` : name);
  }
  return `/${steps.join("/")}`;
}
