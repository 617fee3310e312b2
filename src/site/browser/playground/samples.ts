import type { Operation } from "../api/description.ts";
import { type ChosenFile, type Entry, type FormValues, initialTexts } from "../api/form-values.ts";

/** The files of the folder `examples/`, which lie beside this script. */
declare const SAMPLES: readonly string[];

const types: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
};

const typeOf = (name: string): string => types[name.slice(name.lastIndexOf(".") + 1)] ?? "";

/** The examples that a field takes. */
export function samplesFor(accept: string): string[] {
  const accepted = accept.split(/,\s*/);
  return SAMPLES.filter((name) => accepted.includes(typeOf(name)));
}

/** An example; its path is that from the project's folder, where a copied call runs. */
export async function fetchSample(name: string): Promise<ChosenFile> {
  const answer = await fetch(`/assets/examples/${name}`);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const blob = new Blob([await answer.arrayBuffer()], { type: typeOf(name) });
  return { blob, name, path: `examples/${name}`, password: "" };
}

/** The examples that a field of an operation is shown with: those that its description names, else some that it takes. */
function examplesOf({ fields, example }: Operation): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const field of fields) {
    if (field.kind === "value") continue;
    const names = Object.keys(example).filter((name) =>
      field.kind === "file" ? name === field.name : name.startsWith(field.name),
    );
    const count = field.kind === "files" ? field.min : Number(field.required);
    const files = names.map((name) => example[name] ?? "");
    found.set(field.name, files.length > 0 ? files : samplesFor(field.accept).slice(0, count));
  }
  return found;
}

/** The form filled in with a call that works. */
export async function exampleValues(operation: Operation): Promise<FormValues> {
  const files: Record<string, readonly ChosenFile[]> = {};
  for (const [name, samples] of examplesOf(operation)) files[name] = await Promise.all(samples.map(fetchSample));
  const texts = initialTexts(operation.fields);
  for (const { kind, name } of operation.fields) {
    const text = operation.example[name];
    if (kind === "value" && text !== undefined) texts[name] = text;
  }
  return { texts, files };
}

/** Stand-ins for the files that are not chosen yet, so that the code is whole from the beginning. */
export function placeholders(operation: Operation, entries: readonly Entry[]): Entry[] {
  if (entries.some((entry) => "file" in entry)) return [];
  return [...examplesOf(operation)].flatMap(([prefix, samples]) => {
    const numbered = operation.fields.some(({ kind, name }) => kind === "files" && name === prefix);
    return samples.map((name, index): Entry => {
      const file = { blob: new Blob(), name, path: `examples/${name}`, password: "" };
      return { name: numbered ? `${prefix}${index}` : prefix, file };
    });
  });
}
