import type { Schema } from "./schema.ts";

/** The name of a parameter for people: its schema's title, or else `fontSize` is "Font size", and `marginPt` "Margin (points)". */
export function labelOf(name: string, { title }: Pick<Schema, "title"> = {}): string {
  if (title !== undefined) return title;
  const words = name
    .replace(/Pt$/, " (points)")
    .replace(/([a-z])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
