import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiResponse, ApiProblem, FieldIssue } from "../api/call.ts";
import type { Description, Operation } from "../../description/description.ts";
import { asFile, type ChosenFile, type FormValues, type LocalFile } from "../../description/form-values.ts";
import { typeOfName } from "../../description/media-types.ts";
import { stepsIn } from "../../description/steps.ts";
import { CopyButton } from "../parts/copy.tsx";
import { bytes, duration } from "../parts/figures.ts";
import { askForKey } from "../parts/key-dialog.tsx";
import { Inline } from "../parts/prose.tsx";
import { Body } from "./body.tsx";
import { Compare } from "./pages/compare.tsx";
import { sourceOf } from "./pages/use-pdf.ts";
import { Download } from "./download.tsx";
import { UseIn } from "./use-in.tsx";
import type { ActiveRun, Run } from "./workspace.ts";

interface Props {
  readonly run: Run | undefined;
  readonly values: FormValues;
  readonly description: Description;
  /** Fills in the example and runs it. */
  readonly tryExample: () => void;
  /** The input with what the operation will put on it, if that can be shown. */
  readonly preview: ComponentChildren;
  readonly operations: readonly Operation[];
  /** Whether the request has changed since its error. */
  readonly isOutdated: boolean;
  /** Makes files the documents of another operation, and goes there. */
  readonly use: (files: readonly LocalFile[], operation: string) => void;
}

/** The outcome of a run: progress, result or error. Changes are announced to screen readers. */
export function Result({ run, tryExample, preview, ...props }: Props) {
  const [tab, setTab] = useState<"Preview" | "Result">("Result");
  useEffect(() => setTab("Result"), [run?.state]);
  const [compares, setCompares] = useState(false);
  const shows = run === undefined && preview ? "Preview" : tab;
  return (
    <>
      <div role="status" class="visually-hidden">
        {spoken(run)}
      </div>
      {preview && run !== undefined && (
        <div class="segments views">
          {(["Preview", "Result"] as const).map((name) => (
            <button key={name} type="button" class="plain" aria-pressed={shows === name} onClick={() => setTab(name)}>
              {name}
            </button>
          ))}
        </div>
      )}
      {shows === "Preview" && preview}
      {run === undefined && !preview && (
        <div class="empty">
          <p>The result appears here.</p>
          <button type="button" onClick={tryExample}>
            Run an example
          </button>
        </div>
      )}
      {shows === "Result" && (
        <>
          {run?.state === "running" && <Running {...run} />}
          {run?.state === "failed" && (
            <div class="problem">
              <p>
                <Inline text={run.message} />
              </p>
            </div>
          )}
          {run?.state === "done" && <Done {...{ run, compares, setCompares }} {...props} />}
        </>
      )}
    </>
  );
}

const phases = {
  storing: "Storing a large file",
  uploading: "Uploading",
  processing: "Processing",
  queued: "Waiting for its turn as a job",
  job: "Processing as a job",
  downloading: "Downloading",
} as const;

function spoken(run: Run | undefined): string {
  if (run === undefined) return "";
  if (run.state === "running") return phases[run.progress.phase];
  if (run.state === "failed") return run.message;
  const { response } = run;
  return response.error ? `Error: ${response.error.message}` : `Done: ${bytes(response.body.size)}.`;
}

function Running({ progress, cancel }: ActiveRun) {
  const { phase, part, detail } = progress;
  return (
    <div class="running">
      <div class="row">
        <span class="grow">
          {phases[phase]}
          {part !== undefined && ` ${Math.round(part * 100)}%`}
          {detail !== undefined && `, ${detail}`}…
        </span>
        <button type="button" class="plain" onClick={cancel}>
          Cancel
        </button>
      </div>
      <progress aria-label={phases[phase]} max={1} value={part} />
    </div>
  );
}

interface DoneProps extends Pick<Props, "values" | "description" | "operations" | "use" | "isOutdated">, Comparing {
  readonly run: Extract<Run, { state: "done" }>;
}

/** Whether the result is shown beside the input, which stays so from run to run. */
interface Comparing {
  readonly compares: boolean;
  readonly setCompares: (compares: boolean) => void;
}

