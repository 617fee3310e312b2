/** Reads style sheets (CSS Syntax 3, as far as MuPDF knows it), and leaves out the rules that match nothing in a document. */
import type { ParseMeter } from "../../parse-meter.ts";
import { type Declaration, declarationsInPrint } from "./declarations.ts";

/** A rule, or the text between rules: comments, statements, the beginning and the end of a group such as `@media`. */
export interface StylePiece {
  /** Where it is in the text. */
  readonly start: number;
  readonly end: number;
  readonly rule?: {
    /** Selectors, or the name of an at-rule such as `@page`, without comments. */
    readonly prelude: string;
    readonly body: string;
    /** Whether the groups that it is in apply to print. */
    readonly applies: boolean;
  };
}

/** The names in a document that selectors can refer to. */
export interface DocumentNames {
  /** In lower case. */
  readonly elements: ReadonlySet<string>;
  readonly classes: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
}

const COMMENT = /\/\*[\s\S]*?\*\//g;
/** At-rules that have declarations; others that have a block are groups of rules. */
const WITH_DECLARATIONS = /^@(?:page|font-face)\b/i;

/** Where a string ends that begins with a quote: with the line if it is not closed (4.3.5). */
function endOfString(css: string, start: number): number {
  const quote = css[start];
  for (let at = start + 1; at < css.length; at++) {
    const character = css[at];
    if (character === "\\") at += 1;
    else if (character === quote) return at + 1;
    else if (character === "\n") return at;
  }
  return css.length;
}

/** The next of `marks` that is in no string and no comment; the length of the text if there is none. */
function nextMark(css: string, from: number, marks: RegExp): number {
  marks.lastIndex = from;
  for (;;) {
    const found = marks.exec(css);
    if (found === null) return css.length;
    const at = found.index;
    if (found[0] === '"' || found[0] === "'") marks.lastIndex = endOfString(css, at);
    else if (found[0] === "/*") {
      const end = css.indexOf("*/", at + 2);
      if (end < 0) return css.length;
      marks.lastIndex = end + 2;
    } else return at;
  }
}

