/** A server in the place of workerd that reads what it is sent to the last byte. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A request as it stands on the connection. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. A name that occurs twice has both values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/** What one connection has carried. */
export interface SeenConnection {
  /** All bytes. */
  bytes: string;
  request: SeenRequest | undefined;
  isClosed: boolean;
}

export interface StrictUpstream {
  readonly url: URL;
  readonly connections: SeenConnection[];
  /** What it responds to a whole request; undefined: nothing. */
  respond: (request: SeenRequest, socket: Socket) => string | undefined;
  /** Called once the headers of a request are there. */
  onHead: (request: SeenRequest, socket: Socket) => void;
  close(): Promise<void>;
}

export const responseOf = (body: string, status = "200 OK", headers = ""): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;

interface Head extends SeenRequest {
  /** Where the body starts. */
  readonly end: number;
}

/** The head of a request; undefined while it is not whole. Throws at all that RFC 9112 lets a sender not send. */
function headOf(bytes: string): Head | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [line = "", ...lines] = bytes.slice(0, end).split("\r\n");
  const [, method = "", path = ""] = /^([A-Z]+) (\/[!-~]*) HTTP\/1\.1$/.exec(line) ?? fail(`a request line: ${line}`);
  const headers: Record<string, string[]> = {};
  for (const one of lines) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^`|~\w-]+): ?([^\r\n]*)$/.exec(one) ?? fail(`a header: ${one}`);
    (headers[name.toLowerCase()] ??= []).push(value);
  }
  return { method, path, headers, body: "", end: end + 4 };
}

function fail(what: string): never {
  throw new Error(`not ${what}`);
}

/** The whole request that the bytes of a connection are; undefined while some are missing. Throws if there are more, or if its framing allows two readings. */
function readRequest(bytes: string): SeenRequest | undefined {
  const head = headOf(bytes);
  if (head === undefined) return undefined;
  const { end, ...request } = head;
  const { "content-length": lengths = [], "transfer-encoding": codings = [] } = request.headers;
  const rest = bytes.slice(end);
  if (lengths.length + codings.length > 1) fail(`one framing: ${bytes.slice(0, end)}`);
  if (codings.length === 0) {
    const length = /^\d+$/.test(lengths[0] ?? "0") ? Number(lengths[0] ?? 0) : fail(`a length: ${lengths[0]}`);
    if (rest.length > length) fail(`one request of a connection: ${bytes}`);
    return rest.length < length ? undefined : { ...request, body: rest };
  }
  if (codings[0] !== "chunked") fail(`a coding: ${codings[0]}`);
  let body = "";
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = /^[\da-f]+$/.test(rest.slice(at, lineEnd))
      ? Number.parseInt(rest.slice(at, lineEnd), 16)
      : fail(`a chunk's size: ${rest.slice(at, lineEnd)}`);
    const next = lineEnd + 2 + size + 2;
    if (rest.length < next) return undefined;
    if (rest.slice(next - 2, next) !== "\r\n") fail(`the end of a chunk: ${rest}`);
    if (size === 0) return rest.length > next ? fail(`one request of a connection: ${bytes}`) : { ...request, body };
    body += rest.slice(lineEnd + 2, next - 2);
    at = next;
  }
}

/** Starts it. Bytes are Latin-1. What it cannot read is thrown by `close`. */
export async function startStrictUpstream(): Promise<StrictUpstream> {
  const connections: SeenConnection[] = [];
  const sockets = new Set<Socket>();
  const problems: unknown[] = [];
  const server = createServer((socket) => {
    const connection: SeenConnection = { bytes: "", request: undefined, isClosed: false };
    connections.push(connection);
    sockets.add(socket);
    let hasHead = false;
    socket.on("data", (chunk: Buffer) => {
      connection.bytes += chunk.toString("latin1");
      try {
        const head = headOf(connection.bytes);
        if (head !== undefined && !hasHead) {
          hasHead = true;
          upstream.onHead(head, socket);
        }
        const request = readRequest(connection.bytes);
        if (request === undefined) return;
        connection.request = request;
        const response = upstream.respond(request, socket);
        if (response !== undefined) socket.write(response);
      } catch (error) {
        problems.push(error);
        socket.destroy();
      }
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      connection.isClosed = true;
      sockets.delete(socket);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream: StrictUpstream = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    connections,
    respond: ({ headers, body }) => responseOf(`${headers["x-case"]?.join() ?? ""} ${body.length}`),
    onHead: () => undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      if (problems.length > 0) throw new AggregateError(problems, problems.map(String).join("\n"));
    },
  };
  return upstream;
}
