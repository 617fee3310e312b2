import {
  type FormFile,
  type FormInput,
  FormReader,
  type ReaderOptions,
  type ReadField,
  type UrlIssue,
} from "./form-reader.ts";
import { isOneOf, makerOfPdf, otherImageInstead } from "./file-kinds.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { oneOf } from "../errors/schema-issues.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import { PageRange } from "../../engines/pdf/document/ranges.ts";
import { type Operation, resolved, type ResolvedOperation } from "../../operations/definition/define.ts";
import {
  type FieldIssue,
  type Fields,
  type FileKind,
  hintsOf,
  type Input,
  type UploadedFile,
} from "../../operations/definition/fields.ts";
import { emptyUpload, imageNotSupported, wrongKind } from "../errors/request-errors.ts";

export interface ReadForm<F extends Fields> {
  /** What to run: what the form makes of the operation of the route. */
  readonly operation: ResolvedOperation<F>;
  /** The parameters that were sent and do not apply with the values of the others. In a pipeline, with their step: `2.quality`. */
  readonly ignored: readonly string[];
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
  /** As in `ReaderOptions`. */
  readonly others?: readonly string[];
  /** Problems found elsewhere, which are reported together with those of the form. */
  readonly issues?: readonly FieldIssue[];
}

/** The check that a request has at least one, or exactly one, of some fields. A flag that is false is not there. */
function neededFields<F extends Fields>({ oneOf: needed }: Operation<F>) {
  const { fields: names = [], exactly = false } = needed ?? {};
  return (input: Input<F>): readonly FieldIssue[] => {
    const [first, ...others] = names;
    const [given, ...further] = names.filter((name) => input[name] !== undefined && input[name] !== false);
    if (first !== undefined && given === undefined) {
      return [{ name: first, issue: `is required unless ${oneOf(others.map((name) => `\`${name}\``))} is sent` }];
    }
    return exactly ? further.map((name) => ({ name, issue: `must not be sent together with \`${given}\`` })) : [];
  };
}

/**
 * Turns a form into an operation's input; that of a pipeline is read by `readSteps`. All problems with parameters are thrown at once
 * (`invalid_parameters`), including those that depend on the document's page count. If page ranges are the only problem, the form passes: `run`
 * rejects them and reports the page count.
 */
