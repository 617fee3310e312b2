import type { Context } from "hono";
import { z } from "zod";
import { checkInto, invalidParameters } from "./issues.ts";
import { admissionOf } from "../admission/admission.ts";
import { RequestMemory } from "../admission/request-memory.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import { fetchDocument } from "../fetch/fetch-document.ts";
import { declaredForm, plainBody, readBody } from "../multipart/body.ts";
import { type FormPart, MultipartParser } from "../multipart/multipart.ts";
import { safeFileName } from "../../operations/definition/file-names.ts";
import { plans } from "../../accounts/plans.ts";
import { fromBase64 } from "../../bytes/base64.ts";
import type { FileSink } from "../../engines/memory/heap.ts";
import { readEnv } from "../../env.ts";
import type { StoredFile } from "../../files/file.ts";
import { fetchFile } from "../../files/manage-files.ts";
import { PartUpload } from "../../files/parts.ts";
import { fileTooLarge } from "../../files/reserve.ts";
import { FileUpload } from "../../files/upload.ts";
import { limits, MiB } from "../../limits.ts";
import type { FieldIssue } from "../../operations/definition/fields.ts";
import { formInteger } from "../../operations/definition/values.ts";

const { shortestSeconds, longestSeconds, defaultSeconds, formBytes } = limits.storage;

/** The fields of the form besides `file`. */
export const uploadFields = z.object({
  expiresIn: formInteger(shortestSeconds, longestSeconds).describe(
    `How many seconds the file is kept. Default: \`${defaultSeconds}\`.`,
  ),
});

/** Memory of a request that reads or writes a file as a stream: what the bucket sends at once, encrypted and decrypted. */
export const STREAM_BYTES = 5 * MiB;

/** Takes the memory of a request that needs no engine. Throws `overloaded`, `client_closed_request`. */
export async function takeMemory(c: Context<AppEnv>, bytes: number): Promise<RequestMemory> {
  const admission = admissionOf(readEnv(c.env).sizes.memoryBytes);
  const memory = new RequestMemory(admission, c.get("caller").account, c.req.raw.signal);
  try {
    await memory.admit({ bytes, to: "read" });
    return memory;
  } catch (error) {
    memory[Symbol.dispose]();
    throw error;
  }
}

/** Stores the file of a form while it arrives. */
export async function receiveForm(c: Context<AppEnv>): Promise<StoredFile> {
  const { plan } = c.get("caller");
  const largest = plans[plan].largestFileBytes;
  const { body, boundary, length } = declaredForm(c.req.raw, (length) =>
    length > largest + formBytes ? fileTooLarge(largest, length) : undefined,
  );
  const most = length === undefined ? undefined : Math.min(length, largest);
  using memory = await takeMemory(c, FileUpload.memoryBytes(most));
  const upload = await FileUpload.begin(
    c.get("database"),
    readEnv(c.env).files,
    c.get("caller"),
    { length: most, quota: plans[plan] },
    new Date(),
  );
  try {
    const sink = new PieceSink();
    let files = 0;
    const parser = new MultipartParser<undefined>({
      ...limits.form,
      boundary,
      arena: sink,
      kindOf: (field) => (field === "file" ? "file" : Object.hasOwn(uploadFields.shape, field) ? "text" : undefined),
      // A second one is reported once the form has arrived.
      wantsFile: (field) => field === "file" && ++files === 1,
    });
    await readUpload(c, body, largest + formBytes, memory, async (window) => {
      const used = parser.read(window);
      for (const piece of sink.take()) await upload.write(piece);
      return used;
    });
    memory.check();
    return await upload.finish(describedBy(parser.finish()));
  } catch (error) {
    await upload.abort();
    throw memory.aborted ? memory.reason : error;
  }
}

