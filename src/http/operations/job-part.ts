import { readJobRequest, writeJobFile } from "./job-request.ts";
import { loadFiles } from "./load-files.ts";
import { finishedParts, packed } from "./part-file.ts";
import { contentOf } from "./respond.ts";
import { Lease, leaseOptions, servicesOf } from "../admission/lease.ts";
import { telemetryIn } from "../admission/telemetry.ts";
import { type ApiError, asApiError, storedError } from "../errors/api-error.ts";
import { readForm } from "../form/form.ts";
import { readSteps } from "../form/steps.ts";
import type { Caller } from "../../accounts/caller.ts";
import { scopes } from "../../accounts/scopes.ts";
import { storedReservation } from "../../billing/reservation.ts";
import type { Database } from "../../jobs/job.ts";
import type { Env } from "../../env.ts";
import { faultOf } from "../../faults.ts";
import { FileUpload } from "../../files/upload.ts";
import { type Claim, renewClaim } from "../../jobs/claim.ts";
import type { JobConsumer, PartOutcome } from "../../jobs/consumer.ts";
import { failedPages, finishedFiles, ownerOf, pageNumberOf } from "../../jobs/job.ts";
import { limits } from "../../limits.ts";
import {
  ignoredHeader,
  withHeaders,
  type Operation,
  type Output,
  type PartOutput,
  type ResultHeaders,
} from "../../operations/definition/define.ts";
import type { Fields, Input } from "../../operations/definition/fields.ts";
import { runOperation } from "../../operations/definition/run.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { firstStep, type Step, stepAfter } from "../../telemetry/trace-context.ts";

interface PartWorkerOptions {
  readonly env: Env;
  readonly operations: readonly Operation[];
  waitUntil(promise: Promise<unknown>): void;
}

/** The work on parts of jobs: the request is read again as it was stored, and its work done as that of any request. */
export function partWorker(options: PartWorkerOptions): JobConsumer["work"] {
  return async (db, claim, signal, parked) => {
    const started = Date.now();
    using work = new PartWork(options, db, claim, signal, parked);
    let outcome: PartOutcome;
    let error: ApiError | undefined;
    try {
      outcome = await work.run();
    } catch (thrown) {
      error = asApiError(work.explain(thrown));
      const { status, code, message, details } = error;
      const failure = { status, code, message, ...(details && { details }) };
      work.finish(code !== "internal_error");
      const isMine = !signal.aborted && (await renewClaim(db, claim, new Date()).catch(() => true));
      outcome = !isMine
        ? { kind: "lost" }
        : code === "overloaded"
          ? { kind: "busy" }
          : { kind: "failed", failure, page: work.pageNumber };
    }
    const measured = { fault: error, milliseconds: Date.now() - started, work: work.spent };
    const { trace } = storedReservation(claim.job.reservation).charge;
    const telemetry = telemetryIn(options.env);
    const step = stepAfter(trace) ?? (telemetry && firstStep());
    log(claim, outcome, step, measured);
    if (telemetry && step) {
      tell(telemetry, step, claim, outcome, { ...measured, started });
      telemetry.flushSoon(options.waitUntil);
    }
    return outcome;
  };
}

interface Measured {
  readonly fault: ApiError | undefined;
  readonly milliseconds: number;
  readonly work: number | undefined;
}

function tell(
  telemetry: Telemetry,
  step: Step,
  { job, part }: Claim,
  { kind }: PartOutcome,
  { fault, milliseconds, work, started }: Measured & { readonly started: number },
): void {
  const facts = { "pdf.operation": job.operation, "pdf.outcome": kind, "error.type": fault?.code };
  telemetry.metrics.record("pdf.job.part.duration", milliseconds / 1000, facts);
  if (work !== undefined) telemetry.metrics.add("pdf.work", "{unit}", work, { "pdf.operation": job.operation });
  telemetry.span({
    step,
    name: `job part ${job.operation}`,
    kind: "consumer",
    start: started,
    end: started + milliseconds,
    failed: fault !== undefined && fault.status >= 500 && kind !== "lost",
    attributes: {
      ...facts,
      "pdf.job": job.id,
      "pdf.account": job.account,
      "pdf.page": part.page,
      "pdf.page_count": part.pages,
      "pdf.attempt": part.attempts,
      "pdf.work": work,
    },
  });
}

/** Writes the line of a part, as `RequestLog` does for a request. */
function log(
  { job, part }: Claim,
  { kind }: PartOutcome,
  step: Step | undefined,
  { fault, ...measured }: Measured,
): void {
  const isFault = fault !== undefined && fault.status >= 500 && fault.code !== "overloaded" && kind !== "lost";
  const line = {
    level: isFault ? "error" : "info",
    message: "job part",
    traceId: step?.traceId,
    job: job.id,
    account: job.account,
    operation: job.operation,
    page: part.page,
    pages: part.pages,
    attempt: part.attempts,
    outcome: kind,
    code: fault?.code,
    ...measured,
    cause: isFault && fault.cause !== undefined ? faultOf(fault.cause) : undefined,
  };
  console.log(JSON.stringify(line));
}

/** One part: its needs, its output, and the effect of its failure. */
class PartWork implements Disposable {
  readonly #options: PartWorkerOptions;
  readonly #db: Database;
  readonly #claim: Claim;
  readonly #signal: AbortSignal;
  readonly #parked: () => void;
  #lease: Lease | undefined;
  /** The first page that it works on, from 1. */
  readonly pageNumber: number;

  constructor(options: PartWorkerOptions, db: Database, claim: Claim, signal: AbortSignal, parked: () => void) {
    this.#options = options;
    this.#db = db;
    this.#claim = claim;
    this.#signal = signal;
    this.#parked = parked;
    this.pageNumber = pageNumberOf(claim.job, claim.part);
  }

