import { shownName, unknownIssue } from "../errors/invalid-fields.ts";
import { check } from "../errors/schema-issues.ts";
import { isText } from "./file-kinds.ts";
import type { FieldKind, FormPart } from "../multipart/multipart.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import { limits } from "../../limits.ts";
import type { Operation } from "../../operations/definition/define.ts";
import type { FieldIssue, Fields, FileKind } from "../../operations/definition/fields.ts";
import { MOST_ISSUES } from "../../operations/definition/values.ts";
import { tooManyFiles } from "../errors/limit-errors.ts";

type Field = Fields[string];
type TextField = Extract<Field, { kind: "text" }>;
type FileField = Extract<Field, { kind: "file" }>;
type NumberedFilesField = Extract<Field, { kind: "files" }>;

/** Maximum number of problems listed per field, and of missing numbers. */
const SHOWN_ISSUES = 10;

/** The number in `file12` after `file`, written without leading zeros; undefined for any other name. */
function numberAfter(prefix: string, name: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  return /^(?:0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : undefined;
}

/** Whether an operation with these fields takes a file of this name. */
export function isFileName(fields: Fields, name: string): boolean {
  return Object.entries(fields).some(([key, field]) => {
    if (field.kind === "files") return numberAfter(field.prefix, name) !== undefined;
    return field.kind === "file" && key === name;
  });
}

/** The names of files that a form accepts, known before its body is read. */
export class FormNames {
  /** Maximum number of files in the form. */
  readonly maxFiles: number;
  readonly #fields: Fields;
  readonly #hasSteps: boolean;
  readonly #files = new Set<string>();

  /** `others`: text fields that are read elsewhere. */
  constructor({ fields, steps }: Pick<Operation, "fields" | "steps">, others: Fields = {}) {
    this.#fields = { ...fields, ...others };
    this.#hasSteps = steps !== undefined;
    this.maxFiles = steps
      ? limits.files + limits.steps
      : Object.values(fields).reduce(
          (sum, field) => sum + (field.kind === "file" ? 1 : field.kind === "files" ? field.max : 0),
          0,
        );
  }

  /** What a field takes; undefined for an unknown one. */
  kindOf(name: string): FieldKind | undefined {
    if (name === "_charset_" || (Object.hasOwn(this.#fields, name) && this.#fields[name]?.kind === "text"))
      return "text";
    // The files of a pipeline have the names that its steps give them.
    if (this.#hasSteps || isFileName(this.#fields, name)) return "file or reference";
    return name === "password" || numberAfter("password", name) !== undefined ? "text" : undefined;
  }

  /**
   * Whether a file with this name belongs to the form: the name is known and not yet used. Throws `limit_exceeded` at the first
   * file too many, before the rest is uploaded.
   */
  wantsFile(name: string): boolean {
    if (this.#files.has(name) || this.kindOf(name) !== "file or reference") return false;
    this.#files.add(name);
    if (this.#files.size > this.maxFiles) throw tooManyFiles(this.maxFiles, this.#files.size);
    return true;
  }
}

/** Where a file is: in the body, among the stored files, or at a URL. `charset`: of its text, as it was sent. */
export type FileSource =
  | { readonly kind: "sent"; readonly filename: string; readonly charset?: string; readonly bytes: EngineBytes }
  | { readonly kind: "stored" | "url"; readonly to: string; readonly charset?: string };

/** A file that an operation takes. */
export interface FormInput {
  /** The form field: `file`, `file0`, `image3`. */
  readonly field: string;
  readonly accept: readonly FileKind[];
  /** As in `UploadedFile`. */
  readonly password?: string;
  readonly passwordIsOwn: boolean;
}

/** A file of a form. It is loaded only when all parameters are valid. */
export interface FormFile extends FormInput {
  readonly source: FileSource;
}

/** The part that a file is sent as; without a source, an operation before this one makes it. */
interface SentFrom {
  readonly field: string;
  readonly source?: FileSource;
}

/** Why a URL is not allowed, as the end of a sentence that begins with the field's name; undefined if it is. */
export type UrlIssue = (url: string) => string | undefined;

/** A field as sent. */
export interface ReadField {
  readonly given: boolean;
  /** Whether `value` is usable: it is valid, and no file is missing. */
  readonly valid: boolean;
  readonly value: unknown;
  readonly issues: readonly FieldIssue[];
}

export interface ReaderOptions {
  readonly urlIssue: UrlIssue;
  /** The field whose file is not sent, because an operation before this one makes it. */
  readonly made?: string | undefined;
  /** Names of parameters that are read elsewhere: an unknown name may be meant as one. */
  readonly others?: readonly string[];
}

/** Reads the fields of a form one by one; the remaining names are unknown. */
export class FormReader {
  readonly files: FormFile[] = [];
  /** The file that an operation before this one makes. */
  made: FormInput | undefined;

  readonly #parts = new Map<string, FormPart<EngineBytes>[]>();
  readonly #options: ReaderOptions;
  readonly #asked = new Set<string>();
  /** Issues of the field being read. */
  #issues: FieldIssue[] = [];

  /** `parts`: by the name of the field that each is sent for. */
  constructor(parts: Iterable<readonly [name: string, part: FormPart<EngineBytes>]>, options: ReaderOptions) {
    this.#options = options;
    if (options.made !== undefined) this.#parts.set(options.made, []);
    for (const [name, part] of parts) {
      // Browsers send this for an empty file input.
      if (part.kind === "file" && part.filename === "" && !part.bytes?.length) continue;
      const same = this.#parts.get(name);
      if (same === undefined) this.#parts.set(name, [part]);
      else same.push(part);
    }
  }

  /** All parts with a name. */
  take(name: string): readonly FormPart<EngineBytes>[] {
    this.#asked.add(name);
    return this.#parts.get(name) ?? [];
  }

  get names(): readonly string[] {
    return [...this.#parts.keys()];
  }

  read(name: string, field: Field): ReadField {
    this.#issues = [];
    const read =
      field.kind === "text"
        ? this.#value(name, field)
        : field.kind === "file"
          ? this.#oneFile(name, field)
          : this.#numberedFiles(field);
    return { ...read, issues: this.#issues };
  }

  /** The names that no field has read. */
  get unknown(): readonly string[] {
    return this.names.filter((name) => !this.#asked.has(name));
  }

  /** One issue for each of them. */
  unknownIssues(): FieldIssue[] {
    const known = [...this.#asked, ...(this.#options.others ?? [])];
    const issue = "is not a parameter of this operation";
    return this.unknown.map((name) => ({ name: shownName(name), issue: unknownIssue(issue, name, known) }));
  }

  #value(name: string, { schema, hints }: TextField): Omit<ReadField, "issues"> {
    const text = this.#text(name);
    if (text === null) return { given: true, valid: false, value: undefined };
    const meant = text === "" ? hints.blank : text;
    const given = meant !== undefined;
    const { value, issues } = check(schema, meant ?? hints.default?.toString());
    for (const { path, message } of issues.slice(0, SHOWN_ISSUES)) {
      this.#issue(name, path.length === 0 ? message : `is invalid: \`${shownName(path.join("."))}\` ${message}`);
    }
    const more = (issues.length - SHOWN_ISSUES).toLocaleString("en-US");
    if (issues.length > SHOWN_ISSUES)
      this.#issue(name, `has ${issues.length < MOST_ISSUES ? "" : "at least "}${more} more problems`);
    return { given, valid: issues.length === 0, value };
  }

  #oneFile(name: string, { accept }: FileField): Omit<ReadField, "issues"> {
    const password = accept.includes("pdf") ? this.#password("password") : undefined;
    const source = this.#source(name, accept);
    const value = source && this.#file(source, accept, password, password !== undefined);
    return { given: source !== undefined, valid: source !== null, value };
  }

  #numberedFiles({ prefix, min, max, accept }: NumberedFilesField): Omit<ReadField, "issues"> {
    const numbers = this.#numbers(prefix);
    this.#asked.add(`${prefix}0`);
    if (numbers.length > max) throw tooManyFiles(max, numbers.length);
    const missing = missingNumbers(numbers);
    for (const number of missing) {
      this.#issue(`${prefix}${number}`, `is missing: number the files ${prefix}0, ${prefix}1, and so on, without gaps`);
    }
    if (missing.length === 0 && numbers.length < min) {
      const files = min === 1 ? "at least 1 file" : `at least ${min} files`;
      this.#issue(`${prefix}${numbers.length}`, `is required: send ${files}, numbered from ${prefix}0`);
    }
    const hasPasswords = accept.includes("pdf");
    const fallback = hasPasswords ? this.#password("password") : undefined;
    const files = numbers.map((number) => {
      const own = hasPasswords ? this.#password(`password${number}`) : undefined;
      const source = this.#source(`${prefix}${number}`, accept);
      return source ? this.#file(source, accept, own ?? fallback, own !== undefined) : undefined;
    });
    if (hasPasswords) {
      for (const number of this.#numbers("password")) {
        if (numbers.includes(number)) continue;
        this.#asked.add(`password${number}`);
        this.#issue(`password${number}`, `has no matching ${prefix}${number}`);
      }
    }
    const valid = files.every((file) => file !== undefined) && missing.length === 0 && files.length >= min;
    return { given: true, valid, value: files };
  }

  #numbers(prefix: string): number[] {
    const numbers = this.names.map((name) => numberAfter(prefix, name));
    return numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
  }

  #password(name: string): string | undefined {
    return this.#text(name) || undefined;
  }

  /** The one part with this name; undefined if there is none. More than one is an issue. */
  #only(name: string): FormPart<EngineBytes> | undefined {
    const parts = this.take(name);
    if (parts.length > 1) this.#issue(name, `was sent ${parts.length} times`);
    return parts[0];
  }

  /** The text of a field, undefined if absent, null if it is a file or cannot be read (an issue). */
  #text(name: string): string | undefined | null {
    const part = this.#only(name);
    if (part === undefined) return undefined;
    if (part.kind === "text") return part.value;
    this.#issue(name, part.kind === "file" ? "must be text, not a file" : part.issue);
    return null;
  }

  /** The file of a field, undefined if absent, null if it is neither a file nor a reference to one (an issue). */
  #source(name: string, accept: readonly FileKind[]): SentFrom | undefined | null {
    const part = this.#only(name);
    if (name === this.#options.made) {
      if (part === undefined) return { field: name };
      this.#issue(name, "must be left out: it is the PDF of the step before");
      return null;
    }
    if (part === undefined) return undefined;
    const { field } = part;
    // Without a file name, it may be a text that is meant to name a file.
    if (
      part.kind === "file" &&
      !(part.filename === "" && part.bytes && !accept.includes("any") && isText(part.bytes))
    ) {
      const { filename, bytes, charset } = part;
      const said = charset === undefined ? {} : { charset };
      // A second file with the name is an issue already.
      return bytes === undefined ? null : { field, source: { kind: "sent", filename, ...said, bytes } };
    }
    const { value, charset } = part.kind === "text" ? part : { value: "" };
    const said = charset === undefined ? {} : { charset };
    if (value.startsWith("file_")) return { field, source: { kind: "stored", to: value, ...said } };
    const isUrl = /^https?:/i.test(value);
    const issue = isUrl ? this.#options.urlIssue(value) : "must be a file, a `file_...` ID, or an https:// URL";
    if (issue === undefined) return { field, source: { kind: "url", to: value } };
    this.#issue(name, issue);
    return null;
  }

  /** A file with its password. */
  #file(
    { field, source }: SentFrom,
    accept: readonly FileKind[],
    password: string | undefined,
    passwordIsOwn: boolean,
  ): FormInput {
    const input = { field, accept, ...(password !== undefined && { password }), passwordIsOwn };
    if (source === undefined) return (this.made = input);
    const file = { ...input, source };
    this.files.push(file);
    return file;
  }

  #issue(name: string, issue: string): void {
    this.#issues.push({ name: shownName(name), issue });
  }
}

/** The first numbers from 0 on that are missing below the highest one. */
function missingNumbers(numbers: readonly number[]): number[] {
  const missing: number[] = [];
  let next = 0;
  for (const number of numbers) {
    for (; next < number && missing.length < SHOWN_ISSUES; next += 1) missing.push(next);
    next = number + 1;
  }
  return missing;
}
