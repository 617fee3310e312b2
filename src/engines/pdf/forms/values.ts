/** Resolves the client's values for the fields of a form, and finds those a field does not accept. */
import { type Button, buttonsOf, exportsOf, type FormTexts, type Options, type State } from "./options.ts";
import { maxLengthOf } from "./schema.ts";
import type { TerminalField } from "./tree.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";

/** A value as given by the client; null clears the field. */
export type RequestedValue = string | boolean | readonly string[] | null;

/** The resolved value of a field. */
export type FieldValue =
  | { readonly kind: "text"; readonly text: string | null }
  | { readonly kind: "button"; readonly buttons: readonly Button[]; readonly state: State | undefined }
  | { readonly kind: "choice"; readonly options: Options; readonly values: readonly string[] };

/** Why a field does not accept a value. */
export interface Problem {
  readonly issue: string;
  /** The values it accepts, if they can be listed. */
  readonly options?: readonly string[];
}

/** The boolean meaning of a text. Undefined if it has none. */
export type BooleanIn = (text: string) => boolean | undefined;

/** Resolves a value for a field, or explains why the field does not accept it. */
export function resolveValue(
  node: TerminalField,
  given: RequestedValue,
  {
    engine,
    texts,
    booleanIn,
  }: { readonly engine: PdfEngine; readonly texts: FormTexts; readonly booleanIn: BooleanIn },
): FieldValue | Problem {
  switch (node.type) {
    case "text":
      return textValue(node, given);
    case "checkbox":
      return checkBoxValue(buttonsOf(node, engine, texts), given, booleanIn);
    case "radio":
      return radioValue(buttonsOf(node, engine, texts), given);
    case "dropdown":
      return dropDownValue(node, texts.optionsOf(node), given);
    case "list":
      return listValue(node, texts.optionsOf(node), given);
    case "button":
      return { issue: "is a push button and has no value" };
    case "signature":
      return { issue: "is a signature field and cannot be filled" };
  }
}

function textValue(node: TerminalField, given: RequestedValue): FieldValue | Problem {
  if (given === null) return { kind: "text", text: null };
  if (typeof given !== "string") return { issue: "must be a string" };
  const text = given.replace(/\r\n?/g, "\n");
  const problem = problemOfText(text, node.has("multiline"));
  if (problem !== undefined) return { issue: problem };
  const [limit, length] = [maxLengthOf(node), Array.from(text).length];
  if (limit !== null && length > limit)
    return { issue: `must have at most ${limit} characters; this value has ${length}` };
  return { kind: "text", text };
}

function problemOfText(text: string, lines: boolean): string | undefined {
  if (!text.isWellFormed() || /[^\P{Cc}\n\t]/u.test(text)) {
    return "must not contain control characters or unpaired surrogates";
  }
  return !lines && text.includes("\n") ? "must not contain line feeds: the field has a single line" : undefined;
}

function checkBoxValue(buttons: readonly Button[], given: RequestedValue, booleanIn: BooleanIn): FieldValue | Problem {
  const named = typeof given === "string" && given !== "Off" ? stateOf(buttons, given) : undefined;
  if (named) return { kind: "button", buttons, state: named };
  const isChecked = typeof given === "string" ? booleanIn(given) : given;
  if (isChecked === null || isChecked === false) return { kind: "button", buttons, state: undefined };
  if (isChecked === true) {
    // If there are several widgets, some may have no appearance.
    const [first] = (buttons.find(({ drawn }) => drawn) ?? buttons[0])?.states ?? [];
    return { kind: "button", buttons, state: first };
  }
  const options = exportsOf(buttons);
  return { issue: `must be true, false, or one of ${listed(options)}`, options };
}

function radioValue(buttons: readonly Button[], given: RequestedValue): FieldValue | Problem {
  if (given === null || given === false || given === "Off") return { kind: "button", buttons, state: undefined };
  const state = typeof given === "string" ? stateOf(buttons, given) : undefined;
  if (state) return { kind: "button", buttons, state };
  const options = exportsOf(buttons);
  return { issue: mustBeOneOf(options), options };
}

/** By label first, since labels are the visible names of states. */
function stateOf(buttons: readonly Button[], given: string): State | undefined {
  const labeled = buttons.find(({ label }) => label === given);
  if (labeled) return labeled.states[0];
  return buttons.flatMap(({ states }) => states).find(({ name }) => name === given);
}

function dropDownValue(node: TerminalField, options: Options, given: RequestedValue): FieldValue | Problem {
  if (given === null) return { kind: "choice", options, values: [] };
  if (typeof given !== "string") return notAmong(options);
  const value = options.find(given)?.value;
  if (value !== undefined) return { kind: "choice", options, values: [value] };
  if (!node.has("edit")) return notAmong(options);
  const problem = problemOfText(given, false);
  return problem === undefined ? { kind: "choice", options, values: [given] } : { issue: problem };
}

function listValue(node: TerminalField, options: Options, given: RequestedValue): FieldValue | Problem {
  if (given === null) return { kind: "choice", options, values: [] };
  if (typeof given === "boolean") return notAmong(options);
  const list = typeof given === "string" ? [given] : given;
  if (list.length > 1 && !node.has("multiSelect")) return { issue: "accepts a single value", options: options.values };
  const values = list.map((item) => options.find(item)?.value);
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length) return notAmong(options);
  return { kind: "choice", options, values: [...new Set(known)] };
}

const notAmong = (options: Options): Problem => ({ issue: mustBeOneOf(options.values), options: options.values });

/** Most options named in a message; `details.options` has more. */
const OPTIONS_NAMED = 10;

function listed(options: readonly string[]): string {
  const named = options.slice(0, OPTIONS_NAMED).map((option) => JSON.stringify(option.slice(0, 100)));
  return named.join(", ") + (options.length > OPTIONS_NAMED ? ", ..." : "");
}

const mustBeOneOf = (options: readonly string[]): string =>
  options.length === 0 ? "has no options to choose from" : `must be one of ${listed(options)}`;
