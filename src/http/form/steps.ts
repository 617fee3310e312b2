import { FormReader, isFileName } from "./form-reader.ts";
import { type FormChecks, OperationForm, type ReadForm } from "./form.ts";
import { ApiError } from "../errors/api-error.ts";
import { invalidFields, shownName, unknownIssue } from "../errors/invalid-fields.ts";
import { oneOf } from "../errors/schema-issues.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import type { Operation } from "../../operations/definition/define.ts";
import { defaultsBeforeStep, canPrecede } from "../../operations/definition/modes.ts";
import { type FieldIssue, type Fields, type Input, takesJson } from "../../operations/definition/fields.ts";
import { composed, madeField, type Step } from "../../operations/pipeline.ts";
import { errorOfStep } from "../errors/request-errors.ts";

type Part = FormPart<EngineBytes>;

/** How a step refers to a file of the request. */
const PART = "part:";

/**
 * Turns the form of a pipeline into its steps. Each is read as the form of its operation: its parameters become the text fields that
 * they would be in a request of its own. The problems of all steps are thrown at once, malformed page ranges too.
 */
export async function readSteps<F extends Fields>(
  pipeline: Operation<F>,
  parts: readonly Part[],
  { countPages, urlIssue, issues: others = [] }: FormChecks,
): Promise<ReadForm<F>> {
  const { steps: operations = [] } = pipeline;
  const named = parts.map((part) => [part.field, part] as const);
  const own = named.filter(([name]) => Object.hasOwn(pipeline.fields, name));
  const list = new OperationForm(pipeline, own, { urlIssue });
  if (list.issues.length > 0) throw invalidFields(list.issues);
  const given = list.values.inputWith(new Map())["steps"] as readonly Readonly<Record<string, unknown>>[];

  const files = new FormReader(
    named.filter(([name]) => !Object.hasOwn(pipeline.fields, name)),
    { urlIssue },
  );
  const read = given.map((parameters, index) => {
    const operation = operations.find(({ name }) => name === parameters["operation"]);
    const place = { isFirst: index === 0, isLast: index === given.length - 1 };
    return operation
      ? { step: index + 1, ...readStep(operation, parameters, files, { ...place, urlIssue }) }
      : { step: index + 1, issues: [unknownOperation(parameters["operation"], operations)] };
  });
  const forms = read.flatMap((one) => ("form" in one ? [one] : []));
  const issues = [...read.flatMap(numbered), ...unused(files), ...others];
  const hasMalformed = forms.some(({ form }) => form.malformedRanges().length > 0);
  if (issues.length > 0 || hasMalformed) {
    const pageIssues = forms.map(async ({ step, form }) => {
      const found = step === 1 ? await form.pageIssues(countPages) : form.malformedRanges();
      return numbered({ step, issues: found });
    });
    throw invalidFields([...issues, ...(await Promise.all(pageIssues)).flat()]);
  }

  return {
    operation: composed(
      pipeline,
      forms.map(({ form }) => form.operation),
    ),
    ignored: forms.flatMap(({ step, form }) => form.ignored.map((name) => `${step}.${name}`)),
    files: forms.flatMap(({ form }) => form.reader.files),
    inputWith(loaded) {
      const steps = forms.map(({ step, operation, form }): Step => {
        atStep(step, operation, () => form.checkKinds(loaded));
        const { made: taken, files: taking } = form.reader;
        return {
          operation,
          files: taking.flatMap((file) => loaded.get(file) ?? []),
          password: (taken ?? form.values.file)?.password,
          inputWith(made) {
            if (!taken || !made) return form.values.inputWith(loaded);
            return form.values.inputWith(new Map([...loaded, [taken, { ...made, ...taken }]]));
          },
        };
      });
      return { steps } as unknown as Input<F>;
    },
  };
}

interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly urlIssue: FormChecks["urlIssue"];
}

function readStep(
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
  files: FormReader,
  { isFirst, isLast, urlIssue }: Place,
): { operation: Operation; form: OperationForm<Fields>; issues: readonly FieldIssue[] } {
  const issues: FieldIssue[] = [];
  const parts: (readonly [string, Part])[] = [];
  const parameters = isLast ? given : { ...defaultsBeforeStep(operation), ...given };
  for (const [name, value] of Object.entries(parameters)) {
    if (name === "operation") continue;
    const found = isFileName(operation.fields, name) ? namedParts(value, files) : textOf(operation.fields, name, value);
    if (typeof found === "string") issues.push({ name: shownName(name), issue: found });
    else for (const part of found) parts.push([name, part]);
  }
  if (isFirst) {
    for (const name of files.names) {
      if (isFileName(operation.fields, name)) for (const part of files.take(name)) parts.push([name, part]);
    }
  }
  const made = isFirst ? undefined : madeField(operation);
  const form = new OperationForm(operation, parts, { urlIssue, made });
  // A parameter that could not be read is not missing.
  const reported = new Set(issues.map(({ name }) => name));
  issues.push(...form.issues.filter(({ name }) => !reported.has(name)));
  if (!isFirst && made === undefined) {
    issues.push({ name: "operation", issue: "must be the first step: it does not take a PDF" });
  }
  if (!isLast) {
    issues.push(
      ...form.values.issuesOf((input) => {
        const issue = "must be the last step: with these parameters, its result is not one PDF";
        return canPrecede(operation, input) ? [] : [{ name: "operation", issue }];
      }),
    );
  }
  return { operation, form, issues };
}

/** The file that a step refers to, or the issue of the reference. */
function namedParts(value: unknown, files: FormReader): readonly Part[] | string {
  const name = typeof value === "string" && value.startsWith(PART) ? value.slice(PART.length) : undefined;
  if (name === undefined) return `must name a file of the request, such as "${PART}logo"`;
  const parts = files.take(name);
  return parts.length > 0 ? parts : `names \`${shownName(name)}\`, which the request does not have`;
}

/** A parameter as a text field, or its issue. `null` counts as not sent. */
function textOf(fields: Fields, name: string, value: unknown): readonly Part[] | string {
  const text = (content: string): readonly Part[] => [{ kind: "text", field: name, value: content }];
  if (typeof value !== "object") return text(String(value));
  if (value === null) return text("");
  const field = fields[name];
  if (field && !(field.kind === "text" && takesJson(field))) return "must not be an object or an array";
  return text(JSON.stringify(value));
}

function unused(files: FormReader): FieldIssue[] {
  return files.unknown.map((name) => ({ name: shownName(name), issue: "is not used by any step" }));
}

function unknownOperation(value: unknown, operations: readonly Operation[]): FieldIssue {
  if (value === undefined) return { name: "operation", issue: "is required" };
  const names = operations.map(({ name }) => name);
  const issue = `must be ${oneOf(names)}`;
  return { name: "operation", issue: typeof value === "string" ? unknownIssue(issue, value, names) : issue };
}

function numbered({ step, issues }: { readonly step: number; readonly issues: readonly FieldIssue[] }): FieldIssue[] {
  return issues.map((issue) => ({ step, ...issue }));
}

/** Runs `work` for a step: an error names it. */
function atStep(step: number, { name }: Operation, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw errorOfStep(error, step, name);
  }
}
