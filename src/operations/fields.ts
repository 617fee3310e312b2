import { z } from "zod";
import type { InputBytes } from "../engines/pdf/heap.ts";
import { PageRange } from "../engines/pdf/ranges.ts";
import { type ImageKind, imageKinds } from "../engines/raster/image-kind.ts";
import { repeatedKey } from "./repeated-key.ts";

/** A problem with one form field, as it stands in `details.fields`. */
export interface FieldIssue {
  readonly name: string;
  readonly issue: string;
}

/** An uploaded file. Its bytes lie in the engine's heap; nothing of it outlives the request. */
export interface UploadedFile {
  /** The form field it came in: `file`, `file0`, `image3`. Names the input in errors. */
  readonly field: string;
  /** The caller's file name without directory and extension, `document` where there is none. */
  readonly stem: string;
  readonly bytes: InputBytes;
  /** From `password`, or `passwordN` with `password` as the fallback. */
  readonly password?: string;
  /** Whether the password was given for this very file: then a wrong one is an error even where none is needed. */
  readonly passwordIsOwn: boolean;
}

/** What a file field takes, recognised by the bytes, never by name or declared type. */
export type FileKind = "pdf" | ImageKind;

/** What a description says of a field beyond its type, for forms that are drawn from it. It changes nothing of what is taken. */
interface Notes {
  /** What holds where the field is not given. Fields whose schema has a default say it by themselves. */
  readonly default?: string | number;
  /** The values of other fields that this one belongs to: with others it means nothing and may be refused, with these it is often needed. */
  readonly when?: Readonly<Record<string, readonly string[]>>;
  /** What kind of text it is. */
  readonly format?: "password" | "color" | "multiline";
}

/** One file: the field `name` and, for PDFs, the field `password`. */
interface FileField {
  readonly kind: "file";
  readonly accept: readonly FileKind[];
  readonly optional?: false;
  readonly description: string;
}

/** One file that need not be sent: an operation's `check` says when it must be. */
interface OptionalFileField extends Omit<FileField, "optional"> {
  readonly optional: true;
  readonly notes: Notes;
}

/** Numbered files: `file0`, `file1`, ... without a gap; for PDFs also `password0`, `password1`, ... and `password`. */
interface NumberedFilesField {
  readonly kind: "files";
  /** The name before the number: `file` or `image`. */
  readonly prefix: string;
  readonly min: number;
  readonly max: number;
  readonly accept: readonly FileKind[];
  readonly description: string;
}

/** A text field. The schema takes the form's string (or undefined) and gives the value that the operation sees. */
interface TextField<T> {
  readonly kind: "text";
  readonly schema: z.ZodType<T>;
  readonly description: string;
  readonly notes: Notes;
}

type Field = FileField | OptionalFileField | NumberedFilesField | TextField<unknown>;
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

/** What `run` gets: the fields by their names, with the types that their schemas give. */
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
  return { kind: "file", accept: ["pdf", "png", "jpeg"], description };
}

/** A PNG, JPEG or WebP that only some modes of an operation need. */
export function imageFile(description: string, notes: Notes = {}): OptionalFileField {
  return { kind: "file", accept: imageKinds, optional: true, description, notes };
}

export function imageFiles(
  prefix: string,
  limits: { min: number; max: number },
  description: string,
): NumberedFilesField {
  return { kind: "files", prefix, ...limits, accept: imageKinds, description };
}

export function text<T>(schema: z.ZodType<T>, description: string, notes: Notes = {}): TextField<T> {
  return { kind: "text", schema, description, notes };
}

/** `""` in a form means "not given". */
const blankIsAbsent = (value: unknown): unknown => (value === "" ? undefined : value);

/** `true`, `false`, `1`, `0`; false where it is not given. */
export function formBoolean(): z.ZodType<boolean> {
  const words: Record<string, boolean> = { true: true, "1": true, false: false, "0": false };
  return z.preprocess(
    (value) => {
      const given = blankIsAbsent(value);
      return typeof given === "string" ? (words[given] ?? given) : given;
    },
    z.boolean({ error: "must be true, false, 1 or 0" }).default(false),
  );
}

