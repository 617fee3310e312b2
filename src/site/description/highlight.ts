import type { Language } from "./snippets.ts";

const strings = String.raw`"(?:[^"\\\n]|\\.)*"(?:\s*:)?`;
const numbers = String.raw`\b\d+(?:\.\d+)?\b`;

const javascript = new RegExp(String.raw`(${strings}|\x60[^\x60\n]*\x60|\b(?:const|await|import|from|if|throw|new)\b)`);

const python = new RegExp(String.raw`(${strings}|\b(?:from|import|with|as|in)\b)`);

/** Highlights strings everywhere, and words and numbers where they have a meaning. */
const patterns: Readonly<Record<Language | "JSON", RegExp>> = {
  TypeScript: javascript,
  curl: /('[^'\n]*'|"[^"\n]*")/,
  JavaScript: javascript,
  Python: python,
  requests: python,
  JSON: new RegExp(String.raw`(${strings}|\b(?:true|false|null)\b|${numbers})`),
};

/** A piece of code and its kind: undefined if it is not highlighted. */
export interface Token {
  readonly text: string;
  readonly kind: "name" | "string" | "number" | "word" | undefined;
}

/** Splits a snippet or JSON into tokens to highlight. Unknown syntax stays plain. */
export function tokens(text: string, language: Language | "JSON"): Token[] {
  return text
    .split(patterns[language])
    .map((part, index) => ({ text: part, kind: index % 2 === 0 ? undefined : kindOf(part) }));
}

function kindOf(part: string): Token["kind"] {
  if (part.endsWith(":")) return "name";
  if (/^["'`]/.test(part)) return "string";
  return /^\d/.test(part) ? "number" : "word";
}
