/** What fields that are chosen from offer: the options of choice fields, the states of buttons (ISO 32000-2, 12.7.5). */
import type { PDFObject } from "mupdf";
import type { FormNode } from "./form-tree.ts";
import type { PdfEngine } from "./mupdf.ts";
import { entries, items } from "./objects.ts";
import { decodeName, type TextReader } from "./text-string.ts";

/** An option of a drop-down or list. */
export interface Option {
  /** What the field's value is when it is chosen. */
  readonly value: string;
  /** What is shown; mostly the same. */
  readonly label: string;
}

export function optionsOf({ own }: FormNode, texts: TextReader): Option[] {
  return items(own.Opt).flatMap((option) => {
    const [first = option, second] = items(option);
    const value = texts.text(first);
    if (value === undefined) return [];
    return [{ value, label: (second && texts.text(second)) ?? value }];
  });
}

/** One widget of a check box or radio group. */
export interface Button {
  readonly widget: PDFObject;
  /** What it can be but `Off`, by the names of its appearances; mostly one. */
  readonly states: readonly State[];
  /** Whether it has appearances; one without gets them when it is switched. */
  readonly drawn: boolean;
  /** What it stands for where the states are mere numbers: its entry of `Opt`. */
  readonly label: string | undefined;
}

export interface State {
  readonly name: string;
  /** The name as it stands in the document, which need not be UTF-8; undefined where it does not stand there yet. */
  readonly key: PDFObject | undefined;
}

export function buttonsOf({ type, own, widgets }: FormNode, engine: PdfEngine, texts: TextReader): Button[] {
  const labels = items(own.Opt);
  return widgets.map((widget, index) => {
    const label = labels[index];
    const appearances = widget.get("AP", "N");
    // A stream has entries, too, but those are no states.
    const found = (appearances.isStream() ? [] : entries(engine, appearances))
      .map(({ key, value }) => ({ name: decodeName(engine, key), key, value }))
      .filter(({ name }) => name !== "Off");
    const nameless: State = { name: type === "radio" ? String(index) : "Yes", key: undefined };
    return {
      widget,
      states: found.length > 0 ? found : [nameless],
      drawn: found.length > 0 && found.every(({ value }) => value.isStream()),
      label: label && texts.text(label),
    };
  });
}

/** What a caller may ask a radio group for, in the order of its buttons. */
export function exportsOf(buttons: readonly Button[]): string[] {
  return [...new Set(buttons.flatMap(({ label, states }) => label ?? states.map(({ name }) => name)))];
}
