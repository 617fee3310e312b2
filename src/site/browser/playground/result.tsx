import type { Answer, ApiProblem, FieldIssue, Progress } from "../api/call.ts";
import type { Description } from "../../description/description.ts";
import type { FormValues } from "../../description/form-values.ts";
import { CopyButton } from "../parts/copy.tsx";
import { bytes, duration } from "../parts/figures.ts";
import { askForKey } from "../parts/key-dialog.tsx";
import { Inline } from "../parts/prose.tsx";
import { Body } from "./body.tsx";
import { Download } from "./download.tsx";

export type Run =
  | { readonly state: "running"; readonly progress: Progress; readonly stop: () => void }
  | { readonly state: "done"; readonly answer: Answer }
  | { readonly state: "failed"; readonly message: string };

interface Props {
  readonly run: Run | undefined;
  readonly values: FormValues;
  readonly description: Description;
  /** Fills in the example and runs it. */
  readonly tryExample: () => void;
}

/** The outcome of a run: progress, result or error. Changes are announced to screen readers. */
export function Result({ run, values, description, tryExample }: Props) {
  return (
    <>
      <div role="status" class="visually-hidden">
        {spoken(run)}
      </div>
      {run === undefined && (
        <div class="empty">
          <p>The result appears here.</p>
          <button type="button" onClick={tryExample}>
            Run an example
          </button>
        </div>
      )}
      {run?.state === "running" && <Running {...run} />}
      {run?.state === "failed" && (
        <div class="problem">
          <p>{run.message}</p>
        </div>
      )}
      {run?.state === "done" && <Done answer={run.answer} values={values} description={description} />}
    </>
  );
}

const phases = { uploading: "Uploading", processing: "Processing", downloading: "Downloading" } as const;

function spoken(run: Run | undefined): string {
  if (run === undefined) return "";
  if (run.state === "running") return phases[run.progress.phase];
  if (run.state === "failed") return run.message;
  const { answer } = run;
  return answer.error ? `Error: ${answer.error.message}` : `Done: ${bytes(answer.body.size)}.`;
}

function Running({ progress, stop }: Extract<Run, { state: "running" }>) {
  const { phase, part } = progress;
  return (
    <div class="running">
      <div class="row">
        <span class="grow">
          {phases[phase]}
          {part !== undefined && ` ${Math.round(part * 100)} %`}…
        </span>
        <button type="button" class="plain" onClick={stop}>
          Cancel
        </button>
      </div>
      <progress aria-label={phases[phase]} max={1} value={part} />
    </div>
  );
}

function Done({ answer, values, description }: { answer: Answer } & Pick<Props, "values" | "description">) {
  const requestId = answer.headers.get("x-request-id") ?? "";
  const { size } = answer.body;
  return (
    <>
      <div class="summary">
        <span class={`status ${answer.error ? "bad" : "good"}`}>{answer.status}</span>
        <span>{duration(answer.milliseconds)}</span>
        {!answer.error && <Sizes answer={answer} />}
        <span class="grow" />
        {!answer.error && answer.fileName !== undefined && <Download blob={answer.body} name={answer.fileName} />}
      </div>
      {answer.error ? (
        <Problem problem={answer.error} retryAfter={answer.headers.get("retry-after")} />
      ) : (
        <Body
          blob={answer.body}
          type={answer.type}
          name={answer.fileName ?? ""}
          passwords={Object.entries(values.texts).flatMap(([name, text]) =>
            /password/i.test(name) && text !== "" ? [text] : [],
          )}
        />
      )}
      <dl class="headers">
        {interesting(answer, description).map(([name, value, about]) => (
          <div key={name}>
            <dt title={about}>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>X-Request-Id</dt>
          <dd>
            <code>{requestId}</code> <CopyButton text={requestId} />
          </dd>
        </div>
      </dl>
      {size === 0 && <p class="quiet">The response has no body.</p>}
    </>
  );
}

function Sizes({ answer }: { answer: Answer }) {
  const { size } = answer.body;
  const { sentBytes } = answer;
  const share = Math.round((1 - size / sentBytes) * 100);
  return (
    <span>
      {bytes(sentBytes)} → {bytes(size)}
      {share > 0 && answer.headers.has("x-original-size") && <strong class="saved"> −{share} %</strong>}
    </span>
  );
}

/** The described headers that this response has, except those shown elsewhere. */
function interesting(answer: Answer, { components }: Description): (readonly [string, string, string])[] {
  const elsewhere = ["X-Request-Id", "Content-Disposition", "Content-Length", "RateLimit", "RateLimit-Policy"];
  return Object.entries(components.headers).flatMap(([name, { description }]) => {
    const value = answer.headers.get(name.toLowerCase());
    return value === undefined || elsewhere.includes(name) ? [] : [[name, value, description] as const];
  });
}

function Problem({ problem, retryAfter }: { problem: ApiProblem; retryAfter: string | undefined }) {
  const { code, message, details } = problem;
  const issues = Array.isArray(details?.["fields"]) ? (details["fields"] as readonly FieldIssue[]) : undefined;
  return (
    <div class="problem">
      <p>
        <code class="code-name">{code}</code>
      </p>
      <p class="message">
        <Inline text={message} />
      </p>
      {issues !== undefined && issues.length > 1 && (
        <ul>
          {issues.map(({ name, issue }) => (
            <li key={`${name} ${issue}`}>
              <code>{name}</code> {issue}
            </li>
          ))}
        </ul>
      )}
      {details && issues === undefined && <pre class="code">{JSON.stringify(details, null, 2)}</pre>}
      {retryAfter !== undefined && <p>Retry in {retryAfter} s.</p>}
      {code === "unauthenticated" && (
        <button type="button" onClick={askForKey}>
          Use another key
        </button>
      )}
    </div>
  );
}
