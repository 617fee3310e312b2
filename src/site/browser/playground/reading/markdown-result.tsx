import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Text } from "../text-view.tsx";
import { MarkdownView } from "./markdown-view.tsx";
import { Reading } from "./reading.tsx";

interface Props {
  readonly blob: Blob;
  readonly passwords: readonly string[];
  /** The document that it was read from, if it is known. */
  readonly source: Blob | string | undefined;
}

/** A result that is Markdown: rendered, beside the pages, and as source. */
export function MarkdownResult({ blob, passwords, source }: Props) {
  const [text, setText] = useState<string>();
  const [tab, setTab] = useState<"Rendered" | "Markdown">("Rendered");
  useEffect(() => {
    void blob.text().then(setText);
  }, [blob]);
  if (text === undefined) return null;
  return (
    <Tabs
      label="View as"
      names={["Rendered", "Markdown"] as const}
      chosen={tab}
      choose={setTab}
      aside={<CopyButton text={text} />}
    >
      {tab === "Markdown" ? (
        <Text text={text} />
      ) : source === undefined ? (
        <MarkdownView text={text} />
      ) : (
        <Reading read={text} {...{ source, passwords }} />
      )}
    </Tabs>
  );
}
