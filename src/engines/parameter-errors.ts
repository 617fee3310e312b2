/** The Refusals of parameters that do not fit the document, one function for each situation. */
import { invalidParameter, ISSUES_LISTED, Refusal } from "./errors.ts";
import type { ConversionEngine } from "./services.ts";
import { limits } from "../limits.ts";

// invalid_parameters

/** `issue`: the end of a sentence that begins with `assets`. */
const assetsDoNotFit = (issue: string): Refusal =>
  new Refusal("invalid_parameters", "`assets` does not fit the document.", { fields: [{ name: "assets", issue }] });

/** `referring`: the formats whose documents refer to files, in words. */
export const assetsNotAllowed = (format: string, referring: string): Refusal =>
  assetsDoNotFit(`must not be sent for \`${format}\`: only ${referring} refer to files`);

export const assetOutsideOfArchive = (name: string): Refusal =>
  assetsDoNotFit(`has a path that leads out of the archive: ${name}`);

export const assetTwice = (path: string): Refusal => assetsDoNotFit(`has more than one file at the path ${path}`);

/** `unused`: names of files; the first ones are listed. */
export function assetsUnused(unused: readonly string[]): Refusal {
  const names = unused.slice(0, ASSETS_LISTED).join(", ");
  const more = unused.length > ASSETS_LISTED ? `, and ${unused.length - ASSETS_LISTED} more` : "";
  return assetsDoNotFit(`has files that the document does not refer to: ${names}${more}`);
}
const ASSETS_LISTED = 10;

/** Sizes in points. */
export const marginsTooWide = (width: number, height: number): Refusal =>
  new Refusal("invalid_parameters", "The margins leave no room on the page.", {
    fields: [{ name: "marginPt", issue: `must leave at least 36 points of a page of ${width} by ${height} points` }],
  });

/** Fields of `to-pdf` that not all of its engines take. `other`: a field that needs another engine. */
export const onlyForEngine = (engines: readonly ConversionEngine[], other?: string): string =>
  `is only for ${enginesIn(engines)}${other === undefined ? "" : `, and \`${other}\` is not`}`;

/** `format`: the name of the document's. `engines`: those that read it. */
export const engineDoesNotRead = (field: string, format: string, engines: readonly ConversionEngine[]): Refusal =>
  invalidParameter(field, `cannot be used for \`${format}\`, which needs ${enginesIn(engines)}`);

const enginesIn = (engines: readonly ConversionEngine[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(engines.map((engine) => `\`engine=${engine}\``));

export const selectorInvalid = (): Refusal => invalidParameter("waitForSelector", "must be a CSS selector");

export const expressionInvalid = (): Refusal =>
  invalidParameter("waitForExpression", "must be an expression of JavaScript");

/** `name`: the field with the condition. */
export const waitedInVain = (name: string): Refusal =>
  invalidParameter(name, `did not come true within ${limits.browser.seconds} seconds`);

export const drawingTooLarge = (): Refusal =>
  invalidParameter("scale", "must be at most 1 for a drawing on a page of this size");

/** `reason`: of the browser. */
export const notPrintable = (reason: string): Refusal =>
  new Refusal("invalid_parameters", `The browser cannot print the document like this: ${reason}.`, { fields: [] });

/** `families`: those of the server. */
export const fontUnknown = (field: string, families: readonly string[]): Refusal =>
  invalidParameter(
    field,
    families.length === 0
      ? "names a font, but this server has none of its own"
      : `must be the family of a font of this server: ${families.slice(0, FAMILIES_LISTED).join(", ")}`,
  );
const FAMILIES_LISTED = 50;

interface ValueProblem {
  /** The end of a sentence that begins with the name of the form field. */
  readonly issue: string;
  /** Values that the field accepts. */
  readonly options?: readonly string[] | undefined;
}

/** `problems`: by the name of the form field. */
export function valuesInvalid(problems: ReadonlyMap<string, ValueProblem>): Refusal {
  const all = [...problems].slice(0, ISSUES_LISTED);
  const fields = all.map(([name, { issue }]) => ({
    name: "values",
    issue: `is invalid: \`${name.slice(0, 200)}\` ${issue}`,
  }));
  const options = all.flatMap(([name, problem]) =>
    problem.options ? [[name, problem.options.slice(0, OPTIONS_LISTED)] as const] : [],
  );
  const [first] = fields;
  const more = problems.size - 1;
  const rest = more > 0 ? ` See \`details.fields\` for ${more} more ${more === 1 ? "problem" : "problems"}.` : "";
  const message = `\`values\` ${first?.issue ?? "is invalid"}.${rest}`;
  const details = options.length > 0 ? { fields, options: Object.fromEntries(options) } : { fields };
  return new Refusal("invalid_parameters", message, details);
}
const OPTIONS_LISTED = 200;

// invalid_page_range

/** `problem`: the end of a sentence that begins with the field. `range`: as it was sent. */
export const pageRangeInvalid = (field: string, problem: string, range: string, maxPage: number): Refusal =>
  new Refusal("invalid_page_range", `\`${field}\` ${problem}.`, { field, range, maxPage });

// Forms

/** `unknown`, `available`: all names of fields; the first ones are listed. */
export function fieldsUnknown(unknown: readonly string[], available: readonly string[]): Refusal {
  const named = unknown.slice(0, 3).map((name) => JSON.stringify(name.slice(0, 100)));
  const message = `The form has no fields with these names: ${named.join(", ")}${unknown.length > named.length ? ", ..." : ""}.`;
  return new Refusal("unknown_fields", message, {
    unknownFields: unknown.slice(0, FIELDS_LISTED),
    availableFields: available.slice(0, FIELDS_LISTED),
  });
}
const FIELDS_LISTED = 1_000;

export const noForm = (): Refusal => new Refusal("no_form", "The PDF has no form.");

export const formIsXfa = (): Refusal =>
  new Refusal(
    "unsupported_form",
    "The form of this PDF is pure XFA, which is not supported. Convert it to an AcroForm.",
  );

export const formHasXfa = (): Refusal =>
  new Refusal(
    "unsupported_form",
    "The form has XFA data, which viewers would show instead of what is signed. Use `flatten` or `fill-form` first.",
  );

// Text

/** `characters`: the first ones are listed, with their codes. */
export function charactersUnsupported(characters: readonly string[]): Refusal {
  const named = characters.slice(0, CHARACTERS_LISTED);
  const codes = named.map((character) => `${character} (U+${hex(character)})`).join(", ");
  return new Refusal("unsupported_text", `No available font has these characters: ${codes}.`, { characters: named });
}
const CHARACTERS_LISTED = 20;
const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
