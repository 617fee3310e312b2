import { isOneOf, kindNames } from "./file-kind.ts";
import { type FormFile, FormReader, type ReaderOptions, type UrlIssue } from "./form-reader.ts";
import { FormValues } from "./form-values.ts";
import { ApiError } from "../errors/api-error.ts";
import { oneOf } from "../errors/schema-issues.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { EngineBytes } from "../../engines/bytes/heap.ts";
import type { Operation } from "../../operations/definition/define.ts";
import type { FieldIssue, Fields, Input, UploadedFile } from "../../operations/definition/fields.ts";

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
  /** Problems found elsewhere, which are reported together with those of the form. */
  readonly issues?: readonly FieldIssue[];
}

/** The check that a request has at least one, or exactly one, of some fields. A flag that is false is not there. */
function neededFields<F extends Fields>({ atLeastOneOf, exactlyOneOf }: Operation<F>) {
  const names = exactlyOneOf ?? atLeastOneOf ?? [];
  return (input: Input<F>): readonly FieldIssue[] => {
    const [first, ...others] = names;
    const [given, ...further] = names.filter((name) => input[name] !== undefined && input[name] !== false);
    if (first !== undefined && given === undefined) {
      return [{ name: first, issue: `is required unless ${oneOf(others.map((name) => `\`${name}\``))} is sent` }];
    }
    return exactlyOneOf ? further.map((name) => ({ name, issue: `must not be sent together with \`${given}\`` })) : [];
  };
}

/** The fields of one operation, as sent. */
export class OperationForm<F extends Fields> {
  readonly reader: FormReader;
  readonly values: FormValues<F>;
  /** All problems but those that depend on the document's page count. */
  readonly issues: readonly FieldIssue[];
  readonly #operation: Operation<F>;

  /** `parts`: by the name of the field that each is sent for. */
  constructor(
    operation: Operation<F>,
    parts: Iterable<readonly [name: string, part: FormPart<EngineBytes>]>,
    options: ReaderOptions,
  ) {
    const reader = new FormReader(parts, options);
    const read = new Map(Object.entries(operation.fields).map(([name, field]) => [name, reader.read(name, field)]));
    const values = new FormValues(operation.fields, read);
    const checks = [neededFields(operation), ...(operation.checks ?? [])];
    const found = checks.flatMap((check) => values.issuesOf(check));
    this.reader = reader;
    this.values = values;
    this.issues = [...values.issues, ...reader.unknown(), ...found];
    this.#operation = operation;
  }

  /** The operation with what it needs for these parameters; complete only if there are no issues. */
  get operation(): Operation<F> {
    const needs = this.#operation.needs?.(this.values.inputWith(new Map()));
    return needs === undefined ? this.#operation : { ...this.#operation, ...needs };
  }

  /** Problems that depend on the document's page count; if it cannot be opened, only malformed ranges. */
  async pageIssues(countPages: (file: FormFile) => Promise<number | undefined>): Promise<FieldIssue[]> {
    const { pageChecks = [] } = this.#operation;
    const ranges = this.values.ranges();
    if (ranges.length === 0 && pageChecks.length === 0) return [];
    const pageCount = this.values.file && (await countPages(this.values.file));
    if (pageCount === undefined) return this.malformedRanges();
    const issues = ranges.flatMap(({ name, range }) => {
      const issue = range.problemIn(pageCount);
      return issue === undefined ? [] : [{ name, issue }];
    });
    return [...issues, ...pageChecks.flatMap((check) => this.values.issuesOf((input) => check(input, pageCount)))];
  }

  malformedRanges(): FieldIssue[] {
    const ranges = this.values.ranges();
    return ranges.flatMap(({ name, range }) => (range.problem === undefined ? [] : [{ name, issue: range.problem }]));
  }

  /** Throws for the first file of a wrong kind (`invalid_file`, `unsupported_format`). */
  checkKinds(loaded: ReadonlyMap<FormFile, UploadedFile>): void {
    for (const file of this.reader.files) checkKind(file, loaded.get(file));
  }
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
