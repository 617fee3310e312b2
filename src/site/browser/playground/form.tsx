import type { Operation } from "../../description/description.ts";
import { type Field, isForJobs, isPages } from "../../description/fields.ts";
import { applies, type ChosenFile, type FormValues } from "../../description/form-values.ts";
import { isStepsField, stepsIn } from "../../description/steps.ts";
import type { Usage } from "../api/usage.ts";
import { number } from "../parts/figures.ts";
import { Inline } from "../parts/prose.tsx";
import { ByPages, type FormOfPdf, needsPages } from "./pages/by-pages.tsx";
import type { OpenPdf } from "./pages/use-pdf.ts";
import { FileInput, FilesInput } from "./files.tsx";
import { StepsInput } from "./steps-input.tsx";
import { ValueInput } from "./value-input.tsx";

interface Props {
  readonly operation: Operation;
  /** Those that a step of a pipeline can be. */
  readonly operations: readonly Operation[];
  readonly values: FormValues;
  /** Changes a parameter. */
  readonly change: (name: string, change: (values: FormValues) => FormValues) => void;
  /** By parameter. */
  readonly issues: ReadonlyMap<string, string>;
  readonly running: boolean;
  /** For files that were chosen and are being fetched. */
  readonly waits: boolean;
  /** The document, if the operation has fields that are filled in by its pages. */
  readonly pdf: OpenPdf;
  readonly forms: FormOfPdf;
  readonly usage: Usage | undefined;
  /** Whether the files are too large for a request, so that Run stores them and starts a job. */
  readonly becomesJob: boolean;
  /** Runs it, with some parameters as given here. */
  readonly submit: (texts?: FormValues["texts"]) => void;
  readonly submitJob: () => void;
}

/** The form of an operation, with the inputs and descriptions of its schema. */
export function Form({ operation, operations, values, change, issues, running, waits, ...props }: Props) {
  const { fields } = operation;
  const isBusy = running || waits;
  const { pdf, forms, usage, becomesJob, submit, submitJob } = props;
  const setText = (name: string) => (text: string) =>
    change(name, (values) => ({ ...values, texts: { ...values.texts, [name]: text } }));
  const setFiles = (name: string) => (edit: (chosen: readonly ChosenFile[]) => readonly ChosenFile[]) =>
    change(name, (values) => ({ ...values, files: { ...values.files, [name]: edit(values.files[name] ?? []) } }));
  // The password of a chosen file is asked for beside its name.
  const passwordField = fields.find(({ name }) => name === "password");
  const isBesideFile = (field: Field): boolean =>
    field === passwordField &&
    (values.files["file"] ?? []).length > 0 &&
    fields.some(({ kind, name }) => kind === "file" && name === "file");
  const shown = fields.filter((field) => applies(field, values.texts));

  const input = (field: Field) => {
    const issue = issues.get(field.name);
    if (field.kind === "file") {
      const chosen = values.files[field.name] ?? [];
      const own = passwordField && field.name === "file" && chosen.length > 0;
      const password = own && {
        value: values.texts["password"] ?? "",
        set: setText("password"),
        issue: issues.get("password"),
      };
      return (
        <FileInput
          key={field.name}
          {...{ operation, field, chosen, issue }}
          choose={setFiles(field.name)}
          password={password || undefined}
        />
      );
    }
    if (field.kind === "files") {
      const chosen = values.files[field.name] ?? [];
      return (
        <FilesInput
          key={field.name}
          {...{ operation, field }}
          chosen={chosen}
          choose={setFiles(field.name)}
          issues={issues}
        />
      );
    }
    if (isStepsField(field)) {
      const changeSteps = (edit: (values: FormValues) => FormValues): void => change(field.name, edit);
      return <StepsInput key={field.name} {...{ field, operations, values, issues }} change={changeSteps} />;
    }
    const value = values.texts[field.name] ?? "";
    return (
      <ValueInput key={field.name} field={field} value={value} change={setText(field.name)} issue={issue}>
        {needsPages(field) && (
          <ByPages field={field} shown={shown} pdf={pdf} values={values} setText={setText} {...forms} />
        )}
      </ValueInput>
    );
  };

  const needed = shown.filter(
    (field) =>
      field.required ||
      field.isAlternative ||
      isTied(field) ||
      field.name === "languages" ||
      (field.kind === "value" && isPages(field)),
  );
  const forJobs = shown.filter(isForJobs);
  const further = shown.filter((field) => !needed.includes(field) && !forJobs.includes(field) && !isBesideFile(field));
  const strays = [...issues].filter(([name]) => !isShown(name, shown));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) submit();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      {needed.map(input)}
      {further.length > 0 && (
        <fieldset class="further">
          <legend>Optional</legend>
          {further.map(input)}
        </fieldset>
      )}
      {forJobs.length > 0 && (
        <details class="for-jobs" open={forJobs.some(({ name }) => issues.has(name))}>
          <summary>Job options</summary>
          <div>{forJobs.map(input)}</div>
        </details>
      )}
      {strays.map(([name, issue]) => (
        <p class="issue" key={name}>
          <code>{name}</code> <Inline text={issue} />
        </p>
      ))}
      <div class="run">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {running ? "Running…" : "Run"}
        </button>
        {fields.some(({ name }) => name === "dryRun") && (
          <button type="button" aria-disabled={isBusy} onClick={() => isBusy || submit({ dryRun: "true" })}>
            Show matches
          </button>
        )}
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || submitJob()}>
          Run as a job
        </button>
        <span class="quiet cost">
          {becomesJob ? "Large files are stored first, and Run starts a job. " : ""}
          <Cost operation={operation} operations={operations} values={values} />
          {usage && usage.remaining !== null && `, ${number(usage.remaining)} left`}
        </span>
      </div>
    </form>
  );
}

/** The price of a run: of a pipeline, the sum of its steps. */
function Cost({ operation, operations, values }: Pick<Props, "operation" | "operations" | "values">) {
  const steps = stepsIn(values.texts["steps"]).map((step) => operations.find(({ name }) => name === step["operation"]));
  const credits = operation.credits ?? steps.reduce((sum, step) => sum + (step?.credits ?? 0), 0);
  return <>{credits === 1 ? "1 credit" : `${credits} credits`}</>;
}

/** It depends on a choice above it and has no default, so it is usually required. */
function isTied(field: Field): boolean {
  if (Object.keys(field.when).length === 0) return false;
  return field.kind !== "value" || field.schema.default === undefined;
}

function isShown(name: string, shown: readonly Field[]): boolean {
  return shown.some(
    (field) =>
      field.name === name ||
      (field.kind === "value" && isStepsField(field) && /^\d+ /.test(name)) ||
      (field.kind === "files" && (name.startsWith(field.name) || name.startsWith(field.passwords ?? "\0"))),
  );
}
