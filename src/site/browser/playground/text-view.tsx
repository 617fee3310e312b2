import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";

/** Longer text is slow to lay out and nobody reads it; it can still be copied and saved. */
const MOST_CHARACTERS = 50_000;

export const abridged = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}\n…` : text;

/** Plain text, with a line between pages. */
export function Text({ text }: { text: string }) {
  return (
    <pre class="text" tabIndex={0}>
      {text === "" ? "(no text)" : abridged(text).replaceAll("\f", "⸻\n")}
    </pre>
  );
}

/** A result that is text. */
export function TextView({ blob }: { blob: Blob }) {
  const [text, setText] = useState<string>();
  useEffect(() => {
    void blob.text().then(setText);
  }, [blob]);
  if (text === undefined) return null;
  return (
    <>
      <div class="row end">
        <span class="grow" />
        <CopyButton text={text} />
      </div>
      <Text text={text} />
    </>
  );
}
