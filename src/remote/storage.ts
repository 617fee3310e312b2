/** What the workers of one machine ask the process that owns its storage for. Every value can be cloned, and bodies are streams. */
import type {
  D1Result,
  R2GetOptions,
  R2ListOptions,
  R2Object,
  R2UploadedPart,
  ReadableStream,
} from "@cloudflare/workers-types";

export interface StatementText {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** The facts about an object that the service reads. */
export type ObjectFacts = Pick<R2Object, "key" | "size" | "etag">;
export type ObjectBody = ReadableStream | ArrayBuffer | Uint8Array | string;

/** `database`, `bucket`, and `limiter` are names of bindings. All reject as the bindings do. */
export interface Storage {
  /** Runs the statements as one transaction. */
  batch(database: string, statements: readonly StatementText[]): Promise<D1Result<Record<string, unknown>>[]>;
  /** The rows of one statement, in the order of their columns. */
  rows(database: string, statement: StatementText): Promise<unknown[][]>;
  head(bucket: string, key: string): Promise<ObjectFacts | null>;
  get(
    bucket: string,
    key: string,
    options?: R2GetOptions,
  ): Promise<(ObjectFacts & { readonly body: ReadableStream }) | null>;
  put(bucket: string, key: string, body: ObjectBody): Promise<ObjectFacts>;
  delete(bucket: string, keys: string | string[]): Promise<void>;
  list(
    bucket: string,
    options?: R2ListOptions,
  ): Promise<{ readonly objects: readonly ObjectFacts[]; readonly truncated: boolean }>;
  createUpload(bucket: string, key: string): Promise<string>;
  uploadPart(
    bucket: string,
    upload: { readonly key: string; readonly id: string },
    part: number,
    body: ObjectBody,
  ): Promise<R2UploadedPart>;
  completeUpload(
    bucket: string,
    upload: { readonly key: string; readonly id: string },
    parts: R2UploadedPart[],
  ): Promise<ObjectFacts>;
  abortUpload(bucket: string, upload: { readonly key: string; readonly id: string }): Promise<void>;
  limit(limiter: string, options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

export type StorageMethod = keyof Storage;

/** The names of the bindings that the storage serves, and by their bindings the names of the queues. */
export interface RemoteBindings {
  readonly databases: readonly string[];
  readonly buckets: readonly string[];
  readonly limiters: readonly string[];
  readonly queues: Readonly<Record<string, string>>;
}
