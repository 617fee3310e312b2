/** Requests as the command line sends them: by the names of form fields, and as a job where that is needed. */
import { setMaxListeners } from "node:events";
import type { FieldValue } from "../body.ts";
import { PdfServiceError } from "../errors.ts";
import type { Job } from "../generated-job.ts";
import type { JobHandle, PageJobOptions } from "../job.ts";
import { type Result, result } from "../result.ts";
import { PdfService } from "../service.ts";
import { exitCodes, Failure } from "./failure.ts";
import type { InputFile } from "./input-files.ts";
import { type Progress, sizeWords } from "./progress.ts";
import type { Settings } from "./settings.ts";

/** A field of a form: text, or a file. */
export type FormPart = readonly [name: string, value: string | InputFile];

export interface FormRequest {
  readonly path: string;
  /** The files, as typed, by the name of the field. */
  readonly typed: ReadonlyMap<string, string>;
  readonly parts: readonly FormPart[];
  /** Whether a job can do more of it than a request can. */
  readonly isPageByPage: boolean;
}

/** Bytes of a request with all its files. More are sent in parts before. */
const LARGEST_REQUEST = 16 * 1024 * 1024;

/** Options of a job; undefined for an ordinary request. */
export type AsJob = Pick<PageJobOptions, "expiresIn" | "deliverTo" | "onPageError"> | undefined;

/** The finished work, and the cleanup once the result has been written. */
export interface Finished {
  readonly result: Result;
  /** If it was a job: its last state. */
  readonly job?: Job;
  cleanUp(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

export class CommandService extends PdfService {
  readonly #signal: AbortSignal;
  readonly #progress: Progress;

  constructor(settings: Settings, { signal, progress }: { signal: AbortSignal; progress: Progress }) {
    if (!settings.apiKey) {
      throw new Failure(exitCodes.access, "There is no API key. Set PDF_SERVICE_KEY, or run: pdf-service login");
    }
    super({ apiKey: settings.apiKey, baseUrl: settings.url });
    setMaxListeners(0, signal);
    this.#signal = signal;
    this.#progress = progress;
  }

  /** Sends a form: directly, or as a job if it is large or has more pages than a request can have. */
  async run(request: FormRequest, asJob: AsJob): Promise<Finished> {
    const size = sizeOf(request.parts);
    if (asJob === undefined && size <= LARGEST_REQUEST) {
      try {
        this.#progress.say(size > 1_000_000 ? `Sending ${sizeWords(size)}` : "Working");
        const sent = await this.sendParts(request.path, inline(request.parts), { signal: this.#signal }, result);
        return { result: sent, cleanUp: nothing };
      } catch (error) {
        if (!(error instanceof PdfServiceError)) throw error;
        const isTooLarge = error.code === "file_too_large" && size > 0;
        if (!isTooLarge && !(error.code === "limit_exceeded" && request.isPageByPage)) throw error;
        if (isTooLarge) return this.#runInParts(request, {});
      }
    }
    if (size > LARGEST_REQUEST) return this.#runInParts(request, asJob);
    const job = await this.start(request, asJob ?? {});
    // Of a job that nobody asked for, nothing is left on the service.
    return this.finish(job, asJob === undefined);
  }

  /** Starts a job. Not ended by the signal: a job that nobody knows of could not be canceled. */
  async start(request: FormRequest, options: NonNullable<AsJob>): Promise<JobHandle<Result>> {
    this.#progress.say("Starting a job");
    const parts = sizeOf(request.parts) > LARGEST_REQUEST ? (await this.#upload(request.parts)).parts : request.parts;
    return this.startParts(request.path, inline(parts), options, result);
  }

  /** Waits for a job, which the signal cancels, and gets its result. */
  async finish(job: JobHandle<Result>, isOwn: boolean): Promise<Finished> {
    try {
      for await (const { status, progress } of job.states({ signal: this.#signal })) {
        const pages = `${progress.done + progress.failed} of ${progress.total} pages`;
        if (status === "queued") this.#progress.say("Waiting for the job to begin");
        else this.#progress.bar("Working", progress.done + progress.failed, progress.total, pages);
      }
      this.#progress.say("Getting the result");
      return {
        result: await job.result({ signal: this.#signal }),
        job: job.state,
        cleanUp: isOwn ? async () => void (await job.delete()) : nothing,
      };
    } catch (error) {
      if (this.#signal.aborted) {
        this.#progress.say("Canceling the job");
        await (isOwn ? job.delete() : job.cancel());
      }
      throw error;
    }
  }

  async #runInParts(request: FormRequest, asJob: AsJob): Promise<Finished> {
    const { parts, remove } = await this.#upload(request.parts);
    try {
      return await this.finish(await this.start({ ...request, parts }, asJob ?? {}), asJob === undefined);
    } finally {
      await remove();
    }
  }

  async #upload(parts: readonly FormPart[]): Promise<{ parts: FormPart[]; remove(): Promise<void> }> {
    const ids: string[] = [];
    const remove = async (): Promise<void> => {
      for (const id of ids) await this.deleteFile(id).catch(() => {});
    };
    const uploaded: FormPart[] = [];
    try {
      for (const [name, value] of parts) {
        if (typeof value === "string" || "reference" in value) uploaded.push([name, value]);
        else {
          const { id } = await this.upload(value);
          ids.push(id);
          uploaded.push([name, id]);
        }
      }
      return { parts: uploaded, remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  /** Uploads a file, with its progress. */
  upload(file: InputFile, expiresIn?: number) {
    if ("reference" in file) throw new Failure(exitCodes.usage, `${file.typed} is not the path of a file.`);
    const { name, content, typed } = file;
    const show = (sent: number): void =>
      this.#progress.bar(`Uploading ${typed}`, sent, content.size, `${sizeWords(sent)} of ${sizeWords(content.size)}`);
    show(0);
    const options = { signal: this.#signal, onProgress: show, ...(expiresIn !== undefined && { expiresIn }) };
    return this.uploadFile({ data: content, name }, options);
  }
}

function sizeOf(parts: readonly FormPart[]): number {
  return parts.reduce(
    (sum, [, value]) => sum + (typeof value === "object" && "content" in value ? value.content.size : 0),
    0,
  );
}

const inline = (parts: readonly FormPart[]): (readonly [string, FieldValue])[] =>
  parts.map(([name, value]) => {
    if (typeof value === "string") return [name, value];
    return [name, "reference" in value ? value.reference : { source: value.content, name: value.name }];
  });
