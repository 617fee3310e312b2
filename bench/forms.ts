import { FormDraft } from "../test/harness/fixtures/form-fixtures.ts";

/** A page of text fields `field 0`, `field 1`, ..., 5 in a row. `entries`: further ones of a field. */
export function fieldsOf(count: number, entries: (index: number) => string = () => "", form = ""): Uint8Array {
  const draft = new FormDraft();
  draft.form = form;
  for (let index = 0; index < count; index++) {
    const [x, y] = [20 + (index % 5) * 110, 780 - (Math.floor(index / 5) % 70) * 11];
    draft.own(`field ${index}`, `/FT /Tx ${entries(index)}`, [x, y, x + 100, y + 10]);
  }
  return draft.bytes();
}

/** A text and a number for each of them, as fill-form takes values. */
export function valuesOf(count: number, text: string): string {
  const values = Array.from({ length: count }, (_, index) => [`field ${index}`, `${text} ${index}`] as const);
  return JSON.stringify(Object.fromEntries(values));
}
