import type { Field } from "./fields.ts";
import { isStepsField, partsIn } from "./steps.ts";

interface Chosen {
  readonly name: string;
  /** Its own password, for numbered files. */
  readonly password: string;
}

/** A file that is sent. `path` is its location for someone who repeats the request in a shell. */
export interface LocalFile extends Chosen {
  readonly blob: Blob;
  readonly path: string;
}

/** A file that was made here: a result, or a drawing. */
export const asFile = (blob: Blob, name: string): LocalFile => ({ blob, name, path: name, password: "" });

/** A file that the service has, or fetches: the ID of a stored file, or a URL. */
export interface ReferredFile extends Chosen {
  readonly reference: string;
  /** In bytes, if it is known. */
  readonly size: number | undefined;
}

export type ChosenFile = LocalFile | ReferredFile;

/** The content of the form: text by parameter, files by field. */
export interface FormValues {
  readonly texts: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, readonly ChosenFile[]>>;
}

/** A part of a request. `refersTo`: the name of the file that the text stands for. */
export type Entry = { readonly name: string } & (
  | { readonly text: string; readonly refersTo?: string }
  | { readonly file: LocalFile }
);

/** The name of an entry's file; undefined if it is a parameter. */
export const fileNameOf = (entry: Entry): string | undefined => ("file" in entry ? entry.file.name : entry.refersTo);

const fileEntry = (name: string, file: ChosenFile): Entry =>
  "reference" in file ? { name, text: file.reference, refersTo: file.name } : { name, file };

/** The initial values: the first choice for a required parameter, the default for the others. */
export function initialTexts(fields: readonly Field[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const field of fields) {
    if (field.kind !== "value") continue;
    const { schema } = field;
    if (schema.default !== undefined) texts[field.name] = String(schema.default);
    else if (field.required && schema.enum) texts[field.name] = String(schema.enum[0]);
  }
  return texts;
}

/** Whether a field applies, given the values of the others. */
export function applies(field: Field, texts: FormValues["texts"]): boolean {
  return Object.entries(field.when).every(([name, values]) => values.includes(texts[name] ?? ""));
}

/** The parts of the request, in the form's order. Empty values and defaults are not sent. */
export function entriesOf(fields: readonly Field[], { texts, files }: FormValues): Entry[] {
  return fields
    .filter((field) => applies(field, texts))
    .flatMap((field): Entry[] => {
      const { name } = field;
      const chosen = files[name] ?? [];
      if (field.kind === "file") return chosen.slice(0, 1).map((file) => fileEntry(name, file));
      if (field.kind === "files") {
        return chosen.flatMap((file, index): Entry[] => {
          const own = field.passwords !== undefined && file.password !== "";
          const password = own ? [{ name: `${field.passwords}${index}`, text: file.password }] : [];
          return [fileEntry(`${name}${index}`, file), ...password];
        });
      }
      const text = texts[name] ?? "";
      const byDefault = field.schema.default !== undefined && String(field.schema.default) === text;
      const parts = isStepsField(field) ? partsIn(text) : [];
      const named = parts.filter((part) => !fields.some((other) => other.name === part));
      const sent = named.flatMap((part) => (files[part] ?? []).slice(0, 1).map((file) => fileEntry(part, file)));
      return text === "" || byDefault ? [] : [...sent, { name, text }];
    });
}
