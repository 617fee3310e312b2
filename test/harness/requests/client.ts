/** A service that responds, and a key for it. */
export interface Service {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly key: string;
  /** What each request spent, by its id, where its server's log is read: fuel, and the largest share of a budget that it used. */
  readonly work?: ReadonlyMap<string, { readonly fuel: number; readonly share: number }>;
  /** Bytes of memory that its process holds, where it was started here. */
  residentBytes?(): Promise<number>;
}

/** A form field: its text, or a file with its name. */
export type Part = string | { readonly bytes: Uint8Array; readonly fileName: string };

export interface ApiResponse {
  readonly status: number;
  /** `error.code` of the envelope where the response is one. */
  readonly code: string | undefined;
  /** `error.message`, likewise. */
  readonly message: string | undefined;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export const pdfPart = (bytes: Uint8Array, fileName = "input.pdf"): Part => ({ bytes, fileName });

/**
 * Calls an operation and reads the whole response. Waits and asks again where the rate limit says so; throws when nothing came
 * within `timeout` milliseconds.
 */
export async function post(
  service: Service,
  operation: string,
  parts: Readonly<Record<string, Part>>,
  timeout = 150_000,
): Promise<ApiResponse> {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") form.append(name, part);
    else form.append(name, new Blob([part.bytes.slice()]), part.fileName);
  }
  for (;;) {
    await noticeClosed();
    const response = await fetch(`${service.baseUrl}/api/v1/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${service.key}` },
      body: form,
      signal: AbortSignal.timeout(timeout),
    });
    const body = new Uint8Array(await response.arrayBuffer());
    const retryAfter = Number(response.headers.get("Retry-After") ?? 1);
    const error = response.ok ? undefined : errorOf(body);
    if (response.status === 429 && error?.code === "rate_limit_exceeded") {
      await new Promise((done) => setTimeout(done, retryAfter * 1000));
      continue;
    }
    const { status, headers } = response;
    return { status, code: error?.code, message: error?.message, headers, body };
  }
}

/**
 * Lets the event loop turn: the server closes connections that are idle for five seconds, and where this thread was busy for as long,
 * the next request would be written to a closed one (EPIPE).
 */
export const noticeClosed = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

function errorOf(body: Uint8Array): { readonly code?: string; readonly message?: string } | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(body)) as { error?: { code?: string; message?: string } } | null;
    return value?.error;
  } catch {
    return undefined;
  }
}

/** How often a full service is asked again before it counts as full for good. */
const TRIES = 6;

/** Asks again where the service says that it is full. */
export async function patiently(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt++) {
    const response = await send();
    if (response.code !== "overloaded" || attempt === TRIES) return response;
    await new Promise((done) => setTimeout(done, Number(response.headers.get("Retry-After") ?? 1) * 200 * attempt));
  }
}
