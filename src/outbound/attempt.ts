import { publicUrlIssue, type UrlPolicy } from "../public-url.ts";
import { version } from "../version.ts";

/** Bytes of a response body that are read, and how many of them are kept. */
const READ_BYTES = 64 * 1024;
const KEPT_BYTES = 1024;

/** Why an attempt failed, other than its status. */
export const attemptErrors = [
  "target_refused",
  "unreachable",
  "timeout",
  "incomplete_response",
  "secret_unreadable",
  "expired",
] as const;

export type AttemptError = (typeof attemptErrors)[number];

/** An attempt that has ended. */
export interface Attempt {
  readonly startedAt: Date;
  readonly durationMilliseconds: number;
  /** The HTTP status; null if no response began. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** The first kilobyte of the response body as text; null if no response began. */
  readonly response: string | null;
  readonly retryAfter: string | null;
}

export const hasSucceeded = ({ status, error }: Attempt): boolean =>
  error === null && status !== null && status >= 200 && status < 300;

/** An attempt that was not made. */
export function notAttempted(error: AttemptError, startedAt: Date): Attempt {
  return { startedAt, durationMilliseconds: 0, status: null, error, response: null, retryAfter: null };
}

interface Sent {
  readonly method: "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array>;
}

/**
 * Sends a request and reads the response. Never throws, and returns within `milliseconds` whatever the receiver does: a
 * redirect is a response like any other, and at most 64 KiB of a body are read.
 */
export async function attempt(
  url: string,
  { method, headers, body }: Sent,
  policy: UrlPolicy,
  milliseconds: number,
): Promise<Attempt> {
  const startedAt = new Date();
  if (publicUrlIssue(url, policy) !== undefined) return notAttempted("target_refused", startedAt);
  const signal = AbortSignal.timeout(milliseconds);
  let response: Response | undefined;
  const received = new Beginning();
  let error: AttemptError | null = null;
  try {
    response = await fetch(url, {
      method,
      headers: {
        ...headers,
        "User-Agent": `pdf-service/${version} (webhooks)`,
        // A compressed response could be any size.
        "Accept-Encoding": "identity",
      },
      body,
      redirect: "manual",
      signal,
    });
    await received.read(response, signal);
  } catch {
    error = signal.aborted ? "timeout" : response === undefined ? "unreachable" : "incomplete_response";
  }
  return {
    startedAt,
    durationMilliseconds: Date.now() - startedAt.getTime(),
    status: response?.status ?? null,
    error,
    response: response === undefined ? null : received.text(),
    retryAfter: response?.headers.get("Retry-After") ?? null,
  };
}

/** The first bytes of a response body. */
class Beginning {
  readonly #kept = new Uint8Array(KEPT_BYTES);
  #length = 0;

  /** Reads up to the limit and cancels the rest. Throws what the body or the signal throws. */
  async read({ body }: Response, signal: AbortSignal): Promise<void> {
    if (body === null) return;
    const reader = body.getReader();
    // fetch's signal does not necessarily abort a response body that has begun.
    const stopped = new Promise<never>((_, fail) => {
      signal.addEventListener("abort", () => fail(new Error("out of time")), { once: true });
    });
    try {
      for (let read = 0; read < READ_BYTES;) {
        const { done, value } = await Promise.race([
          reader.read() as Promise<ReadableStreamReadResult<Uint8Array>>,
          stopped,
        ]);
        if (done) return;
        const kept = value.subarray(0, KEPT_BYTES - this.#length);
        this.#kept.set(kept, this.#length);
        this.#length += kept.length;
        read += value.length;
      }
    } finally {
      stopped.catch(() => {});
      // Closes the connection; errors do not matter.
      reader.cancel().catch(() => {});
    }
  }

  text(): string {
    // Drops a character cut in half at the end; removes NULs, at which SQL's text functions stop.
    return new TextDecoder()
      .decode(this.#kept.subarray(0, this.#length), { stream: true })
      .replaceAll("\0", "\u{fffd}");
  }
}