export async function readForm<F extends Fields>(
  operation: Operation<F>,
  parts: readonly FormPart<EngineBytes>[],
  checks: FormChecks,
): Promise<ReadForm<F>> {
  const form = new OperationForm(
    operation,
    parts.map((part) => [part.field, part]),
    checks,
  );
  const issues = [...form.issues, ...(checks.issues ?? [])];
  if (issues.length > 0) throw invalidFields([...issues, ...(await form.pageIssues(checks.countPages))]);
  return {
    operation: form.operation,
    ignored: form.ignored,
    files: form.reader.files,
    inputWith(loaded) {
      form.checkKinds(loaded);
      return form.values.inputWith(loaded);
    },
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
    this.issues = [...values.issues, ...reader.unknownIssues(), ...found];
    this.#operation = operation;
  }

  /** What the parameters make of the operation; complete only if there are no issues. */
  get operation(): ResolvedOperation<F> {
    return resolved(this.#operation, this.values.inputWith(new Map()));
  }

  /** Complete only if there are no issues. */
  get ignored(): readonly string[] {
    const { ignored = [] } = this.#operation.resolve?.(this.values.inputWith(new Map())) ?? {};
    return [...new Set([...this.values.ignored, ...ignored])];
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
    return this.values.ranges().flatMap(({ name, range }) => malformed(name, range));
  }

  /** Throws for the first file of a wrong kind (`invalid_file`, `unsupported_format`). */
  checkKinds(loaded: ReadonlyMap<FormFile, UploadedFile>): void {
    for (const file of this.reader.files) checkKind(file, loaded.get(file));
  }
}

function checkKind({ field, accept }: FormFile, file: UploadedFile | undefined): void {
  if (file === undefined) throw new Error(`\`${field}\` has not been loaded`);
  if (file.bytes.length === 0) throw emptyUpload(field);
  if (isOneOf(accept, file.bytes)) return;
  const other = otherImageInstead(accept, file.bytes);
  if (other) throw imageNotSupported(field, other);
  const maker = accept.includes("pdf") ? makerOfPdf(file.bytes) : undefined;
  throw wrongKind(field, oneOf(accept.map((kind) => kindNames[kind])), maker);
}

/** The names of the kinds in messages. */
const kindNames: Readonly<Record<FileKind, string>> = {
  pdf: "PDF",
  xml: "XML file",
  png: "PNG",
  jpeg: "JPEG",
  webp: "WebP",
  tiff: "TIFF",
  gif: "GIF",
  bmp: "BMP",
  any: "file",
};

type Field = Fields[string];

/** Thrown when a check reads a field that has no valid value. */
class NotValid extends Error {}

/** All fields of a form: which of them apply, their values, and the issues. */
class FormValues<F extends Fields> {
  readonly issues: readonly FieldIssue[];
  readonly #fields: Fields;
  readonly #read: ReadonlyMap<string, ReadField>;
  /** Valid values only; undefined for an absent optional field. */
  readonly #values = new Map<string, unknown>();
  readonly #ignored: string[] = [];
  /** Reading a field that is not valid throws NotValid. */
  readonly #checked: Input<F>;

  constructor(fields: F, read: ReadonlyMap<string, ReadField>) {
    this.#fields = fields;
    this.#read = read;
    this.issues = Object.entries(fields).flatMap(([name, field]) => this.#settle(name, field));
    const checked = {};
    for (const name of Object.keys(fields)) {
      Object.defineProperty(checked, name, { enumerable: true, get: () => this.#valid(name) });
    }
    this.#checked = checked as Input<F>;
  }

  /** The values by field, with the files that were loaded; complete only if there are no issues. */
  inputWith(loaded: ReadonlyMap<FormInput, UploadedFile>): Input<F> {
    const ready = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(ready) : (loaded.get(value as FormInput) ?? value);
    return Object.fromEntries(Array.from(this.#values, ([name, value]) => [name, ready(value)])) as Input<F>;
  }

  /** The fields that were sent and do not apply with the values of the others. */
  get ignored(): readonly string[] {
    return this.#ignored;
  }

  /** The issues that a check finds; none if it reads a field without a valid value. */
  issuesOf(check: (input: Input<F>) => readonly FieldIssue[]): readonly FieldIssue[] {
    try {
      return check(this.#checked);
    } catch (error) {
      if (error instanceof NotValid) return [];
      throw error;
    }
  }

  /** The page ranges among the values, with their fields. */
  ranges(): { name: string; range: PageRange }[] {
    return Array.from(this.#values).flatMap(([name, value]) => rangesIn(value).map((range) => ({ name, range })));
  }

  /** The file in the field `file`, which the page ranges refer to. */
  get file(): FormFile | undefined {
    return this.#values.get("file") as FormFile | undefined;
  }

  #valid(name: string): unknown {
    if (this.#values.has(name)) return this.#values.get(name);
    throw new NotValid();
  }

  #settle(name: string, field: Field): readonly FieldIssue[] {
    const { given, valid, value, issues } = this.#read.get(name) ?? nothing;
    const { when = {}, required = false } = hintsOf(field);
    const conditions = Object.entries(when).map(([other, values]) => ({
      holds: this.#holds(other, values),
      words: `when \`${other}\` is ${oneOf(values)}`,
    }));
    if (conditions.some(({ holds }) => holds === false)) {
      this.#values.set(name, unsetValue(field));
      if (given) this.#ignored.push(name);
      return [...issues, ...malformed(name, value)];
    }
    if (required && !given) {
      if (conditions.some(({ holds }) => holds === undefined)) return issues;
      const words = conditions.map((condition) => ` ${condition.words}`).join("");
      return [...issues, { name, issue: `is required${words}` }];
    }
    if (valid) this.#values.set(name, value);
    return issues;
  }

  /** Whether a field has one of these values; undefined if the field itself is invalid or missing. */
  #holds(name: string, values: readonly string[]): boolean | undefined {
    const { given, valid, value } = this.#read.get(name) ?? nothing;
    const field = this.#fields[name];
    const isMissing = !given && field !== undefined && hintsOf(field).required === true;
    return valid && !isMissing ? values.includes(String(value)) : undefined;
  }
}

const rangesIn = (value: unknown): PageRange[] => [value].flat().filter((range) => range instanceof PageRange);

/** Problems of page ranges that need no document to be seen. */
const malformed = (name: string, value: unknown): FieldIssue[] =>
  rangesIn(value).flatMap(({ problem }) => (problem === undefined ? [] : [{ name, issue: problem }]));

const nothing: ReadField = { given: false, valid: false, value: undefined, issues: [] };

/** The value of an absent field. */
function unsetValue(field: Field): unknown {
  return field.kind === "text" ? field.schema.safeParse(field.hints.default?.toString()).data : undefined;
}
