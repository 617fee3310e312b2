/** What an operation returns, and which scope it needs, with the parameters of a request. */
import type { z } from "zod";
import { type Fields, hintsOf, type Input } from "./fields.ts";

/** The scopes that an operation can require; the other scopes belong to the account routes. */
export type OperationScope = "pdf:read" | "pdf:write";

export type ImageFormat = "png" | "jpeg" | "webp";
export type TextFormat = "plain" | "markdown" | "html" | "csv";

/** ECMA-376-2, the media type of a workbook. */
export const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export type MediaType =
  | "application/pdf"
  | "application/zip"
  | "application/json"
  | "application/octet-stream"
  | typeof XLSX
  | `image/${ImageFormat}`
  | `text/${TextFormat}`;

export interface Mode {
  readonly scope: OperationScope;
  /** The media types that a 200 can have. */
  readonly returns: readonly MediaType[];
  /** The value of a response of `application/json`. */
  readonly json?: z.ZodType;
  /** Whether a pipeline's next step works on the same document, which this operation only reads. */
  readonly passesOn?: boolean;
  /** Whether the response is one PDF, where that depends on more than the mode. Method syntax, for the same reason as `Check`. */
  isPdf?(input: Input<Fields>): boolean;
}

/** The modes of an operation by the values of one parameter. */
interface ModesBy {
  readonly by: string;
  readonly values: Readonly<Record<string, Mode>>;
}

/** A list: which of them it is, something other than a parameter decides. */
export type Modes = Mode | ModesBy | readonly Mode[];

/** The mode of an operation that makes one PDF of another. */
export const MAKES_PDF: Mode = { scope: "pdf:write", returns: ["application/pdf"] };

/** The mode of an operation that reads a PDF and returns a value. */
export const returnsJson = (json: z.ZodType): Mode => ({ scope: "pdf:read", returns: ["application/json"], json });

interface WithModes {
  readonly modes: Modes;
}

/** All modes of an operation, each with the value of the parameter that selects it. */
export function modesOf({ modes }: WithModes): (Mode & { readonly value?: string })[] {
  return "by" in modes ? Object.entries(modes.values).map(([value, mode]) => ({ ...mode, value })) : [modes].flat();
}

/** The mode that these parameters select; undefined if the one that selects it is not valid, or something else decides. */
export function modeOf({ modes }: WithModes, input: Input<Fields>): Mode | undefined {
  if ("by" in modes) return modes.values[String(input[modes.by])];
  return "returns" in modes ? modes : undefined;
}

/** The media types that the modes return, for each with the values of the parameter that select it. */
export function mediaTypesOf(operation: WithModes): Map<MediaType, readonly string[]> {
  const types = new Map<MediaType, string[]>();
  for (const { returns, value } of modesOf(operation)) {
    for (const type of returns) types.set(type, [...(types.get(type) ?? []), ...(value === undefined ? [] : [value])]);
  }
  return types;
}

/** The values of the parameter that selects the mode; empty if any will do. */
type Condition = Readonly<Record<string, readonly string[]>>;

/** Each scope of an operation, and when it is needed. */
export function scopeConditions(operation: WithModes): Partial<Record<OperationScope, Condition>> {
  const { modes } = operation;
  const scopes = scopesOf(operation);
  const conditions = scopes.map((scope) => {
    const values = modesOf(operation).flatMap((mode) => (mode.scope === scope ? (mode.value ?? []) : []));
    return [scope, "by" in modes && scopes.length > 1 ? { [modes.by]: values } : {}];
  });
  return Object.fromEntries(conditions);
}

/** ` when ...`, or nothing. */
export const inWords = (condition: Condition): string =>
  Object.entries(condition)
    .map(([name, values]) => ` when \`${name}\` is ${values.map((value) => `\`${value}\``).join(" or ")}`)
    .join("");

/** The scopes of which a key needs one before the parameters are known. */
export function scopesOf(operation: WithModes): [OperationScope, ...OperationScope[]] {
  const [first = "pdf:write", ...others] = new Set(modesOf(operation).map(({ scope }) => scope));
  return [first, ...others];
}

/** What of a request is known before it runs: whether the response is text, or one PDF, or other files. */
export function kindOfResult(operation: WithModes, input: Input<Fields>): "text" | "pdf" | "files" | undefined {
  const { returns = [], isPdf } = modeOf(operation, input) ?? {};
  if (returns.length === 0) return undefined;
  if (isPdf?.(input) ?? returns.every((type) => type === "application/pdf")) return "pdf";
  if (returns.every(isText)) return "text";
  return returns.some(isText) ? undefined : "files";
}

/** Whether further steps of a pipeline can follow: there is one PDF for them. */
export const canPrecede = (operation: WithModes, input: Input<Fields>): boolean =>
  modeOf(operation, input)?.passesOn === true || kindOfResult(operation, input) === "pdf";

/** Whether a response of this type is text, and not a file. */
export const isText = (type: MediaType): boolean => type === "application/json" || type.startsWith("text/");

/** The mode that a step has before other steps, where a parameter with a default selects it: the one that returns a PDF. */
export function defaultsBeforeStep({
  modes,
  fields,
}: WithModes & { readonly fields: Fields }): Readonly<Record<string, string>> {
  const field = "by" in modes ? fields[modes.by] : undefined;
  if (!("by" in modes) || !field || hintsOf(field).required) return {};
  const values = Object.entries(modes.values).flatMap(([value, { returns }]) =>
    returns.every((type) => type === "application/pdf") ? [value] : [],
  );
  const [only] = values;
  return values.length === 1 && only !== undefined ? { [modes.by]: only } : {};
}
