import { applies, type FormValues } from "../../description/form-values.ts";
import type { Operation } from "../../description/description.ts";
import type { Field, ValueField } from "../../description/fields.ts";
import {
  fieldsOfStep,
  filesOf,
  newStep,
  textOfSteps,
  textsOf,
  withFiles,
  withText,
} from "../../description/pipeline-steps.ts";
import { type Step, stepsIn } from "../../description/steps.ts";
import { Inline } from "../parts/prose.tsx";
import { FileInput, FilesInput } from "./files.tsx";
import { ValueInput } from "./value-input.tsx";

interface Props {
  readonly field: ValueField;
  /** Those that a step can be. */
  readonly operations: readonly Operation[];
  readonly values: FormValues;
  readonly change: (change: (values: FormValues) => FormValues) => void;
  /** By number of the step and parameter: `2 angle`. */
  readonly issues: ReadonlyMap<string, string>;
}

/** The steps of a pipeline: they can be added, moved, and removed. */
export function StepsInput({ field, operations, values, change, issues }: Props) {
  const { name, label, description } = field;
  const steps = stepsIn(values.texts[name]);
  const set = (edit: (steps: readonly Step[]) => readonly Step[]): void =>
    change(({ texts, files }) => ({
      files,
      texts: { ...texts, [name]: textOfSteps(edit(stepsIn(texts[name])), operations) },
    }));
  const setStep = (index: number, edit: EditStep): void =>
    change(({ texts, files }) => {
      const all = stepsIn(texts[name]);
      const step = all[index];
      if (step === undefined) return { texts, files };
      const edited = edit(step, files);
      return {
        files: edited.files,
        texts: { ...texts, [name]: textOfSteps(all.with(index, edited.step), operations) },
      };
    });
  const move = (from: number, to: number): void =>
    set((all) => all.toSpliced(from, 1).toSpliced(to, 0, ...all.slice(from, from + 1)));
  const most = field.schema.contentSchema?.maxItems ?? Infinity;
  return (
    <fieldset class="field steps">
      <legend>
        {label} <code class="api-name">{name}</code>
        <span class="required">required</span>
      </legend>
      <p class="about">
        <Inline text={description} />
      </p>
      <ol>
        {steps.map((step, index) => {
          const operation = operations.find((one) => one.name === step["operation"]);
          const title = `step ${index + 1}`;
          return (
            <li key={`${index} ${operation?.name}`} aria-label={`Step ${index + 1}: ${operation?.name}`}>
              <header>
                <strong>
                  {index + 1}. {operation?.name}
                </strong>
                <span class="grow" />
                <button
                  type="button"
                  class="plain"
                  disabled={index === 0}
                  aria-label={`Move ${title} up`}
                  onClick={() => move(index, index - 1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  class="plain"
                  disabled={index === steps.length - 1}
                  aria-label={`Move ${title} down`}
                  onClick={() => move(index, index + 1)}
                >
                  ↓
                </button>
                <button
                  type="button"
                  class="plain"
                  aria-label={`Remove ${title}`}
                  onClick={() => set((all) => all.toSpliced(index, 1))}
                >
                  ✕
                </button>
              </header>
              {operation && (
                <StepFields
                  operation={operation}
                  step={step}
                  files={values.files}
                  change={(edit) => setStep(index, edit)}
                  issues={issuesOf(index + 1, issues)}
                />
              )}
            </li>
          );
        })}
      </ol>
      {steps.length < most && (
        <select
          aria-label="Add a step"
          onChange={(event) => {
            const chosen = operations.find((one) => one.name === event.currentTarget.value);
            event.currentTarget.value = "";
            if (chosen) set((all) => [...all, newStep(chosen)]);
          }}
        >
          <option value="">Add a step…</option>
          {operations.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      )}
      {issues.has(name) && (
        <p class="issue">
          <Inline text={issues.get(name) ?? ""} />
        </p>
      )}
    </fieldset>
  );
}

/** The issues of one step, by parameter. */
function issuesOf(step: number, issues: Props["issues"]): ReadonlyMap<string, string> {
  const start = `${step} `;
  return new Map(
    [...issues].flatMap(([key, issue]) => (key.startsWith(start) ? [[key.slice(start.length), issue] as const] : [])),
  );
}

/** Changes a step, and the files that it refers to. */
type EditStep = (
  step: Step,
  files: FormValues["files"],
) => { readonly step: Step; readonly files: FormValues["files"] };

interface StepFieldsProps {
  readonly operation: Operation;
  readonly step: Step;
  readonly files: FormValues["files"];
  readonly change: (edit: EditStep) => void;
  readonly issues: ReadonlyMap<string, string>;
}

function StepFields({ operation, step, files, change, issues }: StepFieldsProps) {
  const texts = textsOf(operation, step);
  const shown = fieldsOfStep(operation).filter((field) => applies(field, texts));
  const others = [...issues].filter(([name]) => !shown.some((field) => name.startsWith(field.name)));
  const input = (field: Field) => {
    const issue = issues.get(field.name);
    if (field.kind === "value") {
      const set = (text: string): void => change((step, files) => ({ step: withText(step, field, text), files }));
      return <ValueInput key={field.name} field={field} value={texts[field.name] ?? ""} change={set} issue={issue} />;
    }
    const chosen = filesOf(field, step, files);
    const choose: Parameters<typeof FileInput>[0]["choose"] = (edit) =>
      change((step, files) => withFiles(field, step, edit(filesOf(field, step, files)), files));
    if (field.kind === "file") {
      return <FileInput key={field.name} {...{ operation, field }} chosen={chosen} choose={choose} issue={issue} />;
    }
    const list = { ...field, passwords: undefined };
    return (
      <FilesInput key={field.name} operation={operation} field={list} chosen={chosen} choose={choose} issues={issues} />
    );
  };
  const needed = shown.filter((field) => field.required || field.isAlternative || Object.keys(field.when).length > 0);
  const further = shown.filter((field) => !needed.includes(field));
  return (
    <>
      {needed.map(input)}
      {further.length > 0 && (
        <details open={further.some(({ name }) => issues.has(name))}>
          <summary>Optional</summary>
          {further.map(input)}
        </details>
      )}
      {others.map(([name, issue]) => (
        <p class="issue" key={name}>
          <code>{name}</code> <Inline text={issue} />
        </p>
      ))}
    </>
  );
}
