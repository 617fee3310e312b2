/** The choices of fields: the options of choice fields and the states of buttons (ISO 32000-2, 12.7.5). */
import type { PDFObject } from "mupdf";
import type { TerminalField } from "./tree.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items, objectNumber } from "../objects/objects.ts";
import { decodeName, TextReader } from "../objects/text-string.ts";

/** An option of a drop-down or list box. */
export interface Option {
  /** The field's value when it is selected. */
  readonly value: string;
  /** The displayed text, usually the same. */
  readonly label: string;
}

/** The options of a drop-down or list box, in order. */
export class Options {
  readonly list: readonly Option[];
  /** Index of the first option with each value, and with each label. */
  readonly #byValue: ReadonlyMap<string, number>;
  readonly #byLabel: ReadonlyMap<string, number>;

  constructor(list: readonly Option[]) {
    this.list = list;
    const places = (key: keyof Option): Map<string, number> =>
      new Map(list.map((option, index) => [option[key], index] as const).reverse());
    this.#byValue = places("value");
    this.#byLabel = places("label");
  }

  get values(): string[] {
    return this.list.map(({ value }) => value);
  }

  /** The index of a value, or -1 if no option has it. */
  placeOf(value: string): number {
    return this.#byValue.get(value) ?? -1;
  }

  /** Finds the option that a client means, by value or else by label. */
  find(given: string): Option | undefined {
    return this.list[this.#byValue.get(given) ?? this.#byLabel.get(given) ?? -1];
  }
}

/** Reads the texts of a form. Options are read once for each array, since fields may share one. */
export class FormTexts extends TextReader {
  readonly #options = new Map<number, Options>();

  /** The options of a drop-down or list box. */
  optionsOf({ own }: TerminalField): Options {
    const number = objectNumber(own.Opt);
    const options = this.#options.get(number) ?? readOptions(own.Opt, this);
    if (number > 0) this.#options.set(number, options);
    return options;
  }
}

function readOptions(array: PDFObject, texts: TextReader): Options {
  const list = items(array).flatMap((option) => {
    const [first = option, second] = items(option);
    const value = texts.text(first);
    if (value === undefined) return [];
    return [{ value, label: (second && texts.text(second)) ?? value }];
  });
  return new Options(list);
}

/** One widget of a check box or radio group. */
export interface Button {
  readonly widget: PDFObject;
  /** The states it can have besides `Off`, by the names of its appearances. Usually one. */
  readonly states: readonly State[];
  /** Whether it has appearances. If not, they are created when it is switched. */
  readonly drawn: boolean;
  /** Its entry in `Opt`, which gives it a meaning if the states are just numbers. */
  readonly label: string | undefined;
}

export interface State {
  readonly name: string;
  /** The name as stored in the document, which need not be UTF-8. Undefined if it is not in the document yet. */
  readonly key: PDFObject | undefined;
}

export function buttonsOf({ type, own, widgets }: TerminalField, engine: PdfEngine, texts: TextReader): Button[] {
  const labels = items(own.Opt);
  const currentOf = (widget: PDFObject): State | undefined =>
    // With one widget, the value is its state.
    [widget.get("AS"), ...(widgets.length === 1 ? [own.V] : [])]
      .map((key) => ({ name: texts.name(key) ?? "Off", key }))
      .find(({ name }) => name !== "Off");
  const taken = new Set(type === "radio" ? widgets.map((widget) => currentOf(widget)?.name) : []);
  return widgets.map((widget, index) => {
    const label = labels[index];
    const appearances = widget.get("AP", "N");
    // A stream has entries as well, but they are not states.
    const found = (appearances.isStream() ? [] : entries(engine, appearances))
      .map(({ key, value }) => ({ name: decodeName(engine, key), key, value }))
      .filter(({ name }) => name !== "Off");
    let free = type === "radio" ? String(index) : "Yes";
    while (taken.has(free)) free += "_";
    // Without appearances, the state that a widget is in names it.
    const bare = currentOf(widget) ?? { name: free, key: undefined };
    return {
      widget,
      states: found.length > 0 ? found : [bare],
      drawn: found.length > 0 && found.every(({ value }) => value.isStream()),
      label: label && texts.text(label),
    };
  });
}

/** The values that a client may set for a radio group, in the order of its buttons. */
export function exportsOf(buttons: readonly Button[]): string[] {
  return [...new Set(buttons.flatMap(({ label, states }) => label ?? states.map(({ name }) => name)))];
}
