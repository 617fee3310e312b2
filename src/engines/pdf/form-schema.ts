/** The interactive form as a caller fills it (ISO 32000-2, 12.7): its fields by their full names, in order. */
import type { PDFObject } from "mupdf";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { OpenPdf } from "./document.ts";
import { entries, items, MAX_DEPTH, objectNumber } from "./objects.ts";
import { pageAt } from "./page-facts.ts";
import { decodeName, type TextReader } from "./text-string.ts";

export const FIELD_TYPES = ["text", "checkbox", "radio", "dropdown", "list", "button", "signature"] as const;

export interface FormField {
  readonly name: string;
  readonly type: (typeof FIELD_TYPES)[number];
  /** Check box: whether it is on. Signature: whether it is signed. Multi-select list: the values. Otherwise a text. */
  readonly value: string | boolean | string[] | null;
  /** The values that a radio group, drop-down or list has; null for others. */
  readonly options: string[] | null;
  /** 1-based page of the first widget that is on one. */
  readonly page: number | null;
  readonly required: boolean;
  readonly readOnly: boolean;
  /** Characters that a text field holds at most. */
  readonly maxLength: number | null;
}

/** Flags of fields (tables 227, 229, 230, 233): bit positions. */
const READ_ONLY = 1;
const REQUIRED = 2;
const RADIO = 16;
const PUSH_BUTTON = 17;
const COMBO = 18;
const MULTI_SELECT = 22;

/** Entries that a field takes over from the fields above it (table 226 and the tables of each type). */
const INHERITED = ["FT", "Ff", "V", "Opt", "MaxLen"] as const;
type Inherited = Readonly<Record<(typeof INHERITED)[number], PDFObject>>;

/**
 * Reads the fields that can have a value. Of several that share one full name, which then are one field, the first counts.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.formFields`
 */
export function readFormSchema(open: OpenPdf, texts: TextReader): FormField[] {
  const { document } = open;
  const roots = items(document.getTrailer().get("Root", "AcroForm", "Fields"));
  if (roots.length === 0) return [];
  const pageOf = pagesOfWidgets(open);
  const fields = new Map<string, FormField>();
  const seen = new Set<number>();
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
    if (below.length > 0 || name === "" || fields.has(name)) return;
    const widgets = kids.length > 0 ? kids : [object];
    const field = new FieldReader(open, texts, own, widgets).read(name, pageOf);
    if (field) fields.set(name, field);
    const limit = limits.metadata.formFields;
    if (fields.size > limit) {
      throw new Refusal("limit_exceeded", "The document's form has too many fields.", { limit, actual: fields.size });
    }
  };
  for (const root of roots) walk(root, undefined, "", 0);
  return [...fields.values()];
}

function isWidget(object: PDFObject): boolean {
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

/** 1-based page by the object number of an annotation. */
function pagesOfWidgets(open: OpenPdf): ReadonlyMap<number, number> {
  const pages = new Map<number, number>();
  for (let index = 0; index < open.pageCount; index++) {
    for (const annotation of items(pageAt(open, index).get("Annots"))) {
      const number = objectNumber(annotation);
      if (number > 0 && !pages.has(number)) pages.set(number, index + 1);
    }
  }
  return pages;
}

/** One field with its widgets. */
class FieldReader {
  readonly #open: OpenPdf;
  readonly #texts: TextReader;
  readonly #own: Inherited;
  readonly #widgets: readonly PDFObject[];
  readonly #flags: number;

  constructor(open: OpenPdf, texts: TextReader, own: Inherited, widgets: readonly PDFObject[]) {
    this.#open = open;
    this.#texts = texts;
    this.#own = own;
    this.#widgets = widgets;
    this.#flags = own.Ff.asNumber();
  }

  read(name: string, pageOf: ReadonlyMap<number, number>): FormField | undefined {
    const type = this.#type();
    if (!type) return undefined;
    const pages = this.#widgets.map((widget) => pageOf.get(objectNumber(widget)));
    const length = this.#own.MaxLen;
    return {
      name,
      type,
      value: this.#value(type),
      options: type === "radio" ? this.#exports() : type === "dropdown" || type === "list" ? this.#choices() : null,
      page: pages.find((page) => page !== undefined) ?? null,
      required: this.#has(REQUIRED),
      readOnly: this.#has(READ_ONLY),
      maxLength: type === "text" && length.isNumber() && length.asNumber() > 0 ? length.asNumber() : null,
    };
  }

  #has(bit: number): boolean {
    return ((this.#flags >> (bit - 1)) & 1) === 1;
  }

  #type(): FormField["type"] | undefined {
    const kind = this.#own.FT.isName() ? this.#own.FT.asName() : "";
    if (kind === "Tx") return "text";
    if (kind === "Sig") return "signature";
    if (kind === "Ch") return this.#has(COMBO) ? "dropdown" : "list";
    if (kind !== "Btn") return undefined;
    return this.#has(PUSH_BUTTON) ? "button" : this.#has(RADIO) ? "radio" : "checkbox";
  }

  #value(type: FormField["type"]): FormField["value"] {
    const value = this.#own.V;
    if (type === "button") return null;
    if (type === "signature") return value.isDictionary();
    if (type === "checkbox") return (this.#state() ?? "Off") !== "Off";
    if (type === "radio") return this.#chosen();
    if (type === "list" && (this.#has(MULTI_SELECT) || value.isArray())) {
      return (value.isArray() ? items(value) : [value]).flatMap((item) => this.#texts.text(item) ?? []);
    }
    // Some writers put a name where a text belongs.
    return this.#texts.textOrStream(value) ?? this.#texts.name(value) ?? null;
  }

  /** The state that the button is in: its value's or, where it has none, its widgets'. */
  #state(): string | undefined {
    const value = this.#texts.name(this.#own.V) ?? this.#texts.text(this.#own.V);
    if (value !== undefined) return value;
    const states = this.#widgets.map((widget) => this.#texts.name(widget.get("AS")));
    return states.find((state) => state !== undefined && state !== "Off");
  }

  #chosen(): string | null {
    const state = this.#state();
    if (state === undefined || state === "Off") return null;
    const widget = this.#widgets.findIndex((widget) => this.#onStates(widget).includes(state));
    return this.#label(widget) ?? state;
  }

  /** What stands for each radio button: `Opt` where there is one, by the order of the widgets, else the state's name. */
  #exports(): string[] {
    const all = this.#widgets.flatMap((widget, index) => this.#label(index) ?? this.#onStates(widget));
    return [...new Set(all)];
  }

  #label(widget: number): string | undefined {
    const label = items(this.#own.Opt)[widget];
    return label && this.#texts.text(label);
  }

  #onStates(widget: PDFObject): string[] {
    const { engine } = this.#open;
    return entries(engine, widget.get("AP", "N"))
      .map(({ key }) => decodeName(engine, key))
      .filter((state) => state !== "Off");
  }

  /** The values of a choice field: of a pair, the one that is exported, not the one that is shown. */
  #choices(): string[] {
    return items(this.#own.Opt).flatMap((option) => {
      const [value = option] = items(option);
      return this.#texts.text(value) ?? [];
    });
  }
}
