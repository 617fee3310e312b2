import { tokens } from "../../description/highlight.ts";
import type { Language } from "../../description/snippets.ts";

/** A snippet or JSON with syntax highlighting. */
export function Highlighted({ text, language }: { text: string; language: Language | "JSON" }) {
  return (
    <code>
      {tokens(text, language).map((token, index) =>
        token.kind === undefined ? (
          token.text
        ) : (
          <span key={index} class={token.kind}>
            {token.text}
          </span>
        ),
      )}
    </code>
  );
}
