import { typeOfName } from "../../description/media-types.ts";
import type { Operation } from "../../description/description.ts";
import type { FileField, FilesField } from "../../description/fields.ts";
import { exampleEntry, exampleFiles } from "../../description/example.ts";
import {
  type Entry,
  fileNameOf,
  type FormValues,
  initialTexts,
  type LocalFile,
} from "../../description/form-values.ts";

/** The files of the folder `examples/`, which are served next to this script. */
declare const SAMPLES: readonly string[];

/**
 * The examples that a field accepts. A field without media types reads a kind of file that has none here, such as a certificate or a
 * ZIP archive, and gets only the file of the operation's example.
 */
export function samplesFor(operation: Operation, { name, accept }: FileField | FilesField): readonly string[] {
  if (accept === "") return exampleFiles(operation).get(name) ?? [];
  const accepted = accept.split(/,\s*/);
  return SAMPLES.filter((sample) => accepted.includes(typeOfName(sample) ?? ""));
}

/** Loads an example; its path is relative to the project's folder, where a copied request runs. */
export async function fetchSample(name: string): Promise<LocalFile> {
  const response = await fetch(`/assets/examples/${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const blob = new Blob([await response.arrayBuffer()], { type: typeOfName(name) ?? "" });
  return { blob, name, path: `examples/${name}`, password: "" };
}

/** The examples shown with an operation's fields: those named in its description, or else some that each field accepts. */
function examplesOf(operation: Operation): Map<string, string[]> {
  const found = exampleFiles(operation);
  for (const field of operation.fields) {
    if (field.kind === "value" || found.get(field.name)?.length !== 0) continue;
    const count = field.kind === "files" ? field.min : Number(field.required);
    found.set(field.name, samplesFor(operation, field).slice(0, count));
  }
  return found;
}

/** The form filled in with a working request. */
export async function exampleValues(operation: Operation): Promise<FormValues> {
  const files: Record<string, readonly LocalFile[]> = {};
  for (const [name, samples] of examplesOf(operation)) files[name] = await Promise.all(samples.map(fetchSample));
  const texts = initialTexts(operation.fields);
  for (const { kind, name } of operation.fields) {
    const text = operation.example[name];
    if (kind === "value" && text !== undefined) texts[name] = text;
  }
  return { texts, files };
}

/** Placeholders for files not chosen yet, so that the code is complete from the start. */
export function placeholders(operation: Operation, entries: readonly Entry[]): Entry[] {
  if (entries.some((entry) => fileNameOf(entry) !== undefined)) return [];
  return [...examplesOf(operation)].flatMap(([prefix, samples]) => {
    const numbered = operation.fields.some(({ kind, name }) => kind === "files" && name === prefix);
    return samples.map((name, index) => exampleEntry(numbered ? `${prefix}${index}` : prefix, name));
  });
}
