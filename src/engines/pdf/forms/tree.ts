/** The fields of a form that can have a value, by full name (ISO 32000-2, 12.7.4). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { tooManyFields } from "../../limit-errors.ts";
import type { OpenPdf } from "../document/document.ts";
import { type FieldNode, fields, inheritedFrom } from "../document/fields.ts";
import { items, objectNumber } from "../objects/objects.ts";
import { fetchSchema } from "../document/fetch-pages.ts";
import { pageAt } from "../document/page-tree.ts";
import type { TextReader } from "../objects/text-string.ts";

export const FIELD_TYPES = ["text", "checkbox", "radio", "dropdown", "list", "button", "signature"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** Bit positions of field flags (tables 227, 229, 230, 233). */
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

/** Fuel per field, and per annotation. */
const FIELD_WORK = 1_000;
const ANNOTATION_WORK = 200;

/** Entries that a field inherits from its ancestors (table 226 and the tables of each type). */
const INHERITED = ["FT", "Ff", "V", "Opt", "MaxLen", "DA", "Q"] as const;
type Inherited = Readonly<Record<(typeof INHERITED)[number], PDFObject>>;

/** A field without child fields. Fields with the same full name are one field. */
export interface TerminalField {
  readonly name: string;
  readonly type: FieldType;
  /** The entries of the first field with this name, including inherited ones. */
  readonly own: Inherited;
  /** The field dictionaries with this name. */
  readonly objects: readonly PDFObject[];
  /** The annotations that show it. A field without any is its own widget. */
  readonly widgets: readonly PDFObject[];
  has(flag: keyof typeof FLAGS): boolean;
}

/**
 * Reads the fields in order, except those without a name or a known type.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.formFields`
 */
export async function readFormTree(open: OpenPdf, texts: TextReader): Promise<TerminalField[]> {
  await fetchSchema(open);
  const nodes = new Map<string, TerminalField & { objects: PDFObject[]; widgets: PDFObject[] }>();
  const names = new Map<FieldNode | undefined, string>([[undefined, ""]]);
  const limit = limits.metadata.formFields;
  let terminal = 0;
  for await (const field of fields(open)) {
    const { object, parent, hasFields } = field;
    const prefix = names.get(parent);
    if (!field.isField || prefix === undefined) continue;
    open.engine.work.spend(FIELD_WORK);
    const partial = texts.text(object.get("T"));
    const name = partial === undefined ? prefix : prefix === "" ? partial : texts.joined(`${prefix}.${partial}`);
    names.set(field, name);
    if (hasFields || name === "") continue;
    const own = Object.fromEntries(INHERITED.map((key) => [key, inheritedFrom(field, key)])) as unknown as Inherited;
    const type = typeOf(own);
    if (type === undefined) continue;
    if (++terminal > limit) throw tooManyFields(terminal);
    const widgets = field.widgets.length > 0 ? [...field.widgets] : [object];
    const known = nodes.get(name);
    if (known === undefined) {
      nodes.set(name, { name, type, own, objects: [object], widgets, has: (flag) => hasFlag(own, FLAGS[flag]) });
    } else if (known.type === type) {
      known.objects.push(object);
      for (const widget of widgets) known.widgets.push(widget);
    }
  }
  return [...nodes.values()];
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

/** 1-based pages by the object number of the annotation. */
export async function pagesOfWidgets(open: OpenPdf): Promise<ReadonlyMap<number, number>> {
  const { work } = open.engine;
  const pages = new Map<number, number>();
  /** Arrays that were already read, since pages may share one. */
  const read = new Set<number>();
  for (let index = 0; index < open.pageCount; index++) {
    const annotations = pageAt(open, index).get("Annots");
    const array = objectNumber(annotations);
    work.spend(ANNOTATION_WORK);
    await work.pause();
    if (read.has(array)) continue;
    if (array > 0) read.add(array);
    for (const annotation of items(annotations)) {
      work.spend(ANNOTATION_WORK);
      await work.pause();
      const number = objectNumber(annotation);
      if (number > 0 && !pages.has(number)) pages.set(number, index + 1);
    }
  }
  return pages;
}
