/**
 * The HTTP server in front of the workers. It knows who the client is, chooses the worker, stays while workers are started again, and bounds how many
 * requests are at work.
 *
 * Node's HTTP server parses each request and Node's HTTP client writes it again, on a connection to a worker that carries this one request. So nothing
 * that a client sends is ever on a connection with another client's request. (undici sends the headers of a request with the first byte of its body,
 * too late for an early 401.)
 */
import { randomBytes } from "node:crypto";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { Socket } from "node:net";
import { pipeline } from "node:stream";
import type { Pool, Worker } from "./pool.ts";
import type { ErrorCode } from "../http/errors/error-table.ts";
import { limits } from "../limits.ts";

export interface FrontOptions {
  /** Reverse proxies between the clients and this server, each of which appends to `X-Forwarded-For`. */
  readonly proxies: number;
  readonly pool: Pool;
  /** Whether no requests can be worked on yet. */
  isStarting?(): boolean;
  /** Takes the errors that the front itself responds with. */
  refused?(error: { readonly requestId: string; readonly status: number; readonly code: ErrorCode }): void;
  readonly requestsAtWork?: number;
}

export interface Front {
  readonly server: Server;
  /** Stops accepting connections, and waits up to `grace` ms for the requests that are there. */
  close(grace: number): Promise<void>;
}

/** Requests that may be with workerd at once, in total and from one address. Each takes two descriptors here and one there. */
const REQUESTS_AT_WORK = limits.server.requests;
const REQUESTS_OF_CLIENT = limits.server.requestsOfClient;
/** The requests of those who watch the service, and how many of them there may be beyond these. */
const HEALTH = /^\/api\/v1\/(?:health|ready)\/?(?:\?|$)/;
const HEALTH_PLACES = 20;
/** Requests of a connection that may wait for the one before them. */
const PIPELINED = limits.server.pipelined;
/** Longer than proxies and clients keep theirs: a connection must not be closed here just when a request comes. */
const KEPT_ALIVE = 75_000;
/** How long a client may read nothing of a response, in ms. */
const UNREAD = 30_000;
/**
 * How long a client may keep sending after its connection was ended, between two chunks and in total, in ms, so that it still receives the response
 * (RFC 9112, 9.6).
 */
const LINGER = 5_000;
const LINGER_MOST = 60_000;

/** What the API has routes for. workerd knows more, and fewer than Node. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** Those whose requests have no body if there is no framing, which need not be said. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/** Headers of one connection (RFC 9110, 7.6.1), and those of the framing, which is written anew. */
const OF_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "content-length",
  "upgrade",
]);
/** Headers that a request keeps whatever its `Connection` names. */
const ALWAYS_KEPT = new Set(["authorization", "content-type", "idempotency-key", "prefer"]);
/** Headers that only this server sets, and those by which Miniflare is told things. */
const OWN = /^(?:cf-|mf-)/;
const CLIENT = "CF-Connecting-IP";
/** The states of all workers, for a request about the service's health. */
const WORKERS = "CF-Workers";
/** A host and its port (RFC 3986, 3.2): names, IPv4, and IPv6. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

interface Failure {
  readonly status: 400 | 405 | 408 | 413 | 503;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const malformed = (message: string): Failure => ({ status: 400, code: "invalid_parameters", message });
const unavailable = (message: string): Failure => ({
  status: 503,
  code: "overloaded",
  message,
  headers: { "Retry-After": "5" },
});

const STARTING = unavailable("The service is starting again. Try again in a few seconds.");
const BUSY = unavailable("The service has too many requests at once. Try again in a few seconds.");
const FLOODED = unavailable(`A connection can have up to ${PIPELINED} requests waiting. Wait for responses first.`);
const NO_HTTP = malformed("This is not a valid HTTP/1.1 request.");
const TIMED_OUT: Failure = { status: 408, code: "request_timeout", message: "The headers took too long." };
const LARGE_HEADERS: Failure = { status: 413, code: "limit_exceeded", message: "The headers are larger than 16 KiB." };
const NO_METHOD: Failure = {
  status: 405,
  code: "method_not_allowed",
  message: `The method must be one of ${METHODS.join(", ")}.`,
  headers: { Allow: METHODS.join(", ") },
};

/** By the codes of Node's errors. */
const PARSE_FAILURES: Readonly<Record<string, Failure>> = {
  HPE_HEADER_OVERFLOW: LARGE_HEADERS,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { ...LARGE_HEADERS, message: "The chunk extensions are larger than 16 KiB." },
  ERR_HTTP_REQUEST_TIMEOUT: TIMED_OUT,
};

