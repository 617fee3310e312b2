/** The Refusals that operations make of their parameters, and of the Refusals of the engines. Those of limits are in limit-errors.ts. */
import { invalidParameter, Refusal } from "../../engines/errors.ts";
import { MiB } from "../../limits.ts";
import type { FieldIssue } from "./fields.ts";

/** Two or more parameters that name pages. */
export const pagesMissing = (fields: readonly FieldIssue[]): Refusal =>
  new Refusal("invalid_parameters", "`pages` and `rotations` name pages that the document does not have.", { fields });

/** The message has the first problem, `details.fields` all of them. */
export const fieldsInvalid = (first: FieldIssue, fields: readonly FieldIssue[]): Refusal =>
  new Refusal("invalid_parameters", invalidParameter(first.name, first.issue).message, { fields });

/** A Refusal for a lack of memory or work that already names the field that helps. */
class AdvisedRefusal extends Refusal {}

/** Fields that lower the resolution, on which memory and work depend. */
const RESOLUTIONS = ["dpi", "imageMaxDpi"];

/** `fields`: names of the operation's parameters. A Refusal for a lack of memory or work gets the one that helps. */
export function withAdvice(refusal: Refusal, fields: readonly string[]): Refusal {
  const { code, message, details, cause } = refusal;
  const field = RESOLUTIONS.find((name) => fields.includes(name));
  const isOfEngine = details?.["limit"] === "memory" || details?.["limit"] === "work";
  if (field === undefined || !isOfEngine || refusal instanceof AdvisedRefusal) return refusal;
  return new AdvisedRefusal(code, `${message} A lower \`${field}\` also helps.`, details, { cause });
}

/** A Refusal that names its step. */
class StepRefusal extends Refusal {}

/** A message about a step of a pipeline (1-based). */
export const messageOfStep = (step: number, operation: string, message: string): string =>
  `Step ${step} (\`${operation}\`): ${message}`;

/** A Refusal with the number (1-based) and the operation of its step, unless it has them. */
export function ofStep(refusal: Refusal, step: number, operation: string): Refusal {
  if (refusal instanceof StepRefusal) return refusal;
  const { code, message, details = {}, cause } = refusal;
  const fields = details["fields"];
  const numbered = Array.isArray(fields) && { fields: fields.map((field: object) => ({ ...field, step })) };
  return new StepRefusal(code, messageOfStep(step, operation, message), { ...details, ...numbered, step }, { cause });
}

/** For the step that would have to hold the result of the step before. */
export function resultTooLarge(step: number, operation: string, limit: number, actual: number): Refusal {
  const size = `${Math.ceil(actual / MiB)} MiB`;
  const message = `the result of the step before has ${size}. \`${operation}\` takes files of up to ${limit / MiB} MiB, because it needs all of them in memory.`;
  return new StepRefusal("limit_exceeded", messageOfStep(step, operation, message), { limit, actual, step });
}
