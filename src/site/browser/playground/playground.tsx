import { useEffect, useRef, useState } from "preact/hooks";
import { callOperation, fieldIssues, type Progress } from "../api/call.ts";
import type { Description, Operation } from "../../description/description.ts";
import { entriesOf, type FormValues, initialTexts, type ReferredFile } from "../../description/form-values.ts";
import { nameFor } from "../../description/result-file.ts";
import type { Field } from "../../description/fields.ts";
import { isStepsField } from "../../description/steps.ts";
import { askForKey } from "../parts/key-dialog.tsx";
import { Prose } from "../parts/prose.tsx";
import { Code } from "./code.tsx";
import { Form } from "./form.tsx";
import { Result, type Run } from "./result.tsx";
import { referredFile } from "../api/stored-files.ts";
import { exampleValues } from "./samples.ts";

interface Props {
  readonly operations: readonly Operation[];
  readonly description: Description;
  /** The operation's name; the first operation if there is none with that name. */
  readonly route: string;
  /** References to stored files, by field: `file=file_...`. */
  readonly query: string | undefined;
  readonly apiKey: string;
}

export function Playground({ operations, description, route, query, apiKey }: Props) {
  const operation = operations.find(({ name }) => name === route) ?? operations[0];
  if (operation === undefined) return <p class="notice">The API has no operations.</p>;
  return (
    <div class="playground">
      <Operations operations={operations} current={operation} />
      <Try key={`${operation.name}?${query}`} {...{ operation, operations, description, query, apiKey }} />
    </div>
  );
}

function Operations({ operations, current }: { operations: readonly Operation[]; current: Operation }) {
  return (
    <>
      <nav class="operations" aria-label="Operations">
        <h2>Operations</h2>
        <ul>
          {operations.map((operation) => (
            <li key={operation.name}>
              <a
                href={`#/${operation.name}`}
                title={operation.summary}
                aria-current={operation === current ? "true" : undefined}
              >
                {operation.name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="operation-choice field">
        <label for="operation">Operation</label>
        <select id="operation" onChange={(event) => (location.hash = `#/${event.currentTarget.value}`)}>
          {operations.map(({ name }) => (
            <option key={name} selected={name === current.name}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </>
  );
}

const isSteps = (field: Field): boolean => field.kind === "value" && isStepsField(field);

/** One operation: its form, the result, and the request as code. */
function Try({ operation, operations, description, query, apiKey }: Omit<Props, "route"> & { operation: Operation }) {
  const [values, setValues] = useState<FormValues>(() => ({ texts: initialTexts(operation.fields), files: {} }));
  const [run, setRun] = useState<Run>();
  // Parameters changed since the last run: their issues may be fixed.
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const result = useRef<HTMLElement>(null);
  const entries = entriesOf(operation.fields, values);
  const response = run?.state === "done" ? run.response : undefined;
  const isTouched = (name: string): boolean => touched.has(/^\d+ /.test(name) ? "steps" : name);
  const issues = new Map([...fieldIssues(response?.error)].filter(([name]) => !isTouched(name)));

  useEffect(() => {
    for (const [name, reference] of new URLSearchParams(query)) {
      const setFile = (file: ReferredFile) =>
        setValues(({ texts, files }) => ({ texts, files: { ...files, [name]: [file] } }));
      void referredFile(reference).then(setFile);
    }
  }, []);
  useEffect(() => () => (run?.state === "running" ? run.stop() : undefined), [run?.state]);
  useEffect(() => {
    if (response?.error) document.querySelector<HTMLElement>("form [aria-invalid=true]")?.focus();
    else if (response) result.current?.focus({ preventScroll: true });
    if (response) result.current?.scrollIntoView({ block: "nearest" });
  }, [response]);

  const start = async (values: FormValues, prefer?: "respond-async") => {
    const key = apiKey === "" ? await askForKey() : apiKey;
    if (key === undefined) return;
    const entries = entriesOf(operation.fields, values);
    setTouched(new Set());
    const abort = new AbortController();
    const stop = () => abort.abort();
    const progressed = (progress: Progress) => setRun({ state: "running", progress, stop });
    try {
      const response = await callOperation(key, operation.path, entries, progressed, abort.signal, prefer);
      if (response.status === 202) location.hash = "#/jobs";
      else setRun({ state: "done", response, name: response.fileName ?? nameFor(operation, entries, response.type) });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") setRun(undefined);
      else setRun({ state: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  };

  const tryExample = async () => {
    const example = await exampleValues(operation);
    setValues(example);
    await start(example);
  };

  return (
    <>
      <section class="request" aria-labelledby="operation-title">
        <header>
          <p class="endpoint">
            <span class="verb">POST</span> <code>{operation.path}</code>
          </p>
          <h1 id="operation-title">{operation.summary}</h1>
          <details class="about">
            <summary>Details</summary>
            <Prose text={operation.description} />
          </details>
        </header>
        <Form
          fields={operation.fields}
          operations={operations.filter(({ fields }) => !fields.some(isSteps))}
          values={values}
          change={(name, change) => {
            setValues(change);
            setTouched(new Set([...touched, name]));
          }}
          issues={issues}
          running={run?.state === "running"}
          submit={() => void start(values)}
          submitJob={() => void start(values, "respond-async")}
        />
      </section>
      <div class="outcome">
        <section class="card result" aria-labelledby="result-title" ref={result} tabIndex={-1}>
          <h2 id="result-title" class="visually-hidden">
            Result
          </h2>
          <Result run={run} values={values} description={description} tryExample={() => void tryExample()} />
        </section>
        <section class="card" aria-labelledby="code-title">
          <h2 id="code-title" class="visually-hidden">
            This request as code
          </h2>
          <Code operation={operation} entries={entries} apiKey={apiKey} response={response} />
        </section>
      </div>
    </>
  );
}