/** The client's address: that of the connection, or the one that the outermost trusted proxy reports. */
function clientOf({ socket, headers }: IncomingMessage, proxies: number): string {
  const named = [headers["x-forwarded-for"] ?? []].flat().flatMap((value) => value.split(",").map((one) => one.trim()));
  return (proxies > 0 ? named.at(-proxies) : undefined) ?? socket.remoteAddress ?? "";
}

const valuesOf = (raw: readonly string[], name: string): string[] =>
  raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);

/** Pairs of names and values, as they were sent, without those of the connection and those that it names. */
function headersOf(raw: readonly string[], isKept: (name: string) => boolean): string[] {
  const named = new Set(valuesOf(raw, "connection").flatMap((value) => value.toLowerCase().split(/[\s,]+/)));
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!OF_CONNECTION.has(lower) && (!named.has(lower) || ALWAYS_KEPT.has(lower)) && isKept(lower))
      kept.push(name, value);
  }
  return kept;
}

interface Route {
  readonly host: string;
  readonly path: string;
}

/** Where a request goes (RFC 9112, 3.2): a path and `Host`, or a URL, whose host counts. */
function routeOf({ url = "", rawHeaders, httpVersion }: IncomingMessage): Route | Failure {
  const hosts = valuesOf(rawHeaders, "host");
  // Load balancers check with HTTP/1.0, and need not send a host.
  const [said = httpVersion === "1.0" ? "localhost" : undefined] = hosts.filter((one) => one !== "");
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
  const host = absolute?.[1] ?? said;
  const rest = absolute?.[2] ?? url;
  const slash = absolute !== null && !rest.startsWith("/") ? "/" : "";
  // workerd refuses what browsers send of these.
  const path = slash + rest.replaceAll(/["<>^`{|}]/g, encodeURIComponent);
  if (hosts.length > 1 || said === undefined) return malformed("The request must have one Host header.");
  if ([said, host].some((one = "") => !HOST.test(one) || !URL.canParse(`http://${one}`)))
    return malformed("The Host header must be a host name or an address, and its port.");
  if (host === undefined || !path.startsWith("/") || !URL.canParse(`http://${host}${path}`))
    return malformed("The target of the request must be a path.");
  return { host, path };
}

/** The one header that gives the length of the body (RFC 9112, 6); undefined if the request has none. Node's parser has refused most ambiguous requests. */
function framingOf({ rawHeaders, httpVersion }: IncomingMessage): readonly [string, string] | Failure | undefined {
  const [coding, ...codings] = valuesOf(rawHeaders, "transfer-encoding");
  const [length, ...lengths] = valuesOf(rawHeaders, "content-length");
  if (codings.length > 0 || lengths.length > 0 || (coding !== undefined && length !== undefined))
    return malformed("The request must have one Content-Length or one Transfer-Encoding.");
  if (length !== undefined)
    return /^\d{1,15}$/.test(length)
      ? ["Content-Length", String(Number(length))]
      : malformed("Content-Length must be a number of bytes.");
  if (coding === undefined) return undefined;
  return coding.toLowerCase() === "chunked" && httpVersion === "1.1"
    ? ["Transfer-Encoding", "chunked"]
    : malformed("Transfer-Encoding can only be chunked, in HTTP/1.1.");
}

/**
 * A connection to workerd, which may respond and close before it has read the whole request. The rest of the request is dropped, and the response is
 * still read. Node would close the connection at the first byte that it cannot write, and lose the response.
 */
class Upstream extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    super._write(chunk, encoding, unlessClosed(done));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    super._writev?.(chunks, unlessClosed(done));
  }
}

const unlessClosed =
  (done: (error?: Error | null) => void) =>
  (error?: NodeJS.ErrnoException | null): void =>
    done(error?.code === "EPIPE" || error?.code === "ECONNRESET" ? null : error);

/** Ends a connection, and discards further bytes of the client for a while. Closing a connection with unread bytes would reset it and lose the response. */
function endSlowly(this: Socket): void {
  if (this.writable) this.end();
  const idle = setTimeout(() => this.destroy(), LINGER);
  const most = setTimeout(() => this.destroy(), LINGER_MOST);
  this.removeAllListeners("data").on("data", () => idle.refresh());
  this.resume();
  this.once("close", () => {
    clearTimeout(idle);
    clearTimeout(most);
  });
}

/** The requests of a client's connection, which are worked on one after the other. */
interface Line {
  /** The response at work. */
  current: ServerResponse | undefined;
  readonly waiting: (() => void)[];
  /** Nothing more is read of it. */
  isEnded: boolean;
}

