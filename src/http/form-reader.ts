import { ApiError } from "./errors.ts";
import { stemOf } from "./file-kind.ts";
import type { FormPart } from "./multipart.ts";
import type { FieldIssue, Fields, FileKind, UploadedFile } from "../operations/fields.ts";

type FileField = Extract<Fields[string], { kind: "file" }>;
type NumberedFilesField = Extract<Fields[string], { kind: "files" }>;
type FilePart = Extract<FormPart, { kind: "file" }>;
type SentFile = FilePart & { readonly bytes: NonNullable<FilePart["bytes"]> };

/** Names of a caller are shown in errors up to this length. */
const SHOWN_NAME = 100;
/** Problems listed for one field, and missing numbers named: the first ones tell, the rest would only be long. */
const SHOWN_ISSUES = 10;

/** The number of `file12` after `file`, written without leading zeros; undefined where the name is another. */
export function numberAfter(prefix: string, name: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  return /^(?:0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : undefined;
}

export function tooManyFiles(limit: number, actual: number): ApiError {
  return new ApiError("limit_exceeded", `The operation takes ${limit} ${limit === 1 ? "file" : "files"} at most.`, {
    details: { limit, actual },
  });
}

/** Takes the fields of a form one by one; what nobody took is unknown. */
export class FormReader {
  readonly issues: FieldIssue[] = [];
  readonly files: { readonly file: UploadedFile; readonly accept: readonly FileKind[] }[] = [];
  /** Whether every field that was taken has a value of its type. */
  isComplete = true;

  readonly #parts = new Map<string, FormPart[]>();
  readonly #taken = new Set<string>();

  constructor(parts: readonly FormPart[]) {
    for (const part of parts) {
      // What a browser sends for a file input that nobody filled.
      if (part.kind === "file" && part.filename === "" && !part.bytes?.length) continue;
      const same = this.#parts.get(part.name);
      if (same === undefined) this.#parts.set(part.name, [part]);
      else same.push(part);
    }
  }

  value(name: string, schema: Extract<Fields[string], { kind: "text" }>["schema"]): unknown {
    const text = this.#text(name);
    if (text === null) return undefined;
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    this.isComplete = false;
    const { issues } = result.error;
    for (const { path, message } of issues.slice(0, SHOWN_ISSUES)) {
      const issue = text === undefined ? "is required" : message;
      this.#issue(name, path.length === 0 ? issue : `at ${shown(path.join("."))}: ${issue}`);
    }
    if (issues.length > SHOWN_ISSUES) this.#issue(name, `${issues.length - SHOWN_ISSUES} more problems`);
    return undefined;
  }

  file(name: string, { accept, optional = false }: FileField): UploadedFile | undefined {
    const password = accept.includes("pdf") ? this.#password("password") : undefined;
    const part = this.#file(name);
    if (part === undefined) return optional ? undefined : this.#missing(name, "is required: a file");
    if (part === null) return undefined;
    return this.#uploaded(part, accept, password, password !== undefined);
  }

  numberedFiles(field: NumberedFilesField): UploadedFile[] | undefined {
    const { prefix, min, max, accept } = field;
    const numbers = this.#numbers(prefix);
    if (numbers.length > max) throw tooManyFiles(max, numbers.length);
    const missing = missingNumbers(numbers);
    for (const number of missing) {
      this.#missing(`${prefix}${number}`, `is missing: ${prefix}0, ${prefix}1, ... are numbered without a gap`);
    }
    if (missing.length === 0 && numbers.length < min) {
      this.#missing(
        `${prefix}${numbers.length}`,
        `is required: at least ${min} ${min === 1 ? "file" : "files"}, from ${prefix}0 on`,
      );
    }
    const hasPasswords = accept.includes("pdf");
    const fallback = hasPasswords ? this.#password("password") : undefined;
    const files = numbers.map((number) => {
      const own = hasPasswords ? this.#password(`password${number}`) : undefined;
      const part = this.#file(`${prefix}${number}`);
      return part ? this.#uploaded(part, accept, own ?? fallback, own !== undefined) : undefined;
    });
    if (hasPasswords) {
      for (const number of this.#numbers("password")) {
        if (numbers.includes(number)) continue;
        this.#taken.add(`password${number}`);
        this.#issue(`password${number}`, `there is no ${prefix}${number}`);
      }
    }
    return files.every((file) => file !== undefined) && missing.length === 0 && files.length >= min ? files : undefined;
  }

  refuseTheRest(): void {
    for (const name of this.#parts.keys()) {
      if (!this.#taken.has(name)) this.#issue(name, "is not a field of this operation");
    }
  }

  #numbers(prefix: string): number[] {
    const numbers = [...this.#parts.keys()].map((name) => numberAfter(prefix, name));
    return numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
  }

  #password(name: string): string | undefined {
    return this.#text(name) || undefined;
  }

  /** The one part of a name; undefined where there is none. More than one is an issue. */
  #only(name: string): FormPart | undefined {
    this.#taken.add(name);
    const parts = this.#parts.get(name);
    if (parts !== undefined && parts.length > 1) this.#issue(name, `is given ${parts.length} times`);
    return parts?.[0];
  }

  /** The text of a field, undefined where it is not given, null where it is a file (an issue). */
  #text(name: string): string | undefined | null {
    const part = this.#only(name);
    if (part === undefined || part.kind === "text") return part?.value;
    this.isComplete = false;
    this.#issue(name, "must be text, not a file");
    return null;
  }

  #file(name: string): SentFile | undefined | null {
    const part = this.#only(name);
    if (part === undefined) return undefined;
    const { bytes } = part.kind === "file" ? part : {};
    if (part.kind === "file" && bytes !== undefined) return { ...part, bytes };
    this.isComplete = false;
    this.#issue(name, "must be a file: a part with a filename");
    return null;
  }

  #uploaded(
    part: SentFile,
    accept: readonly FileKind[],
    password: string | undefined,
    passwordIsOwn: boolean,
  ): UploadedFile {
    const file: UploadedFile = {
      field: part.name,
      stem: stemOf(part.filename),
      bytes: part.bytes,
      ...(password !== undefined && { password }),
      passwordIsOwn,
    };
    this.files.push({ file, accept });
    return file;
  }

  #missing(name: string, issue: string): undefined {
    this.isComplete = false;
    this.#issue(name, issue);
  }

  #issue(name: string, issue: string): void {
    this.issues.push({ name: shown(name), issue });
  }
}

const shown = (name: string): string => (name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name);

/** The first numbers from 0 on that are left out before the highest one. */
function missingNumbers(numbers: readonly number[]): number[] {
  const missing: number[] = [];
  let next = 0;
  for (const number of numbers) {
    for (; next < number && missing.length < SHOWN_ISSUES; next += 1) missing.push(next);
    next = number + 1;
  }
  return missing;
}
