/**
 * The worker of the process that owns the storage of one machine. It has no engines, so nothing in it computes for long. Its socket can be reached by
 * every user of the machine, so each call has the token that only this service knows.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { D1Database, R2Bucket, R2MultipartUpload, R2Object } from "@cloudflare/workers-types";
import type { ObjectFacts, Storage, StorageMethod } from "./storage.ts";

interface Bindings {
  readonly TOKEN: string;
  readonly [name: string]: unknown;
}

interface Limiter {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

export class State extends WorkerEntrypoint<Bindings> {
  /** Whether the process responds. */
  override fetch(): Response {
    return new Response(null, { status: 204 });
  }

  /** Calls a method of the storage. Throws if the token is another. */
  call<Name extends StorageMethod>(
    token: string,
    name: Name,
    args: Parameters<Storage[Name]>,
  ): ReturnType<Storage[Name]> {
    if (!areEqual(token, this.env.TOKEN)) throw new Error("the token is another");
    const method = storageIn(this.env)[name] as (...args: Parameters<Storage[Name]>) => ReturnType<Storage[Name]>;
    return method(...args);
  }
}

export default { fetch: () => new Response(null, { status: 404 }) };

function areEqual(one: string, other: string): boolean {
  const [a, b] = [new TextEncoder().encode(one), new TextEncoder().encode(other)];
  return a.length === b.length && crypto.subtle.timingSafeEqual(a, b);
}

const factsOf = ({ key, size, etag }: R2Object): ObjectFacts => ({ key, size, etag });

function storageIn(env: Bindings): Storage {
  const databaseOf = (name: string) => env[name] as D1Database;
  const bucketOf = (name: string) => env[name] as R2Bucket;
  const uploadOf = (bucket: string, { key, id }: { readonly key: string; readonly id: string }): R2MultipartUpload =>
    bucketOf(bucket).resumeMultipartUpload(key, id);
  return {
    batch: (database, statements) => {
      const db = databaseOf(database);
      return db.batch(statements.map(({ sql, params }) => db.prepare(sql).bind(...params)));
    },
    rows: (database, { sql, params }) =>
      databaseOf(database)
        .prepare(sql)
        .bind(...params)
        .raw(),
    head: async (bucket, key) => {
      const object = await bucketOf(bucket).head(key);
      return object && factsOf(object);
    },
    get: async (bucket, key, options) => {
      const object = await bucketOf(bucket).get(key, options);
      return object && { ...factsOf(object), body: object.body };
    },
    // Null only where a condition was not met, and there is none.
    put: async (bucket, key, body) => factsOf((await bucketOf(bucket).put(key, body)) as R2Object),
    delete: (bucket, keys) => bucketOf(bucket).delete(keys),
    list: async (bucket, options) => {
      const { objects, truncated } = await bucketOf(bucket).list(options);
      return { objects: objects.map(factsOf), truncated };
    },
    createUpload: async (bucket, key) => (await bucketOf(bucket).createMultipartUpload(key)).uploadId,
    uploadPart: async (bucket, upload, part, body) => {
      const { partNumber, etag } = await uploadOf(bucket, upload).uploadPart(part, body);
      return { partNumber, etag };
    },
    completeUpload: async (bucket, upload, parts) => factsOf(await uploadOf(bucket, upload).complete(parts)),
    abortUpload: (bucket, upload) => uploadOf(bucket, upload).abort(),
    limit: (limiter, options) => (env[limiter] as Limiter).limit(options),
  };
}