/** The requests that are with workerd, by the addresses of their clients. */
class Places {
  readonly #taken = new Map<string, number>();
  count = 0;

  of(client: string): number {
    return this.#taken.get(client) ?? 0;
  }

  take(client: string): void {
    this.count += 1;
    this.#taken.set(client, this.of(client) + 1);
  }

  release(client: string): void {
    this.count -= 1;
    if (this.of(client) > 1) this.#taken.set(client, this.of(client) - 1);
    else this.#taken.delete(client);
  }
}

const isUpgrade = ({ headers }: IncomingMessage): boolean => headers.upgrade !== undefined;

export function createFront({
  proxies,
  pool,
  isStarting = () => false,
  refused,
  requestsAtWork = REQUESTS_AT_WORK,
}: FrontOptions): Front {
  const lines = new WeakMap<Socket, Line>();
  const places = new Places();
  let isClosing = false;

  const lineOf = (socket: Socket): Line => {
    const line = lines.get(socket) ?? { current: undefined, waiting: [], isEnded: false };
    lines.set(socket, line);
    return line;
  };

  const respondTo = ({
    status,
    code,
    message,
    headers,
  }: Failure): { headers: Record<string, string>; body: string } => {
    const requestId = `req_${randomBytes(16).toString("hex")}`;
    refused?.({ requestId, status, code });
    const body = JSON.stringify({ error: { code, message } });
    return {
      headers: {
        "Content-Type": "application/json",
        "Content-Length": String(Buffer.byteLength(body)),
        "Cache-Control": "no-store",
        "X-Request-Id": requestId,
        "X-Content-Type-Options": "nosniff",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Retry-After, X-Request-Id",
        ...headers,
        Connection: "close",
      },
      body,
    };
  };

  /** Responds with an error and ends the connection. */
  const refuse = (response: ServerResponse, failure: Failure): void => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { headers, body } = respondTo(failure);
    response.writeHead(failure.status, headers).end(body);
  };

  /** The same where Node has no response, because there is no request. */
  const refuseConnection = (socket: Socket, failure: Failure): void => {
    if (!socket.writable) return;
    const { headers, body } = respondTo(failure);
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${fields.join("")}\r\n${body}`);
    socket.destroySoon();
  };

  const forward = (incoming: IncomingMessage, response: ServerResponse, isAwaiting: boolean): void => {
    const client = clientOf(incoming, proxies);
    const route = routeOf(incoming);
    const framing = framingOf(incoming);
    if ("status" in route) return refuse(response, route);
    if (framing !== undefined && "status" in framing) return refuse(response, framing);
    const { method = "" } = incoming;
    if (!METHODS.includes(method)) return refuse(response, NO_METHOD);
    if (isStarting() || pool.ready().length === 0) return refuse(response, STARTING);
    const reserved = HEALTH.test(route.path) ? HEALTH_PLACES : 0;
    if (places.count >= requestsAtWork + reserved || places.of(client) >= REQUESTS_OF_CLIENT + reserved)
      return refuse(response, BUSY);

    const bodyless = WITHOUT_BODY.has(method) ? [] : ["Content-Length", "0"];
    const headers = headersOf(incoming.rawHeaders, (name) => name !== "host" && name !== "expect" && !OWN.test(name));
    const own = ["Host", route.host, CLIENT, client];
    if (isAwaiting) own.push("Expect", "100-continue");
    if (HEALTH.test(route.path)) own.push(WORKERS, pool.states().join(","));
    const send = (worker: Worker, socket: Socket): ClientRequest =>
      request({
        method,
        path: route.path,
        headers: [...own, ...headers, ...(framing ?? bodyless)],
        setHost: false,
        createConnection: () => socket,
      })
        // Sent by workerd when the worker starts to read the body: then its checks are done.
        .on("continue", () => {
          if (!response.headersSent) response.writeContinue();
        })
        .on("response", (received) => {
          worker.lastResponse = performance.now();
          // The client already got an error for the bytes after this request.
          if (response.headersSent) return;
          const kept = headersOf(received.rawHeaders, () => true);
          kept.push(...valuesOf(received.rawHeaders, "content-length").flatMap((value) => ["Content-Length", value]));
          if (isClosing || !incoming.complete || isUpgrade(incoming)) kept.push("Connection", "close");
          response.writeHead(received.statusCode ?? 502, received.statusMessage, kept);
          pipeline(received, response, () => incoming.unpipe().resume());
        });
    places.take(client);
    connect(response, new Set(), {
      failed: () => {
        places.release(client);
        if (!incoming.socket.destroyed) refuse(response, STARTING);
      },
      left: () => places.release(client),
      connected: (worker, socket) => {
        let outgoing: ClientRequest;
        try {
          outgoing = send(worker, socket);
        } catch {
          // Whatever a client sends must not end the server.
          socket.destroy();
          places.release(client);
          return refuse(response, NO_HTTP);
        }
        // Until workerd has ended: what of a response has not been sent yet is bounded by the buffers of its connection.
        outgoing.once("close", () => places.release(client));
        /**
         * Ends the work for a client that has disconnected. workerd keeps working if the connection is only closed, because it might still be read; a
         * reset ends the work.
         */
        const abandon = (): void => {
          outgoing.socket?.resetAndDestroy();
          outgoing.destroy();
        };
        response.once("close", () => {
          if (response.writableFinished) outgoing.destroy();
          else abandon();
        });
        outgoing.on("error", () => {
          if (!response.headersSent && !incoming.socket.destroyed) refuse(response, STARTING);
        });
        incoming.on("error", abandon);
        // Its types lack it. Node's parser has counted already.
        Object.assign(outgoing, { strictContentLength: true });
        // The service refuses many a request by its headers.
        outgoing.flushHeaders();
        // Not `pipeline`, which would end the response if the body is not read to its end.
        if (framing === undefined) outgoing.end();
        else incoming.pipe(outgoing);
      },
    });
  };

  /**
   * Connects to the worker with the least work, and to another where that fails: nothing has been sent then, and never is anything sent twice. `tried`:
   * workers that cannot be reached.
   */
  const connect = (
    response: ServerResponse,
    tried: Set<Worker>,
    then: {
      /** No worker can be reached. */
      failed(): void;
      /** The client has left. */
      left(): void;
      connected(worker: Worker, socket: Socket): void;
    },
  ): void => {
    const worker = pool.pick((one) => !tried.has(one));
    if (worker?.url === undefined) return then.failed();
    const socket = new Upstream().setNoDelay().connect(Number(worker.url.port), worker.url.hostname);
    worker.atWork += 1;
    socket.once("close", () => {
      worker.atWork -= 1;
    });
    const leave = (): void => {
      socket.destroy();
      then.left();
    };
    response.once("close", leave);
    const failed = (): void => {
      response.off("close", leave);
      connect(response, tried.add(worker), then);
    };
    socket.once("error", failed).once("connect", () => {
      socket.off("error", failed);
      response.off("close", leave);
      then.connected(worker, socket);
    });
  };

  /** Works on the requests of a connection one after the other, in the order in which they came. */
  const accept = (incoming: IncomingMessage, response: ServerResponse, isAwaiting: boolean): void => {
    const { socket } = incoming;
    const line = lineOf(socket);
    // Node keeps reading for a moment after the response that ends a connection.
    if (line.isEnded || !socket.writable) return;
    const work = (): void => {
      line.current = response;
      response.once("close", () => {
        line.current = undefined;
        // A connection that ends with this response carries no other.
        if (socket.writable) line.waiting.shift()?.();
      });
      forward(incoming, response, isAwaiting);
    };
    // Node reads on behind a request to upgrade, but not where that request ends.
    if (isUpgrade(incoming)) line.isEnded = true;
    if (line.current === undefined) work();
    else if (line.waiting.length < PIPELINED) line.waiting.push(work);
    else {
      line.isEnded = true;
      line.waiting.length = 0;
      refuse(line.current, FLOODED);
    }
  };

  const server = createServer({ requireHostHeader: false }, (incoming, response) => accept(incoming, response, false));
  server.on("checkContinue", (incoming, response) => accept(incoming, response, true));
  // Another expectation can be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", (incoming, response) => accept(incoming, response, false));
  server.on("connection", (socket) => {
    socket.destroySoon = endSlowly;
  });
  server.on("connect", (_, socket: Socket) => refuseConnection(socket, NO_METHOD));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const line = lineOf(socket);
    if (line.isEnded) return;
    line.isEnded = true;
    const failure = PARSE_FAILURES[error.code ?? ""] ?? NO_HTTP;
    // What came whole before it gets its responses first.
    if (line.current === undefined) refuseConnection(socket, failure);
    else if (line.waiting.length > 0 || line.current.req.complete)
      line.waiting.push(() => refuseConnection(socket, failure));
    else refuse(line.current, failure);
  });
  // Who does not read a response would keep its place among those at work. An operation may take longer than this before its response starts.
  server.on("timeout", (socket) => {
    if (lineOf(socket).current === undefined || socket.writableLength > 0) socket.destroy();
  });
  server.timeout = UNREAD;
  // The worker bounds how long a body may take.
  server.requestTimeout = 0;
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
    },
  };
}
