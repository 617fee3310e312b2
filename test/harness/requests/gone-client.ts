/** Clients that go away without a word, and what the service says of their requests. */
import { request } from "node:http";
import type { Part, Service } from "./client.ts";

/** What the log says of a request once it has ended. */
export interface LoggedRequest {
  readonly route: string;
  readonly status: number;
  readonly code?: string;
  readonly outcome: "complete" | "aborted";
  readonly operation?: string;
  /** Fuel. */
  readonly work?: number;
  readonly credits?: number;
}

/** The requests in a log, in the order of their ends. */
export function requestsIn(log: string): LoggedRequest[] {
  return log.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const entry = JSON.parse(line) as { message: string } & LoggedRequest;
    return entry.message === "request" ? [entry] : [];
  });
}

export interface SentBody {
  readonly type: string;
  readonly bytes: Buffer;
}

export async function formBody(parts: Readonly<Record<string, Part>>): Promise<SentBody> {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") form.append(name, part);
    else form.append(name, new Blob([part.bytes.slice()]), part.fileName);
  }
  const encoded = new Response(form);
  return { type: encoded.headers.get("Content-Type") ?? "", bytes: Buffer.from(await encoded.arrayBuffer()) };
}

/**
 * Sends a request, or only a `share` of its body, reads nothing of the response but its head, and closes the connection when `until` says so.
 * Returns the status, if there was one by then.
 */
export async function sendAndLeave(
  { baseUrl, key }: Service,
  path: string,
  { type, bytes }: SentBody,
  until: (status: () => number | undefined) => Promise<unknown>,
  { share = 1, headers = {} }: { share?: number; headers?: Readonly<Record<string, string>> } = {},
): Promise<number | undefined> {
  let status: number | undefined;
  const sending = request(`${baseUrl}${path}`, {
    method: "POST",
    agent: false,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": type, "Content-Length": bytes.length, ...headers },
  });
  sending.on("error", () => {});
  sending.on("response", (response) => {
    status = response.statusCode;
    response.on("error", () => {});
  });
  await new Promise<void>((done) => sending.write(bytes.subarray(0, share * bytes.length), () => done()));
  if (share === 1) sending.end();
  await until(() => status);
  sending.destroy();
  return status;
}
