import type { Operation } from "./description.ts";
import type { Field, ValueField } from "./fields.ts";
import { type ChosenFile, type FormValues, initialTexts } from "./form-values.ts";
import { allows } from "./schema.ts";
import { PART, type Step } from "./steps.ts";

/** The part of the request with the file of the first step. */
const DOCUMENT = "file";

export const newStep = ({ name, fields }: Operation): Step => {
  const required = Object.entries(initialTexts(fields.filter((field) => field.required)));
  return { operation: name, ...Object.fromEntries(required) };
};

/** The fields of a step that can be filled in: its PDF is that of the step before, or of the request. */
export function fieldsOfStep({ fields }: Operation): Field[] {
  const taken = documentField({ fields });
  return fields.filter((field) => field !== taken || field.kind === "files");
}

const documentField = ({ fields }: Pick<Operation, "fields">): Field | undefined =>
  fields.find((field) => field.kind !== "value" && field.accept.includes("application/pdf"));

/** The parameters of a step as the text fields of a form. */
export function textsOf({ fields }: Operation, step: Step): Record<string, string> {
  const texts = initialTexts(fields.filter((field) => !field.required));
  for (const [name, value] of Object.entries(step)) {
    if (name !== "operation") texts[name] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return texts;
}

export function withText(step: Step, { name, schema }: ValueField, text: string): Step {
  const { [name]: _before, ...others } = step;
  const isDefault = schema.default !== undefined && String(schema.default) === text;
  return text === "" || isDefault ? others : { ...others, [name]: valueOf(schema, text) };
}

function valueOf(schema: ValueField["schema"], text: string): unknown {
  if (allows(schema, "boolean")) return text === "true";
  const isNumber = allows(schema, "number") || allows(schema, "integer");
  if (isNumber && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (schema.contentSchema === undefined) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The names of the files of a step that a field has. */
function namesOf(field: Field, step: Step): string[] {
  if (field.kind !== "files") return [field.name];
  const names = Object.keys(step).filter(
    (name) => name.startsWith(field.name) && /^\d+$/.test(name.slice(field.name.length)),
  );
  return names.toSorted((a, b) => Number(a.slice(field.name.length)) - Number(b.slice(field.name.length)));
}

/** The files that a step has in a field, without the one of the step before. */
export function filesOf(field: Field, step: Step, files: FormValues["files"]): ChosenFile[] {
  return namesOf(field, step).flatMap((name) => {
    const part = partOf(step, name);
    return part === undefined || part === DOCUMENT ? [] : (files[part]?.slice(0, 1) ?? []);
  });
}

const partOf = (step: Step, name: string): string | undefined => {
  const value = step[name];
  return typeof value === "string" && value.startsWith(PART) ? value.slice(PART.length) : undefined;
};

/** Puts files into a field of a step: each is a part of the request. */
export function withFiles(
  field: Field,
  step: Step,
  chosen: readonly ChosenFile[],
  files: FormValues["files"],
): { readonly step: Step; readonly files: FormValues["files"] } {
  const changed: Record<string, unknown> = { ...step };
  const all: Record<string, readonly ChosenFile[]> = { ...files };
  for (const name of namesOf(field, step)) {
    const part = partOf(step, name);
    if (part !== undefined && part !== DOCUMENT) delete all[part];
    delete changed[name];
  }
  for (const [index, file] of chosen.entries()) {
    let part = field.name;
    for (let number = 1; part === DOCUMENT || Object.hasOwn(all, part); number++) part = `${field.name}-${number}`;
    all[part] = [file];
    // `repaired` gives them the place after the document.
    changed[field.kind === "files" ? `${field.name}${index + 1}` : field.name] = `${PART}${part}`;
  }
  return { step: changed, files: all };
}

/** The steps as their field has them. In a list, the first file of a step is the document: of the request, or of the step before. */
export function textOfSteps(steps: readonly Step[], operations: readonly Operation[]): string {
  const repaired = steps.map((step, index) => {
    const operation = operations.find(({ name }) => name === step["operation"]);
    const field = operation?.fields.find(({ kind }) => kind !== "value");
    if (field?.kind !== "files") return step;
    const names = namesOf(field, step).filter((name) => partOf(step, name) !== DOCUMENT);
    const others = Object.entries(step).filter(([name]) => !namesOf(field, step).includes(name));
    const first = index === 0 ? [[`${field.name}0`, `${PART}${DOCUMENT}`]] : [];
    const numbered = names.map((name, at) => [`${field.name}${at + 1}`, step[name]]);
    return Object.fromEntries([...others, ...first, ...numbered]) as Step;
  });
  return JSON.stringify(repaired);
}
