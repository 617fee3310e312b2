import type { FormValues } from "../../../description/form-values.ts";
import { type Field, isFormValues, isPages, isRotations, type ValueField } from "../../../description/fields.ts";
import { BoxPicker } from "./box-picker.tsx";
import { boxKindOf } from "./boxes.ts";
import type { FormField, Widget } from "./form-fields.ts";
import { FormValuesInput } from "./form-values.tsx";
import { isOutline, OutlineInput } from "./outline-input.tsx";
import { PageOrder, PageParts, PageSet, TurnedPages } from "./page-chooser.tsx";
import { SignaturePreview } from "./signature-preview.tsx";
import type { OpenPdf } from "./use-pdf.ts";

/** Whether a field can be filled in by looking at the pages of the document. */
export const needsPages = (field: Field): boolean =>
  field.kind === "value" &&
  (isPages(field) ||
    isRotations(field) ||
    isFormValues(field) ||
    isOutline(field.schema) ||
    boxKindOf(field.schema) !== undefined);

/** The document's own form, where it is filled in. */
export interface FormOfPdf {
  readonly formFields: readonly FormField[] | undefined;
  readonly look: (widget: Widget | undefined) => void;
}

interface Props extends FormOfPdf {
  readonly field: ValueField;
  /** The fields that apply. */
  readonly shown: readonly Field[];
  readonly pdf: OpenPdf;
  readonly values: FormValues;
  readonly setText: (name: string) => (text: string) => void;
}

const words = {
  none: "Choose a PDF to see its pages here.",
  opening: "Drawing the pages…",
  locked: "The PDF needs its password to be shown here.",
  failed: "The pages cannot be shown.",
} as const;

/** A field of pages, boxes on them, or their form, by sight: it writes the text of the field. */
export function ByPages({ field, shown, pdf, values, setText, formFields, look }: Props) {
  const { name, schema } = field;
  // Reserves space, so that content below does not jump.
  const tall = boxKindOf(schema) ? "boxes" : isFormValues(field) ? "tall" : "";
  if (pdf.state !== "open") {
    const room = pdf.state === "opening" ? `pages-wanted ${tall}` : "";
    return <p class={`quiet ${room}`}>{words[pdf.state]}</p>;
  }
  const { document } = pdf;
  const value = values.texts[name] ?? "";
  const change = setText(name);
  if (isFormValues(field)) return <FormValuesInput {...{ value, change, look }} fields={formFields} />;
  if (isOutline(schema)) return <OutlineInput {...{ document, change }} />;
  if (boxKindOf(schema)) {
    return (
      <BoxPicker {...{ schema, document, value, change }}>
        <SignaturePreview values={values} />
      </BoxPicker>
    );
  }
  const turning = shown.find((one) => one.kind === "value" && isRotations(one));
  const rotations = turning && { value: values.texts[turning.name] ?? "", change: setText(turning.name) };
  const choosing = shown.some((one) => one.kind === "value" && isPages(one));
  if (isRotations(field)) return choosing ? null : <TurnedPages {...{ document, name, rotations }} />;
  if (schema.format === "page-order") return <PageOrder {...{ document, name, value, change }} />;
  if (schema.format === "page-groups") return <PageParts {...{ document, name, value, change }} />;
  return <PageSet {...{ document, name, value, change, rotations }} byDefault={String(schema.default ?? "")} />;
}
