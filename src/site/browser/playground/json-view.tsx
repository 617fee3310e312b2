import { useEffect, useMemo, useState } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Download } from "./download.tsx";
import { Highlighted } from "./highlighted.tsx";
import { abridged, Text } from "./text-view.tsx";

/** Indented JSON. If it contains a text, that comes first. */
export function JsonView({ blob, name }: { blob: Blob; name: string }) {
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
  return (
    <Tabs
      label="View as"
      names={hasText ? (["Text", "JSON"] as const) : (["JSON"] as const)}
      chosen={chosen}
      choose={setTab}
      aside={
        <span class="row">
          <CopyButton text={whole} />
          {chosen === "Text" && <SaveText text={whole} name={name.replace(/\.json$/, ".txt")} />}
        </span>
      }
    >
      {chosen === "Text" ? (
        <Text text={whole} />
      ) : (
        <pre class="code" tabIndex={0}>
          <Highlighted text={abridged(whole)} language="JSON" />
        </pre>
      )}
    </Tabs>
  );
}

function SaveText({ text, name }: { text: string; name: string }) {
  const blob = useMemo(() => new Blob([text], { type: "text/plain" }), [text]);
  return <Download blob={blob} name={name} label="Download text" />;
}
