/** The fields of a form that can have a value, by their full names (ISO 32000-2, 12.7.4). */
import type { PDFObject } from "mupdf";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { OpenPdf } from "./document.ts";
import { items, MAX_DEPTH, objectNumber } from "./objects.ts";
import { pageAt } from "./page-facts.ts";
import type { TextReader } from "./text-string.ts";

export const FIELD_TYPES = ["text", "checkbox", "radio", "dropdown", "list", "button", "signature"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** Bit positions of the flags of fields (tables 227, 229, 230, 233). */
const FLAGS = {
  readOnly: 1,
  required: 2,
  multiline: 13,
  password: 14,
  radio: 16,
  pushButton: 17,
  combo: 18,
  edit: 19,
  fileSelect: 21,
  multiSelect: 22,
  comb: 25,
} as const;

/** Entries that a field takes over from the fields above it (table 226 and the tables of each type). */
const INHERITED = ["FT", "Ff", "V", "Opt", "MaxLen", "DA", "Q"] as const;
type Inherited = Readonly<Record<(typeof INHERITED)[number], PDFObject>>;

/** A field that has no fields below it. Several of one full name are one field. */
export interface FormNode {
  readonly name: string;
  readonly type: FieldType;
  /** The entries of the first that has this name, its own or those of the fields above it. */
  readonly own: Inherited;
  /** The field dictionaries of this name. */
  readonly objects: readonly PDFObject[];
  /** The annotations that show it; a field that has none stands for itself. */
  readonly widgets: readonly PDFObject[];
  has(flag: keyof typeof FLAGS): boolean;
}

/**
 * Reads the fields, in order. Those without a name or a known type are left out.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.formFields`
 */
export function readFormTree({ document }: OpenPdf, texts: TextReader): FormNode[] {
  const nodes = new Map<string, FormNode & { objects: PDFObject[]; widgets: PDFObject[] }>();
  const seen = new Set<number>();
  const limit = limits.metadata.formFields;
  let fields = 0;
  const walk = (object: PDFObject, parent: Inherited | undefined, prefix: string, depth: number): void => {
    const number = objectNumber(object);
    if (depth > MAX_DEPTH || (number > 0 && seen.has(number)) || !object.isDictionary()) return;
    if (number > 0) seen.add(number);
    const own = inherit(object, parent);
    const partial = texts.text(object.get("T"));
    const name = partial === undefined ? prefix : prefix === "" ? partial : `${prefix}.${partial}`;
    const kids = items(object.get("Kids")).filter((kid) => kid.isDictionary());
    const below = kids.filter((kid) => kid.get("T").isString() || (kid.get("Kids").isArray() && !isWidget(kid)));
    for (const kid of below) walk(kid, own, name, depth + 1);
    const type = typeOf(own);
    if (below.length > 0 || name === "" || type === undefined) return;
    if (++fields > limit) {
      throw new Refusal("limit_exceeded", "The document's form has too many fields.", { limit, actual: fields });
    }
    const widgets = kids.length > 0 ? kids : [object];
    const known = nodes.get(name);
    if (known === undefined) {
      nodes.set(name, { name, type, own, objects: [object], widgets, has: (flag) => hasFlag(own, FLAGS[flag]) });
    } else if (known.type === type) {
      known.objects.push(object);
      known.widgets.push(...widgets);
    }
  };
  for (const root of items(document.getTrailer().get("Root", "AcroForm", "Fields"))) walk(root, undefined, "", 0);
  return [...nodes.values()];
}

export function isWidget(object: PDFObject): boolean {
  const subtype = object.get("Subtype");
  return subtype.isName() && subtype.asName() === "Widget";
}

function inherit(object: PDFObject, parent: Inherited | undefined): Inherited {
  return Object.fromEntries(
    INHERITED.map((key) => {
      const value = object.get(key);
      return [key, parent && value.isNull() ? parent[key] : value] as const;
    }),
  ) as unknown as Inherited;
}

const hasFlag = ({ Ff }: Inherited, bit: number): boolean => ((Ff.asNumber() >> (bit - 1)) & 1) === 1;

function typeOf(own: Inherited): FieldType | undefined {
  const kind = own.FT.isName() ? own.FT.asName() : "";
  if (kind === "Tx") return "text";
  if (kind === "Sig") return "signature";
  if (kind === "Ch") return hasFlag(own, FLAGS.combo) ? "dropdown" : "list";
  if (kind !== "Btn") return undefined;
  return hasFlag(own, FLAGS.pushButton) ? "button" : hasFlag(own, FLAGS.radio) ? "radio" : "checkbox";
}

/** 1-based page by the object number of an annotation. */
export function pagesOfWidgets(open: OpenPdf): ReadonlyMap<number, number> {
  const pages = new Map<number, number>();
  for (let index = 0; index < open.pageCount; index++) {
    for (const annotation of items(pageAt(open, index).get("Annots"))) {
      const number = objectNumber(annotation);
      if (number > 0 && !pages.has(number)) pages.set(number, index + 1);
    }
  }
  return pages;
}
