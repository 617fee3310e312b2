import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type StoredFile, storeFile } from "./store-file.ts";
import { type Content, type Json, structured, type ToolCall } from "./tool.ts";
import type { JobView } from "../events/job-schema.ts";
import { base64 } from "../bytes/base64.ts";
import { limits } from "../limits.ts";
import { type ResultHeader, resultHeaders } from "../operations/definition/define.ts";
import type { Mode } from "../operations/definition/modes.ts";
import { ApiError } from "../http/errors/api-error.ts";
import { notStored } from "./errors.ts";

const { inlineBytes, imageBytes, resultSeconds } = limits.mcp;

/** The parameter of tools that store their results. The instructions of the server explain it. */
export const expiresInSchema: Json = { type: "integer", default: resultSeconds };

const storedFile = z.object({
  id: z.string().describe("`file_...`: takes the place of a file in other calls."),
  name: z.string(),
  size: z.int().describe("In bytes."),
  contentType: z.string(),
  url: z.string().describe("Where to download it, with the API key."),
  expiresAt: z.string(),
});

/** The structured content of an operation's results, for all that its modes can return. */
export function resultSchema(modes: readonly Mode[], headers: readonly ResultHeader[]): Json {
  const json = modes.filter(({ returns }) => returns.includes("application/json"));
  const schema = z.object({
    ...(json.length > 0 && {
      result: ((json.length === 1 && json[0]?.json) || z.looseObject({}))
        .optional()
        .describe("A JSON result, unless it is stored as a file."),
    }),
    text: z.string().optional().describe("A text result, unless it is stored as a file."),
    file: storedFile.optional().describe("The result, if it is a file."),
    job: z
      .looseObject({ id: z.string(), status: z.string() })
      .optional()
      .describe("With `background`: the job. Ask for it with `get-job`."),
    ...(headers.length > 0 && {
      headers: z
        .record(z.string(), z.string())
        .optional()
        .describe(`What happened to the document: ${headers.join(", ")}.`),
    }),
    credits: z.object({ charged: z.number(), remaining: z.number() }).optional(),
  });
  return jsonSchemaOf(schema);
}

/** The schema of a result. `input`: it may have members that a client does not know yet. */
export function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ jsonSchema }) {
      // They add nothing, in each of dozens of schemas.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    },
  });
  return rest;
}

/** The link to a stored file, for clients that download it or read it as a resource. */
export const contentUrl = (baseUrl: string, id: string): string => `${baseUrl}/api/v1/files/${id}/content`;

interface ResultOptions {
  /** How long a file of the result is kept, in seconds. `limits.mcp.resultSeconds` by default. */
  readonly expiresIn?: unknown;
  /** The Idempotency-Key of the request. */
  readonly retryKey?: string | undefined;
}

/** A 200 of an operation, or the result of a job: text and JSON in the response if they are short, anything else as a stored file. */
export async function resultOf(call: ToolCall, response: Response, options: ResultOptions): Promise<CallToolResult> {
  const { headers } = response;
  const type = (headers.get("Content-Type") ?? "").split(";")[0]?.trim() ?? "";
  const given = headers.get("Content-Length");
  const length = given === null ? undefined : Number(given);
  const isText = type === "application/json" || type.startsWith("text/");
  const isImage = type.startsWith("image/");
  const { chunks, size, rest } = await begin(response, isText ? inlineBytes : isImage ? imageBytes : 0);
  const facts = factsOf(headers);
  if (isText && rest === undefined) {
    const text = new TextDecoder().decode(joined(chunks, size));
    const value = type === "application/json" ? { result: JSON.parse(text) as unknown } : { text };
    return structured({ ...value, ...facts }, { type: "text", text });
  }
  const isWhole = rest === undefined;
  const name = nameOf(headers, type);
  const toStore = { name, length: isWhole ? size : length, expiresIn: options.expiresIn ?? resultSeconds };
  let stored: StoredFile;
  try {
    stored = await storeFile(call, toStore, resumed(chunks, rest));
  } catch (error) {
    throw error instanceof ApiError ? notStored(error, options.retryKey) : error;
  }
  const file = fileFacts(call, stored, type);
  const image: Content[] =
    isImage && isWhole ? [{ type: "image", data: base64Of(joined(chunks, size)), mimeType: type }] : [];
  return structured({ file, ...facts }, { type: "text", text: sentence(stored, type) }, linkTo(file), ...image);
}

