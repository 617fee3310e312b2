import type { Lease } from "../admission/lease.ts";
import { checkScope } from "../auth/authorize.ts";
import type { ApiError } from "../errors/api-error.ts";
import { type BodyLimit, documentsTooLarge, fileNeedsMemory, filesTooLarge } from "../errors/limit-errors.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import { type FetchedDocument, fetchDocument, fileNameIn } from "../fetch/fetch-document.ts";
import type { FormFile } from "../form/form-reader.ts";
import type { Caller } from "../../accounts/caller.ts";
import { AccountRefusal } from "../../accounts/refusal.ts";
import type { Env } from "../../env.ts";
import { openFile } from "../../files/read.ts";
import { Ranges } from "../../engines/memory/ranges.ts";
import type { Operation } from "../../operations/definition/define.ts";

/** A request whose fields may refer to files. */
export interface ReferringRequest {
  readonly lease: Lease;
  readonly log: Pick<RequestLog, "bodyBytes" | "referencedBytes">;
  readonly operation: Pick<Operation, "name" | "memory">;
  readonly caller: Caller;
  /** The job that the request belongs to, whose own files it may refer to. */
  readonly job?: string;
  /** PDFs that are larger than this are read in ranges, where the operation can. Default: those that do not fit into memory. */
  readonly rangesFrom?: number;
  readonly database: Env["databases"][number];
  readonly env: Pick<Env, "files" | "documentUrls" | "sizes">;
  /** The maximum for the body and documents from URLs together. */
  readonly limit: BodyLimit;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Adds up the files of a request. A file counts as often as fields refer to it. */
export class FileTotals {
  readonly #limit: BodyLimit;
  readonly #heldBytes: number;
  readonly #bodyBytes: number;
  #fromUrls = 0;
  #stored = 0;
  #ranges = 0;

  constructor({ limit, log, env }: ReferringRequest) {
    this.#limit = limit;
    this.#heldBytes = env.sizes.heldBytes;
    this.#bodyBytes = log.bodyBytes;
  }

  /** Memory for files that are read in ranges, in bytes. */
  get rangeBytes(): number {
    return this.#ranges;
  }