/** A whole number in decimal notation, the whole string. */
export function formInteger(min: number, max: number): z.ZodType<number | undefined> {
  return z.preprocess(
    (value) => {
      const given = blankIsAbsent(value);
      return typeof given === "string" && /^[+-]?\d{1,15}$/.test(given) ? Number(given) : given;
    },
    z
      .int({ error: "must be a whole number" })
      .min(min, { error: `must be at least ${min}` })
      .max(max, { error: `must be at most ${max}` })
      .optional(),
  );
}

/** One of the given words. */
export function formChoice<const W extends readonly [string, ...string[]]>(
  ...words: W
): z.ZodType<W[number] | undefined> {
  return z.preprocess(blankIsAbsent, z.enum(words, { error: `must be one of ${words.join(", ")}` }).optional());
}

/** The same field, but it must be given. */
export function required<T>(schema: z.ZodType<T | undefined>): z.ZodType<T> {
  return schema.refine((value) => value !== undefined, { error: "is required" }) as z.ZodType<T>;
}

/** Free text; `""` is "not given". */
export function formText(maxLength: number): z.ZodType<string | undefined> {
  return z.preprocess(blankIsAbsent, z.string().max(maxLength).optional());
}

/**
 * A page range. Its syntax is read here; whether the document has the pages is known only when it is open, so a bad range
 * travels on and `resolve(pageCount)` refuses it with `maxPage`, unless other fields have problems too.
 */
export function pageRange(): z.ZodType<PageRange | undefined> {
  return z
    .preprocess(blankIsAbsent, z.string().optional())
    .transform((value) => (value === undefined ? undefined : new PageRange(value)))
    .meta({ type: "string", examples: ["1-3,5,last", "odd", "last-2", "!4"] });
}

/** A form field that holds JSON, checked by `schema`. */
export function jsonField<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return z.preprocess((value, context) => {
    const given = blankIsAbsent(value);
    if (typeof given !== "string") return given;
    const refuse = (message: string): never => {
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    try {
      const value = JSON.parse(given) as unknown;
      const key = repeatedKey(given);
      return key === undefined ? value : refuse(`must not repeat the key ${JSON.stringify(key.slice(0, 100))}`);
    } catch {
      return refuse("must be valid JSON");
    }
  }, schema.optional());
}

/** A number in decimal notation, the whole string. */
export function formNumber(min: number, max: number): z.ZodType<number | undefined> {
  return z.preprocess(
    (value) => {
      const given = blankIsAbsent(value);
      return typeof given === "string" && /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(given)
        ? Number(given)
        : given;
    },
    z
      .number({ error: "must be a number" })
      .min(min, { error: `must be at least ${min}` })
      .max(max, { error: `must be at most ${max}` })
      .optional(),
  );
}

/** `#rgb` or `#rrggbb`, as red, green and blue from 0 to 1. */
export function formColour(): z.ZodType<readonly [number, number, number] | undefined> {
  return z
    .preprocess(
      blankIsAbsent,
      z
        .string()
        .regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i, { error: "must be a colour such as #888 or #1a2b3c" })
        .optional(),
    )
    .transform((value) => {
      if (value === undefined) return undefined;
      const digits = value.length === 4 ? value.replace(/[0-9a-f]/gi, "$&$&") : value;
      const part = (at: number): number => parseInt(digits.slice(at, at + 2), 16) / 255;
      return [part(1), part(3), part(5)] as const;
    })
    .meta({ type: "string", examples: ["#888888", "#c00"] });
}

/** Text that is shown on pages, its lines separated by line feeds; forms turn those into CR LF. */
export function stampText(): z.ZodType<string | undefined> {
  return z.preprocess(
    (value) => (typeof value === "string" ? blankIsAbsent(value.replaceAll("\r\n", "\n")) : value),
    z
      .string()
      .refine((value) => value.isWellFormed() && !/[^\P{Cc}\n]/u.test(value), {
        error: "must not have control characters but line feeds",
      })
      .optional(),
  );
}
