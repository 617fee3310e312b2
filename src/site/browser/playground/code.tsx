import { useState } from "preact/hooks";
import type { ApiResponse } from "../api/call.ts";
import type { Operation } from "../../description/description.ts";
import { type Entry } from "../../description/form-values.ts";
import { maskedKey } from "../api/key.ts";
import { type Language, languages, snippet } from "../../description/snippets.ts";
import { resultFile } from "../../description/result-file.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Highlighted } from "./highlighted.tsx";
import { placeholders } from "./samples.ts";

interface Props {
  readonly operation: Operation;
  readonly entries: readonly Entry[];
  readonly apiKey: string;
  readonly response: ApiResponse | undefined;
}

/** The form's request as code, ready to paste. Shown without the key, copied with it. */
export function Code({ operation, entries, apiKey, response }: Props) {
  const [language, setLanguage] = useState<Language>("curl");
  const whole = [...placeholders(operation, entries), ...entries];
  const call = {
    method: "POST",
    url: `${location.origin}${operation.path}`,
    body: { form: whole },
    file: resultFile(operation, whole, response),
  };
  const shown = snippet(language, { ...call, key: apiKey === "" ? "sk_test_..." : maskedKey(apiKey) });
  const copied = snippet(language, { ...call, key: apiKey === "" ? "sk_test_..." : apiKey });
  return (
    <Tabs
      label="Language"
      names={languages}
      chosen={language}
      choose={setLanguage}
      aside={<CopyButton text={copied} label={apiKey === "" ? "Copy" : "Copy with key"} />}
    >
      <pre class="code" tabIndex={0} data-language={language}>
        <Highlighted text={shown} language={language} />
      </pre>
    </Tabs>
  );
}