  /** A file that is read in ranges. A request can have one. */
  addInRanges(): boolean {
    if (this.#ranges > 0) return false;
    this.#ranges = Ranges.keptBytes;
    return true;
  }

  /** Bytes of the files that fields refer to, as far as known. */
  get bytes(): number {
    return this.#stored + this.#fromUrls;
  }

  /** The most that they can become, in bytes. */
  get most(): number {
    return Math.min(this.#stored + this.#limit.maxBytes, this.#heldBytes) - this.#bodyBytes;
  }

  /** Throws `limit_exceeded`. */
  addStored(bytes: number): void {
    this.#stored += bytes;
    this.#check();
  }

  /** `isWhole`: no more will follow. Throws `file_too_large`, `limit_exceeded`. */
  addFromUrl(bytes: number, isWhole: boolean): void {
    this.#fromUrls += bytes;
    if (this.#bodyBytes + this.#fromUrls > this.#limit.maxBytes) {
      throw this.tooLarge(this.#bodyBytes + this.#fromUrls, isWhole);
    }
    this.#check();
  }

  tooLarge(actual: number, isWhole: boolean): ApiError {
    return documentsTooLarge(this.#limit, actual, isWhole);
  }

  #check(): void {
    const actual = this.#bodyBytes + this.bytes;
    if (actual > this.#heldBytes) throw filesTooLarge(this.#heldBytes, actual);
  }
}

/** A file that fields refer to. Fields with the same reference share it, so that it is read once. */
export abstract class Reference {
  readonly uses: readonly FormFile[];
  /** The first field that refers to it. */
  readonly field: string;
  protected readonly request: ReferringRequest;
  protected readonly totals: FileTotals;
  #held: Uint8Array | undefined;

  constructor(uses: readonly FormFile[], field: string, request: ReferringRequest, totals: FileTotals) {
    this.uses = uses;
    this.field = field;
    this.request = request;
    this.totals = totals;
  }

  abstract readonly filename: string;
  /** In hexadecimal, if it is known without reading the file. */
  abstract readonly sha256: string | undefined;
  /** In bytes; undefined until it is opened, and for a URL whose server does not declare it. */
  abstract readonly length: number | undefined;
  /** Finds the file. */
  abstract open(): Promise<void>;
  protected abstract read(): AsyncIterable<Uint8Array>;

  /** Reads a file of known length into memory. */
  async hold(): Promise<void> {
    const bytes = new Uint8Array(this.length ?? 0);
    let at = 0;
    for await (const chunk of this.chunks()) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    this.#held = bytes;
  }

  /** The bytes, once. A chunk is only valid until the next one. Opens the file if it is not open. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    if (this.#held !== undefined) {
      yield this.#held;
      return;
    }
    for await (const chunk of this.read()) {
      this.request.lease.received(chunk.byteLength);
      this.request.log.referencedBytes += chunk.byteLength * this.uses.length;
      yield chunk;
    }
  }
}

export class StoredReference extends Reference {
  readonly #id: string;
  #opened: Awaited<ReturnType<typeof openFile>> | undefined;
  #ranges: Ranges | undefined;

  constructor(id: string, ...rest: ConstructorParameters<typeof Reference>) {
    super(...rest);
    this.#id = id;
  }

  get filename(): string {
    return this.#opened?.file.name ?? "";
  }

  get sha256(): string | undefined {
    return this.#opened?.file.sha256 ?? undefined;
  }

  get length(): number | undefined {
    return this.#opened?.source.length;
  }

  /** Throws `forbidden`, `not_found`, `not_ready`, `expired`, `limit_exceeded`. */
  async open(): Promise<void> {
    const { caller, job, database, env, rangesFrom = Infinity, operation } = this.request;
    checkScope(caller, "files:read");
    const owner = { ...caller, ...(job !== undefined && { job }) };
    this.#opened = await openFile(database, env.files, owner, this.#id, new Date()).catch((error: unknown) => {
      throw this.#named(error);
    });
    const { length } = this.#opened.source;
    const mayRange = operation.memory?.readsRanges === true && this.#opened.file.contentType === "application/pdf";
    if (length > env.sizes.heldBytes || (mayRange && length > rangesFrom)) this.#ranges = this.#inRanges(length);
    else this.totals.addStored(length * this.uses.length);
  }

  /** The file, if it does not fit into memory. */
  get ranges(): Ranges | undefined {
    return this.#ranges;
  }

  /** Throws `limit_exceeded` where the file would have to fit into memory. */
  #inRanges(length: number): Ranges {
    const { operation, lease, log, env } = this.request;
    const { heldBytes } = env.sizes;
    const [first] = this.uses;
    const readsRanges = operation.memory?.readsRanges === true;
    const isPossible = readsRanges && this.uses.length === 1 && first?.accept.includes("pdf");
    if (!isPossible || !this.totals.addInRanges()) {
      throw fileNeedsMemory(this.field, { name: operation.name, readsRanges }, heldBytes, length);
    }
    const source = {
      length,
      read: async (start: number, end: number) => {
        lease.check();
        log.referencedBytes += end - start;
        lease.work.addFiles(end - start);
        const source = this.#opened?.source;
        if (source === undefined) throw new Error("the file is not open");
        return source.read(start, end).catch((error: unknown) => {
          throw this.#named(error);
        });
      },
    };
    return new Ranges(source, heldBytes);
  }

  protected async *read(): AsyncGenerator<Uint8Array, void> {
    const source = this.#opened?.source;
    if (source === undefined) throw new Error("the file is not open");
    try {
      yield* source.stream(0, source.length);
    } catch (error) {
      throw this.#named(error);
    }
  }

  #named(error: unknown): unknown {
    if (!(error instanceof AccountRefusal)) return error;
    const details = { ...error.details, input: this.field };
    return new AccountRefusal(error.code, `\`${this.field}\`: ${error.message}`, details);
  }
}

export class UrlReference extends Reference {
  readonly #url: string;
  readonly filename: string;
  /** Not before it has been read. */
  readonly sha256 = undefined;
  #document: FetchedDocument | undefined;

  constructor(url: string, ...rest: ConstructorParameters<typeof Reference>) {
    super(...rest);
    this.#url = url;
    this.filename = fileNameIn(url);
  }

  get length(): number | undefined {
    return this.#document?.length;
  }

  /** Throws what `fetchDocument` throws. */
  async open(): Promise<void> {
    const { env, limit, signal } = this.request;
    this.#document = await fetchDocument(this.#url, {
      field: this.field,
      policy: env.documentUrls,
      maxBytes: limit.maxBytes,
      tooLarge: (actual, isWhole) => this.totals.tooLarge(actual, isWhole),
      signal,
    });
    if (this.length !== undefined) this.totals.addFromUrl(this.length * this.uses.length, true);
  }

  protected async *read(): AsyncGenerator<Uint8Array, void> {
    if (this.#document === undefined) await this.open();
    const isKnown = this.length !== undefined;
    for await (const chunk of this.#document?.chunks() ?? []) {
      if (!isKnown) this.totals.addFromUrl(chunk.byteLength * this.uses.length, false);
      yield chunk;
    }
  }
}
