import { type FieldValue, type FileInput, fileValue } from "./body.ts";
import type { JobHandle, JobOptions } from "./job.ts";
import type { FormField } from "./operations.ts";
import { type Result, result } from "./result.ts";
import type { CallOptions } from "./transport.ts";

type Parts = readonly (readonly [name: string, value: FieldValue])[];

type Make = (response: Response) => Promise<Result>;

/** Steps to run in one request, and the files that they need. */
export interface Steps {
  readonly send: (parts: Parts, options: CallOptions | undefined, make: Make) => Promise<Result>;
  readonly start: (parts: Parts, options: JobOptions | undefined, make: Make) => Promise<JobHandle<Result>>;
  readonly files: Parts;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

/** The part of the request that has the file of the first step. */
const DOCUMENT = "document";

export function stepsFor(sending: Pick<Steps, "send" | "start">, file: FileInput | string | undefined): Steps {
  return { ...sending, files: file === undefined ? [] : [[DOCUMENT, partOf(file, DOCUMENT)]], steps: [] };
}

const partOf = (file: FileInput | string, name: string): FieldValue =>
  typeof file === "string" ? file : fileValue(file, name);

/** A pipeline to which steps can be added. It does not change: each addition makes a new one. */
export class PipelineSteps<R> {
  readonly #steps: Steps;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** Runs the steps. */
  async run(options?: CallOptions): Promise<R> {
    return (await this.#steps.send(this.#parts, options, result)) as R;
  }

  /** Runs the steps as a job. */
  async start(options?: JobOptions): Promise<JobHandle<R>> {
    return (await this.#steps.start(this.#parts, options, result)) as JobHandle<R>;
  }

  get #parts(): Parts {
    const { files, steps } = this.#steps;
    return [...files, ["steps", JSON.stringify(steps)] as const];
  }

  /** `first`: the field for the PDF of the step before. In a list, the files of the step follow it. */
  protected with(
    operation: string,
    first: string | undefined,
    fields: Readonly<Record<string, FormField>>,
    input: object,
  ): Steps {
    const { steps } = this.#steps;
    const files = [...this.#steps.files];
    const isFirst = steps.length === 0;
    const step: Record<string, unknown> = { operation };
    if (isFirst && first !== undefined && files.length > 0) step[first] = `part:${DOCUMENT}`;
    const add = ({ kind }: FormField, name: string, value: unknown): void => {
      if (value === undefined) return;
      if (kind !== "file") {
        step[name] = value;
        return;
      }
      const part = `step${steps.length + 1}-${name}`;
      files.push([part, partOf(value as FileInput | string, name)]);
      step[name] = `part:${part}`;
    };
    const start = Object.values(fields).some(({ name }) => name.replace("{N}", "0") === first && name !== first)
      ? 1
      : 0;
    const given = new Map<string, unknown>(Object.entries(input));
    for (const [property, field] of Object.entries(fields)) {
      const value = given.get(property);
      if (!field.name.includes("{N}")) add(field, field.name, value);
      else {
        for (const [index, one] of ((value ?? []) as readonly unknown[]).entries()) {
          add(field, field.name.replace("{N}", String(index + start)), one);
        }
      }
    }
    return { ...this.#steps, files, steps: [...steps, step] };
  }
}
