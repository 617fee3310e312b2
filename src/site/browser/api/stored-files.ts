import { ApiFailure, callJson, send } from "./call.ts";
import { currentKey } from "./key.ts";
import type { ReferredFile } from "../../description/form-values.ts";

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly contentType: string | null;
  readonly status: "pending" | "ready";
  readonly expiresAt: string;
  readonly parts?: { readonly size: number; readonly count: number; readonly received: readonly number[] };
}

export const FILES = "/api/v1/files";

export const isFileId = (reference: string): boolean => reference.startsWith("file_");

export const referTo = ({ id, name, size }: StoredFile): ReferredFile => ({ reference: id, name, size, password: "" });

/** A file by its ID or URL. If the service does not know it, requests with it fail with the reason. */
export async function referredFile(reference: string): Promise<ReferredFile> {
  const segment = URL.parse(reference)?.pathname.split("/").at(-1);
  const unknown = { reference, name: segment || reference, size: undefined, password: "" };
  if (!isFileId(reference)) return unknown;
  return callJson<StoredFile>(currentKey(), "GET", `${FILES}/${encodeURIComponent(reference)}`).then(
    referTo,
    () => unknown,
  );
}

/** Bytes of a file that is sent in one request. Larger ones are sent in parts. */
const ONE_REQUEST = 16 * 1024 * 1024;
/** Parts that are on their way at the same time. */
const PARTS_AT_ONCE = 3;
/** How often a part is sent whose connection is lost. */
const ATTEMPTS = 3;

interface Upload {
  /** How long the file is kept. */
  readonly seconds: number;
  /** From 0 to 1, and in words where the file is sent in parts: `2 of 5 parts`. */
  readonly progress: (part: number, detail?: string) => void;
  readonly signal: AbortSignal;
}

/** Uploads a file. Throws an `ApiFailure`. */
export async function uploadFile(key: string, file: File, { seconds, progress, signal }: Upload): Promise<StoredFile> {
  if (file.size > ONE_REQUEST) return uploadParts(key, file, { seconds, progress, signal });
  const form = new FormData();
  form.append("expiresIn", String(seconds));
  form.append("file", file, file.name);
  const sent = (loaded: number, total: number) => progress(loaded / total);
  return storedFile(await send(key, { method: "POST", path: FILES, body: form, sent, signal }));
}

async function uploadParts(key: string, file: File, { seconds, progress, signal }: Upload): Promise<StoredFile> {
  const { name, size } = file;
  const { id, parts } = await callJson<StoredFile>(key, "POST", FILES, { name, size, expiresIn: seconds });
  if (parts === undefined) throw new Error("The service did not start an upload in parts.");
  const path = `${FILES}/${id}`;
  const loaded = new Map<number, number>();
  let stored = 0;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const sendPart = async (number: number) => {
    const body = file.slice((number - 1) * parts.size, number * parts.size);
    const sent = (bytes: number) => {
      loaded.set(number, bytes);
      progress([...loaded.values()].reduce((sum, one) => sum + one, 0) / size, `${stored} of ${parts.count} parts`);
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const request = { method: "PUT", path: `${path}/parts/${number}`, body, sent, signal: either };
        await storedFile(await send(key, request));
        stored += 1;
        return;
      } catch (error) {
        if (either.aborted || error instanceof ApiFailure || attempt === ATTEMPTS) throw error;
      }
    }
  };
  try {
    const numbers = Array.from({ length: parts.count }, (_, index) => index + 1).values();
    const sendSome = async () => {
      // All share one iterator.
      for (const number of numbers) await sendPart(number);
    };
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendSome));
    return await callJson<StoredFile>(key, "POST", `${path}/complete`, {});
  } catch (error) {
    ended.abort();
    // It would be abandoned after a day; until then it takes space.
    await callJson(key, "DELETE", path).catch(() => {});
    throw error;
  }
}

async function storedFile(request: XMLHttpRequest): Promise<StoredFile> {
  const json = JSON.parse(await (request.response as Blob).text()) as StoredFile & { error?: ApiFailure["problem"] };
  if (json.error) throw new ApiFailure(json.error, request.getResponseHeader("X-Request-Id") ?? "");
  return json;
}
