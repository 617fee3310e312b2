import { blobOf, type FileInput, fileValue, formBody } from "./body.ts";
import { ServiceMethods, type StoredFile } from "./generated.ts";
import { JobHandle } from "./job.ts";
import { type Result, result } from "./result.ts";
import type { CallOptions } from "./transport.ts";

export interface UploadOptions extends CallOptions {
  /** How many seconds the file is kept. Default: 86,400. */
  readonly expiresIn?: number;
  /** Called with the number of bytes that have arrived: after each part of a file over 16 MiB, and at the end. */
  readonly onProgress?: (sentBytes: number) => void;
}

/** Bytes of a file that is sent in one request. Larger ones are sent in parts. */
const ONE_REQUEST = 16 * 1024 * 1024;
/** Parts that are on their way at the same time. Each is held in memory. */
const PARTS_AT_ONCE = 3;

/** A client of the service: one method per request, `uploadFile`, and `openJob`. */
export class PdfService extends ServiceMethods {
  /** A job that was started earlier, perhaps by another process. Requires `pdf:read` or `pdf:write`. */
  async openJob(id: string, options?: CallOptions): Promise<JobHandle<Result>> {
    const state = await this.getJob(id, {}, options);
    return new JobHandle(
      (request) => this.send(request),
      state,
      (response) => result(response),
    );
  }

  /**
   * Uploads a file that is kept until it expires.
   *
   * A file over 16 MiB is sent in parts, each with its SHA-256 and its own retries. A stream is sent in one request while it is read, and cannot be retried.
   *
   * Requires the `files:write` scope.
   */
  async uploadFile(file: FileInput, options: UploadOptions = {}): Promise<StoredFile> {
    const { expiresIn, onProgress, ...call } = options;
    const value = fileValue(file, "file");
    if (typeof value === "string") throw new TypeError("A file is not text.");
    const { source, name } = value;
    const kept = expiresIn === undefined ? {} : { expiresIn };
    const blob = source instanceof ReadableStream ? undefined : blobOf(source);
    if (blob !== undefined && blob.size > ONE_REQUEST) {
      return this.#uploadParts(blob, { name, ...kept }, call, onProgress);
    }
    const fields = Object.entries(kept).map(([field, seconds]) => [field, String(seconds)] as const);
    const response = await this.send({
      method: "POST",
      path: "/api/v1/files",
      // A second one would keep another file.
      repeatable: false,
      body: formBody([["file", value], ...fields]),
      options: call,
    });
    const stored = (await response.json()) as StoredFile;
    onProgress?.(stored.size);
    return stored;
  }

  async #uploadParts(
    blob: Blob,
    request: { readonly name: string; readonly expiresIn?: number },
    options: CallOptions,
    onProgress: UploadOptions["onProgress"],
  ): Promise<StoredFile> {
    const { id, parts } = await this.createFile({ ...request, size: blob.size }, options);
    if (parts === undefined) throw new TypeError("The service has begun no upload in parts.");
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    let sent = 0;
    try {
      const numbers = Array.from({ length: parts.count }, (_, index) => index + 1).values();
      const sendSome = async (): Promise<void> => {
        // All share one iterator.
        for (const number of numbers) {
          const start = (number - 1) * parts.size;
          const part = blob.slice(start, start + parts.size);
          await this.#sendPart(id, number, part, { ...options, signal });
          sent += part.size;
          onProgress?.(sent);
        }
      };
      await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendSome));
      const path = `/api/v1/files/${encodeURIComponent(id)}/complete`;
      // `completeFile` would not be sent again.
      return await this.sendJson({ method: "POST", path, repeatable: true, json: {}, options });
    } catch (error) {
      ended.abort();
      // It would be abandoned after a day; until then it takes space.
      await this.deleteFile(id).catch(() => {});
      throw error;
    }
  }

  async #sendPart(id: string, number: number, part: Blob, options: CallOptions): Promise<void> {
    const bytes = new Uint8Array(await part.arrayBuffer());
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const headers = { "Content-Digest": `sha-256=:${btoa(String.fromCharCode(...digest))}:` };
    await this.send({
      method: "PUT",
      path: `/api/v1/files/${encodeURIComponent(id)}/parts/${number}`,
      repeatable: true,
      body: { repeatable: true, make: () => ({ body: bytes, headers }) },
      options,
    });
  }
}
