import type { Operation } from "./description.ts";
import type { Entry } from "./form-values.ts";

/** The files of `examples/` that an operation's example uses, by field. */
export function exampleFiles({ fields, example }: Operation): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const field of fields) {
    if (field.kind === "value") continue;
    const names = Object.keys(example).filter((name) =>
      field.kind === "file" ? name === field.name : name.startsWith(field.name),
    );
    found.set(
      field.name,
      names.map((name) => example[name] ?? ""),
    );
  }
  return found;
}

/** Represents a file of `examples/` in code; its path is relative to the project's folder, where a copied request runs. */
export function exampleEntry(name: string, fileName: string): Entry {
  return { name, file: { blob: new Blob([]), name: fileName, path: `examples/${fileName}`, password: "" } };
}

/** The parts of an operation's example, in order. */
export function exampleEntries(operation: Operation): Entry[] {
  const files = new Set([...exampleFiles(operation).values()].flat());
  return Object.entries(operation.example).map(([name, value]) =>
    files.has(value) ? exampleEntry(name, value) : { name, text: value },
  );
}
