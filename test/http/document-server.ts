import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { TestProject } from "vitest/node";
import { fileShapes } from "../harness/fixtures/file-shapes.ts";
import { respondAsConverter } from "../harness/office/false-converter.ts";

/** What `/report.pdf` and most other paths respond with. */
const DOCUMENT = Buffer.from(`%PDF-1.7\n${"document ".repeat(20_000)}`);

type Route = (response: ServerResponse, request: IncomingMessage) => void;

let losing = false;

/** By the first segment of the path. */
const routes: Readonly<Record<string, Route>> = {
  "report.pdf": (response) => response.writeHead(200, { "Content-Length": DOCUMENT.length }).end(DOCUMENT),
  /** `/status/404` */
  status: (response, { url }) =>
    response.writeHead(Number.parseInt(url?.split("/")[2] ?? "", 10)).end("a secret of the remote server"),
  /** `/redirects/3`: so many, then the document. */
  redirects(response, { url }) {
    const left = Number(url?.split("/")[2]);
    redirect(response, left === 1 ? "/report.pdf#page=2" : `/redirects/${left - 1}`);
  },
  loop: (response) => redirect(response, "/loop"),
  /** `/to?http://10.0.0.1/` */
  to: (response, { url = "" }) => redirect(response, decodeURIComponent(url.slice(url.indexOf("?") + 1))),
  nowhere: (response) => response.writeHead(302).end(),
  chunked(response) {
    response.write(DOCUMENT.subarray(0, 1_000));
    response.end(DOCUMENT.subarray(1_000));
  },
  gzip: (response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(DOCUMENT)),
  "gzip-bomb": (response) =>
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(Buffer.alloc(2e7, "%PDF-1.7"))),
  "large-gzip": (response) =>
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(Buffer.alloc(4e7, "%PDF-1.7"))),
  /** Closes the connection of every other request before it responds. */
  lost(response, request) {
    losing = !losing;
    if (losing) request.socket.destroy();
    else response.end(DOCUMENT);
  },
  /** Closes the connection of every request before it responds. */
  "lost-again": (_, request) => void request.socket.destroy(),
  empty: (response) => response.writeHead(200, { "Content-Length": 0 }).end(),
  short(response) {
    response.writeHead(200, { "Content-Length": DOCUMENT.length + 1 }).write(DOCUMENT);
    setTimeout(() => response.destroy(), 50);
  },
  /** Begins, and then sends nothing. */
  stalled: (response) => void response.writeHead(200, { "Content-Length": DOCUMENT.length }).write("%PDF-1.7"),
  /** Does not even begin. */
  silent: () => {},
  /** As many bytes as are read. */
  endless(response) {
    const block = Buffer.alloc(64 * 1024, "%PDF-1.7");
    const send = (): void => {
      while (!response.destroyed && response.write(block));
    };
    response.on("drain", send).writeHead(200, { "Content-Type": "application/pdf" });
    send();
  },
  /** As large as a body that goes straight into an engine, and then nothing more. */
  hanging: (response) => void response.writeHead(200, { "Content-Length": 2e7 }).write("%PDF-1.7"),
  huge: (response) => void response.writeHead(200, { "Content-Length": 1e9 }).write("%PDF-1.7"),
  /** `/shapes/linearized`: see harness/fixtures/file-shapes.ts. */
  shapes(response, { url }) {
    const make = fileShapes[url?.split("/")[2] ?? ""];
    void Promise.resolve(make?.()).then((bytes) => response.end(bytes));
  },
  /** `/office/encrypted`: see harness/office/false-converter.ts. */
  office: (response, request) => void respondAsConverter(response, request),
  headers: (response, { headers }) => response.end(`%PDF-1.7\n${JSON.stringify(headers)}`),
};

async function keep(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const redirect = (response: ServerResponse, to: string): void => void response.writeHead(302, { Location: to }).end();

/**
 * Starts a server of documents on loopback for the tests inside workerd, which cannot listen. What is PUT to a path is its document. `/open/...`
 * responds with the number of responses to the path after it that are still being sent, and `/log` with the paths requested so far.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log: string[] = [];
  const open = new Map<ServerResponse, string>();
  const kept = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    // A runtime may repeat a request by itself if a connection that it reused is lost (RFC 9110, 9.2.2), which would be counted.
    response.setHeader("Connection", "close");
    const name = /^\/([^/?]*)/.exec(request.url ?? "")?.[1] ?? "";
    const url = request.url ?? "";
    if (name === "open") {
      const same = Array.from(open.values()).filter((path) => `/open${path}` === url);
      return void response.end(String(same.length));
    }
    if (name === "log") return void response.end(JSON.stringify(log));
    if (request.method === "PUT") return void keep(request).then((bytes) => response.end(kept.set(url, bytes) && ""));
    log.push(url);
    open.set(response, url);
    response.on("close", () => open.delete(response));
    const own = kept.get(url);
    if (own !== undefined) response.writeHead(200, { "Content-Length": own.length }).end(own);
    else (routes[name] ?? routes["report.pdf"])?.(response, request);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  project.provide("documents", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
  };
}

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the server of documents. */
    documents: string;
  }
}
