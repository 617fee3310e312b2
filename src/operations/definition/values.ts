/** Turns the text fields of a form into values. An empty text counts as absent. */
import { z } from "zod";
import { PageRange } from "../../engines/pdf/document/ranges.ts";
import { repeatedKey } from "./repeated-key.ts";

/** `""` in a form means "absent". */
const blankIsAbsent = (value: unknown): unknown => (value === "" ? undefined : value);

/** `true`, `false`, `1`, or `0`. Default: false. */
export function formBoolean(): z.ZodType<boolean> {
  const words = new Map([
    ["true", true],
    ["1", true],
    ["false", false],
    ["0", false],
  ]);
  return z.preprocess(
    (value) => {
      const given = blankIsAbsent(value);
      return typeof given === "string" ? (words.get(given) ?? given) : given;
    },
    z.boolean({ error: "must be true, false, 1, or 0" }).default(false),
  );
}

/** An integer in decimal notation; the whole string must match. */
export function formInteger(min: number, max: number): z.ZodType<number | undefined> {
  const error = `must be a whole number from ${shown(min)} to ${shown(max)}`;
  return z.preprocess((value) => {
    const given = blankIsAbsent(value);
    return typeof given === "string" && /^[+-]?\d{1,15}$/.test(given) ? Number(given) : given;
  }, z.int({ error }).min(min, { error }).max(max, { error }).optional());
}

const shown = (number: number): string => number.toLocaleString("en-US");

/** One of the given words. */
export function formChoice<const W extends readonly [string, ...string[]]>(
  ...words: W
): z.ZodType<W[number] | undefined> {
  return z.preprocess(blankIsAbsent, z.enum(words).optional());
}

/** Free text; `""` means "absent". */
export function formText(maxLength: number): z.ZodType<string | undefined> {
  return z.preprocess(blankIsAbsent, z.string().max(maxLength).optional());
}

/**
 * A page range. Its syntax is parsed here, but errors are deferred: whether the pages exist is known only once the document is
 * open, and `resolve(pageCount)` then reports both kinds of error with `maxPage`.
 */
export function pageRange(): z.ZodType<PageRange | undefined> {
  return z
    .preprocess(blankIsAbsent, z.string().optional())
    .transform((value) => (value === undefined ? undefined : new PageRange(value)))
    .meta({ type: "string", format: "page-range", examples: ["1-3,5,last", "odd", "last-2", "!4"] });
}

/** Page ranges joined by `|`. */
export function pageRanges(maxLength: number): z.ZodType<readonly PageRange[] | undefined> {
  return z
    .preprocess(blankIsAbsent, z.string().max(maxLength).optional())
    .transform((value) => value?.split("|").map((range) => new PageRange(range)))
    .meta({ type: "string", format: "page-groups", examples: ["1-3|4-6|7-end"] });
}

/** A box on a page as a viewer shows it. `length`: its width and height in points. */
export const pageBox = (length: z.ZodType<number>) =>
  z.strictObject({
    page: z.int().min(1),
    x: z.number(),
    y: z.number(),
    width: length,
    height: length,
    origin: z.enum(["top-left", "bottom-left"]).default("top-left"),
  });

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

/**
 * A JSON object whose names are the client's own, as a Map: a plain object would already have `constructor`, and zod's records
 * drop `__proto__`. `holds` checks the whole map.
 */
export function jsonMap<T>(
  key: z.ZodType<string, string>,
  value: z.ZodType<T>,
  holds: (map: ReadonlyMap<string, T>) => boolean = () => true,
  broken: { readonly error?: string; readonly path?: PropertyKey[] } = {},
): z.ZodType<ReadonlyMap<string, T>> {
  const { $schema: _, ...schema } = z.toJSONSchema(z.record(key, value), { io: "output", unrepresentable: "any" });
  const isObject = (given: unknown): given is object =>
    typeof given === "object" && given !== null && !Array.isArray(given);
  const entries = z.map(key, value).refine(holds, { ...broken, when: (payload) => payload.value instanceof Map });
  return z.preprocess((given) => (isObject(given) ? new Map(Object.entries(given)) : given), entries).meta(schema);
}

/** A number in decimal notation; the whole string must match. Any finite number if there are no limits. */
export function formNumber(min?: number, max?: number): z.ZodType<number | undefined> {
  const range = min === undefined || max === undefined ? "" : ` from ${shown(min)} to ${shown(max)}`;
  const error = `must be a number${range}`;
  let number = z.number({ error });
  if (min !== undefined) number = number.min(min, { error });
  if (max !== undefined) number = number.max(max, { error });
  return z.preprocess((value) => {
    const given = blankIsAbsent(value);
    const isNumber = typeof given === "string" && /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(given);
    return isNumber ? Number(given) : given;
  }, number.optional());
}

/** `#rgb` or `#rrggbb`, as red, green and blue from 0 to 1. */
export function formColor(): z.ZodType<readonly [number, number, number] | undefined> {
  return z
    .preprocess(
      blankIsAbsent,
      z
        .string()
        .regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i, { error: "must be a color such as #888 or #1a2b3c" })
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

/** A line of text, such as a name: not blank, without control characters. */
export function lineText(maxLength = 2_000): z.ZodType<string | undefined> {
  return z.preprocess(
    blankIsAbsent,
    z
      .string()
      .max(maxLength)
      .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
        error: "must not contain control characters or unpaired surrogates",
      })
      .refine((value) => !/^\s+$/.test(value), { error: "must not be blank" })
      .optional(),
  );
}

/** Text shown on pages: not blank, with lines separated by line feeds, which forms turn into CR LF. */
export function stampText(): z.ZodType<string | undefined> {
  return z.preprocess(
    (value) => (typeof value === "string" ? blankIsAbsent(value.replaceAll("\r\n", "\n")) : value),
    z
      .string()
      .refine((value) => value.isWellFormed() && !/[^\P{Cc}\n]/u.test(value), {
        error: "must not contain control characters other than line feeds",
      })
      .refine((value) => !/^[\s\p{Default_Ignorable_Code_Point}]+$/u.test(value), { error: "must not be blank" })
      .optional(),
  );
}