  /** Fuel spent. */
  get spent(): number | undefined {
    return this.#lease?.work.spent;
  }

  explain(error: unknown): unknown {
    return this.#lease?.explain(error) ?? error;
  }

  /** Returns the engines. */
  finish(clean: boolean): void {
    this.#lease?.finishWork(clean, 0);
  }

  [Symbol.dispose](): void {
    this.#lease?.[Symbol.dispose]();
  }

  async run(): Promise<PartOutcome> {
    const { env, operations } = this.#options;
    const { job, part } = this.#claim;
    const owner = ownerOf(job);
    const route = operations.find(({ name }) => name === job.operation);
    if (route === undefined || job.request === null) throw new Error("the request of the job is gone");
    const parts = await readJobRequest(this.#db, env.files, owner, job.request);
    // The request has been checked, and URLs have become files.
    const checks = { countPages: async () => undefined, urlIssue: () => undefined };
    const form = await (route.steps ? readSteps : readForm)(route, parts, checks);
    const { operation } = form;
    const lease = await this.#takeLease(operation);
    const log = { bodyBytes: 0, referencedBytes: 0 };
    const caller: Caller = { ...owner, plan: "free", key: "", scopes, expiresAt: null };
    const loaded = await loadFiles(form.files, {
      lease,
      log,
      operation,
      caller,
      job: job.id,
      // A part needs a few pages of the document.
      ...(part.pages > 0 && { rangesFrom: limits.admission.smallBodyBytes }),
      database: this.#db,
      env,
      limit: { maxBytes: env.sizes.heldBytes, of: "memory" },
      signal: this.#signal,
    });
    lease.work.addFiles(log.referencedBytes);
    const input = form.inputWith(new Map(Array.from(loaded, ([field, { file }]) => [field, file])));
    const [first] = form.files;
    const stem = (first && loaded.get(first)?.file.stem) ?? "document";
    return part.pages > 0
      ? this.#runPages(operation, input)
      : this.#makeResult(operation, input, { stem: `${stem}-${operation.name}`, headers: ignoredHeader(form.ignored) });
  }

  async #takeLease(operation: Operation): Promise<Lease> {
    const { env, waitUntil } = this.#options;
    const extraBytes = (operation.memory?.extraBytes ?? 0) + FileUpload.memoryBytes(undefined);
    this.#lease = await Lease.take({
      account: this.#claim.job.account,
      operation: { memory: { ...operation.memory, extraBytes } },
      length: 0,
      maxBytes: 0,
      signal: this.#signal,
      given: leaseOptions(env),
      services: servicesOf(env, this.#signal),
      yieldsToSmaller: true,
      parked: this.#parked,
      waitUntil,
    });
    return this.#lease;
  }

  async #runPages(operation: Operation, input: Input<Fields>): Promise<PartOutcome> {
    const { pageByPage } = operation;
    if (pageByPage === undefined) throw new Error("the operation does not work page by page");
    const { part } = this.#claim;
    const ofPart: Operation = {
      ...operation,
      run: async (given, engines) => {
        const pages = await pageByPage.pagesOf(given, engines);
        return pageByPage.run(given, pages.slice(part.page, part.page + part.pages), engines);
      },
    };
    const output = await this.#run(ofPart, input);
    const { id } = await this.#write("part", packed(output as PartOutput));
    return { kind: "part", file: id };
  }

  async #makeResult(
    operation: Operation,
    input: Input<Fields>,
    { stem, headers: more }: { readonly stem: string; readonly headers: ResultHeaders },
  ): Promise<PartOutcome> {
    const { job } = this.#claim;
    const { pageByPage } = operation;
    const output =
      pageByPage === undefined ? await this.#run(operation, input) : await this.#join(operation, pageByPage, input);
    if (output === undefined) {
      const [error = { code: "internal_error", message: "Every page failed." }] = await failedPages(this.#db, job.id);
      throw storedError(error);
    }
    const { type, fileName: name = null, chunks } = contentOf(output, stem);
    const { id, size, sha256 } = await this.#write(name ?? "result", chunks);
    const headers = Object.fromEntries(
      Object.entries(withHeaders(output, more).headers).filter(([, value]) => value !== undefined),
    );
    return { kind: "result", result: { file: id, name, contentType: type, size, sha256, headers } };
  }

  /** Undefined if every page failed. */
  async #join(
    operation: Operation,
    pageByPage: NonNullable<Operation["pageByPage"]>,
    input: Input<Fields>,
  ): Promise<Output | undefined> {
    const { job } = this.#claim;
    const files = await finishedFiles(this.#db, job.id);
    if (files.length === 0) return undefined;
    const parts = await finishedParts(this.#db, this.#options.env.files, ownerOf(job), files);
    const joined: Operation = { ...operation, run: (given, engines) => pageByPage.join(given, parts, engines) };
    return this.#run(joined, input);
  }

  #run(operation: Operation, input: Input<Fields>): Promise<Output> {
    if (this.#lease === undefined) throw new Error("the part has no lease");
    return runOperation(operation, input, this.#lease.engines, this.#lease.services);
  }

  async #write(name: string, chunks: AsyncGenerator<Uint8Array, void>) {
    const { job } = this.#claim;
    const owner = { ...ownerOf(job), job: job.id, expiresAt: job.expiresAt };
    return writeJobFile(this.#db, this.#options.env.files, owner, { name, chunks: this.#checked(chunks) });
  }

  /** Stops once nobody waits for the result anymore. */
  async *#checked(chunks: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      this.#lease?.check();
      yield chunk;
    }
  }
}
