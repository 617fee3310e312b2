import type { ChosenFile } from "../api/form-values.ts";

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
