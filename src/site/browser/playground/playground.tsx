import { useEffect, useRef, useState } from "preact/hooks";
import { callJson, callOperation, fieldIssues, type Progress } from "../api/call.ts";
import { followJob, JOBS, resultOf } from "../api/jobs.ts";
import type { Usage } from "../api/usage.ts";
import type { Description, Operation } from "../../description/description.ts";
import {
  type ChosenFile,
  type Entry,
  entriesOf,
  type FormValues,
  type LocalFile,
} from "../../description/form-values.ts";
import { nameFor } from "../../description/result-file.ts";
import { type Field, isFormValues, takesType } from "../../description/fields.ts";
import { typeOfName } from "../../description/media-types.ts";
import { isStepsField } from "../../description/steps.ts";
import { Arriving } from "../parts/arriving.ts";
import { useDropAnywhere } from "../parts/drop-anywhere.ts";
import { askForKey } from "../parts/key-dialog.tsx";
import { Prose } from "../parts/prose.tsx";
import { Code } from "./code.tsx";
import { chosenFrom } from "./files.tsx";
import { Form } from "./form.tsx";
import { needsPages } from "./pages/by-pages.tsx";
import { useFormFields, type Widget } from "./pages/form-fields.ts";
import { Preview } from "./pages/preview.tsx";
import { hasStamp } from "./pages/stamp-preview.tsx";
import { sourceOf, usePdf } from "./pages/use-pdf.ts";
import { OperationList } from "./operation-list.tsx";
import { Result } from "./result.tsx";
import { referredFile } from "../api/stored-files.ts";
import { exampleValues } from "./samples.ts";
import { isLarge, storeLarge, tooLarge } from "./store-large.ts";
import {
  type ActiveRun,
  documentField,
  type FinishedRun,
  sorted,
  valuesIn,
  withFilesReplaced,
  withValues,
  type Workspace,
} from "./workspace.ts";

interface Props {
  readonly operations: readonly Operation[];
  readonly description: Description;
  /** The operation's name; the first operation if there is none with that name. */
  readonly route: string;
  /** References to stored files, by field: `file=file_...`. */
  readonly query: string | undefined;
  readonly apiKey: string;
  readonly usage: Usage | undefined;
  readonly setRemaining: (credits: number) => void;
  readonly workspace: Workspace;
  readonly setWorkspace: (change: (workspace: Workspace) => Workspace) => void;
}

export function Playground(props: Props) {
  const { operations, route, query } = props;
  const operation = operations.find(({ name }) => name === route) ?? operations[0];
  if (operation === undefined) return <p class="notice">The API has no operations.</p>;
  return (
    <div class="playground">
      <OperationList operations={operations} current={operation} />
      <Try key={`${operation.name}?${query}`} {...props} operation={operation} />
    </div>
  );
}

/** In the query: the job whose result is shown. */
const JOB = "job";

const isSteps = (field: Field): boolean => field.kind === "value" && isStepsField(field);

