/** The HTTP server in front of workerd: it stays while workerd is started again, says who the client is, and knows when all requests have ended. */
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";

export interface FrontOptions {
  /** Reverse proxies between the clients and this server, each of which appends to `X-Forwarded-For`. */
  readonly proxies: number;
  /** Where workerd listens; undefined while it does not. */
  target(): URL | undefined;
}

export interface Front {
  readonly server: Server;
  /** Stops accepting connections, and waits up to `grace` ms for the requests that are there. */
  close(grace: number): Promise<void>;
}

/** Headers of one connection (RFC 9110, 7.6.1). */
const OF_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);
const KEPT_ALIVE = 75_000;
/** Headers that only this server sets, and those by which Miniflare is told things. */
const OWN = /^(?:cf-|mf-)/;
const CLIENT = "CF-Connecting-IP";

const UNAVAILABLE = JSON.stringify({
  error: { code: "overloaded", message: "The service is starting again. Try again in a few seconds." },
});

const MALFORMED = JSON.stringify({
  error: { code: "invalid_parameters", message: "The headers are not those of a valid HTTP request." },
});

/** The client's address: that of the connection, or what the outermost of the trusted proxies says. */
function clientOf({ socket, headers }: IncomingMessage, proxies: number): string {
  const named = [headers["x-forwarded-for"] ?? []].flat().flatMap((value) => value.split(",").map((one) => one.trim()));
  return (proxies > 0 ? named.at(-proxies) : undefined) ?? socket.remoteAddress ?? "";
}

/** Pairs of names and values, as they were sent, without those of the connection and those that it names. */
function headersOf(raw: readonly string[], isKept: (name: string) => boolean): string[] {
  const kept: string[] = [];
  const named = new Set(
    raw.flatMap((name, at) =>
      at % 2 === 0 && name.toLowerCase() === "connection" ? (raw[at + 1] ?? "").toLowerCase().split(/[\s,]+/) : [],
    ),
  );
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!OF_CONNECTION.has(lower) && !named.has(lower) && isKept(lower)) kept.push(name, value);
  }
  return kept;
}

export function createFront({ proxies, target }: FrontOptions): Front {
  const agent = new Agent({ keepAlive: true });
  const open = new Set<ServerResponse>();
  let isClosing = false;

  const refuse = (response: ServerResponse): void => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.writeHead(503, { "Content-Type": "application/json", "Retry-After": "5", Connection: "close" });
    response.end(UNAVAILABLE);
  };

  /** The request to workerd; undefined if Node refuses to send it: whatever a client sends must not end the server. */
  const forwarded = (incoming: IncomingMessage, url: URL): ClientRequest | undefined => {
    const headers = headersOf(incoming.rawHeaders, (name) => !OWN.test(name));
    try {
      return request({
        agent,
        host: url.hostname,
        port: url.port,
        method: incoming.method,
        path: incoming.url,
        headers: [...headers, CLIENT, clientOf(incoming, proxies)],
        setHost: false,
      });
    } catch {
      return undefined;
    }
  };

  const server = createServer((incoming, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    const url = target();
    if (url === undefined) {
      refuse(response);
      return;
    }
    const outgoing = forwarded(incoming, url);
    if (outgoing === undefined) {
      response.writeHead(400, { "Content-Type": "application/json", Connection: "close" }).end(MALFORMED);
      return;
    }
    outgoing.on("response", (received) => {
      const kept = headersOf(received.rawHeaders, () => true);
      // What is left of a body that nobody reads is not waited for.
      if (isClosing || !incoming.complete) kept.push("Connection", "close");
      response.writeHead(received.statusCode ?? 502, received.statusMessage, kept);
      pipeline(received, response, () => undefined);
    });
    outgoing.on("error", () => refuse(response));
    response.once("close", () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    // Not `pipeline`, which would end the response if the body is not read to its end.
    incoming.pipe(outgoing);
    incoming.on("error", () => outgoing.destroy());
  });
  // The worker bounds how long a body may take.
  server.requestTimeout = 0;
  // Longer than proxies and clients keep theirs: a connection must not be closed here just when a request comes.
  server.keepAliveTimeout = KEPT_ALIVE;

  return {
    server,
    close: async (grace) => {
      isClosing = true;
      const closed = new Promise((done) => server.close(done));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), grace);
      await closed;
      clearTimeout(timer);
      agent.destroy();
    },
  };
}
