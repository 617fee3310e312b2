import { useState } from "preact/hooks";
import type { ApiResponse } from "../api/call.ts";
import type { Operation } from "../../description/description.ts";
import { type Entry } from "../../description/form-values.ts";
import { maskedKey } from "../api/key.ts";
import { clientMethod } from "../../description/client-snippet.ts";
import { type Language, languages, snippet } from "../../description/snippets.ts";
import { resultFile } from "../../description/result-file.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Highlighted } from "./highlighted.tsx";
import { SessionLog } from "./session-log.tsx";
import type { LoggedRequest } from "./workspace.ts";
import { placeholders } from "./samples.ts";

const LOG = "Log";
const tabs = [...languages, LOG] as const;

interface Props {
  readonly operation: Operation;
  readonly entries: readonly Entry[];
  readonly apiKey: string;
  readonly response: ApiResponse | undefined;
  readonly log: readonly LoggedRequest[];
}

/** The form's request as code, ready to paste, and the requests before it. Shown without the key, copied with it. */
export function Code({ operation, entries, apiKey, response, log }: Props) {
  const [tab, setTab] = useState<Language | typeof LOG>(languages[0]);
  if (tab === LOG) {
    return (
      <Tabs label="This request as code" names={tabs} chosen={tab} choose={setTab}>
        <SessionLog log={log} />
      </Tabs>
    );
  }
  const language = tab;
  const whole = [...placeholders(operation, entries), ...entries];
  const call = {
    method: "POST",
    url: `${location.origin}${operation.path}`,
    client: { method: clientMethod(operation.name), ids: [], fields: operation.fields },
    body: { form: whole },
    file: resultFile(operation, whole, response),
  };
  const shown = snippet(language, { ...call, key: apiKey === "" ? "sk_test_..." : maskedKey(apiKey) });
  const copied = snippet(language, { ...call, key: apiKey === "" ? "sk_test_..." : apiKey });
  return (
    <Tabs
      label="This request as code"
      names={tabs}
      chosen={tab}
      choose={setTab}
      aside={<CopyButton text={copied} label={apiKey === "" ? "Copy" : "Copy with key"} />}
    >
      <pre class="code" tabIndex={0} data-language={language}>
        <Highlighted text={shown} language={language} />
      </pre>
    </Tabs>
  );
}
