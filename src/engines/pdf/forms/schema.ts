/** The interactive form as clients fill it in (ISO 32000-2, 12.7): its fields by full name, in order. */
import type { OpenPdf } from "../document/document.ts";
import { type Button, buttonsOf, exportsOf, type FormTexts } from "./options.ts";
import { type FieldType, type TerminalField, pagesOfWidgets, readFormTree } from "./tree.ts";
import { items, objectNumber } from "../objects/objects.ts";

export interface FormField {
  readonly name: string;
  readonly type: FieldType;
  /**
   * Check box: whether it is on; in a group, the state of the chosen one, or false. Signature: whether it is signed. Multi-select list: the
   * values. Otherwise a string.
   */
  readonly value: string | boolean | string[] | null;
  /** The possible values of a radio group, a group of check boxes, drop-down, or list box; null for other fields. */
  readonly options: string[] | null;
  /** 1-based page of the first widget on a page. */
  readonly page: number | null;
  readonly required: boolean;
  readonly readOnly: boolean;
  /** Maximum length of a text field in characters. */
  readonly maxLength: number | null;
}

/** Fuel per field, and per widget. */
const FIELD_WORK = 200;

/**
 * Reads the fields that can have a value. Fields with the same full name are one field, defined by the first.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.formFields`
 */
export async function readFormSchema(open: OpenPdf, texts: FormTexts): Promise<FormField[]> {
  const nodes = await readFormTree(open, texts);
  if (nodes.length === 0) return [];
  const pageOf = await pagesOfWidgets(open);
  const fields: FormField[] = [];
  for (const node of nodes) {
    open.engine.work.spend(FIELD_WORK * (1 + node.widgets.length));
    await open.engine.work.pause();
    const pages = node.widgets.map((widget) => pageOf.get(objectNumber(widget)));
    const reader = new FieldReader(open, texts, node);
    fields.push({
      name: node.name,
      type: node.type,
      value: reader.value(),
      options: reader.options(),
      page: pages.find((page) => page !== undefined) ?? null,
      required: node.has("required"),
      readOnly: node.has("readOnly"),
      maxLength: node.type === "text" ? maxLengthOf(node) : null,
    });
  }
  return fields;
}

/** Maximum length of a text field in characters, or null if it has none. */
export function maxLengthOf({ own }: TerminalField): number | null {
  const length = own.MaxLen;
  return length.isNumber() && length.asNumber() > 0 ? length.asNumber() : null;
}

/** Reads one field with its widgets. */
class FieldReader {
  readonly #open: OpenPdf;
  readonly #texts: FormTexts;
  readonly #node: TerminalField;

  constructor(open: OpenPdf, texts: FormTexts, node: TerminalField) {
    this.#open = open;
    this.#texts = texts;
    this.#node = node;
  }

  options(): string[] | null {
    const { type } = this.#node;
    if (type === "radio" || this.#isGroup()) return exportsOf(this.#buttons());
    if (type !== "dropdown" && type !== "list") return null;
    // Shared options are read once but listed with each field.
    return this.#texts.listed(this.#texts.optionsOf(this.#node).values);
  }

  value(): FormField["value"] {
    const { type, own } = this.#node;
    const value = own.V;
    if (type === "button") return null;
    if (type === "signature") return value.isDictionary();
    if (type === "checkbox" && !this.#isGroup()) return (this.#state() ?? "Off") !== "Off";
    if (type === "checkbox") return this.#chosen() ?? false;
    if (type === "radio") return this.#chosen();
    if (type === "list" && (this.#node.has("multiSelect") || value.isArray())) {
      return (value.isArray() ? items(value) : [value]).flatMap((item) => this.#texts.text(item) ?? []);
    }
    // Some writers use a name where a text string belongs.
    return this.#texts.textOrStream(value) ?? this.#texts.name(value) ?? null;
  }

  /** The current state of the button: its value or, if it has none, the state of its widgets. */
  #state(): string | undefined {
    const value = this.#texts.name(this.#node.own.V) ?? this.#texts.text(this.#node.own.V);
    if (value !== undefined) return value;
    const states = this.#node.widgets.map((widget) => this.#texts.name(widget.get("AS")));
    return states.find((state) => state !== undefined && state !== "Off");
  }

  #chosen(): string | null {
    const state = this.#state();
    if (state === undefined || state === "Off") return null;
    const button = this.#buttons().find(({ states }) => states.some(({ name }) => name === state));
    return button?.label ?? state;
  }

  /** Whether the field consists of check boxes with different states, so that one of them is chosen. */
  #isGroup(): boolean {
    const { type, widgets } = this.#node;
    return type === "checkbox" && widgets.length > 1 && exportsOf(this.#buttons()).length > 1;
  }

  #buttons(): Button[] {
    return buttonsOf(this.#node, this.#open.engine, this.#texts);
  }
}
