/** Operations and pipelines: from words to requests. */
import { commands } from "../generated-commands.ts";
import type { Command, Parameter } from "./command.ts";
import { usageFailure } from "./failure.ts";
import type { InputFile, Inputs } from "./input-files.ts";
import { type Given, kebab, type Option, readWords } from "./options.ts";
import type { FormPart, FormRequest } from "./service.ts";
import { nearest } from "../nearest.ts";

/** Options of all commands. */
export const commonOptions: readonly Option[] = [
  {
    name: "url",
    kind: "value",
    placeholder: "URL",
    description: "The address of the service. Default: PDF_SERVICE_URL.",
  },
  { name: "json", kind: "flag", description: "Describe the result, or the error, as JSON." },
  { name: "quiet", short: "q", kind: "flag", description: "Show no progress and no warnings." },
  { name: "help", short: "h", kind: "flag", description: "Show this help." },
];

/** Options of all commands that write a result. */
export const resultOptions: readonly Option[] = [
  {
    name: "out",
    short: "o",
    kind: "value",
    placeholder: "PATH",
    description: "Where the result goes: a file, a folder, or - for standard output. Default: a new file here.",
  },
  { name: "force", short: "f", kind: "flag", description: "Replace existing files that -o does not name." },
];

/** Options of operations and pipelines, besides their parameters. */
export const operationOptions: readonly Option[] = [
  ...resultOptions,
  { name: "then", kind: "value", placeholder: "OPERATION", description: "Run another operation on the resulting PDF." },
  { name: "job", kind: "flag", description: "Run as a job. Large files and long work do so by themselves." },
  { name: "detach", kind: "flag", description: "Start a job, print its ID, and do not wait for it." },
  {
    name: "expires-in",
    kind: "value",
    placeholder: "SECONDS",
    description: "How long the result of a job is kept. Default: 86400.",
  },
  {
    name: "deliver-to",
    kind: "value",
    placeholder: "URL",
    description: "Where the service sends the result of a job, with PUT.",
  },
  {
    name: "on-page-error",
    kind: "value",
    values: ["fail", "continue"],
    description: "Whether a job goes on without pages that fail, if it works page by page.",
  },
  ...commonOptions,
];

/** The parameter that arguments are for. */
export const mainOf = ({ parameters, atLeastOneOf }: Command): Parameter | undefined =>
  parameters.find(({ kind, required, field }) => kind === "file" && (required || atLeastOneOf.includes(field)));

/** The options of a command's own parameters. */
export function parameterOptions(command: Command): Option[] {
  const main = mainOf(command);
  return command.parameters
    .filter((parameter) => parameter !== main)
    .map(({ field, kind, values, description }) => ({
      name: kebab(field).replace("{-n}", "{N}"),
      kind: kind === "boolean" ? "flag" : "value",
      placeholder: kind === "file" ? "FILE" : kind === "json" ? "JSON" : "VALUE",
      description,
      isParameter: true,
      ...(values && { values }),
    }));
}

/** A step, as typed: one for an operation, several for a pipeline. */
export interface TypedStep {
  readonly command: Command;
  readonly words: readonly string[];
  /** The option of each parameter, as typed, by the name of the field. */
  readonly typed: ReadonlyMap<string, string>;
  readonly values: readonly (readonly [field: string, value: string])[];
}

export function commandNamed(name: string): Command {
  const command = commands.find((one) => one.name === name);
  if (command) return command;
  const near = nearest(
    name,
    commands.map((one) => one.name),
  );
  throw usageFailure(`There is no operation ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`);
}

/** Divides the words of a command into its steps, and its options that are for all of them. */
export function readSteps(first: Command, words: readonly string[]): { steps: TypedStep[]; given: Given[] } {
  const steps: TypedStep[] = [];
  const others: Given[] = [];
  let command = first;
  let rest = words;
  for (;;) {
    const own = parameterOptions(command);
    // A parameter of the operation wins over an option of all commands.
    const general = operationOptions.filter(({ name }) => !own.some((option) => option.name === name));
    const end = rest.findIndex((word) => word === "--then" || word.startsWith("--then="));
    const given = readWords(end < 0 ? rest : rest.slice(0, end), [...own, ...general], command.name);
    others.push(...given.filter(({ option }) => option && !own.includes(option)));
    steps.push(
      stepOf(
        command,
        given.filter(({ option }) => !option || own.includes(option)),
      ),
    );
    if (end < 0) return { steps, given: others };
    const then = rest[end] ?? "";
    const isInline = then.includes("=");
    const name = isInline ? then.slice(then.indexOf("=") + 1) : rest[end + 1];
    if (name === undefined) throw usageFailure("--then needs an operation.");
    command = commandNamed(name);
    rest = rest.slice(end + (isInline ? 1 : 2));
  }
}

