import type { Operation } from "./description.ts";
import { type Entry, fileNameOf } from "./form-values.ts";

const extensions: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "text/markdown": "md",
  "text/plain": "txt",
};

/** The response of an operation that has been run. */
interface Known {
  readonly type: string;
  readonly fileName: string | undefined;
  readonly error: unknown;
}

/** The file for an operation's result, named as the service names it. Undefined for JSON, which is printed. */
export function resultFile(operation: Operation, entries: readonly Entry[], response?: Known): string | undefined {
  const known = response?.error === undefined ? response : undefined;
  const type = known?.type ?? expectedType(operation, entries);
  if (type === "application/json") return undefined;
  return known?.fileName ?? nameFor(operation, entries, type);
}

/** `letter-rotate.pdf`: the first file, the operation, and the type of the result. */
export function nameFor({ name }: Operation, entries: readonly Entry[], type: string): string {
  const [first] = entries.flatMap((entry) => fileNameOf(entry) ?? []);
  const stem = first?.replace(/\.[^.]*$/, "") ?? "document";
  return `${stem}-${name}.${extensions[type] ?? "bin"}`;
}

/** The media type of the result, as far as the request tells. */
function expectedType({ produces, fields, jsonWhen }: Operation, entries: readonly Entry[]): string {
  const [first = ""] = produces;
  const sent = new Map(entries.flatMap((entry) => ("text" in entry ? [[entry.name, entry.text] as const] : [])));
  const values = fields.flatMap((field) => {
    if (field.kind !== "value") return [];
    const text = sent.get(field.name) ?? String(field.schema.default ?? "");
    return text === "" ? [] : [{ ...field, text }];
  });
  const isOne = values.some(
    ({ schema: { format }, text }) =>
      ((format === "page-range" || format === "page-order") && /^\s*(\d+|last(-\d+)?)\s*$/.test(text)) ||
      (format === "page-groups" && !text.includes("|")),
  );
  if (produces.includes("application/zip") && !isOne && !produces.includes("application/json"))
    return "application/zip";
  if (jsonWhen !== undefined) {
    const isJson = Object.entries(jsonWhen).every(([name, words]) =>
      values.some((value) => value.name === name && words.includes(value.text)),
    );
    if (isJson) return "application/json";
    const [other] = produces.filter((type) => type !== "application/json");
    if (other !== undefined && first === "application/json") return other;
  }
  for (const { schema, text } of values) {
    // `output=pdf`, `format=png`
    const named = schema.enum && produces.find((type) => type.endsWith(`/${text === "text" ? "plain" : text}`));
    if (named) return named;
  }
  return first === "application/zip" && isOne ? (produces[1] ?? first) : first;
}
