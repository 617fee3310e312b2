/** Calls an operation as the fastest clients do: what the client itself takes is not the service's time. */
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import type { Part, Service } from "../test/harness/requests/client.ts";

const agent = new Agent({ keepAlive: true });

export interface Call {
  readonly operation: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Writes the request's body down before it is sent: `fetch` with a form of 2 MB takes some 10 ms for that. */
export async function prepareCall(operation: string, parts: Readonly<Record<string, Part>>): Promise<Call> {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") form.append(name, part);
    else form.append(name, new Blob([part.bytes.slice()]), part.fileName);
  }
  const written = new Response(form);
  const headers = { "Content-Type": written.headers.get("Content-Type") ?? "" };
  return { operation, headers, body: new Uint8Array(await written.arrayBuffer()) };
}

/**
 * Sends it. `time`: ms from the first byte sent to the last byte read. Waits if the rate limit requires it.
 * @throws Error for any response but 200.
 */
export async function timedCall(service: Service, call: Call): Promise<{ time: number; body: Uint8Array }> {
  for (;;) {
    const start = performance.now();
    const { status, retryAfter, body } = await send(service, call);
    const time = performance.now() - start;
    if (status === 200) return { time, body };
    if (status !== 429) throw new Error(`${call.operation}: ${status} ${new TextDecoder().decode(body).slice(0, 300)}`);
    await new Promise((done) => setTimeout(done, retryAfter * 1000));
  }
}

export async function send({ baseUrl, key }: Service, { operation, headers, body }: Call) {
  const sent = request(`${baseUrl}/api/v1/${operation}`, {
    method: "POST",
    agent,
    headers: { ...headers, Authorization: `Bearer ${key}`, "Content-Length": body.length },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const retryAfter = Number(response.headers["retry-after"] ?? 1);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    retryAfter,
    body: Buffer.concat(chunks) as Uint8Array,
  };
}
