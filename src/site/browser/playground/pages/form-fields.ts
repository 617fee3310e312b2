import { useEffect, useState } from "preact/hooks";
import type { PDFDocumentProxy } from "./pdfjs.ts";

/** Where a field is seen: a page from 1, and its box in points from the bottom left of the page's coordinates. */
export interface Widget {
  readonly page: number;
  readonly rect: readonly [number, number, number, number];
}

/** A field of a PDF form, as `fill-form` takes its value. */
export interface FormField {
  readonly name: string;
  readonly kind: "text" | "checkbox" | "choice" | "list";
  readonly value: string | readonly string[] | boolean;
  /** For a choice or list: the values that can be sent, and what people see. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly isLong: boolean;
  readonly isReadOnly: boolean;
  /** In characters. */
  readonly most: number | undefined;
  readonly widgets: readonly Widget[];
}

/** The part of a field object of pdf.js that is used here. */
interface FieldObject {
  readonly type: string;
  readonly value?: unknown;
  readonly page?: number;
  readonly rect?: Widget["rect"];
  readonly editable?: boolean;
  readonly multiline?: boolean;
  readonly charLimit?: number;
  readonly exportValues?: string;
  readonly items?: readonly { readonly displayValue: string | null; readonly exportValue: string | null }[];
}

const kinds: Readonly<Record<string, FormField["kind"]>> = {
  text: "text",
  checkbox: "checkbox",
  radiobutton: "choice",
  combobox: "choice",
  listbox: "list",
};

function fieldFrom(name: string, objects: readonly FieldObject[]): FormField[] {
  const seen = objects.filter(({ type }) => kinds[type] !== undefined);
  const [first] = seen;
  if (first === undefined) return [];
  const states = seen.flatMap(({ exportValues }) => (exportValues === undefined ? [] : [exportValues]));
  const isSwitch = first.type === "checkbox" && states.length < 2;
  const isButton = first.type === "checkbox" || first.type === "radiobutton";
  const current = isButton
    ? seen.map(({ value }) => value).find((value) => value !== "Off" && value !== undefined)
    : first.value;
  const options = isButton
    ? [...new Set(states)].map((value) => ({ value, label: value }))
    : (first.items ?? []).map(({ displayValue, exportValue }) => ({
        value: exportValue ?? displayValue ?? "",
        label: displayValue ?? exportValue ?? "",
      }));
  return [
    {
      name,
      kind: isSwitch ? "checkbox" : isButton ? "choice" : (kinds[first.type] ?? "text"),
      value: isSwitch ? current !== undefined : Array.isArray(current) ? (current as string[]) : String(current ?? ""),
      options: isSwitch ? [] : options,
      isLong: first.multiline === true,
      isReadOnly: first.editable === false,
      most: first.charLimit ? first.charLimit : undefined,
      widgets: seen.flatMap(({ page, rect }) => (rect === undefined ? [] : [{ page: (page ?? 0) + 1, rect }])),
    },
  ];
}

/** The fields of a document's form in the order of its pages; undefined until they are known. */
export function useFormFields(document: PDFDocumentProxy | undefined): readonly FormField[] | undefined {
  const [fields, setFields] = useState<readonly FormField[]>();
  useEffect(() => {
    let isCurrent = true;
    setFields(undefined);
    void document
      ?.getFieldObjects()
      .catch(() => null)
      .then((found) => {
        const all = [...((found ?? new Map()) as ReadonlyMap<string, FieldObject[]>)];
        const fields = all.flatMap(([name, objects]) => fieldFrom(name, objects));
        const place = ({ widgets: [widget] }: FormField): number =>
          widget ? widget.page * 100_000 - widget.rect[3] + widget.rect[0] / 1_000 : Infinity;
        if (isCurrent) setFields(fields.toSorted((a, b) => place(a) - place(b)));
      });
    return () => {
      isCurrent = false;
    };
  }, [document]);
  return fields;
}
