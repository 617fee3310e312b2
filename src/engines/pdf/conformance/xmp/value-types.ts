/** Checks values of XMP against the types of ISO 16684-1, clause 8.2, by their names as PDF/A's schemas use them. */
import { pdfDateOf } from "../../objects/dates.ts";
import type { XmpNode, XmpValue } from "./rdf.ts";
import { STRUCTURE_TYPES, type XmpStructure } from "./schemas.ts";

const isText = (): boolean => true;
const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** ISO 16684-1, 8.2.1.2: a year, a month, a day, or a time, to a part of a second. */
const DATE = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?$/;

const SIMPLE_TYPES: ReadonlyMap<string, (text: string) => boolean> = new Map(
  Object.entries({
    AgentName: isText,
    Boolean: matches(/^(?:True|False)$/),
    Date: (text) => DATE.test(text) && pdfDateOf(text) !== undefined,
    GPSCoordinate: matches(/^\d{1,3},\d{1,2}(?:,\d{1,2}|\.\d+)?[NSEW]$/),
    Integer: matches(/^[+-]?\d+$/),
    // Any text: the test suites of PDF/A accept values that are not of RFC 3066.
    Locale: isText,
    MIMEType: matches(/^[-\w+.]+\/[-\w+.]+$/),
    ProperName: isText,
    Rational: matches(/^[+-]?\d+\/\d+$/),
    Real: matches(/^[+-]?(?:\d+\.?\d*|\.\d+)$/),
    RenditionClass: isText,
    Text: isText,
    URI: isText,
    URL: isText,
    XPath: isText,
  }),
);

/** Of the name of a type: arrays nest in it. */
const LONGEST_NAME = 500;
const ARRAY = /^(bag|seq|alt) (.+)$/i;
const FORMS = { bag: "Bag", seq: "Seq", alt: "Alt" } as const;

/** The types of a packet: the simple ones, structures, and those that extension schemas describe. */
export class ValueTypes {
  readonly #structures = new Map<string, XmpStructure>(STRUCTURE_TYPES);

  define(name: string, structure: XmpStructure): void {
    this.#structures.set(name, structure);
  }

  /** Whether a type is known: `Text`, `bag Text`, `closed Choice of Integer`, `Lang Alt`, and the like. */
  isDefined(type: string): boolean {
    if (type.length > LONGEST_NAME) return false;
    const name = plainType(type);
    if (name === "Lang Alt") return true;
    const [, , item] = ARRAY.exec(name) ?? [];
    if (item !== undefined) return this.isDefined(item);
    return SIMPLE_TYPES.has(name) || this.#structures.has(name);
  }

  /** Whether a value has a type. */
  has(value: XmpValue, type: string): boolean {
    const name = plainType(type);
    if (name === "Lang Alt") {
      return value.form === "Alt" && value.nodes.every((item) => item.language !== undefined && isSimple(item));
    }
    const [, array, item = ""] = ARRAY.exec(name) ?? [];
    if (array !== undefined) {
      const form = FORMS[array.toLowerCase() as keyof typeof FORMS];
      return value.form === form && value.nodes.every((node) => this.has(node.value, item));
    }
    const structure = this.#structures.get(name);
    if (structure !== undefined) return value.form === "structure" && this.#hasFields(value.nodes, structure);
    return value.form === "simple" && SIMPLE_TYPES.get(name)?.(value.text) === true;
  }

  #hasFields(nodes: readonly XmpNode[], { namespace, fields }: XmpStructure): boolean {
    return nodes.every((node) => {
      const type = node.namespace === namespace ? fields.get(node.local) : undefined;
      return type !== undefined && this.has(node.value, type);
    });
  }
}

const isSimple = ({ value }: XmpNode): boolean => value.form === "simple";

/** A choice has the type of its values, `Text` where that is not said. */
function plainType(type: string): string {
  const trimmed = type.trim().replace(/\s+/g, " ");
  if (/^lang alt$/i.test(trimmed)) return "Lang Alt";
  const choice = /^((?:(?:bag|seq|alt) )?)(?:open |closed )?choice(?: of (.+))?$/i.exec(trimmed);
  if (choice) return `${choice[1]}${choice[2] ?? "Text"}`;
  return trimmed;
}
