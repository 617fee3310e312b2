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
  "text/html": "html",
  "text/csv": "csv",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
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
function expectedType({ produces, fields }: Operation, entries: readonly Entry[]): string {
  const sent = new Map(entries.flatMap((entry) => ("text" in entry ? [[entry.name, entry.text] as const] : [])));
  const values = new Map(
    fields.flatMap((field) => {
      if (field.kind !== "value") return [];
      const text = sent.get(field.name) ?? String(field.schema.default ?? "");
      return text === "" ? [] : [[field.name, { ...field, text }] as const];
    }),
  );
  const types = produces.flatMap(({ type, when }) =>
    Object.entries(when).every(([name, words]) => words.includes(values.get(name)?.text ?? "false")) ? [type] : [],
  );
  const isOne = Array.from(values.values()).some(
    ({ schema: { format }, text }) =>
      ((format === "page-range" || format === "page-order") && /^\s*(\d+|last(-\d+)?)\s*$/.test(text)) ||
      (format === "page-groups" && !text.includes("|")),
  );
  if (types.includes("application/zip") && !isOne && !types.includes("application/json")) return "application/zip";
  return types.find((type) => type !== "application/zip") ?? "application/octet-stream";
}
