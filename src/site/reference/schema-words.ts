import type { Schema } from "../description/schema.ts";

const formats: Readonly<Record<string, string>> = {
  "date-time": "date and time, ISO 8601",
  uri: "URL",
  password: "password",
  color: "color",
  multiline: "text",
};

/** A schema without null, and whether null is allowed. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  const choices = schema.anyOf?.filter(({ type }) => type !== "null");
  const [only] = choices ?? [];
  if (choices?.length === 1 && only !== undefined) {
    return {
      schema: { ...only, ...(schema.description !== undefined && { description: schema.description }) },
      nullable: true,
    };
  }
  return { schema, nullable: false };
}

/** The type of a value, in a word or two. */
export function typeWords(given: Schema): string {
  const { schema, nullable } = withoutNull(given);
  const { type, format, items, anyOf, contentSchema } = schema;
  const words = (): string => {
    // All referenced schemas are of objects.
    if (schema.$ref !== undefined) return "object";
    if (contentSchema) return "JSON in a string";
    if (anyOf) return anyOf.map(typeWords).join(" or ");
    if (items) return `array of ${plural(typeWords(items))}`;
    if (type === undefined) return schema.enum || schema.const !== undefined ? "string" : "any";
    if (typeof type !== "string") return type.join(" or ");
    if (format !== undefined && formats[format] !== undefined) return formats[format];
    return type;
  };
  return nullable ? `${words()} or null` : words();
}

const plural = (word: string): string => (/^\w+$/.test(word) ? `${word}s` : word);

const shown = (value: unknown): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

/** The limits and default of a value, unless the description already states them (Markdown). */
export function limitWords(given: Schema): string[] {
  const { schema } = withoutNull(given);
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const choices = schema.enum ?? schema.items?.enum;
  const words: string[] = [];
  if (choices) words.push(`${schema.items ? "of " : ""}${choices.map(shown).join(", ")}`);
  if (schema.const !== undefined) words.push(`always ${shown(schema.const)}`);
  words.push(...between(minimum, maximum, ""), ...between(minLength, maxLength, " characters"));
  words.push(...between(minItems, maxItems, " items"));
  if (schema.default !== undefined && !/default/i.test(given.description ?? "")) {
    words.push(`default ${shown(schema.default)}`);
  }
  const { examples } = schema.contentSchema ?? schema;
  if (examples) words.push(`such as ${examples.map(shown).join(", ")}`);
  return words;
}

function between(low: number | undefined, high: number | undefined, unit: string): string[] {
  // zod adds these bounds to every integer; they limit nothing.
  const [from, to] = [low, high].map((value) =>
    value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value.toLocaleString("en"),
  );
  if (from !== undefined && from === to) return [`${from}${unit}`];
  if (from !== undefined && to !== undefined) return [`${from} to ${to}${unit}`];
  if (from !== undefined) return low === 0 && unit !== "" ? [] : [`at least ${from}${unit}`];
  return to === undefined ? [] : [`at most ${to}${unit}`];
}
