/** The parts of a report in words. `report-view.tsx` shows them; texts may have code in backticks. */

export interface Verdict {
  readonly kind: "verdict";
  readonly tone: "good" | "bad" | "unsure";
  readonly text: string;
}

/** A text that may belong to a page of the document, from 1. */
export interface Item {
  readonly text: string;
  readonly page?: number;
}

export interface Facts {
  readonly kind: "facts";
  readonly label: string;
  readonly facts: readonly Fact[];
}

export type Fact = readonly [name: string, value: string];

export interface Table {
  readonly kind: "table";
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | Item)[])[];
}

export type Block =
  | Verdict
  | Facts
  | Table
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "list"; readonly label: string; readonly items: readonly Item[] };

export const verdict = (tone: Verdict["tone"], text: string): Verdict => ({ kind: "verdict", tone, text });

/** Those that have a value. None if no fact has one. */
export function factsOf(label: string, values: Readonly<Record<string, string | null | undefined>>): Facts[] {
  const facts = Object.entries(values).filter((fact): fact is [string, string] => Boolean(fact[1]));
  return facts.length > 0 ? [{ kind: "facts", label, facts }] : [];
}

export const listOf = (label: string, items: readonly Item[]): Block[] =>
  items.length > 0 ? [{ kind: "list", label, items }] : [];

export const tableOf = (label: string, head: Table["head"], rows: Table["rows"]): Table[] =>
  rows.length > 0 ? [{ kind: "table", label, head, rows }] : [];

/** `1 rule`, `2 rules`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Whether a JSON value is an object with these members. */
export const has = (json: unknown, ...names: readonly string[]): boolean =>
  typeof json === "object" && json !== null && names.every((name) => name in json);
