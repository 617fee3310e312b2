/**
 * The part of the cascade (CSS Cascading 4) that MuPDF lacks: custom properties, and the properties that decide how the HTML is written for MuPDF. It
 * reads tags from left to right, so it knows the elements around and before an element, but not later ones.
 */
import { tooManyStyleComparisons } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { limits } from "../../../limits.ts";
import type { Declaration } from "./declarations.ts";
import { decodeEntities } from "./markup.ts";
import { declarationsOf, stylePieces } from "./style-sheet.ts";

/** An element that was entered. */
export interface StyledElement {
  /** In lower case. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly classes: ReadonlySet<string>;
  readonly parent: StyledElement | undefined;
  /** The one before it in its parent. */
  readonly previous: StyledElement | undefined;
  /** Its place in its parent, from 1. */
  readonly index: number;
  /** Of its `style`. */
  readonly own: readonly Declaration[];
  /** The declarations that win, by the names of `keyOf`. */
  readonly winners: ReadonlyMap<string, Declaration>;
  /** Those that its style sheets have in `var()`, with the values of this element, and those of selectors that MuPDF does not know. */
  readonly resolved: readonly Declaration[];
}

/** An attribute that is there, or whose value compares with one. */
interface AttributeTest {
  readonly name: string;
  readonly comparison: "" | "=" | "^=" | "$=" | "*=" | "~=" | "|=";
  readonly value: string;
}

interface Compound {
  readonly element: string | undefined;
  readonly classes: readonly string[];
  readonly id: string | undefined;
  readonly attributes: readonly AttributeTest[];
  /** `:not()`. */
  readonly excluded: readonly Compound[];
  readonly isRoot: boolean;
  /** `:nth-child()`: the step, and the first place. */
  readonly nth: readonly [number, number] | undefined;
}

interface Selector {
  /** From the last to the first, each with its combinator to the one before it. */
  readonly compounds: readonly (readonly [Compound, ">" | "+" | " "])[];
  readonly specificity: number;
  /** Whether MuPDF does not know it: it has no pseudo-classes, and no comparisons of a part of a value. */
  readonly isUnknown: boolean;
}

interface Rule extends Selector {
  readonly declarations: readonly Declaration[];
  readonly order: number;
}

/** Fuel for a rule that is compared with an element. */
const RULE_WORK = 60;
/** Characters that a value may have when its variables are put in, and the variables in it and in each other. */
const [LONGEST_VALUE, MOST_VARIABLES] = [1_000, 50];
const IMPORTANT = 1e15;
const INLINE = 1e14;
const SPECIFICITY = 1e7;

/** Properties that decide how HTML is written for MuPDF, in addition to those with variables. */
const KEYS: ReadonlySet<string> = new Set([
  "background-color",
  "overflow-wrap",
  "page-break-before",
  "white-space",
  "word-break",
]);
const ALIASES: Readonly<Record<string, string>> = {
  background: "background-color",
  "background-image": "background-color",
  "break-before": "page-break-before",
  "word-wrap": "overflow-wrap",
};

