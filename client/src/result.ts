import { type HeaderFacts, headerFacts } from "./generated-facts.ts";

/** What a step of a pipeline returned. */
export interface StepFacts {
  readonly operation: string;
  /** If the result is a PDF. */
  readonly pages?: number;
  /** The size of the result, if it is known before the response starts. */
  readonly bytes?: number;
}

/** The values of a response's headers. */
export interface Facts extends HeaderFacts {
  readonly status: number;
  readonly headers: Headers;
  /** Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** `application/pdf`, `application/zip`, `image/png`, `application/json`, ... */
  readonly contentType: string;
  /** What the steps of a pipeline returned. Empty for other results. */
  readonly steps: readonly StepFacts[];
}

/** A JSON response. */
export interface JsonResult<T> extends Facts {
  readonly data: T;
}

/** `Uint8Array<ArrayBuffer>`; `Uint8Array` before TypeScript 5.7. */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** A file. Its body can be read once, as a stream or as a whole. */
export interface FileResult extends Facts {
  /** `<input>-<operation>.<extension>`. */
  readonly fileName: string;
  /** Its size in bytes, if it is known before it has been read. */
  readonly size: number | undefined;
  stream(): ReadableStream<Uint8Array>;
  bytes(): Promise<Bytes>;
  blob(): Promise<Blob>;
}

/** A result that is JSON if it has `data`, and otherwise a file. */
export type Result<T = unknown> = JsonResult<T> | FileResult;

function factsOf({ status, headers }: Response): Facts {
  const read = Object.entries(headerFacts).map(([name, { header, type }]) => [
    name,
    valueOf(type, headers.get(header)),
  ]);
  return {
    ...(Object.fromEntries(read) as HeaderFacts),
    status,
    headers,
    requestId: headers.get("X-Request-Id") ?? undefined,
    contentType: headers.get("Content-Type") ?? "application/octet-stream",
    steps: JSON.parse(headers.get("X-Pipeline-Steps") ?? "[]") as readonly StepFacts[],
  };
}

function valueOf(type: (typeof headerFacts)[keyof typeof headerFacts]["type"], value: string | null): unknown {
  if (type === "boolean") return value === "true";
  if (type === "array") return (value ?? "").split(",").filter(Boolean).map(decoded);
  if (value === null) return undefined;
  return type === "string" ? value : Number(value);
}

/** Decodes percent-encoding. The last text of a long list may be cut off within a character, and is then returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export async function jsonResult<T>(response: Response): Promise<JsonResult<T>> {
  return { ...factsOf(response), data: (await response.json()) as T };
}

export function fileResult(response: Response): FileResult {
  const { headers } = response;
  const size = headers.get("Content-Length");
  const unread = (): Response => {
    if (response.bodyUsed) throw new TypeError("This result has been read. It can be read once: keep what you read.");
    return response;
  };
  const file: FileResult = {
    ...factsOf(response),
    fileName: fileNameOf(headers.get("Content-Disposition") ?? ""),
    size: size === null ? undefined : Number(size),
    stream() {
      const { body } = unread();
      if (body === null) throw new TypeError("The response has no body.");
      return body;
    },
    async bytes() {
      return new Uint8Array(await unread().arrayBuffer());
    },
    blob: async () => unread().blob(),
  };
  // For console.log in Node, Bun, and Deno.
  return Object.defineProperty(file, Symbol.for("nodejs.util.inspect.custom"), { value: () => described(file) });
}

function described({ fileName, contentType, pageCount, size }: FileResult): string {
  const pages = pageCount === undefined ? [] : [`${pageCount} ${pageCount === 1 ? "page" : "pages"}`];
  const bytes = size === undefined ? [] : [`${size.toLocaleString("en-US")} bytes`];
  return `FileResult(${[fileName, contentType, ...pages, ...bytes].filter((part) => part !== "").join(", ")})`;
}

export const result = async <T>(response: Response): Promise<Result<T>> =>
  isJson(response) ? jsonResult<T>(response) : fileResult(response);

export const isJson = ({ headers }: Response): boolean =>
  headers.get("Content-Type")?.startsWith("application/json") === true;

/** The file name in a Content-Disposition header (RFC 6266); `filename*` wins over `filename`. */
function fileNameOf(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? "";
}