export function fileFacts(
  { baseUrl }: ToolCall,
  { id, name, size, contentType, expiresAt }: StoredFile,
  type?: string,
) {
  return {
    id,
    name,
    size,
    contentType: type ?? contentType ?? "application/octet-stream",
    url: contentUrl(baseUrl, id),
    expiresAt,
  };
}

export const linkTo = ({ url, name, size, contentType, expiresAt }: ReturnType<typeof fileFacts>): Content => ({
  type: "resource_link",
  uri: url,
  name,
  mimeType: contentType,
  size,
  description: `Until ${expiresAt}. Download it with the API key in \`Authorization\`.`,
});

const sentence = ({ id, name, size, expiresAt }: StoredFile, type: string): string =>
  `The result is stored as \`${id}\` (${name}, ${type}, ${size.toLocaleString("en-US")} bytes) until ${expiresAt}. Use the ID as the file of another tool.`;

/** The headers of a result that describe the changes of the document, and its cost. */
function factsOf(headers: Headers): Json {
  const own = Object.keys(resultHeaders).flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const [charged, remaining] = [headers.get("X-Credits-Charged"), headers.get("X-Credits-Remaining")];
  return {
    ...(own.length > 0 && { headers: Object.fromEntries(own) as Json }),
    ...(charged !== null && {
      credits: { charged: Number(charged), ...(remaining !== null && { remaining: Number(remaining) }) },
    }),
  };
}

/** The file name of a response (RFC 6266). Text and JSON have none. */
function nameOf(headers: Headers, type: string): string {
  const disposition = headers.get("Content-Disposition") ?? "";
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? [];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  const [, plain] = /filename="([^"]*)"/i.exec(disposition) ?? [];
  const extensions: Readonly<Record<string, string>> = {
    "application/json": "json",
    "text/markdown": "md",
    "text/html": "html",
    "text/csv": "csv",
  };
  return plain ?? `result.${extensions[type] ?? "txt"}`;
}

interface Begun {
  readonly chunks: readonly Uint8Array[];
  /** Of `chunks`, in bytes. */
  readonly size: number;
  /** What follows; undefined if the body has ended. */
  readonly rest: ReadableStreamDefaultReader<Uint8Array> | undefined;
}

/** Reads a body until it ends, or has more than `most` bytes. */
async function begin({ body }: Response, most: number): Promise<Begun> {
  const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (; size <= most;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return { chunks, size, rest: undefined };
    chunks.push(next.value);
    size += next.value.length;
  }
  return { chunks, size, rest: reader };
}

async function* resumed(
  chunks: readonly Uint8Array[],
  rest: ReadableStreamDefaultReader<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks;
    if (rest === undefined) return;
    for (let next = await rest.read(); !next.done; next = await rest.read()) yield next.value;
  } finally {
    // If the file is not stored, the operation must not continue.
    await rest?.cancel().catch(() => {});
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** A multiple of three, so that the pieces of base64 can be joined. */
const PIECE = 3 * 4_096;

/** Bytes of any length as base64. */
export function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(base64(bytes.subarray(at, at + PIECE)));
  return pieces.join("");
}

/** The result of a call that has become a job. */
export function jobResult(job: JobView): CallToolResult {
  const text = `The job \`${job.id}\` is ${job.status}. Ask for it with \`get-job\` (\`wait\` up to ${limits.jobs.waitSeconds} seconds); when it has ended, \`get-job-result\` returns its result.`;
  return structured({ job }, { type: "text", text });
}
