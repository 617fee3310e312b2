import { type FieldValue, type FileInput, fileValue, formBody } from "./body.ts";
import { PdfServiceError } from "./errors.ts";
import { JobHandle, type PageJobOptions } from "./job.ts";
import type { Job } from "./generated-job.ts";
import { type CallOptions, Transport } from "./transport.ts";

/** A field of a form, as openapi.json describes it. */
export interface FormField {
  /** Its name in the form; `file{N}` for the items of a list, by index. */
  readonly name: string;
  readonly kind: "file" | "text" | "json";
}

type Parts = readonly (readonly [name: string, value: FieldValue])[];

/** Reads the result of an operation. */
type Make<T> = (response: Response) => T | Promise<T>;

/** Starts an operation as a job. */
export type StartJob = <T>(
  path: string,
  fields: Readonly<Record<string, FormField>>,
  input: object,
  options: PageJobOptions | undefined,
  make: Make<T>,
) => Promise<JobHandle<T>>;

/** Sends operations: as ordinary requests, or as jobs. */
export class OperationTransport extends Transport {
  /** Sends a form to an operation. */
  protected sendForm<T>(
    path: string,
    fields: Readonly<Record<string, FormField>>,
    input: object,
    options: CallOptions | undefined,
    make: Make<T>,
  ): Promise<T> {
    return this.sendParts(path, formFields(fields, input), options, make);
  }

  /** Sends a form to an operation, as a job. */
  protected readonly startForm: StartJob = (path, fields, input, options, make) =>
    this.startParts(path, formFields(fields, input), options, make);

  /** Sends the parts of a form to an operation. */
  protected async sendParts<T>(
    path: string,
    parts: Parts,
    options: CallOptions | undefined,
    make: Make<T>,
  ): Promise<T> {
    return make(await this.#post(path, parts, options));
  }

  /** Sends the parts of a form to an operation, as a job. */
  protected async startParts<T>(
    path: string,
    parts: Parts,
    options: PageJobOptions | undefined,
    make: Make<T>,
  ): Promise<JobHandle<T>> {
    const { expiresIn, deliverTo, onPageError } = options ?? {};
    const own = Object.entries({ expiresIn, deliverTo, onPageError }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    );
    const response = await this.#post(path, [...parts, ...own], options, "respond-async");
    const { status } = response;
    if (status !== 202) {
      throw new PdfServiceError("connection", `Expected a job, but the response has status ${status}.`, { status });
    }
    return new JobHandle((request) => this.send(request), (await response.json()) as Job, make);
  }

  #post(path: string, parts: Parts, options: CallOptions | undefined, prefer?: "respond-async"): Promise<Response> {
    const body = formBody(parts);
    // With an Idempotency-Key, a retry is charged once: it is processed again, or gets the same job.
    const idempotencyKey = options?.idempotencyKey ?? crypto.randomUUID();
    const { repeatable } = body;
    return this.send({ method: "POST", path, body, repeatable, prefer, options: { ...options, idempotencyKey } });
  }
}

/** The fields in the order of the description, so that all attempts send the same. */
function formFields(fields: Readonly<Record<string, FormField>>, input: object): (readonly [string, FieldValue])[] {
  const given = new Map<string, unknown>(Object.entries(input));
  return Object.entries(fields).flatMap(([property, { name, kind }]) => {
    const value = given.get(property);
    if (value === undefined) return [];
    if (!name.includes("{N}")) return [[name, fieldValue(kind, value, name)] as const];
    return (value as readonly unknown[]).flatMap((one, index) => {
      const numbered = name.replace("{N}", String(index));
      return one === undefined ? [] : [[numbered, fieldValue(kind, one, numbered)] as const];
    });
  });
}

function fieldValue(kind: FormField["kind"], value: unknown, name: string): FieldValue {
  if (kind === "file" && typeof value !== "string") return fileValue(value as FileInput, name);
  return kind === "json" ? JSON.stringify(value) : String(value);
}
