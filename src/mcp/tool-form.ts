import { fileOf, isReference } from "./base64-file.ts";
import { isObject, type Json } from "./tool.ts";
import { invalidFields } from "../http/errors/invalid-fields.ts";
import { isFileName } from "../http/form/form-reader.ts";
import { limits } from "../limits.ts";
import type { Operation } from "../operations/definition/define.ts";
import type { FieldIssue } from "../operations/definition/fields.ts";
import { tooManyParameters } from "./errors.ts";

/** A parameter with several files, and the form fields that they are sent as: `files` are `file0`, `file1`, and so on. */
export interface FileList {
  readonly parameter: string;
  readonly prefix: string;
  /** Whether the files are PDFs, which can have passwords of their own. */
  readonly takesPdf: boolean;
}

/** Of a pipeline: those that its first step can have. */
export function fileListsOf({ fields, steps = [] }: Pick<Operation, "fields" | "steps">): readonly FileList[] {
  const all = [fields, ...steps.map((step) => step.fields)].flatMap((one) => Object.values(one));
  const found = all.flatMap((field) => {
    if (field.kind !== "files") return [];
    return [{ parameter: `${field.prefix}s`, prefix: field.prefix, takesPdf: field.accept.includes("pdf") }];
  });
  return Array.from(Map.groupBy(found, ({ prefix }) => prefix).values(), ([first]) => first).filter(
    (list) => list !== undefined,
  );
}

/** The parameter that a form field comes from: `files[2]` for `file2`, `passwords[2]` for `password2`. */
export function parameterOf(operation: Pick<Operation, "fields" | "steps">, field: string): string {
  const lists = fileListsOf(operation);
  const [, prefix, number] = /^(.*?[^\d])(\d+)$/.exec(field) ?? [];
  if (prefix === "password" && lists.some(({ takesPdf }) => takesPdf)) return `passwords[${number}]`;
  const list = lists.find((one) => one.prefix === prefix);
  return list === undefined ? field : `${list.parameter}[${number}]`;
}

/**
 * The form of an operation with the parameters of a tool: files that are not referred to become parts, and other values the text
 * that they are in a form. The form reader checks everything else. Throws `invalid_parameters`, `file_too_large`.
 */
export function formOf(operation: Operation, parameters: Json): FormData {
  const form = new FormData();
  const issues: FieldIssue[] = [];
  const lists = fileListsOf(operation);
  let count = 0;
  const add = (field: string, value: unknown, isFile: boolean): void => {
    if (value === null || value === undefined) return;
    // The form could not have more, and each takes memory.
    count += 1;
    if (count > limits.form.fields) throw tooManyParameters();
    if (isFile && typeof value !== "string") issues.push({ name: field, issue: "must be a string" });
    else if (isFile && typeof value === "string" && value !== "" && !isReference(value))
      form.append(field, fileOf(parameterOf(operation, field), value));
    else form.append(field, typeof value === "object" ? JSON.stringify(value) : String(value));
  };
  const addAll = (parameter: string, value: unknown, prefix: string, isFile: boolean): void => {
    if (value === null || value === undefined) return;
    if (!Array.isArray(value)) issues.push({ name: parameter, issue: "must be an array of strings" });
    else for (const [number, one] of value.entries()) add(`${prefix}${number}`, one, isFile);
  };
  for (const [name, value] of Object.entries(parameters)) {
    const list = lists.find(({ parameter }) => parameter === name);
    if (list !== undefined) addAll(name, value, list.prefix, true);
    else if (name === "passwords" && lists.some(({ takesPdf }) => takesPdf)) addAll(name, value, "password", false);
    else if (operation.steps !== undefined && name === "parts") {
      if (isObject(value)) for (const [part, file] of Object.entries(value)) add(part, file, true);
      else issues.push({ name, issue: "must be an object" });
    } else add(name, value, isFileName(operation.fields, name) || (operation.steps !== undefined && name === "file"));
  }
  if (issues.length > 0) throw invalidFields(issues);
  return form;
}

/** A form as the body of a request whose size is known, so that it is admitted by its own size. */
export async function bodyOf(form: FormData): Promise<{ body: ArrayBuffer; headers: Record<string, string> }> {
  const encoded = new Response(form);
  const type = encoded.headers.get("Content-Type") ?? "";
  const body = await encoded.arrayBuffer();
  return { body, headers: { "Content-Type": type, "Content-Length": String(body.byteLength) } };
}
