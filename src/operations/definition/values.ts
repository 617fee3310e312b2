/**
 * Parses the values that clients send. Only this file knows the accepted forms of a value. `form...` reads the text of a
 * form field, where an empty text counts as absent, and `json...` a member of a JSON parameter. Pipeline steps, tools, and jobs are read
 * as forms. openapi.json has the canonical forms only.
 */
import { z } from "zod";
import { limits } from "../../limits.ts";
import { PageRange } from "../../engines/pdf/document/ranges.ts";
import { repeatedKey } from "./repeated-key.ts";

/** In any case. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["0", false],
  ["no", false],
  ["off", false],
]);

/** Other words for those of an enumeration, both folded. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["jpg", "jpeg"],
  ["md", "markdown"],
  ["txt", "text"],
  ["centre", "center"],
  ["topcentre", "topcenter"],
  ["bottomcentre", "bottomcenter"],
]);

/** What other programs call the permissions of a PDF, folded and without `allow` or `can`. */
const PERMISSION_NAMES: Readonly<Record<string, readonly string[]>> = {
  print: ["printing", "lowresolutionprinting", "printlowresolution", "degradedprinting", "printdegraded"],
  "print-high": [
    "highresolutionprinting",
    "printhighresolution",
    "highqualityprinting",
    "printhighquality",
    "printfaithful",
  ],
  modify: [
    "modifying",
    "modification",
    "modifycontent",
    "modifycontents",
    "modifyingcontent",
    "modifyingcontents",
    "edit",
    "editing",
    "change",
    "changing",
  ],
  copy: [
    "copying",
    "copycontent",
    "copycontents",
    "copyingcontent",
    "copyingcontents",
    "extract",
    "extracting",
    "extraction",
    "extractcontent",
  ],
  annotate: [
    "annotating",
    "annotation",
    "annotations",
    "modifyannotations",
    "modifyingannotations",
    "comment",
    "commenting",
  ],
  "fill-forms": [
    "fillform",
    "fillin",
    "fillinform",
    "fillinforms",
    "fillingform",
    "fillingforms",
    "filling",
    "formfill",
    "formfilling",
    "forms",
  ],
  accessibility: ["accessible", "contentaccessibility", "extractforaccessibility", "screenreader", "screenreaders"],
  assemble: ["assembling", "assembly", "assembledocument", "documentassembly"],
};

/** Decimal notation, the whole text. */
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INTEGER = /^[+-]?\d{1,15}(\.0*)?$/;
const COLOR = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i;

/**
 * A word without its case and the way its parts are joined: `fill-forms`, `fill_forms`, `fillForms`, and `Fill forms` are one. A word without letters
 * does not change, because a hyphen can be a sign.
 */
function folded(word: string): string {
  const lower = word.trim().toLowerCase();
  return /\p{L}/u.test(lower) ? lower.replace(/[\s_-]+/g, "") : lower;
}

type Read = (given: unknown) => unknown;

/** Reads texts and returns other values unchanged. Values without a meaning remain for the schema to reject. */
const reading =
  (meaning: (text: string) => unknown): Read =>
  (given) =>
    typeof given === "string" ? (meaning(given) ?? given) : given;

/** What a text means as a boolean; undefined if it is none. */
export const booleanIn = (text: string): boolean | undefined => BOOLEANS.get(text.trim().toLowerCase());

const readBoolean: Read = (given) => (typeof given === "boolean" ? given : (booleanIn(String(given)) ?? given));
const readNumber: Read = reading((text) => (NUMBER.test(text.trim()) ? Number(text) : undefined));
const readInteger: Read = reading((text) => (INTEGER.test(text.trim()) ? Number(text) : undefined));

/** As `#rrggbb`. */
const readColor: Read = reading((text) => {
  const [, digits] = COLOR.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  return `#${(digits.length === 3 ? digits.replace(/./g, "$&$&") : digits).toLowerCase()}`;
});