/** One operation: its form, the result, and the request as code. */
function Try({ operation, workspace, setWorkspace, ...props }: Props & { readonly operation: Operation }) {
  const { operations, description, query, apiKey, usage, setRemaining } = props;
  const values = valuesIn(workspace, operation);
  const setValues = (change: (values: FormValues) => FormValues): void =>
    setWorkspace((workspace) => withValues(workspace, operation, change(valuesIn(workspace, operation))));
  const [running, setRunning] = useState<ActiveRun>();
  // How many fetches of files for the form have not ended.
  const [arrivals, setArrivals] = useState(0);
  const hold = (arrival: Promise<void>): void => {
    const ended = (): void => setArrivals((count) => count - 1);
    setArrivals((count) => count + 1);
    void arrival.then(ended, ended);
  };
  // Parameters changed since the last run: their issues may be fixed.
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const result = useRef<HTMLElement>(null);
  const hasRun = useRef(false);
  const entries = entriesOf(operation.fields, values);
  const run = running ?? workspace.runs[operation.name];
  const response = run?.state === "done" ? run.response : undefined;
  // The issues of a list are of `file0`, `file1`, ...
  const isTouched = (name: string): boolean =>
    touched.has(/^\d+ /.test(name) ? "steps" : name) || touched.has(name.replace(/\d+$/, ""));
  const issues = new Map([...fieldIssues(response?.error)].filter(([name]) => !isTouched(name)));
  const field = documentField(operation);
  const hasForm = operation.fields.some((one) => one.kind === "value" && isFormValues(one));
  const showsPages = operation.fields.some(needsPages) && field?.kind === "file";
  const file = field && values.files[field.name]?.[0];
  const isPdf = file !== undefined && (typeOfName(file.name) ?? "application/pdf") === "application/pdf";
  const pdf = usePdf(showsPages && isPdf ? sourceOf(file) : undefined, [values.texts["password"] ?? ""]);
  const formFields = useFormFields(hasForm && pdf.state === "open" ? pdf.document : undefined);
  const [spot, setSpot] = useState<Widget>();
  const preview = pdf.state === "open" && (hasForm || hasStamp(operation.name)) && (
    <Preview document={pdf.document} operation={operation.name} {...{ values, formFields, spot }} />
  );

  const finish = (run: FinishedRun | undefined): void => {
    hasRun.current = true;
    setRunning(undefined);
    setWorkspace((workspace) => {
      const { [operation.name]: _before, ...others } = workspace.runs;
      return { ...workspace, runs: run ? { ...others, [operation.name]: run } : others };
    });
  };
  const setFiles = (name: string, files: readonly ChosenFile[]): void =>
    setValues((values) => ({ ...values, files: { ...values.files, [name]: files } }));

  useEffect(() => {
    for (const [name, reference] of new URLSearchParams(query)) {
      if (name === JOB) void follow(reference);
      else hold(referredFile(reference).then((file) => setFiles(name, [file])));
    }
  }, []);
  useEffect(() => () => running?.stop(), [running?.stop]);
  useEffect(() => {
    if (!hasRun.current) return;
    if (response?.error) document.querySelector<HTMLElement>("form [aria-invalid=true]")?.focus();
    else if (response) result.current?.focus({ preventScroll: true });
    if (response) result.current?.scrollIntoView({ block: "nearest" });
  }, [response]);

  const takeDropped = (dropped: readonly File[]): void => {
    const fields = operation.fields.filter((one) => one.kind !== "value");
    const [first] = dropped;
    const type = first && typeOfName(first.name);
    const into = field && takesType(field, type) ? field : (fields.find((one) => takesType(one, type)) ?? field);
    if (first === undefined || into === undefined) return;
    const { taken, reason } = sorted(into, dropped, into.kind === "files");
    if (reason !== undefined) finish({ state: "failed", message: reason });
    if (taken.length === 0) return;
    const files = taken.map(chosenFrom);
    setTouched((touched) => new Set([...touched, into.name]));
    setFiles(into.name, into.kind === "files" ? [...(values.files[into.name] ?? []), ...files] : files);
  };
  const isDragging = useDropAnywhere(takeDropped);

  const start = async (values: FormValues, prefer?: "respond-async") => {
    const key = apiKey === "" ? await askForKey() : apiKey;
    if (key === undefined) return;
    let entries: readonly Entry[] = entriesOf(operation.fields, values);
    const problem = await tooLarge(entries, operation.name, usage);
    if (problem !== undefined) return finish({ state: "failed", message: problem });
    setTouched(new Set());
    const abort = new AbortController();
    const stop = () => abort.abort();
    const progressed = (progress: Progress) => setRunning({ state: "running", progress, stop, cancel: stop });
    const large = isLarge(entries, usage?.limits);
    try {
      if (large && usage) {
        const { replaced, ...stored } = await storeLarge(key, entries, usage.limits, progressed, abort.signal);
        entries = stored.entries;
        setWorkspace((workspace) => withFilesReplaced(workspace, replaced));
      }
      const how = large ? "respond-async" : prefer;
      const response = await callOperation(key, operation.path, entries, progressed, abort.signal, how);
      const { headers, status, milliseconds } = response;
      const credits = headers.get("x-credits-charged");
      const requestId = headers.get("x-request-id") ?? "";
      const entry = { time: new Date(), operation: operation.name, status, milliseconds, credits, requestId };
      setWorkspace((workspace) => ({ ...workspace, log: [entry, ...workspace.log] }));
      const remaining = Number(headers.get("x-credits-remaining") ?? Number.NaN);
      if (!Number.isNaN(remaining)) setRemaining(remaining);
      const [first, another] = (field && values.files[field.name]) ?? [];
      const input = another === undefined ? first : undefined;
      if (status === 202) {
        const { id } = JSON.parse(await response.body.text()) as { id: string };
        finish(undefined);
        if (input) setWorkspace((now) => ({ ...now, jobInputs: { ...now.jobInputs, [id]: input } }));
        // The page of the job, which can be opened again.
        location.hash = `#/${operation.name}?${JOB}=${id}`;
      } else {
        const name = response.fileName ?? nameFor(operation, entries, response.type);
        finish({ state: "done", response, name, input });
      }
    } catch (error) {
      stopped(error);
    }
  };

  const stopped = (error: unknown): void => {
    if (error instanceof DOMException && error.name === "AbortError") setRunning(undefined);
    else finish({ state: "failed", message: error instanceof Error ? error.message : String(error) });
  };

  /** Shows the progress of a job, and its result as that of a request. */
  const follow = async (id: string) => {
    const key = apiKey === "" ? await askForKey() : apiKey;
    if (key === undefined) return;
    const abort = new AbortController();
    const stop = () => abort.abort();
    const cancel = () => void callJson(key, "POST", `${JOBS}/${id}/cancel`).catch(stopped);
    const progressed = (progress: Progress) => setRunning({ state: "running", progress, stop, cancel });
    progressed({ phase: "queued", part: undefined });
    try {
      const job = await followJob(key, id, progressed, abort.signal);
      const response = await resultOf(key, job, progressed, abort.signal);
      const name = response.fileName ?? nameFor(operation, entries, response.type);
      finish({ state: "done", response, name, input: workspace.jobInputs[id] });
    } catch (error) {
      stopped(error);
    }
  };

  const tryExample = (): void => {
    const fetched = exampleValues(operation);
    hold(fetched.then((example) => setValues(() => example)));
    void fetched.then((example) => start(example)).catch(stopped);
  };

  const use = (chosen: readonly LocalFile[], name: string): void => {
    const other = operations.find((one) => one.name === name);
    const into = other && documentField(other);
    if (!other || !into) return;
    setWorkspace((workspace) => {
      const { texts, files } = valuesIn(workspace, other);
      return withValues(workspace, other, { texts, files: { ...files, [into.name]: chosen } });
    });
    location.hash = `#/${name}`;
  };

  return (
    <>
      <section class="request" aria-labelledby="operation-title">
        <header>
          <h1 id="operation-title" tabIndex={-1}>
            {operation.summary}
          </h1>
          <p class="endpoint">
            <span class="verb">POST</span> <code>{operation.path}</code>
          </p>
          <details class="about">
            <summary>Details</summary>
            <Prose text={operation.description} />
          </details>
        </header>
        <Arriving value={hold}>
          <Form
            operation={operation}
            operations={operations.filter(({ fields }) => !fields.some(isSteps))}
            values={values}
            change={(name, change) => {
              setValues(change);
              setTouched((touched) => new Set([...touched, name]));
            }}
            issues={issues}
            running={running !== undefined}
            waits={arrivals > 0}
            pdf={pdf}
            forms={{ formFields, look: setSpot }}
            usage={usage}
            becomesJob={isLarge(entries, usage?.limits)}
            submit={(texts) => void start({ ...values, texts: { ...values.texts, ...texts } })}
            submitJob={() => void start(values, "respond-async")}
          />
        </Arriving>
      </section>
      <div class="outcome">
        <section class="card result" aria-labelledby="result-title" ref={result} tabIndex={-1}>
          <h2 id="result-title" class="visually-hidden">
            Result
          </h2>
          <Result
            {...{ run, values, description, operations, use, preview }}
            isOutdated={response?.error !== undefined && touched.size > 0}
            tryExample={tryExample}
          />
        </section>
        <section class="card code-card" aria-labelledby="code-title">
          <h2 id="code-title" class="visually-hidden">
            This request as code
          </h2>
          <Code operation={operation} entries={entries} apiKey={apiKey} response={response} log={workspace.log} />
        </section>
      </div>
      {isDragging && field && (
        <p class="drop-hint" aria-hidden="true">
          Drop to use as <code>{field.name}</code>
        </p>
      )}
    </>
  );
}