/** The declarations of a rule or of a `style` attribute, without nested blocks (4.4.1). */
export function* declarationsOf(body: string): Generator<Declaration, void> {
  for (let start = 0, at = 0, depth = 0; at <= body.length; at += 1) {
    at = nextMark(body, at, /["'(){};]|\/\*/g);
    const mark = body[at];
    if (mark === "(" || mark === "{") depth += 1;
    else if (mark === ")" || mark === "}") depth = Math.max(0, depth - 1);
    const isEnd = mark === undefined || (depth === 0 && (mark === ";" || mark === "}"));
    if (!isEnd) continue;
    const text = body.slice(start, at).replace(COMMENT, "");
    start = at + 1;
    const colon = text.indexOf(":");
    if (colon < 0 || text.includes("{")) continue;
    const [, value = "", important] = /^([\s\S]*?)(!\s*important)?\s*$/i.exec(text.slice(colon + 1)) ?? [];
    yield { name: text.slice(0, colon).trim(), value: value.trim(), important: important !== undefined };
  }
}

/** Where a block ends whose `{` is before `from`. */
function endOfBlock(css: string, from: number): number {
  for (let at = from, depth = 1; ;) {
    at = nextMark(css, at, /["'{}]|\/\*/g) + 1;
    if (at > css.length) return css.length;
    depth += css[at - 1] === "{" ? 1 : -1;
    if (depth === 0) return at;
  }
}

/** The rules of a style sheet in their order, and the text between them. */
export function* stylePieces(css: string): Generator<StylePiece, void> {
  /** Of the groups that are open, whether rules in them apply. */
  const groups: boolean[] = [];
  for (let at = 0; at < css.length;) {
    const start = at;
    let mark = nextMark(css, at, /["'{};]|\/\*/g);
    const isAt = /^\s*(?:\/\*[\s\S]*?\*\/\s*)*@/y.test(css.slice(start, Math.min(mark, start + 1_000)));
    // Outside of an at-rule, `;` ends nothing.
    if (!isAt && css[mark] === ";") mark = nextMark(css, mark, /["'{}]|\/\*/g);
    at = mark + 1;
    if (css[mark] !== "{") {
      if (css[mark] === "}") groups.pop();
      yield { start, end: Math.min(at, css.length) };
      continue;
    }
    const prelude = css.slice(start, mark).replace(COMMENT, "").trim();
    if (prelude.startsWith("@") && !WITH_DECLARATIONS.test(prelude)) {
      groups.push((groups.at(-1) ?? true) && groupApplies(prelude));
      yield { start, end: at };
      continue;
    }
    // As in MuPDF: a nested rule is an error that ends with the first block.
    at = prelude.startsWith("@") ? endOfBlock(css, at) : Math.min(nextMark(css, at, /["'}]|\/\*/g) + 1, css.length);
    const body = css.slice(mark + 1, css[at - 1] === "}" ? at - 1 : at);
    yield { start, end: at, rule: { prelude, body, applies: groups.at(-1) ?? true } };
  }
}

/** Groups with a condition that printing meets, and those whose rules always apply. Others, such as `@keyframes`, have no rules for a page. */
function groupApplies(prelude: string): boolean {
  const [, name = "", condition = ""] = /^@([\w-]+)([\s\S]*)$/.exec(prelude) ?? [];
  if (/^media$/i.test(name)) return isPrinted(condition);
  return /^(?:supports|layer)$/i.test(name);
}

/** A page of A4 with the margins of a browser, in pixels of CSS. Conditions on the width are compared with it. */
const PRINTED_WIDTH = 718;
const WIDTH = /\(\s*(min-|max-|)width\s*(:|[<>]=?)\s*([\d.]+)(px|em|rem|)\s*\)/;

/** Whether a list of media queries (Media Queries 4) holds when the document is printed. An empty list does. */
export function isPrinted(list: string): boolean {
  if (list.trim() === "") return true;
  return list
    .toLowerCase()
    .split(",")
    .some((query) => {
      const [, modifier, type = "all", conditions = ""] = /^\s*(?:(not|only)\s+)?([a-z]+)?([\s\S]*)$/.exec(query) ?? [];
      const holds = /^(?:all|print)$/.test(type) && (conditions.match(/\([^()]*\)/g) ?? []).every(isPrintedFeature);
      return holds === (modifier !== "not");
    });
}

function isPrintedFeature(condition: string): boolean {
  const [, bound, comparison, number, unit] = WIDTH.exec(condition) ?? [];
  if (bound !== undefined) {
    const width = Number(number) * (unit === "em" || unit === "rem" ? 16 : 1);
    const isLeast = bound === "min-" || comparison?.startsWith(">");
    return isLeast ? PRINTED_WIDTH >= width : PRINTED_WIDTH <= width && comparison !== undefined;
  }
  return /^\(\s*(?:orientation\s*:\s*portrait|prefers-color-scheme\s*:\s*light|color|prefers-reduced-motion\s*:\s*reduce)\s*\)$/.test(
    condition,
  );
}

const NAME = String.raw`-?(?:[A-Za-z_]|[^\x00-\x7f])(?:[\w-]|[^\x00-\x7f])*`;
const VALUE = String.raw`(?:${NAME}|"[^"\\]*"|'[^'\\]*')`;
/** An element, a class, an id, an attribute, a pseudo-class, and combinators. */
const SIMPLE = new RegExp(
  String.raw`(${NAME})|\*|\.(${NAME})|#([\w-]+)|\[\s*(${NAME})\s*(?:[|~]?=\s*${VALUE}\s*)?\]|::?${NAME}(?:\([\w\s+-]*\))?|(\s*[>+]\s*|\s+)`,
  "y",
);
/** MuPDF's longest token. */
const LONGEST = 1_000;

/** Whether a selector may match an element of the document. Undefined if it has constructs that MuPDF may not know. */
function mayMatch(selector: string, names: DocumentNames): boolean | undefined {
  if (selector.length > LONGEST) return undefined;
  let [isLive, combined] = [true, true];
  for (SIMPLE.lastIndex = 0; SIMPLE.lastIndex < selector.length;) {
    const found = SIMPLE.exec(selector);
    if (found === null) return undefined;
    const [, element, className, id, attribute, combinator] = found;
    if (combinator !== undefined && combined) return undefined;
    // The name of an element is the first of its part.
    if (element !== undefined && !combined) return undefined;
    combined = combinator !== undefined;
    if (element !== undefined) isLive &&= names.elements.has(element.toLowerCase());
    else if (className !== undefined) isLive &&= names.classes.has(className);
    else if (id !== undefined) isLive &&= names.ids.has(id);
    else if (attribute !== undefined) isLive &&= names.attributes.has(attribute.toLowerCase());
  }
  return combined ? undefined : isLive;
}

/**
 * Selectors that neither MuPDF nor the cascade reads: elements that follow, `:not()` of more than one compound, and pseudo-classes that depend on
 * later elements.
 */
const UNREAD =
  /~(?!=)|:not\((?:[^()]*[\s>+~(]|[^()]*$)|:(?:is|where|has|lang|dir|empty|only-child|last-child|nth-last-child|[a-z-]+-of-type)(?![\w-])|::?first-(?:letter|line)(?![\w-])/i;
const GENERATED = /::?(?:before|after|marker)(?![\w-])/i;
const CONTENT = /(?:^|[;\s])content\s*:\s*(?!none|normal|""|'')/i;

/** The loss caused by a rule whose selector is not read, by the names of the reference. */
function lostOf(selector: string, body: string, names: DocumentNames): string | undefined {
  const isGenerated = GENERATED.test(selector);
  if (selector.length > LONGEST || (isGenerated ? !CONTENT.test(body) : !UNREAD.test(selector))) return undefined;
  const relaxed = selector
    .replace(/\[\s*([\w-]+)[^\]]*\]/g, "[$1]")
    .replace(/::?[\w-]+(?:\([^()]*\)?)?/g, "")
    .replace(/\s*~\s*/g, " ")
    .trim();
  const mayBe = relaxed === "" || mayMatch(relaxed, names);
  return mayBe ? (isGenerated ? "generated-content" : "css-selectors") : undefined;
}

/**
 * A style sheet for MuPDF: rules that may match and apply to print, with the declarations that MuPDF knows. `selectors`: the number of those left.
 */
export async function reducedStyleSheet(
  meter: ParseMeter,
  css: string,
  names: DocumentNames,
  notConverted: Set<string> = new Set(),
): Promise<{ css: string; selectors: number }> {
  const kept: string[] = [];
  let selectors = 0;
  for (const { start, end, rule } of stylePieces(css)) {
    meter.bytes(end - start);
    await meter.pause();
    if (rule === undefined || !rule.applies) continue;
    const { prelude, body } = rule;
    const matching: string[] = [];
    if (prelude.toLowerCase() === "@page") matching.push(prelude);
    else if (!prelude.startsWith("@")) {
      for (const written of prelude.split(",")) {
        meter.element();
        await meter.pause();
        const selector = written.trim();
        if (mayMatch(selector, names)) matching.push(selector);
        const lost = lostOf(selector, body, names);
        if (lost !== undefined) notConverted.add(lost);
      }
      selectors += matching.length;
    }
    if (matching.length === 0) continue;
    const declarations: string[] = [];
    for (const declaration of declarationsOf(body)) {
      meter.element();
      await meter.pause();
      declarations.push(...declarationsInPrint(declaration, notConverted));
    }
    if (declarations.length > 0) kept.push(`${matching.join(",")}{${declarations.join(";")}}`);
  }
  return { css: kept.join(""), selectors };
}
