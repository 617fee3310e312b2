/** Strings and words of a snippet or of JSON, coloured. What it does not know it leaves alone. */
export function Highlighted({ text }: { text: string }) {
  const parts = text.split(/("(?:[^"\\\n]|\\.)*"(?:\s*:)?|'(?:[^'\n])*'|\b(?:true|false|null|const|await|import|from|if|throw|new|with|as)\b|\b\d+(?:\.\d+)?\b)/);
  return (
    <code>
      {parts.map((part, index) =>
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