/** Stores the document at a URL while it arrives. Throws what `fetchDocument` throws. */
export async function receiveUrl(
  c: Context<AppEnv>,
  url: string,
  as: { readonly name: string; readonly keptSeconds: number },
): Promise<StoredFile> {
  const { documentUrls, files } = readEnv(c.env);
  const [db, caller, log] = [c.get("database"), c.get("caller"), c.get("log")];
  const largest = plans[caller.plan].largestFileBytes;
  const document = await fetchDocument(url, {
    field: "url",
    policy: documentUrls,
    maxBytes: largest,
    tooLarge: (actual, isWhole) => fileTooLarge(largest, actual, isWhole),
    signal: c.req.raw.signal,
  });
  try {
    using memory = await takeMemory(c, FileUpload.memoryBytes(document.length));
    const upload = await FileUpload.begin(
      db,
      files,
      caller,
      { length: document.length, quota: plans[caller.plan] },
      new Date(),
    );
    try {
      for await (const chunk of document.chunks()) {
        memory.received(chunk.byteLength);
        log.referencedBytes += chunk.byteLength;
        await upload.write(chunk);
      }
      memory.check();
      return await upload.finish(as);
    } catch (error) {
      await upload.abort();
      throw memory.aborted ? memory.reason : error;
    }
  } finally {
    document.cancel();
  }
}

/** Stores a part of a file while it arrives, and returns the file. */
export async function receivePart(c: Context<AppEnv>, id: string, part: string): Promise<StoredFile> {
  const { headers } = c.req.raw;
  const body = plainBody(c.req.raw);
  const [db, caller] = [c.get("database"), c.get("caller")];
  const digest = contentDigest(headers.get("Content-Digest"));
  const given = headers.get("Content-Length");
  const length = given === null ? undefined : Number(given);
  using memory = await takeMemory(c, STREAM_BYTES);
  const upload = await PartUpload.begin(db, readEnv(c.env).files, caller, { id, part, length }, new Date());
  try {
    if (body !== null) {
      await readUpload(c, body, length ?? 0, memory, async (window) => {
        await upload.write(window);
        return window.length;
      });
    }
    memory.check();
    await upload.finish(digest);
  } catch (error) {
    await upload.abort();
    throw memory.aborted ? memory.reason : error;
  }
  return await fetchFile(db, caller, id, new Date());
}

/** The SHA-256 in a Content-Digest header (RFC 9530, section 2); other algorithms are ignored. */
function contentDigest(header: string | null): Uint8Array | undefined {
  const [, text] = /(?:^|,)\s*sha-256=:([^:]*):/i.exec(header ?? "") ?? [];
  if (text === undefined) return undefined;
  const name = "Content-Digest";
  try {
    const digest = fromBase64(text);
    if (digest.length === SHA256_BYTES) return digest;
  } catch {
    // No base64: the same error.
  }
  throw invalidParameters([{ name, issue: "must be `sha-256=:` with 32 bytes in base64 and `:`" }]);
}

const SHA256_BYTES = 32;

/** Reads the body of an upload within its memory. */
function readUpload(
  c: Context<AppEnv>,
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  memory: RequestMemory,
  read: (window: Uint8Array) => Promise<number>,
): Promise<void> {
  const log = c.get("log");
  return readBody(body, {
    maxBytes,
    tooLarge: (_, actual) => fileTooLarge(plans[c.get("caller").plan].largestFileBytes, actual, false),
    graceMilliseconds: limits.form.graceMilliseconds,
    read,
    progress(total) {
      memory.received(total - log.bodyBytes);
      log.bodyBytes = total;
    },
  });
}

/** Collects the file's pieces of one window, as views. */
class PieceSink implements FileSink<undefined> {
  #pieces: Uint8Array[] = [];

  write(piece: Uint8Array): void {
    this.#pieces.push(piece);
  }

  seal(): undefined {
    return undefined;
  }

  take(): readonly Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}

/** The name of the file, and how long to keep it. Throws `invalid_parameters` with all problems of the form. */
function describedBy(parts: readonly FormPart<undefined>[]): { name: string; keptSeconds: number } {
  const issues: FieldIssue[] = [];
  const values: Record<string, string> = {};
  for (const [name, sent] of Map.groupBy(parts, ({ field }) => field)) {
    const [part] = sent;
    if (name !== "file" && !Object.hasOwn(uploadFields.shape, name))
      issues.push({ name, issue: "is not a known field" });
    else if (sent.length > 1) issues.push({ name, issue: `was sent ${sent.length} times` });
    else if (part?.kind === "unreadable") issues.push({ name, issue: part.issue });
    else if (part?.kind === "text") values[name] = part.value;
  }
  const file = parts.find((part) => part.field === "file");
  if (file === undefined) issues.push({ name: "file", issue: "is required" });
  const fields = checkInto(uploadFields, values, issues);
  if (issues.length > 0 || file?.kind !== "file") throw invalidParameters(issues);
  return { name: safeFileName(file.filename), keptSeconds: fields?.expiresIn ?? defaultSeconds };
}
