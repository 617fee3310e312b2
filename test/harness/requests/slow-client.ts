import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Part, Service } from "./client.ts";

/** A client on a socket of its own, which sends and reads as slowly as it is told to. */
export interface SlowClient {
  /** Resolved with the status when the response's head has come. */
  readonly status: Promise<number>;
  /** Bytes of the response read so far, its head included. */
  readBytes(): number;
  /** Milliseconds from its connection until the service closed it, if it has. */
  closedAfter(): number | undefined;
  /** Goes away without a word. */
  leave(): void;
}

/** How often a slow client sends or reads, in ms. */
const TICK = 100;

/** The bytes of a call, as they go over the wire. */
async function requestBytes(
  { baseUrl, key }: Service,
  operation: string,
  parts: Readonly<Record<string, Part>>,
): Promise<Uint8Array> {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") form.append(name, part);
    else form.append(name, new Blob([part.bytes.slice()]), part.fileName);
  }
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const head = [
    `POST /api/v1/${operation} HTTP/1.1`,
    `Host: ${new URL(baseUrl).host}`,
    `Authorization: Bearer ${key}`,
    `Content-Type: ${encoded.headers.get("Content-Type") ?? ""}`,
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

async function connected({ baseUrl }: Service): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Sends a call at once and reads its response at `bytesPerSecond`. */
export async function slowReader(
  service: Service,
  operation: string,
  parts: Readonly<Record<string, Part>>,
  bytesPerSecond: number,
): Promise<SlowClient> {
  const socket = await connected(service);
  socket.write(await requestBytes(service, operation, parts));
  return client(socket, (bytesPerSecond * TICK) / 1_000);
}

/** Sends a call at `bytesPerSecond`. */
export async function slowSender(
  service: Service,
  operation: string,
  parts: Readonly<Record<string, Part>>,
  bytesPerSecond: number,
): Promise<SlowClient> {
  const socket = await connected(service);
  const bytes = await requestBytes(service, operation, parts);
  const step = (bytesPerSecond * TICK) / 1_000;
  let at = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, at + step));
    at += step;
    if (at >= bytes.length) clearInterval(timer);
  }, TICK);
  socket.on("close", () => clearInterval(timer));
  return client(socket, Infinity);
}

/** Reads at most `step` bytes a tick. */
function client(socket: Socket, step: number): SlowClient {
  const status = Promise.withResolvers<number>();
  let read = 0;
  const opened = Date.now();
  let closed: number | undefined;
  let allowed = step;
  const take = (): void => {
    while (allowed > 0) {
      const chunk = socket.read(Math.min(allowed, socket.readableLength)) as Buffer | null;
      if (chunk === null || chunk.length === 0) return;
      if (read === 0) status.resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString("latin1"))?.[1]));
      read += chunk.length;
      allowed -= chunk.length;
    }
  };
  const timer = setInterval(() => {
    allowed = step;
    take();
  }, TICK);
  socket.on("readable", take).on("close", () => {
    closed = Date.now();
    clearInterval(timer);
    status.reject(new Error("the connection was closed before there was a response"));
  });
  status.promise.catch(() => {});
  return {
    status: status.promise,
    readBytes: () => read,
    closedAfter: () => closed && closed - opened,
    leave: () => void socket.destroy(),
  };
}