function stepOf(command: Command, given: readonly Given[]): TypedStep {
  const typed = new Map<string, string>();
  const values: (readonly [string, string])[] = [];
  const fields = new Map(command.parameters.map(({ field }) => [kebab(field).replace("{-n}", "{N}"), field]));
  for (const { option, name, typed: word, value } of given) {
    if (!option) continue;
    const number = option.name.endsWith("{N}") ? name.slice(option.name.length - 3) : "";
    const field = (fields.get(option.name) ?? name).replace("{N}", number);
    if (typed.has(field)) throw usageFailure(`${word} is given twice.`);
    typed.set(field, word);
    values.push([field, value]);
  }
  const reads = readingAction(command);
  const isChange = [...typed.keys()].some((field) => field !== "password");
  if (reads !== undefined && !isChange) values.push(["action", reads]);
  return { command, words: given.flatMap(({ option, value }) => (option ? [] : [value])), typed, values };
}

/** The action of a command that only reads: `metadata a.pdf` is `metadata a.pdf --action get`. */
const readingAction = ({ parameters }: Command): string | undefined =>
  parameters.find(({ field }) => field === "action")?.values?.find((value) => value === "get" || value === "list");

/** Checks what can be known before files are read. */
function check({ command, typed, values, words }: TypedStep, isFirst: boolean): void {
  const main = mainOf(command);
  const asOption = (field: string): string => `--${kebab(field)}`;
  if (isFirst && main?.required && words.length === 0) {
    throw usageFailure(`${command.name} needs ${main.isList ? "files" : "a file"}. Use - for standard input.`);
  }
  if (!isFirst && !command.takesPdf) throw usageFailure(`${command.name} takes no PDF, so it cannot follow --then.`);
  const missing = command.parameters
    .filter((one) => one !== main && one.required && !values.some(([field]) => field === one.field))
    .map(({ field }) => asOption(field));
  if (missing.length > 0) throw usageFailure(`${command.name} needs ${missing.join(" and ")}.`);
  const { atLeastOneOf } = command;
  const isGiven = (field: string): boolean => typed.has(field) || (field === main?.field && words.length > 0);
  if (atLeastOneOf.length > 0 && !atLeastOneOf.some(isGiven)) {
    throw usageFailure(`${command.name} needs ${atLeastOneOf.map(asOption).join(" or ")}.`);
  }
}

/** A request for each file, if the operation takes one and there are several. */
export async function requestsOf(steps: readonly TypedStep[], inputs: Inputs): Promise<FormRequest[]> {
  for (const [index, step] of steps.entries()) check(step, index === 0);
  const [first, ...further] = steps;
  if (!first) return [];
  const files = await inputs.files(first.words);
  const main = mainOf(first.command);
  const { least = 1 } = main ?? {};
  if (main?.isList === true && files.length < least) {
    throw usageFailure(`${first.command.name} needs at least ${least} files, not ${files.length}.`);
  }
  const parameters = await parametersOf(first, inputs);
  const rest = await Promise.all(
    further.map(async (step) => ({
      step,
      files: await inputs.files(step.words),
      parts: await parametersOf(step, inputs),
    })),
  );
  const groups = main === undefined || main.isList ? [files] : files.map((file) => [file]);
  return groups.map((group) => {
    const named = group.map((file, index): FormPart => {
      const field = (main?.field ?? "file").replace("{N}", String(index));
      return [field, file];
    });
    if (rest.length === 0) {
      const { path, isPageByPage } = first.command;
      return { path, isPageByPage, parts: [...named, ...parameters], typed: typedFiles(named) };
    }
    const all = [{ step: first, files: [], parts: parameters }, ...rest];
    return pipelineOf(named, all);
  });
}

/** The parameters of a step, with the files that they refer to. */
async function parametersOf({ command, values }: TypedStep, inputs: Inputs): Promise<FormPart[]> {
  const parts: FormPart[] = [];
  for (const [field, value] of values) {
    const parameter = command.parameters.find((one) => one.field === field);
    parts.push([field, parameter?.kind === "file" ? await inputs.file(value) : await inputs.text(value)]);
  }
  return parts;
}

interface ReadStep {
  readonly step: TypedStep;
  readonly files: readonly InputFile[];
  readonly parts: readonly FormPart[];
}

function pipelineOf(first: readonly FormPart[], steps: readonly ReadStep[]): FormRequest {
  const parts: FormPart[] = [...first];
  const described = steps.map(({ step: { command }, files, parts: own }, index) => {
    const step: Record<string, string> = { operation: command.name };
    const add = (field: string, value: FormPart[1]): void => {
      if (typeof value === "string") {
        step[field] = value;
        return;
      }
      const part = `step${index + 1}-${field}`;
      parts.push([part, value]);
      step[field] = `part:${part}`;
    };
    for (const [field, value] of own) add(field, value);
    // The PDF of the step before is the first file of a list.
    const main = mainOf(command);
    if (files.length > 0 && !main?.isList) {
      throw usageFailure(`${command.name} works on the PDF of the step before, and takes no file.`);
    }
    for (const [at, file] of files.entries()) add((main?.field ?? "").replace("{N}", String(at + 1)), file);
    return step;
  });
  return {
    path: "/api/v1/pipeline",
    isPageByPage: false,
    parts: [...parts, ["steps", JSON.stringify(described)]],
    typed: typedFiles(parts),
  };
}

const typedFiles = (parts: readonly FormPart[]): ReadonlyMap<string, string> =>
  new Map(parts.flatMap(([field, value]) => (typeof value === "string" ? [] : [[field, value.typed] as const])));
