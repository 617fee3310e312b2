import type { Entry } from "../../description/form-values.ts";

export interface ApiProblem {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One of `details.fields`. */
export interface FieldIssue {
  readonly name: string;
  readonly issue: string;
  /** In a pipeline. */
  readonly step?: number;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Blob;
  readonly type: string;
  readonly fileName: string | undefined;
  readonly milliseconds: number;
  /** Size of the uploaded files in bytes. */
  readonly sentBytes: number;
  readonly error: ApiProblem | undefined;
}

/** The progress of a request: storing its files, uploading, waiting for the response, as a job or not, and downloading. */
export interface Progress {
  readonly phase: "storing" | "uploading" | "processing" | "queued" | "job" | "downloading";
  /** From 0 to 1. */
  readonly part: number | undefined;
  /** The same in words, such as `3 of 40 pages`. */
  readonly detail?: string;
}

/** For managing the account's objects: JSON in both directions. Throws an `ApiFailure`. */
export async function callJson<T>(key: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as T;
}

/** Downloads a file. Throws an `ApiFailure`. */
export async function callFile(key: string, path: string): Promise<{ blob: Blob; name: string | undefined }> {
  const response = await fetch(path, { headers: { Authorization: `Bearer ${key}` } });
  if (!response.ok) throw await failureOf(response);
  return { blob: await response.blob(), name: fileNameOf(response.headers.get("Content-Disposition") ?? undefined) };
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const json: unknown = await response.json().catch(() => undefined);
  const { error } = (json ?? {}) as { error?: ApiProblem };
  const problem = error ?? { code: String(response.status), message: "Unexpected response from the service." };
  return new ApiFailure(problem, response.headers.get("X-Request-Id") ?? "");
}

export class ApiFailure extends Error {
  readonly problem: ApiProblem;
  readonly requestId: string;

  constructor(problem: ApiProblem, requestId: string) {
    super(problem.message);
    this.problem = problem;
    this.requestId = requestId;
  }
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: FormData | Blob;
  /** The value of `Prefer`. */
  readonly prefer?: string | undefined;
  /** Called while the body is being sent. */
  readonly sent?: (loaded: number, total: number) => void;
  /** Called while the response arrives. */
  readonly received?: (event: ProgressEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and waits for its response, a `Blob`. Uses XMLHttpRequest, because fetch does not report upload progress. Throws
 * an `AbortError`.
 */
export function send(
  key: string,
  { method, path, body, prefer, sent = () => {}, received = () => {}, signal }: Sent,
): Promise<XMLHttpRequest> {
  const request = new XMLHttpRequest();
  return new Promise((done, fail) => {
    signal.throwIfAborted();
    request.open(method, path);
    request.responseType = "blob";
    if (key !== "") request.setRequestHeader("Authorization", `Bearer ${key}`);
    if (prefer !== undefined) request.setRequestHeader("Prefer", prefer);
    request.upload.addEventListener("progress", ({ loaded, total }) => sent(loaded, total));
    request.addEventListener("progress", received);
    request.addEventListener("error", () =>
      fail(new Error("The service cannot be reached, or the connection was lost.")),
    );
    request.addEventListener("abort", () => fail(new DOMException("canceled", "AbortError")));
    request.addEventListener("load", () => done(request));
    signal.addEventListener("abort", () => request.abort());
    request.send(body ?? null);
  });
}

/** Runs an operation, or makes a job of it if `prefer` is `respond-async`. */
export async function callOperation(
  key: string,
  path: string,
  entries: readonly Entry[],
  progress: (progress: Progress) => void,
  signal: AbortSignal,
  prefer?: "respond-async",
): Promise<ApiResponse> {
  const form = new FormData();
  for (const entry of entries) {
    if ("file" in entry) form.append(entry.name, entry.file.blob, entry.file.name);
    else form.append(entry.name, entry.text);
  }
  const sentBytes = entries.reduce((sum, entry) => sum + ("file" in entry ? entry.file.blob.size : 0), 0);
  const started = performance.now();
  progress({ phase: "uploading", part: 0 });
  const request = await send(key, {
    method: "POST",
    path,
    body: form,
    prefer,
    sent: (loaded, total) =>
      progress(
        loaded < total ? { phase: "uploading", part: loaded / total } : { phase: "processing", part: undefined },
      ),
    received: ({ loaded, total, lengthComputable }) =>
      progress({ phase: "downloading", part: lengthComputable ? loaded / total : undefined }),
    signal,
  });
  return responseOf(request, performance.now() - started, sentBytes);
}

/** Downloads the result of a job that took some time, as a response of its operation. */
export async function downloadResult(
  key: string,
  path: string,
  milliseconds: number,
  progress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const received = ({ loaded, total, lengthComputable }: ProgressEvent): void =>
    progress({ phase: "downloading", part: lengthComputable ? loaded / total : undefined });
  return responseOf(await send(key, { method: "GET", path, received, signal }), milliseconds, 0);
}

async function responseOf(request: XMLHttpRequest, milliseconds: number, sentBytes: number): Promise<ApiResponse> {
  const headers = new Map(
    request
      .getAllResponseHeaders()
      .trim()
      .split(/\r?\n/)
      .map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
  );
  const body = request.response as Blob;
  const type = (headers.get("content-type") ?? "").replace(/;.*/, "");
  const response = { status: request.status, headers, body, type, milliseconds, sentBytes };
  const fileName = fileNameOf(headers.get("content-disposition"));
  if (request.status < 400) return { ...response, fileName, error: undefined };
  const json = JSON.parse(await body.text().catch(() => "{}")) as { error?: ApiProblem };
  const unknown = { code: String(request.status), message: "Unexpected response from the service." };
  return { ...response, fileName, error: json.error ?? unknown };
}

function fileNameOf(disposition: string | undefined): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? "")?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="([^"]*)"/.exec(disposition ?? "")?.[1];
}

/** Errors that a password fixes: they name the file that it belongs to. */
const PASSWORD_ERRORS: readonly string[] = ["password_required", "incorrect_password", "owner_password_required"];

/** The fields that an error lists, with the issue of each. Those of a step begin with its number: `2 angle`. */
export function fieldIssues(problem: ApiProblem | undefined): ReadonlyMap<string, string> {
  const issues = new Map<string, string>();
  const { fields, field, input, step, ...rest } = problem?.details ?? {};
  const keyOf = (name: string, number: unknown): string => (number === undefined ? name : `${String(number)} ${name}`);
  if (Array.isArray(fields)) {
    for (const { name, issue, step: number } of fields as readonly FieldIssue[]) {
      const key = keyOf(name, number);
      issues.set(key, issues.has(key) ? `${issues.get(key)}; ${issue}` : issue);
    }
  }
  for (const name of [field, input]) {
    if (typeof name !== "string" || !problem) continue;
    const isPassword = PASSWORD_ERRORS.includes(problem.code);
    const key = keyOf(isPassword ? `password${/\d*$/.exec(name)?.[0]}` : name, step);
    if (!issues.has(key)) issues.set(key, problem.message);
  }
  if (problem?.code === "unsupported_text" && typeof rest["field"] === "string")
    issues.set(rest["field"], problem.message);
  return issues;
}