function Done({ run, values, description, operations, use, isOutdated, ...comparing }: DoneProps) {
  const { response, name, input } = run;
  const requestId = response.headers.get("x-request-id") ?? "";
  const { size } = response.body;
  return (
    <>
      <div class="summary">
        <span class={`status ${response.error ? "bad" : "good"}`}>{response.status}</span>
        <span>{duration(response.milliseconds)}</span>
        {!response.error && <Sizes response={response} />}
        {!response.error && size > 0 && (
          <span class="row">
            <UseIn
              {...{ operations, type: response.type, label: "Use result in" }}
              use={(operation) => use([asFile(response.body, name)], operation)}
            />
            <Download blob={response.body} name={name} />
          </span>
        )}
      </div>
      <StepResults header={response.headers.get("x-pipeline-steps")} />
      <Changes header={response.headers.get("x-changes")} />
      {response.error ? (
        <Problem problem={response.error} isOutdated={isOutdated} />
      ) : (
        <Views {...{ response, input, ...comparing }} passwords={passwordsIn(values)}>
          <div class="body">
            <Body
              blob={response.body}
              type={response.type}
              name={name}
              passwords={passwordsIn(values)}
              source={isPdf(input) ? sourceOf(input) : undefined}
              useFiles={(names, files) => (
                <UseIn
                  {...{ operations, type: commonType(names), several: names.length > 1 }}
                  label={names.length > 1 ? "Use all in" : "Use file in"}
                  use={(operation) => use(files(), operation)}
                />
              )}
            />
          </div>
        </Views>
      )}
      <details class="headers" open={response.error !== undefined}>
        <summary>Response headers</summary>
        <dl>
          {interesting(response, description).map(([name, value, about]) => (
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
      </details>
      {size === 0 && <p class="quiet">The response has no body.</p>}
    </>
  );
}

interface ViewsProps extends Comparing {
  readonly response: ApiResponse;
  readonly input: ChosenFile | undefined;
  readonly passwords: readonly string[];
  readonly children: ComponentChildren;
}

/** A file recognized by its bytes is treated as a PDF. */
const isPdf = (file: ChosenFile | undefined): boolean =>
  file !== undefined && (typeOfName(file.name) ?? "application/pdf") === "application/pdf";

/** The result, and beside it the comparison with the input where both are documents. */
function Views({ response, input, passwords, compares, setCompares, children }: ViewsProps) {
  const before = sourceOf(input);
  const isImage = input !== undefined && typeOfName(input.name)?.startsWith("image/");
  if (before === undefined || response.type !== "application/pdf" || !(isPdf(input) || isImage)) return children;
  return (
    <>
      <div class="segments views">
        <button type="button" class="plain" aria-pressed={!compares} onClick={() => setCompares(false)}>
          Pages
        </button>
        <button type="button" class="plain" aria-pressed={compares} onClick={() => setCompares(true)}>
          Before and after
        </button>
      </div>
      {compares ? (
        <div class="body">
          <Compare
            before={before}
            after={response.body}
            passwords={passwords}
            withText={response.headers.has("x-ocr-mean-confidence")}
          />
        </div>
      ) : (
        children
      )}
    </>
  );
}

/** Undefined if they are of several types. */
function commonType(names: readonly string[]): string | undefined {
  const [first, ...others] = new Set(names.map(typeOfName));
  return others.length > 0 ? undefined : first;
}

function passwordsIn({ texts }: FormValues): string[] {
  const given = [texts, ...stepsIn(texts["steps"])].flatMap((parameters) => Object.entries(parameters));
  return given.flatMap(([name, value]) =>
    /password/i.test(name) && typeof value === "string" && value !== "" ? [value] : [],
  );
}

/** What the steps of a pipeline have made. */
function StepResults({ header }: { header: string | undefined }) {
  if (header === undefined) return null;
  const steps = JSON.parse(header) as readonly { operation: string; pages?: number; bytes?: number }[];
  return (
    <ol class="step-results" aria-label="Results of the steps">
      {steps.map(({ operation, pages, bytes: size }, index) => (
        <li key={index}>
          <code>{operation}</code>
          {pages !== undefined && <span>{pages === 1 ? "1 page" : `${pages} pages`}</span>}
          {size !== undefined && <span class="quiet">{bytes(size)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** The changes that `archive` made, by kind: `fonts_embedded=3` is "fonts embedded (3)". */
function Changes({ header }: { header: string | undefined }) {
  if (header === undefined || header === "") return null;
  const changes = header.split(",").map((change) => {
    const [kind = "", count = ""] = change.split("=");
    return `${kind.replaceAll("_", " ")} (${count})`;
  });
  return <p class="quiet changes">Changed: {changes.join(", ")}.</p>;
}

function Sizes({ response }: { response: ApiResponse }) {
  const { size } = response.body;
  const { sentBytes } = response;
  const share = Math.round((1 - size / sentBytes) * 100);
  return (
    <span>
      {sentBytes > 0 && `${bytes(sentBytes)} → `}
      {bytes(size)}
      {share > 0 && response.headers.has("x-original-size") && <strong class="saved"> −{share}%</strong>}
    </span>
  );
}

/** The described headers that this response has, except those shown elsewhere. */
function interesting(response: ApiResponse, { components }: Description): (readonly [string, string, string])[] {
  const elsewhere = [
    "X-Request-Id",
    "X-Pipeline-Steps",
    "X-Changes",
    "Content-Disposition",
    "Content-Length",
    "RateLimit",
    "RateLimit-Policy",
  ];
  return Object.entries(components.headers).flatMap(([name, { description }]) => {
    const value = response.headers.get(name.toLowerCase());
    return value === undefined || elsewhere.includes(name) ? [] : [[name, value, description] as const];
  });
}

function Problem({ problem, isOutdated }: { problem: ApiProblem; isOutdated: boolean }) {
  const { code, message, details } = problem;
  const issues = Array.isArray(details?.["fields"]) ? (details["fields"] as readonly FieldIssue[]) : undefined;
  return (
    <div class={isOutdated ? "problem outdated" : "problem"}>
      {isOutdated && <p>The request has changed since this error. Run it again.</p>}
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
              <code>{name}</code> <Inline text={issue} />
            </li>
          ))}
        </ul>
      )}
      {details && issues === undefined && <pre class="code">{JSON.stringify(details, null, 2)}</pre>}
      {code === "unauthenticated" && (
        <button type="button" onClick={() => void askForKey()}>
          Use another key
        </button>
      )}
    </div>
  );
}
