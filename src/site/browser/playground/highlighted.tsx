import type { Language } from "../api/snippets.ts";

const strings = String.raw`"(?:[^"\\\n]|\\.)*"(?:\s*:)?`;
const numbers = String.raw`\b\d+(?:\.\d+)?\b`;

/** What is coloured: strings everywhere, words and numbers where they mean something. */
const patterns: Readonly<Record<Language | "JSON", RegExp>> = {
  curl: /('[^'\n]*')/,
  JavaScript: new RegExp(String.raw`(${strings}|\b(?:const|await|import|from|if|throw|new)\b)`),
  Python: new RegExp(String.raw`(${strings}|\b(?:import|with|as)\b)`),
  JSON: new RegExp(String.raw`(${strings}|\b(?:true|false|null)\b|${numbers})`),
};

/** A snippet or JSON, coloured. What it does not know it leaves alone. */
export function Highlighted({ text, language }: { text: string; language: Language | "JSON" }) {
  return (
    <code>
      {text.split(patterns[language]).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} class={kindOf(part)}>
            {part}
          </span>
        ),
      )}
    </code>
  );
}

function kindOf(part: string): string {
  if (part.endsWith(":")) return "name";
  if (/^["']/.test(part)) return "string";
  return /^\d/.test(part) ? "number" : "word";
}
