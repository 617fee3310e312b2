import { useEffect, useMemo, useState } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Download } from "./download.tsx";
import { Highlighted } from "./highlighted.tsx";
import { notesIn, readPagesIn } from "./reading/places.ts";
import { Reading } from "./reading/reading.tsx";
import { reportIn } from "./reports/report.ts";
import { ReportView } from "./reports/report-view.tsx";
import { abridged, Text } from "./text-view.tsx";

interface Props {
  readonly blob: Blob;
  readonly name: string;
  readonly passwords: readonly string[];
  /** The document that it tells of, if it is known. */
  readonly source: Blob | string | undefined;
}

type View = "Summary" | "On the page" | "Text" | "JSON";

/** Indented JSON. A summary in words or places on pages come first, and then the text. */
export function JsonView({ blob, name, passwords, source }: Props) {
  const [json, setJson] = useState<unknown>();
  const [tab, setTab] = useState<View>();
  useEffect(() => {
    void blob.text().then((text) => setJson(JSON.parse(text)));
  }, [blob]);
  if (json === undefined) return null;
  const text = (json as { text?: unknown } | null)?.text;
  const hasText = typeof text === "string";
  const read = source === undefined ? undefined : readPagesIn(json);
  const report = reportIn(json);
  const names: readonly View[] = [
    ...(report ? (["Summary"] as const) : []),
    ...(read ? (["On the page"] as const) : []),
    ...(hasText ? (["Text"] as const) : []),
    "JSON",
  ];
  const chosen = tab !== undefined && names.includes(tab) ? tab : (names[0] ?? "JSON");
  const whole = chosen === "Text" && hasText ? text : JSON.stringify(json, null, 2);
  return (
    <Tabs
      label="View as"
      names={names}
      chosen={chosen}
      choose={setTab}
      aside={
        <span class="row">
          <CopyButton text={whole} />
          {chosen === "Text" && <SaveText text={whole} name={name.replace(/\.json$/, ".txt")} />}
        </span>
      }
    >
      {chosen === "Summary" && report ? (
        <ReportView blocks={report} {...{ source, passwords }} />
      ) : chosen === "On the page" && read && source !== undefined ? (
        <Reading {...{ source, passwords, read }} notes={notesIn(json)} />
      ) : chosen === "Text" ? (
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
