import type { ValueField } from "./fields.ts";

/** A step of a pipeline, as sent. */
export type Step = Readonly<Record<string, unknown>>;

/** How a step refers to a part of the request. */
export const PART = "part:";

/** Whether a field has the steps of a pipeline. */
export const isStepsField = ({ schema }: ValueField): boolean => schema.contentSchema?.items?.oneOf !== undefined;

/** The steps in the text of their field; none if it is not valid. */
export function stepsIn(text: string | undefined): Step[] {
  try {
    const steps: unknown = JSON.parse(text ?? "");
    return Array.isArray(steps) ? steps.filter((step) => typeof step === "object" && step !== null) : [];
  } catch {
    return [];
  }
}

/** The names of the parts that steps refer to. */
export const partsIn = (text: string | undefined): string[] => {
  const values = stepsIn(text).flatMap((step) => Object.values(step));
  const parts = values.filter((value) => typeof value === "string" && value.startsWith(PART)) as string[];
  return [...new Set(parts.map((part) => part.slice(PART.length)))];
};
