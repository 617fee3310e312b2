import { isOneOf, kindNames } from "./file-kind.ts";
import { type FormFile, FormReader, numberAfter, tooManyFiles, type UrlIssue } from "./form-reader.ts";
import { FormValues } from "./form-values.ts";
import { ApiError } from "../errors/api-error.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { oneOf } from "../errors/schema-issues.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { EngineBytes } from "../../engines/bytes/heap.ts";
import type { Operation } from "../../operations/define.ts";
import type { FieldIssue, Fields, Input, UploadedFile } from "../../operations/fields.ts";

/** The names that a form accepts, known before its body is read. */
export class FormNames {
  /** Maximum number of files in the form. */
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
   * Whether a file with this name belongs to the form: the name is known and not yet used. Throws `limit_exceeded` at the first
   * file too many, before the rest is uploaded.
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
  /** What to run: the operation of the route, or what the form makes of it. */
  readonly operation: Operation<F>;
  /** The files, in the order of their fields. */
  readonly files: readonly FormFile[];
  /**
   * The operation's input, once the files are loaded. Throws for the first file of a wrong kind (`invalid_file`,
   * `unsupported_format`).
   */
  inputWith(loaded: ReadonlyMap<FormFile, UploadedFile>): Input<F>;
}

export interface FormChecks {
  /** Counts the pages of a file in the form; undefined if it cannot be opened, or would have to be fetched first. */
  countPages(file: FormFile): Promise<number | undefined>;
  readonly urlIssue: UrlIssue;
}

/**
 * Turns a form into an operation's input. All problems with parameters are thrown at once (`invalid_parameters`), including
 * those that depend on the document's page count. If page ranges are the only problem, the form passes: `run` rejects them and
 * reports the page count.
 */
export async function readForm<F extends Fields>(
  operation: Operation<F>,
  parts: readonly FormPart<EngineBytes>[],
  { countPages, urlIssue }: FormChecks,
): Promise<ReadForm<F>> {
  const reader = new FormReader(parts, urlIssue);
  const read = new Map(Object.entries(operation.fields).map(([name, field]) => [name, reader.read(name, field)]));
  const form = new FormValues(operation.fields, read);
  const issues = [...form.issues, ...reader.unknown()];
  for (const check of operation.checks ?? []) issues.push(...form.issuesOf(check));
  if (issues.length > 0) throw invalidFields([...issues, ...(await pageIssues(operation, form, countPages))]);

  return {
    operation,
    files: reader.files,
    inputWith(loaded) {
      for (const file of reader.files) checkKind(file, loaded.get(file));
      return form.inputWith(loaded);
    },
  };
}

/** Problems that depend on the document's page count; if it cannot be opened, only malformed ranges. */
async function pageIssues<F extends Fields>(
  { pageChecks = [] }: Operation<F>,
  form: FormValues<F>,
  countPages: FormChecks["countPages"],
): Promise<FieldIssue[]> {
  const ranges = form.ranges();
  if (ranges.length === 0 && pageChecks.length === 0) return [];
  const pageCount = form.file && (await countPages(form.file));
  const issues = ranges.flatMap(({ name, range }) => {
    const issue = pageCount === undefined ? range.problem : range.problemIn(pageCount);
    return issue === undefined ? [] : [{ name, issue }];
  });
  if (pageCount === undefined) return issues;
  return [...issues, ...pageChecks.flatMap((check) => form.issuesOf((input) => check(input, pageCount)))];
}

function checkKind({ field, accept }: FormFile, file: UploadedFile | undefined): void {
  if (file === undefined) throw new Error(`\`${field}\` has not been loaded`);
  const details = { input: field };
  if (file.bytes.length === 0) throw new ApiError("invalid_file", `\`${field}\` is empty.`, { details });
  if (!isOneOf(accept, file.bytes)) {
    const message = `\`${field}\` is not a ${oneOf(accept.map((kind) => kindNames[kind]))}.`;
    throw new ApiError("unsupported_format", message, { details });
  }
}
