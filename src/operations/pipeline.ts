import { z } from "zod";
import { type EngineBytes, type InputBytes } from "../engines/memory/heap.ts";
import { Refusal } from "../engines/errors.ts";
import { ofStep, resultTooLarge } from "./definition/errors.ts";
import type { Services } from "../engines/services.ts";
import type { Engines } from "../engines/lease/engines.ts";
import { fuelForBytes } from "../engines/work.ts";
import { limits, MiB } from "../limits.ts";
import {
  defineOperation,
  type MemoryUse,
  type Operation,
  type Output,
  type ResolvedOperation,
} from "./definition/define.ts";
import { modesOf } from "./definition/modes.ts";
import { type Field, type Fields, type Input, text, type UploadedFile } from "./definition/fields.ts";
import { explaining, runOperation } from "./definition/run.ts";
import { jsonField, jsonList } from "./definition/values.ts";

/** An operation with its parameters. It does not know that there are others. */
export interface Step {
  readonly operation: Operation;
  /** The files of the request that it takes. */
  readonly files: readonly UploadedFile[];
  /** The password that was sent for its document. */
  readonly password: string | undefined;
  /** `made`: what the step before has made; undefined for the first step, and where only parameters matter. */
  inputWith(made?: MadeFile): Input<Fields>;
}

/** The PDF of a step. */
type MadeFile = Pick<UploadedFile, "bytes" | "stem" | "password">;