function readChoice(words: readonly string[]): Read {
  const known = new Map(words.map((word) => [folded(word), word]));
  return reading((text) => {
    const word = NUMBER.test(text.trim()) ? String(Number(text)) : folded(text);
    return known.get(word) ?? known.get(SYNONYMS.get(word) ?? "");
  });
}

/** A number as a text, if its digits are those that were sent: a longer one has been rounded when the JSON was parsed. */
const readText: Read = (given) =>
  typeof given === "number" && /^-?\d+(\.\d+)?$/.test(String(given)) && String(given).replace(/\D/g, "").length <= 15
    ? String(given)
    : given;

/** `""` in a form means "absent". */
const blankIsAbsent: Read = (given) => (given === "" ? undefined : given);

/** The value of a form field. */
const formValue = <T extends z.ZodType>(read: Read, schema: T) =>
  z.preprocess((given) => read(blankIsAbsent(given)), schema.optional());
const asSent: Read = (given) => given;

const COLOR_ERROR = { error: "must be a color such as #888 or #1a2b3c" };
const hexColor = z.string(COLOR_ERROR).regex(/^#[0-9a-f]{6}$/, COLOR_ERROR);

/** A text in a JSON parameter, or a number that means one. `schema`: what holds of the text. */
export const jsonText = (schema: z.ZodType<string> = z.string()): z.ZodType<string> => z.preprocess(readText, schema);

/** A boolean in a JSON parameter. */
export const jsonBoolean = (): z.ZodType<boolean> => z.preprocess(readBoolean, z.boolean());

/** A number in a JSON parameter. `schema`: what holds of it. */
export const jsonNumber = (schema: z.ZodType<number> = z.number()): z.ZodType<number> =>
  z.preprocess(readNumber, schema);

/** One of the given words in a JSON parameter. */
export const jsonChoice = <const W extends readonly [string, ...string[]]>(...words: W): z.ZodType<W[number]> =>
  z.preprocess(readChoice(words), z.enum(words));

/** A color in a JSON parameter, as `#rrggbb`. */
export const jsonColor = (): z.ZodType<string> => z.preprocess(readColor, hexColor);

export function formBoolean(whenAbsent = false): z.ZodType<boolean> {
  const schema = z.boolean({ error: "must be true or false" }).default(whenAbsent);
  return z.preprocess((given) => readBoolean(blankIsAbsent(given)), schema);
}

/** A boolean that may be absent. */
export const formFlag = (): z.ZodType<boolean | undefined> =>
  formValue(readBoolean, z.boolean({ error: "must be true or false" }));

/** Points in each unit of length. A number alone is in inches. */
const UNITS: Readonly<Record<string, number>> = {
  "": 72,
  in: 72,
  pt: 1,
  px: 0.75,
  pc: 12,
  mm: 72 / 25.4,
  cm: 72 / 2.54,
};
const LENGTH = /^\+?(\d{1,6}(?:\.\d*)?|\.\d+)\s*(in|pt|px|pc|mm|cm|)$/i;

/** A length, as points. `min` and `max` are in points. */
export function formLength(min: number, max: number): z.ZodType<number | undefined> {
  const error = `must be a length from ${shown(min)} to ${shown(max)} points, such as 8.27 (inches), 210mm, 21cm, or 595pt`;
  const read = reading((text) => {
    const [, number, unit = ""] = LENGTH.exec(text.trim()) ?? [];
    return number === undefined ? undefined : Number(number) * (UNITS[unit.toLowerCase()] ?? 0);
  });
  const points = z.number({ error }).min(min, { error }).max(max, { error });
  // A client that sends JSON sends a number of inches.
  const inches: Read = (given) => read(typeof given === "number" ? String(given) : given);
  return formValue(inches, points).meta({ type: "string", format: "length", examples: ["8.27", "210mm"] });
}

const DURATION = /^(\d{1,6}(?:\.\d{1,3})?)\s*(ms|s|)$/i;

/** A duration, as milliseconds. A number alone is in seconds. */
export function formDuration(maxMilliseconds: number): z.ZodType<number | undefined> {
  const error = `must be a duration of up to ${maxMilliseconds / 1_000} seconds, such as 2s or 500ms`;
  const read: Read = (given) => {
    const [, number, unit = ""] = DURATION.exec(String(given).trim()) ?? [];
    return number === undefined ? given : Number(number) * (unit.toLowerCase() === "ms" ? 1 : 1_000);
  };
  return formValue(read, z.number({ error }).max(maxMilliseconds, { error })).meta({
    type: "string",
    format: "duration",
    examples: ["2s", "500ms"],
  });
}

/** Host names with commas between, in lower case. */
export function formHosts(most: number): z.ZodType<readonly string[] | undefined> {
  const error = `must be up to ${most} host names with commas between, such as cdn.example.com,fonts.example.org`;
  return formValue(asSent, z.string().max(most * 256, { error }))
    .transform((value, context) => {
      if (value === undefined) return undefined;
      const hosts = value.split(",").map((host) => host.trim().toLowerCase());
      if (hosts.length > most || !hosts.every((host) => /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/.test(host)))
        context.addIssue({ code: "custom", message: error });
      return hosts;
    })
    .meta({ type: "string", examples: ["cdn.example.com,fonts.example.org"] });
}

/** An integer. */
export function formInteger(min: number, max: number): z.ZodType<number | undefined> {
  const error = `must be a whole number from ${shown(min)} to ${shown(max)}`;
  return formValue(readInteger, z.int({ error }).min(min, { error }).max(max, { error }));
}

const shown = (number: number): string => number.toLocaleString("en-US");

/** One of the given words. */
export function formChoice<const W extends readonly [string, ...string[]]>(
  ...words: W
): z.ZodType<W[number] | undefined> {
  return formValue(readChoice(words), z.enum(words));
}

/** A page: one of the given names, also as JSON, or its width and height in points as JSON. */
export function formPageSize<const W extends readonly [string, ...string[]]>(
  range: readonly [number, number],
  ...words: W
) {
  const error = `must be ${words.join(", ")}, or JSON: { "width": ..., "height": ... } with points from ${shown(range[0])} to ${shown(range[1])}`;
  const side = jsonNumber(z.number().min(range[0]).max(range[1]));
  const read = readChoice(words);
  const meaning: Read = reading((text) => {
    // Clients that write each value as JSON send the name in quotes.
    if (!/^\s*[{"]/.test(text)) return read(text);
    try {
      const value = JSON.parse(text) as unknown;
      return typeof value === "string" ? read(value) : value;
    } catch {
      return undefined;
    }
  });
  return formValue(meaning, z.union([z.enum(words), z.strictObject({ width: side, height: side })], { error }));
}

/** Free text. */
export function formText(maxLength: number): z.ZodType<string | undefined> {
  return formValue(asSent, z.string().max(maxLength));
}

/**
 * A page range. Its syntax is parsed here, but errors are deferred: whether the pages exist is known only once the document is
 * open, and `resolve(pageCount)` then reports both kinds of error with `maxPage`.
 */
export function pageRange(): z.ZodType<PageRange | undefined> {
  return formValue(asSent, z.string())
    .transform((value) => (value === undefined ? undefined : new PageRange(value)))
    .meta({ type: "string", format: "page-range", examples: ["1-3,5,last", "odd", "last-2", "!4"] });
}

/** Page ranges joined by `|`. */
export function pageRanges(maxLength: number): z.ZodType<readonly PageRange[] | undefined> {
  return formValue(asSent, z.string().max(maxLength))
    .transform((value) => value?.split("|").map((range) => new PageRange(range)))
    .meta({ type: "string", format: "page-groups", examples: ["1-3|4-6|7-end"] });
}

/** A box on a page as a viewer shows it. `length`: its width and height in points. */
export const pageBox = (length: z.ZodType<number>) =>
  z.strictObject({
    page: jsonNumber(z.int().min(1)),
    x: jsonNumber(),
    y: jsonNumber(),
    width: jsonNumber(length),
    height: jsonNumber(length),
    origin: jsonChoice("top-left", "bottom-left").default("top-left"),
  });

/** What `pageBox` means, as the end of a description. */
export const PAGE_BOX =
  "Pages count from 1. `x` and `y` are the top left corner of the box, in points from the top left of the visible page; if `origin` is `bottom-left`, its bottom left corner, from the bottom left of the page.";

/** The box of a signature. Less than a point is a mistake. */
export const signatureBox = () =>
  jsonField(pageBox(z.number().min(1))).meta({ examples: [{ page: 1, x: 72, y: 650, width: 200, height: 60 }] });

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

const isObject = (given: unknown): given is object =>
  typeof given === "object" && given !== null && !Array.isArray(given);

/**
 * A JSON object whose members are known in any case, and by the names in `others`, which are folded. Of two names for one member, the
 * second is unknown to the schema.
 */
export function jsonObject<S extends z.ZodObject>(
  object: S,
  others: Readonly<Record<string, string>>,
): { readonly schema: z.ZodType<z.output<S>>; nameOf(given: string): string | undefined } {
  const known = new Map([
    ...Object.keys(object.shape).map((name) => [folded(name), name] as const),
    ...Object.entries(others),
  ]);
  const nameOf = (given: string): string | undefined => known.get(folded(given));
  const rename: Read = (given) => {
    if (!isObject(given)) return given;
    const taken = new Set(Object.keys(given));
    const renamed = Object.entries(given).map(([name, value]) => {
      const meant = nameOf(name) ?? name;
      if (taken.has(meant)) return [name, value] as const;
      taken.add(meant);
      return [meant, value] as const;
    });
    return Object.fromEntries(renamed);
  };
  return { schema: z.preprocess(rename, object), nameOf };
}

/** The most problems that are found in a JSON parameter: the rest of it is not checked. */
export const MOST_ISSUES = 1_000;

/**
 * Checks one item of a list, or one member of a map, on its own, so that the reader can stop after `MOST_ISSUES`. Undefined if it has issues, which are
 * added to those of the whole.
 */
export function checkItem<T>(
  schema: z.ZodType<T>,
  given: unknown,
  path: readonly PropertyKey[],
  context: z.RefinementCtx,
): { readonly value: T } | undefined {
  // The schema around it words the issues that have no message of their own.
  const { success, data, error } = schema.safeParse(given, { error: () => "", reportInput: true });
  if (success) return { value: data };
  for (const issue of error.issues)
    context.issues.push({ ...issue, path: [...path, ...issue.path] } as z.core.$ZodRawIssue);
  return undefined;
}

/** Whether a list or map has so many problems that the rest of it is not worth checking. */
export const hasMostIssues = ({ issues }: z.RefinementCtx): boolean => issues.length >= MOST_ISSUES;

/** A JSON array of `min` to `max` items. Its length is checked before any of them. */
export const jsonList = <T>(item: z.ZodType<T>, max: number, min = 0): z.ZodType<T[]> => {
  const sized = <U>(list: z.ZodArray<z.ZodType<U>>) => (min > 0 ? list.min(min) : list).max(max);
  return sized(z.array(z.unknown())).pipe(sized(z.array(item)));
};

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
  const entries = z.map(z.string(), z.unknown()).transform((given, context) => {
    const map = new Map<string, T>();
    for (const [name, one] of given) {
      if (hasMostIssues(context)) break;
      const [known, found] = [checkItem(key, name, [name], context), checkItem(value, one, [name], context)];
      // With an issue, the map is only for `holds`.
      map.set(known ? known.value : name, found ? found.value : (one as T));
    }
    // A copy of the path: zod puts the path of the whole before it in place.
    if (!holds(map))
      context.addIssue({ code: "custom", message: broken.error ?? "is not valid", path: [...(broken.path ?? [])] });
    return map;
  });
  return z.preprocess((given) => (isObject(given) ? new Map(Object.entries(given)) : given), entries).meta(schema);
}

/** Any finite number if there are no limits. */
export function formNumber(min?: number, max?: number): z.ZodType<number | undefined> {
  const range = min === undefined || max === undefined ? "" : ` from ${shown(min)} to ${shown(max)}`;
  const error = `must be a number${range}`;
  let number = z.number({ error });
  if (min !== undefined) number = number.min(min, { error });
  if (max !== undefined) number = number.max(max, { error });
  return formValue(readNumber, number);
}

/** A color, as red, green and blue from 0 to 1. */
export function formColor(): z.ZodType<readonly [number, number, number] | undefined> {
  return formValue(readColor, hexColor)
    .transform((value) => {
      if (value === undefined) return undefined;
      const part = (at: number): number => parseInt(value.slice(at, at + 2), 16) / 255;
      return [part(1), part(3), part(5)] as const;
    })
    .meta({ type: "string", examples: ["#888888", "#c00"] });
}

/**
 * Permissions of a PDF, separated by commas: some of `names`, which are the standard's, or `all` or `none`. Without duplicates.
 */
export function formPermissions(names: readonly string[], maxLength: number): z.ZodType<readonly string[] | undefined> {
  const tokens = [...names, "all", "none"];
  const known = new Map(
    tokens.flatMap((name) => [name, ...(PERMISSION_NAMES[name] ?? [])].map((one) => [folded(one), name])),
  );
  return formValue(asSent, z.string().max(maxLength))
    .transform((value, context) => {
      if (value === undefined) return undefined;
      const items = value.split(",").map((item) => item.trim());
      const read = items.map(
        (item) => known.get(folded(item)) ?? known.get(folded(item).replace(/^(?:allow|can)/, "")),
      );
      const unknown = [...new Set(items.filter((_, at) => read[at] === undefined))].slice(0, 10);
      const issues = [];
      if (unknown.length > 0) {
        const what = unknown.length === 1 ? "an unknown permission" : "unknown permissions";
        const shown = unknown.map((item) => JSON.stringify(item.slice(0, 100))).join(", ");
        issues.push(`has ${what}, ${shown}: use ${tokens.join(", ")}`);
      }
      if (read.includes("none") && items.length > 1) issues.push("must not combine none with other permissions");
      for (const message of issues) context.addIssue({ code: "custom", message });
      return [...new Set(read.filter((name) => name !== undefined))];
    })
    .meta({ type: "string", maxLength });
}

/** A line of text, such as a name: not blank, without control characters. */
export function lineText(maxLength: number = limits.parameters.lineCharacters): z.ZodType<string | undefined> {
  return formValue(
    asSent,
    z
      .string()
      .max(maxLength)
      .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
        error: "must not contain control characters or unpaired surrogates",
      })
      .refine((value) => !/^\s+$/.test(value), { error: "must not be blank" }),
  );
}

/** A language tag (BCP 47). */
export const languageTag = (): z.ZodType<string | undefined> =>
  formValue(
    asSent,
    z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z\d]{1,8}){0,5}$/, { error: "must be a language tag, such as en or pt-BR" }),
  );

/** Text shown on pages: not blank, with lines separated by line feeds, which forms turn into CR LF. */
export function stampText(): z.ZodType<string | undefined> {
  return formValue(
    reading((text) => text.replaceAll("\r\n", "\n")),
    z
      .string()
      .refine((value) => value.isWellFormed() && !/[^\P{Cc}\n]/u.test(value), {
        error: "must not contain control characters other than line feeds",
      })
      .refine((value) => !/^[\s\p{Default_Ignorable_Code_Point}]+$/u.test(value), { error: "must not be blank" }),
  );
}
