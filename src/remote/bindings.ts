/** The bindings of a worker whose storage another process owns, in place of Cloudflare's. */
import type { Fetcher, MessageSendRequest, R2UploadedPart } from "@cloudflare/workers-types";
import type { ObjectBody, RemoteBindings, Storage, StorageMethod } from "./storage.ts";
import { executedBinding, type Result, type Statement } from "../db/executed-database.ts";

export interface Connection {
  readonly REMOTE: RemoteBindings;
  readonly TOKEN: string;
  /** The entrypoint of state.ts in another process. */
  readonly STATE: { call(token: string, name: StorageMethod, args: readonly unknown[]): Promise<unknown> };
  /** The queues, in the process that has started this one. */
  readonly BROKER: Fetcher;
}

/** Databases, buckets, rate limiters, and queues under the names of their bindings. */
export function remoteBindings({ REMOTE, TOKEN, STATE, BROKER }: Connection): Readonly<Record<string, unknown>> {
  const storage = new Proxy({} as Storage, {
    get:
      (_, name) =>
      (...args: unknown[]) =>
        STATE.call(TOKEN, name as StorageMethod, args),
  });
  const named = (names: readonly string[], bindingOf: (name: string) => unknown): [string, unknown][] =>
    names.map((name) => [name, bindingOf(name)]);
  return Object.fromEntries([
    ...named(REMOTE.databases, (name) => databaseOf(storage, name)),
    ...named(REMOTE.buckets, (name) => bucketOf(storage, name)),
    ...named(REMOTE.limiters, (name) => ({ limit: (options: { key: string }) => storage.limit(name, options) })),
    ...named(Object.keys(REMOTE.queues), (name) => queueOf(BROKER, REMOTE.queues[name] ?? name)),
  ]);
}

const textOf = ({ sql, params }: Statement) => ({ sql, params });

const databaseOf = (storage: Storage, name: string): unknown =>
  executedBinding(
    (statements) => storage.batch(name, statements.map(textOf)) as unknown as Promise<Result[]>,
    (statement) => storage.rows(name, textOf(statement)),
  );

function bucketOf(storage: Storage, name: string): unknown {
  const uploadOf = (key: string, id: string): unknown => ({
    key,
    uploadId: id,
    uploadPart: (part: number, body: ObjectBody) => storage.uploadPart(name, { key, id }, part, body),
    complete: (parts: R2UploadedPart[]) => storage.completeUpload(name, { key, id }, parts),
    abort: () => storage.abortUpload(name, { key, id }),
  });
  return {
    head: (key: string) => storage.head(name, key),
    get: (key: string, options?: Parameters<Storage["get"]>[2]) => storage.get(name, key, options),
    put: (key: string, body: ObjectBody) => storage.put(name, key, body),
    delete: (keys: string | string[]) => storage.delete(name, keys),
    list: (options?: Parameters<Storage["list"]>[1]) => storage.list(name, options),
    createMultipartUpload: async (key: string) => uploadOf(key, await storage.createUpload(name, key)),
    resumeMultipartUpload: uploadOf,
  };
}

function queueOf(broker: Fetcher, queue: string): unknown {
  const ask = async (init: { readonly method: string; readonly body?: string }): Promise<unknown> => {
    const response = await broker.fetch(`http://broker/${queue}`, init);
    if (!response.ok) throw new Error(`the queue responded with ${response.status}`);
    return response.json();
  };
  const sendBatch = async (messages: Iterable<MessageSendRequest>): Promise<void> => {
    await ask({ method: "POST", body: JSON.stringify(Array.from(messages)) });
  };
  return {
    send: (body: unknown, options: { readonly delaySeconds?: number } = {}) => sendBatch([{ body, ...options }]),
    sendBatch,
    metrics: () => ask({ method: "GET" }),
  };
}
