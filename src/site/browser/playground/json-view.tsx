import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Highlighted } from "./highlighted.tsx";

/** Longer text is slow to lay out and nobody reads it; it can still be copied. */
const MOST_CHARACTERS = 50_000;

/** Indented JSON. If it contains a text, that comes first. */
export function JsonView({ blob }: { blob: Blob }) {
  const [json, setJson] = useState<unknown>();
  const [tab, setTab] = useState<"Text" | "JSON">("Text");
  useEffect(() => {
    void blob.text().then((text) => setJson(JSON.parse(text)));
  }, [blob]);
  if (json === undefined) return null;
  const text = (json as { text?: unknown } | null)?.text;
  const hasText = typeof text === "string";
  const chosen = hasText ? tab : "JSON";
  const whole = chosen === "Text" && hasText ? text : JSON.stringify(json, null, 2);
  const shown = whole.length > MOST_CHARACTERS ? `${whole.slice(0, MOST_CHARACTERS)}\n…` : whole;
  return (
    <Tabs
      label="View as"
      names={hasText ? (["Text", "JSON"] as const) : (["JSON"] as const)}
      chosen={chosen}
      choose={setTab}
      aside={<CopyButton text={whole} />}
    >
      {chosen === "Text" ? (
        <pre class="text" tabIndex={0}>
          {text === "" ? "(no text)" : shown.replaceAll("\f", "⸻\n")}
        </pre>
      ) : (
        <pre class="code" tabIndex={0}>
          <Highlighted text={shown} language="JSON" />
        </pre>
      )}
    </Tabs>
  );
}
