import { z } from "zod";
import type { InputBytes } from "../../engines/memory/heap.ts";
import { type ImageKind, imageKinds } from "../../engines/image/kind.ts";

/** A problem with one form field, as listed in `details.fields`. */
export interface FieldIssue {
  readonly name: string;
  readonly issue: string;
  /** In a pipeline: the number of the step, from 1. */
  readonly step?: number;
}

/**
 * An uploaded file, as the form reader passes it to the operation. Its bytes are in the engine's heap; nothing of it outlives
 * the request.
 */
export interface UploadedFile {
  /** The form field: `file`, `file0`, `image3`. Names the file in errors. */
  readonly field: string;
  /** The client's file name without directory and extension; `document` if there is none. */
  readonly stem: string;
  /** The client's file name without directory, safe to name a file; undefined for a result of an operation. */
  readonly fileName?: string;
  /** Of its text, as its Content-Type has it: a label of the WHATWG Encoding Standard, or an unknown one. */
  readonly charset?: string;
  readonly bytes: InputBytes;
  /** From `password`, or `passwordN` with `password` as the fallback. */
  readonly password?: string;
  /** Whether the password was sent for this file only: then a wrong one is an error even if the file needs none. */
  readonly passwordIsOwn: boolean;
}

/** The formats a file field accepts (`any`: all of them), recognized by their bytes, never by name or declared type. */
export type FileKind = "pdf" | "xml" | ImageKind | "any";

/** The facts about a field besides its type. Validation, openapi.json, and the playground all use them. */
interface FieldHints {
  /** The text that people read if the name does not explain the field: "Pages per part" for `chunkSize`. */
  readonly label?: string;
  /** The fuzzer always sends one of these instead of what the schema allows: values that are cheap, or reach more than random ones. */
  readonly tries?: readonly string[];
  /**
   * The description in the list of tools, which a model reads whole, however few it uses. Empty if name and type are enough. The manual of the
   * tool has the description itself.
   */
  readonly brief?: string;
  /** The value used if the field is absent, as a client would send it. */
  readonly default?: string | number;
  /** The value of an empty text, if that is not the default. */
  readonly blank?: string;
  /**
   * Values of other fields that this field depends on. With other values it is validated and ignored: many clients send every
   * parameter.
   */
  readonly when?: Readonly<Record<string, readonly string[]>>;
  /** Whether it is required wherever `when` holds. */
  readonly required?: boolean;
  /** The kind of text. */
  readonly format?: "password" | "color" | "multiline";
}

/** One file: the field `name` and, for PDFs, the field `password`. */
interface FileField {
  readonly kind: "file";
  readonly accept: readonly FileKind[];
  readonly optional?: false;
  readonly description: string;
}

/** One optional file. */
interface OptionalFileField extends Omit<FileField, "optional"> {
  readonly optional: true;
  readonly hints: FieldHints;
}

/** Numbered files: `file0`, `file1`, ... without gaps; for PDFs also `password0`, `password1`, ... and `password`. */
interface NumberedFilesField {
  readonly kind: "files";
  /** The name before the number: `file` or `image`. */
  readonly prefix: string;
  readonly min: number;
  readonly max: number;
  readonly accept: readonly FileKind[];
  readonly description: string;
}

/** A text field. The schema takes the form's string (or undefined) and returns the value that the operation receives. */
export interface TextField<T> {
  readonly kind: "text";
  readonly schema: z.ZodType<T | undefined>;
  readonly description: string;
  readonly hints: FieldHints;
}

export type Field = FileField | OptionalFileField | NumberedFilesField | TextField<unknown>;
export type Fields = Readonly<Record<string, Field>>;

type Value<F extends Field> = F extends OptionalFileField
  ? UploadedFile | undefined
  : F extends FileField
    ? UploadedFile
    : F extends NumberedFilesField
      ? readonly UploadedFile[]
      : F extends TextField<infer T>
        ? T
        : never;

/** The input of `run`: the fields by name, with the types of their schemas. */
export type Input<F extends Fields> = { readonly [K in keyof F]: Value<F[K]> };

export function pdfFile(description = "The PDF."): FileField {
  return { kind: "file", accept: ["pdf"], description };
}

export function pdfFiles(
  prefix: string,
  limits: { min: number; max: number },
  description: string,
): NumberedFilesField {
  return { kind: "files", prefix, ...limits, accept: ["pdf"], description };
}

export function pdfOrImageFile(description: string): FileField {
  return { kind: "file", accept: ["pdf", ...imageKinds], description };
}

export function pdfOrXmlFile(description: string): FileField {
  return { kind: "file", accept: ["pdf", "xml"], description };
}

/** An XML file that only some modes of an operation need. */
export function xmlFile(description: string, hints: FieldHints = {}): OptionalFileField {
  return { kind: "file", accept: ["xml"], optional: true, description, hints };
}

/** An image that only some modes of an operation need. */
export function imageFile(description: string, hints: FieldHints = {}): OptionalFileField {
  return { kind: "file", accept: imageKinds, optional: true, description, hints };
}

/** A file of any format that only some modes of an operation need. */
export function anyFile(description: string, hints: FieldHints = {}): OptionalFileField {
  return { kind: "file", accept: ["any"], optional: true, description, hints };
}

export function imageFiles(
  prefix: string,
  limits: { min: number; max: number },
  description: string,
): NumberedFilesField {
  return { kind: "files", prefix, ...limits, accept: imageKinds, description };
}

/** A field that always has a value: it is required or has a default. */
type AlwaysThere = { readonly default: string | number } | { readonly required: true; readonly when?: undefined };

export function text<T>(
  schema: z.ZodType<T | undefined>,
  description: string,
  hints: FieldHints & AlwaysThere,
): TextField<T>;
export function text<T>(schema: z.ZodType<T>, description: string, hints?: FieldHints): TextField<T>;
export function text<T>(schema: z.ZodType<T>, description: string, hints: FieldHints = {}): TextField<T> {
  return { kind: "text", schema, description, hints };
}

export const hintsOf = (field: Field): FieldHints =>
  "hints" in field ? field.hints : { required: field.kind === "file" };

/** Whether a text field holds JSON, other than a plain value. */
export function takesJson({ schema }: TextField<unknown>): boolean {
  const { type, anyOf = [] } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  return [type, ...anyOf.map((one) => one.type)].some((one) => one === "object" || one === "array");
}