/** A name for all properties that set the same. */
const keyOf = (property: string): string => {
  const name = property.startsWith("--") ? property : property.toLowerCase();
  return ALIASES[name] ?? name;
};
const hasVariable = ({ value }: Declaration): boolean => /\bvar\(/i.test(value);

export class Cascade {
  readonly #work: Work;
  readonly #meter: ParseMeter;
  readonly #isXml: boolean;
  readonly #rules = new Map<string, Rule[]>();
  /** Properties that have variables somewhere, or a selector that MuPDF does not know. */
  readonly #resolved = new Set<string>();
  /** The elements that are open, and the last that was closed in each. */
  #open: StyledElement | undefined;
  readonly #last = new WeakMap<StyledElement, StyledElement>();
  #root: StyledElement | undefined;
  readonly #custom = new WeakMap<StyledElement, CustomProperties | undefined>();
  #comparisons = 0;

  private constructor(work: Work, isXml: boolean) {
    this.#work = work;
    this.#meter = new ParseMeter(work, "html");
    this.#isXml = isXml;
  }

  /** @throws Refusal `limit_exceeded` (work) */
  static async of(work: Work, sheets: readonly string[], isXml: boolean): Promise<Cascade> {
    const cascade = new Cascade(work, isXml);
    const rules: { selectors: Selector[]; declarations: Declaration[] }[] = [];
    const meter = new ParseMeter(work, "css");
    for (const sheet of sheets) {
      for (const { start, end, rule } of stylePieces(sheet)) {
        meter.bytes(end - start);
        await meter.pause();
        if (!rule?.applies || rule.prelude.startsWith("@")) continue;
        const selectors: Selector[] = [];
        for (const written of rule.prelude.split(",")) {
          meter.element();
          await meter.pause();
          const selector = selectorOf(written.trim());
          if (selector !== undefined) selectors.push(selector);
        }
        const isUnknown = selectors.some((selector) => selector.isUnknown);
        const declarations: Declaration[] = [];
        for (const declaration of declarationsOf(rule.body)) {
          meter.element();
          await meter.pause();
          declarations.push(declaration);
          if (isUnknown || hasVariable(declaration)) cascade.#resolved.add(keyOf(declaration.name));
        }
        rules.push({ selectors, declarations });
      }
    }
    let order = 0;
    for (const { selectors, declarations: all } of rules) {
      await work.pause();
      const declarations = all.filter(({ name }) => cascade.#isTracked(name));
      if (declarations.length === 0) continue;
      for (const selector of selectors) {
        order += 1;
        const key = indexOf(selector);
        const list = cascade.#rules.get(key) ?? [];
        list.push({ ...selector, declarations, order });
        cascade.#rules.set(key, list);
      }
    }
    return cascade;
  }

  #isTracked(name: string): boolean {
    const key = keyOf(name);
    return key.startsWith("--") || KEYS.has(key) || this.#resolved.has(key);
  }

  /** The innermost element that is open. */
  get innermost(): StyledElement | undefined {
    return this.#open;
  }

  /**
   * Enters the element of a start tag, which ends those that it implies the end of.
   * @throws Refusal `limit_exceeded` (selectors and elements, work)
   */
  async enter(tag: string): Promise<StyledElement | undefined> {
    const name = /^<([a-z][\w:-]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined || UNSTYLED.has(name)) return undefined;
    if (!this.#isXml) await this.#enterImplied(name);
    this.#meter.element();
    await this.#meter.pause();
    const ended = ENDS[name];
    if (ended !== undefined && !this.#isXml) this.#end(ended, SCOPES);
    const parent = this.#open;
    const previous = parent === undefined ? this.#root : this.#last.get(parent);
    const attributes = attributesOf(tag);
    const bare = {
      name,
      attributes,
      classes: new Set(attributes.get("class")?.split(/\s+/)),
      parent,
      // Selectors look at one sibling only.
      previous: previous && { ...previous, previous: undefined },
      index: (previous?.index ?? 0) + 1,
      own: [...declarationsOf(attributes.get("style") ?? "")],
      winners: new Map<string, Declaration>(),
      resolved: [] as Declaration[],
    };
    const weights = new Map<string, number>();
    const unknown = new Set<string>();
    const add = (declaration: Declaration, weight: number, isUnknown = false): void => {
      const key = keyOf(declaration.name);
      const own = weight + (declaration.important ? IMPORTANT : 0);
      if (!this.#isTracked(declaration.name) || own < (weights.get(key) ?? 0)) return;
      weights.set(key, own);
      bare.winners.set(key, declaration);
      if (isUnknown) unknown.add(key);
      else unknown.delete(key);
    };
    for (const key of keysOf(bare)) {
      for (const rule of this.#rules.get(key) ?? []) {
        this.#work.spend(RULE_WORK);
        this.#refuseComparisons();
        if (!matches(rule, bare)) continue;
        const weight = rule.specificity * SPECIFICITY + rule.order;
        for (const declaration of rule.declarations) add(declaration, weight, rule.isUnknown);
      }
      await this.#work.pause();
    }
    for (const declaration of bare.own) {
      if (hasVariable(declaration)) this.#resolved.add(keyOf(declaration.name));
      add(declaration, INLINE);
    }
    const custom = this.#customOf(bare);
    for (const [key, declaration] of bare.winners) {
      if (key.startsWith("--")) continue;
      if (!hasVariable(declaration)) {
        if (unknown.has(key)) bare.resolved.push(declaration);
        continue;
      }
      const value = withVariables(declaration.value, custom);
      const known = { ...declaration, value: value ?? "unset" };
      bare.winners.set(key, known);
      bare.resolved.push(known);
    }
    this.#custom.set(bare, custom);
    if (parent === undefined) this.#root = bare;
    else this.#last.set(parent, bare);
    if (!VOID.has(name) && !(this.#isXml && tag.endsWith("/>"))) this.#open = bare;
    return bare;
  }

  /** The root and the body, which HTML may leave out. */
  async #enterImplied(name: string): Promise<void> {
    if (name === "html") return;
    if (this.#open === undefined) await this.enter("<html>");
    if (this.#open?.name === "html" && name !== "head" && name !== "body") await this.enter("<body>");
  }

  /** Leaves the element of an end tag, with those in it. */
  leave(tag: string): void {
    const name = /^<\/([a-z][\w:-]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name !== undefined) this.#end(new Set([name]), new Set(name === "table" ? [] : ["table"]));
  }

  #end(names: ReadonlySet<string>, scopes: ReadonlySet<string>): void {
    for (let at = this.#open; at !== undefined; at = at.parent) {
      if (names.has(at.name)) {
        this.#open = at.parent;
        return;
      }
      if (scopes.has(at.name)) return;
    }
  }

  #customOf({ winners, parent }: StyledElement): CustomProperties | undefined {
    const inherited = parent && this.#custom.get(parent);
    const own = [...winners].filter(([key]) => key.startsWith("--"));
    if (own.length === 0) return inherited;
    const custom = new CustomProperties(inherited);
    for (const [key, { value }] of own) custom.set(key, value);
    // One that refers to itself has no value, as it runs out of the variables that it may have.
    for (const [key, { value }] of own) custom.set(key, withVariables(value, custom));
    return custom;
  }

  #refuseComparisons(): void {
    this.#comparisons += 1;
    if (this.#comparisons > limits.conversion.styleMatches) throw tooManyStyleComparisons(this.#comparisons);
  }
}

/** The custom properties of an element over those that it inherits, which are not copied: the root may have thousands. */
class CustomProperties {
  readonly #inherited: CustomProperties | undefined;
  readonly #own = new Map<string, string | undefined>();

  constructor(inherited: CustomProperties | undefined) {
    this.#inherited = inherited;
  }

  get(name: string): string | undefined {
    return this.#own.has(name) ? this.#own.get(name) : this.#inherited?.get(name);
  }

  set(name: string, value: string | undefined): void {
    this.#own.set(name, value);
  }
}

/** Elements that nothing is drawn of. */
const UNSTYLED = new Set("style title meta link base script".split(" "));
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** The elements that the start of an element ends (HTML Standard, 13.2.6.4). */
const groups = new Set(["thead", "tbody", "tfoot", "caption", "colgroup"]);
const ENDS: Readonly<Record<string, ReadonlySet<string>>> = {
  li: new Set(["li"]),
  dt: new Set(["dt", "dd"]),
  dd: new Set(["dt", "dd"]),
  tr: new Set(["tr", "caption", "colgroup"]),
  td: new Set(["td", "th"]),
  th: new Set(["td", "th"]),
  thead: groups,
  tbody: groups,
  tfoot: groups,
  ...Object.fromEntries(
    "p div ul ol dl table h1 h2 h3 h4 h5 h6 pre blockquote section article header footer main nav hr"
      .split(" ")
      .map((name) => [name, new Set(["p"])]),
  ),
};
const SCOPES: ReadonlySet<string> = new Set(["table", "ul", "ol", "dl", "div", "section", "article"]);

const ATTRIBUTE = /\s([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

function attributesOf(tag: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of tag.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, decodeEntities(double ?? single ?? bare ?? ""));
  }
  return attributes;
}

/** The name under which a rule is found: the rarest part of its selector. */
function indexOf({ compounds }: Selector): string {
  const [{ id, classes, element }] = compounds[0] as readonly [Compound, string];
  if (id !== undefined) return `#${id}`;
  return classes[0] === undefined ? (element ?? "*") : `.${classes[0]}`;
}

function keysOf(element: StyledElement): string[] {
  const id = element.attributes.get("id");
  const classes = element.classes.values().map((name) => `.${name}`);
  return ["*", element.name, ...classes, ...(id === undefined ? [] : [`#${id}`])];
}

const NAME = String.raw`-?(?:[A-Za-z_]|[^\x00-\x7f])(?:[\w-]|[^\x00-\x7f])*`;
const VALUE = String.raw`(?:"([^"\\]*)"|'([^'\\]*)'|(${NAME}))`;
const PART = new RegExp(
  String.raw`(\s*[>+]\s*|\s+)|\*|(${NAME})|\.(${NAME})|#([\w-]+)|\[\s*(${NAME})\s*(?:([~|^$*]?=)\s*${VALUE}\s*)?\]|:([a-z-]+)(?:\(([^()]*)\))?`,
  "y",
);
/** Characters of a selector that is read. */
const LONGEST = 1_000;

/** Undefined if it has constructs that are not read here. */
function selectorOf(text: string): Selector | undefined {
  if (text === "" || text.length > LONGEST) return undefined;
  type Parts = { -readonly [key in keyof Compound]: Compound[key] } & {
    classes: string[];
    attributes: AttributeTest[];
    excluded: Compound[];
  };
  const empty = (): Parts => ({
    element: undefined,
    classes: [],
    id: undefined,
    attributes: [],
    excluded: [],
    isRoot: false,
    nth: undefined,
  });
  const compounds: [Compound, ">" | "+" | " "][] = [];
  let [compound, specificity, isUnknown] = [empty(), 0, false];
  let combinator: ">" | "+" | " " = " ";
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [
      whole,
      combined,
      element,
      className,
      id,
      name,
      comparison = "",
      double,
      single,
      bare,
      pseudo,
      argument = "",
    ] = PART.exec(text) ?? [];
    if (whole === undefined) return undefined;
    if (combined !== undefined) {
      compounds.push([compound, combinator]);
      combinator = (combined.trim() || " ") as ">" | "+" | " ";
      compound = empty();
      continue;
    }
    if (element !== undefined) compound.element = element.toLowerCase();
    else if (className !== undefined) compound.classes.push(className);
    else if (id !== undefined) compound.id = id;
    else if (name !== undefined) {
      const value = double ?? single ?? bare ?? "";
      compound.attributes.push({
        name: name.toLowerCase(),
        comparison: comparison as AttributeTest["comparison"],
        value,
      });
      isUnknown ||= /^[$^*]/.test(comparison);
    } else if (pseudo !== undefined) {
      isUnknown = true;
      if (pseudo === "root") compound.isRoot = true;
      else if (pseudo === "first-child") compound.nth = [0, 1];
      else if (pseudo === "nth-child") {
        compound.nth = nthOf(argument);
        if (compound.nth === undefined) return undefined;
      } else if (pseudo === "not") {
        // It may have selectors of one compound, none of which has another `:not()`. It is as specific as its selector.
        const at = PART.lastIndex;
        const inner = selectorOf(argument.trim());
        PART.lastIndex = at;
        const [excluded] = inner?.compounds[0] ?? [];
        if (inner === undefined || excluded === undefined || inner.compounds.length > 1) return undefined;
        compound.excluded.push(excluded);
        specificity += inner.specificity;
        continue;
      } else return undefined;
    }
    specificity += id === undefined ? (element === undefined ? (whole === "*" ? 0 : 1_000) : 1) : 1_000_000;
  }
  compounds.push([compound, combinator]);
  return { compounds: compounds.reverse(), specificity, isUnknown };
}

/** An+B (CSS Syntax 3, 6). */
function nthOf(text: string): readonly [number, number] | undefined {
  const value = text.toLowerCase().replace(/\s+/g, "");
  if (value === "odd") return [2, 1];
  if (value === "even") return [2, 0];
  const [, step, first, only] =
    /^([+-]?\d{0,6})n([+-]\d{1,6})?$|^([+-]?\d{1,6})$/.exec(value)?.map((group) => group as string | undefined) ?? [];
  if (only !== undefined) return [0, Number(only)];
  if (step === undefined) return undefined;
  return [/\d/.test(step) ? Number(step) : step === "-" ? -1 : 1, Number(first ?? 0)];
}

function fits(compound: Compound, element: StyledElement): boolean {
  const { attributes, index } = element;
  if (compound.element !== undefined && compound.element !== element.name) return false;
  if (compound.id !== undefined && compound.id !== attributes.get("id")) return false;
  if (compound.isRoot && element.parent !== undefined) return false;
  if (compound.nth !== undefined) {
    const [step, first] = compound.nth;
    const steps = step === 0 ? 0 : (index - first) / step;
    if (step === 0 ? index !== first : steps < 0 || !Number.isInteger(steps)) return false;
  }
  if (!compound.classes.every((name) => element.classes.has(name))) return false;
  if (compound.excluded.some((excluded) => fits(excluded, element))) return false;
  return compound.attributes.every((test) => passes(test, attributes.get(test.name)));
}

/** Attribute selectors (Selectors 4, 6.1 and 6.2). */
function passes({ comparison, value }: AttributeTest, actual: string | undefined): boolean {
  if (actual === undefined) return false;
  switch (comparison) {
    case "":
      return true;
    case "=":
      return actual === value;
    case "^=":
      return value !== "" && actual.startsWith(value);
    case "$=":
      return value !== "" && actual.endsWith(value);
    case "*=":
      return value !== "" && actual.includes(value);
    case "~=":
      return value !== "" && actual.split(/\s+/).includes(value);
    case "|=":
      return actual === value || actual.startsWith(`${value}-`);
  }
}

/** From the element outward. Of several matching ancestors, the nearest leaves the most for the compounds before it, so no other has to be tried. */
function matches({ compounds }: Selector, element: StyledElement): boolean {
  /** Where the compounds begin that are next to each other. */
  let at = 0;
  let from: StyledElement | undefined = element;
  while (from !== undefined) {
    let [index, current]: [number, StyledElement | undefined] = [at, from];
    for (;;) {
      const [compound, combinator] = compounds[index] as readonly [Compound, ">" | "+" | " "];
      if (current === undefined || !fits(compound, current)) break;
      if (index === compounds.length - 1) return true;
      index += 1;
      if (combinator === " ") {
        at = index;
        break;
      }
      current = combinator === ">" ? current.parent : current.previous;
    }
    // The first compounds have to fit the element itself.
    if (at === 0) return false;
    const isNext: boolean = at === index;
    from = isNext && current !== undefined ? current.parent : from.parent;
  }
  return false;
}

/** A value with its variables put in (CSS Custom Properties 1, 3); undefined if one has no value, or it becomes too long. */
function withVariables(
  value: string,
  custom: CustomProperties | undefined,
  budget = { left: MOST_VARIABLES },
): string | undefined {
  if (value.length > LONGEST_VALUE) return undefined;
  const pieces: string[] = [];
  for (let at = 0; ;) {
    const start = value.indexOf("var(", at);
    pieces.push(value.slice(at, start < 0 ? undefined : start));
    if (start < 0) return pieces.join("");
    budget.left -= 1;
    if (budget.left < 0) return undefined;
    const end = closingOf(value, start + 4);
    const [name = "", ...fallback] = value.slice(start + 4, end).split(",");
    const known = custom?.get(name.trim());
    const put =
      (known === undefined ? undefined : withVariables(known, custom, budget)) ??
      (fallback.length > 0 ? withVariables(fallback.join(",").trim(), custom, budget) : undefined);
    if (put === undefined) return undefined;
    pieces.push(put);
    at = end + 1;
  }
}

/** The parenthesis that closes the one before `from`. */
function closingOf(text: string, from: number): number {
  for (let at = from, depth = 1; at < text.length; at++) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}
