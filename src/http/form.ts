import { ApiError } from "./errors.ts";
import { isOneOf, kindNames } from "./file-kind.ts";
import { FormReader, numberAfter, tooManyFiles } from "./form-reader.ts";
import type { FormPart } from "./multipart.ts";
import { PageRange } from "../engines/pdf/ranges.ts";
import type { Operation } from "../operations/define.ts";
import type { FieldIssue, Fields, FileKind, Input, UploadedFile } from "../operations/fields.ts";

/** Which names a form takes, known before its body is read. */
export class FormNames {
  /** The most files that the form takes. */
  readonly maxFiles: number;
  readonly #fields: Fields;
  readonly #files = new Set<string>();

  constructor(fields: Fields) {
    this.#fields = fields;
    this.maxFiles = Object.values(fields).reduce(
      (sum, field) => sum + (field.kind === "file" ? 1 : field.kind === "files" ? field.max : 0),
      0,
    );
  }

  /**
   * Whether a file under this name belongs to the form: no unknown name, and no second file under one. Throws
   * `limit_exceeded` at the first file too many, so that nobody uploads a thousand to be told.
   */
  wantsFile(name: string): boolean {
    if (this.#files.has(name) || !this.#isFileName(name)) return false;
    this.#files.add(name);
    if (this.#files.size > this.maxFiles) throw tooManyFiles(this.maxFiles, this.#files.size);
    return true;
  }

  #isFileName(name: string): boolean {
    return Object.entries(this.#fields).some(([key, field]) => {
      if (field.kind === "files") return numberAfter(field.prefix, name) !== undefined;
      return field.kind === "file" && key === name;
    });
  }
}

export interface ReadForm<F extends Fields> {
  readonly input: Input<F>;
  /** The first file's name without directory and extension: answers are named after it. */
  readonly stem: string;
}

/**
 * Makes an operation's input of a form. All problems with parameters are thrown at once (`invalid_parameters`); without
 * any, the first file whose bytes are not what the field takes (`invalid_file`, `unsupported_format`). A page range that
 * is the only problem is let through: `run` refuses it with the document's page count.
 */
export function readForm<F extends Fields>(operation: Operation<F>, parts: readonly FormPart[]): ReadForm<F> {
  const form = new FormReader(parts);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(operation.fields)) {
    if (field.kind === "text") values[name] = form.value(name, field.schema);
    else if (field.kind === "file") values[name] = form.file(name, field);
    else values[name] = form.numberedFiles(field);
  }
  form.refuseTheRest();
  const input = values as Input<F>;
  if (form.isComplete) form.issues.push(...(operation.check?.(input) ?? []));
  if (form.issues.length > 0) throw invalidParameters([...form.issues, ...rangeIssues(values)]);

  for (const { file, accept } of form.files) checkKind(file, accept);
  return { input, stem: form.files[0]?.file.stem ?? "document" };
}

function invalidParameters(fields: readonly FieldIssue[]): ApiError {
  const [first] = fields;
  const message =
    fields.length === 1 && first !== undefined
      ? `The field \`${first.name}\`: ${first.issue}.`
      : `${fields.length} problems with the request's fields; see details.fields.`;
  return new ApiError("invalid_parameters", message, { details: { fields } });
}

function rangeIssues(values: Readonly<Record<string, unknown>>): FieldIssue[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const ranges = [value].flat().filter((item) => item instanceof PageRange);
    const issue = ranges.map((range) => range.problem).find((problem) => problem !== undefined);
    return issue === undefined ? [] : [{ name, issue }];
  });
}

function checkKind(file: UploadedFile, accept: readonly FileKind[]): void {
  const details = { input: file.field };
  if (file.bytes.length === 0)
    throw new ApiError("invalid_file", `The file in \`${file.field}\` is empty.`, { details });
  if (!isOneOf(accept, file.bytes)) {
    const wanted = new Intl.ListFormat("en", { type: "disjunction" }).format(accept.map((kind) => kindNames[kind]));
    throw new ApiError("unsupported_format", `The file in \`${file.field}\` is not a ${wanted}.`, { details });
  }
}
