import { PDFDocument, PDFCheckBox, PDFDropdown, PDFOptionList, PDFRadioGroup, PDFTextField } from "pdf-lib";
import type { ApiResponse, Part } from "./client.ts";
import { openPdf } from "../engines/pdfjs.ts";
import { stamp } from "./stamp-calls.ts";

export type Values = Readonly<Record<string, unknown>>;

export const fill = (
  bytes: Uint8Array,
  values: Values,
  more: Readonly<Record<string, Part>> = {},
): Promise<ApiResponse> => stamp("fill-form", bytes, { values: JSON.stringify(values), ...more });

/** The values of all fields as pdf-lib reads them: text, whether a box is on, what is chosen. */
export async function valuesOf(bytes: Uint8Array): Promise<Record<string, unknown>> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const read = (field: object): unknown => {
    if (field instanceof PDFTextField) return field.getText() ?? null;
    if (field instanceof PDFCheckBox) return field.isChecked();
    if (field instanceof PDFRadioGroup) return field.getSelected() ?? null;
    if (field instanceof PDFDropdown || field instanceof PDFOptionList) return field.getSelected();
    return undefined;
  };
  return Object.fromEntries(
    document
      .getForm()
      .getFields()
      .map((field) => [field.getName(), read(field)]),
  );
}

/** The value of each field's first widget as pdf.js reads it. */
export async function pdfjsValues(bytes: Uint8Array, password?: string): Promise<Record<string, unknown>> {
  const { pages } = await openPdf(bytes, { password });
  const widgets = pages.flatMap(({ annotations }) => annotations.filter(({ fieldName }) => fieldName !== undefined));
  const named = widgets.toReversed().map(({ fieldName, rest }) => [String(fieldName), rest["fieldValue"]] as const);
  return Object.fromEntries(named);
}
