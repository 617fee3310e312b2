import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A request that a receiver got, its body whole. */
export interface Received {
  readonly path: string;
  readonly at: number;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

export type Respond = (response: ServerResponse, received: Received) => void;

/** Responds by path; a path that none is set for is a 200. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  respond(path: string, respond: Respond): void;
  at(path: string): readonly Received[];
  /** Ends what is still held open. */
  close(): Promise<void>;
}

/** A receiver of webhooks on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const responders = new Map<string, Respond>();
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      received.push(one);
      const respond = responders.get(one.path);
      if (respond === undefined) response.end("taken");
      else respond(response, one);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respond: (path, respond) => void responders.set(path, respond),
    at: (path) => received.filter((one) => one.path === path),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const headers = request.headers as Record<string, string>;
  const body = JSON.parse(text) as Received["body"];
  return { path: request.url ?? "", at: Date.now(), id: headers["webhook-id"] ?? "", headers, text, body };
}

/** Whether a receiver with the secret takes the request for ours. */
export function isSignedBy(secret: string, { headers, text }: Received): boolean {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}

/** Waits until something is so; throws after a while that is longer than anything takes on a busy machine. */
export async function until(what: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end;) {
    if (await what()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`not within ${seconds} s: ${what.toString()}`);
}