/** The name of the field that takes the PDF of the step before, if the operation has one. */
export function madeField({ fields }: Operation): string | undefined {
  const takesPdf = ([, field]: [string, Field]): boolean => field.kind !== "text" && field.accept.includes("pdf");
  const [name, field] = Object.entries(fields).find(takesPdf) ?? [];
  return field?.kind === "files" ? `${field.prefix}0` : name;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const stepList = jsonList(
  z.custom<Readonly<Record<string, unknown>>>(isObject, { error: "must be an object" }),
  limits.steps,
  1,
);

/**
 * The operation that runs others in turn, on one engine. Before its steps are known, it needs no more credits and scopes than the
 * smallest, and as much memory as the largest.
 */
export function pipelineOf(operations: readonly Operation[]): Operation {
  const all = <T>(of: (operation: Operation) => readonly T[]): T[] => [...new Set(operations.flatMap(of))];
  return defineOperation({
    name: "pipeline",
    summary: "Run several operations in one request",
    group: "More",
    keywords: "chain workflow several operations steps batch combine",
    guidance:
      "For several operations on one document: one call that stores only the last result. For a single operation, use its own tool.",
    description: `Runs up to ${limits.steps} operations in turn. The files of the request are those of the first step, by the names that its operation has for them; each
further step works on the PDF of the step before. It takes that as \`file\`, and \`merge\` as \`file0\`. Other files are parts of the request with names of your own,
and a step refers to them: \`"image": "part:logo"\`. A step whose result is not one PDF must be the last: \`metadata\` can be followed by others only with \`action=set\`,
and \`split\` only with a single range. If \`ocr\` is followed by others, its \`output\` is \`pdf\`.

\`steps\` is a JSON array of objects: \`operation\`, and the parameters of that operation as in a request of its own, as JSON values. The password of an encrypted
document is a parameter of the first step; later ones use it too, unless they have their own.

All steps are validated before the first one starts. Problems with parameters have the number of their step in \`details.fields[].step\`, and other errors of a step in
\`details.step\`. The request costs the credits of all steps together, or nothing if one fails, and requires the scopes of all. The headers are those of the last step,
with \`X-Input-Repaired\`, \`X-Signature-Invalidated\`, and \`X-Conformance-Lost\` if any step has them. \`X-Pipeline-Steps\` lists the pages and size of each step's result.

A stored file over ${limits.references.heldBytes / MiB} MiB (by default: see \`GET /limits\`) can be the \`file\` of the first step. A step that needs the whole document in memory can follow only if the result
before it is smaller.`,
    credits: Math.min(...operations.map(({ credits }) => credits)),
    modes: operations.flatMap(modesOf),
    fields: {
      steps: text(jsonField(stepList), "The steps, in order.", { required: true }),
    },
    steps: operations,
    example: {
      file: "letter.pdf",
      steps: JSON.stringify([
        { operation: "rotate", angle: "90", pages: "1" },
        { operation: "watermark", kind: "text", text: "DRAFT" },
        { operation: "add-page-numbers" },
      ]),
    },
    memory: memoryOf(operations),
    errors: all(({ errors = [] }) => errors),
    headers: [...all(({ headers }) => headers), "X-Pipeline-Steps"],
    run: (input, engines, services) => runSteps(stepsOf(input), engines, services),
  });
}

/** The pipeline of a request: its price and its needs. */
export function composed<F extends Fields>(
  pipeline: Operation<F>,
  steps: readonly ResolvedOperation[],
): ResolvedOperation<F> {
  const [first] = steps;
  const { readsRanges = false, freesInput = false } = first?.memory ?? {};
  return {
    ...pipeline,
    memory: { ...memoryOf(steps), readsRanges, freesInput },
    scopes: [...new Set(steps.flatMap(({ scopes }) => scopes))],
    credits: steps.reduce((sum, { credits }) => sum + credits, 0),
    pricedPages: Math.min(...steps.map(({ pricedPages }) => pricedPages)),
  };
}

/** What any of several operations needs. Steps drop their codecs when they end. */
const memoryOf = (operations: readonly Operation[]): MemoryUse => ({
  needsHeadroom: operations.some(({ memory }) => memory?.needsHeadroom),
  extraBytes: Math.max(...operations.map(({ memory }) => memory?.extraBytes ?? 0)),
});

/** The form reader turns the objects in `steps` into steps. */
const stepsOf = (input: Input<Fields>): readonly Step[] => input["steps"] as readonly Step[];

/** What a step returned, for `X-Pipeline-Steps`. */
interface StepFacts {
  readonly operation: string;
  readonly pages?: number;
  readonly bytes?: number;
}

async function runSteps(steps: readonly Step[], engines: Engines, services: Services): Promise<Output> {
  const { work, codecs, recognizer } = engines;
  const facts: StepFacts[] = [];
  const stem = steps[0]?.files[0]?.stem ?? "document";
  let once: Output["headers"] = {};
  let made: MadeFile | undefined;
  for (const [index, step] of steps.entries()) {
    const { operation } = step;
    const next = steps[index + 1];
    const explained = (error: unknown): unknown => {
      const meaning = engines.explain(error);
      return meaning instanceof Refusal ? ofStep(meaning, index + 1, operation.name) : meaning;
    };
    try {
      engines.pdf.files.keep(steps.slice(index + 1).flatMap(({ files }) => files.map(({ bytes }) => bytes)));
      if (made) work.stage("pipelineStep", fuelForBytes(made.bytes.length));
      const output = await runOperation(next ? scoped(operation) : operation, step.inputWith(made), engines, services);
      once = { ...once, ...flagsOf(output) };
      facts.push(factsOf(operation, output));
      if (!next) {
        const headers = { ...output.headers, ...once, "X-Pipeline-Steps": JSON.stringify(facts) };
        return explaining({ ...output, headers }, explained);
      }
      codecs.drop();
      recognizer.drop();
      await engines.resume();
      const password = step.password ?? made?.password;
      const bytes =
        output.kind === "pdf"
          ? await adopted(engines, output.bytes, next.operation, index + 2)
          : (made ?? step.files[0])?.bytes;
      if (bytes === undefined) throw new Error("the step did not return a PDF");
      made = { stem, bytes, ...(password !== undefined && { password }) };
    } catch (error) {
      throw explained(error);
    }
  }
  throw new Error("the pipeline has no steps");
}

/** Destroys what an operation made in the engine, except its result. */
const scoped = (operation: Operation): Operation =>
  operation.asksOutside
    ? operation
    : {
        ...operation,
        run: (input, engines, services) => engines.pdf.scope(() => operation.run(input, engines, services)),
      };

/** Throws `limit_exceeded` if the next step would have to hold a document that is too large. */
async function adopted(
  { pdf, sizes }: Engines,
  bytes: EngineBytes,
  next: Operation,
  step: number,
): Promise<InputBytes> {
  const inRanges = next.memory?.readsRanges ?? false;
  if (bytes.stored && !inRanges && bytes.length > sizes.heldBytes)
    throw resultTooLarge(step, next.name, sizes.heldBytes, bytes.length);
  return pdf.adopt(bytes, { inRanges });
}

function flagsOf({ headers }: Output): Output["headers"] {
  const names = ["X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"] as const;
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

function factsOf({ name }: Operation, output: Output): StepFacts {
  const pages = output.headers["X-Page-Count"];
  return {
    operation: name,
    ...(output.kind === "pdf" && pages !== undefined && { pages: Number(pages) }),
    ...(output.kind === "pdf" && { bytes: output.bytes.length }),
  };
}
