/** The HTTP server in front of workerd: what a strict server in workerd's place is sent, to the byte. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFront, type Front } from "../../src/serve/front.ts";
import { newWorker, Pool } from "../../src/serve/pool.ts";
import { RawClient, type RawResponse } from "./raw-client.ts";
import { responseOf, type StrictUpstream, startStrictUpstream } from "./strict-upstream.ts";

let upstream: StrictUpstream;
let front: Front;
let port: number;
let pool: Pool;
let open: RawClient[];

/** One worker at each URL. */
const poolOf = (...urls: readonly URL[]): Pool =>
  new Pool(urls.map((url, at) => Object.assign(newWorker(`worker-${at + 1}`), { url })));

async function start(options: { requestsAtWork?: number; proxies?: number } = {}): Promise<void> {
  front = createFront({ proxies: 0, pool, ...options });
  front.server.listen(0, "127.0.0.1");
  await once(front.server, "listening");
  ({ port } = front.server.address() as AddressInfo);
}

beforeEach(async () => {
  open = [];
  upstream = await startStrictUpstream();
  pool = poolOf(upstream.url);
  await start();
});
afterEach(async () => {
  for (const client of open) await client.close();
  await front.close(0);
  await upstream.close();
});

function client(): RawClient {
  const one = new RawClient(port);
  open.push(one);
  return one;
}

/** Requests that were received whole, by their `X-Case`. */
const seen = () => upstream.connections.flatMap(({ request }) => (request === undefined ? [] : [request]));
const seenOf = (name: string) => seen().filter(({ headers }) => headers["x-case"]?.includes(name));

/** A request that must never be one. */
const SMUGGLED =
  "GET /api/v1/smuggled HTTP/1.1\r\nHost: localhost\r\nX-Case: smuggled\r\nCF-Connecting-IP: 192.0.2.1\r\n\r\n";
const HALF = "PUT /api/v1/smuggled HTTP/1.1\r\nHost: localhost\r\nX-Case: smuggled\r\nContent-Length: 300\r\n\r\n";
const size = (text: string): string => text.length.toString(16);
const chunks = (...texts: string[]): string => [...texts, ""].map((text) => `${size(text)}\r\n${text}\r\n`).join("");

function expectError(response: RawResponse | undefined, status: number, code: string): void {
  expect(response?.head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(response?.head).toMatch(/\r\nX-Request-Id: req_[\da-f]{32}/i);
  expect(response?.head).toMatch(/\r\nContent-Type: application\/json/i);
  expect(JSON.parse(response?.body ?? "")).toEqual({ error: { code, message: expect.any(String) } });
}

/** All that a connection has received is a 400, whose body a HEAD request may lack. */
function expectOneError(received: string): void {
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).toMatch(/\r\nX-Request-Id: req_[\da-f]{32}\r\n/i);
  expect(received).toMatch(/\r\n\r\n(?:\{"error":\{"code":"invalid_parameters","message":"[^"]+"\}\})?$/);
}

/** Framings of a body: headers, what is sent after them, and the body that this is; undefined where there is none. */
const framings = (body: string): Record<string, { headers: string; sent: string; body?: string }> => ({
  "no framing": { headers: "", sent: "", body: "" },
  "an empty Content-Length": { headers: "Content-Length: 0\r\n", sent: "", body: "" },
  "Content-Length": { headers: `Content-Length: ${body.length}\r\n`, sent: body, body },
  "CONTENT-LENGTH with zeros": { headers: `CONTENT-LENGTH:  000${body.length}  \r\n`, sent: body, body },
  "Content-Length that Connection names": {
    headers: `Connection: content-length\r\nContent-Length: ${body.length}\r\n`,
    sent: body,
    body,
  },
  "Content-Length that a second Connection names": {
    headers: `Connection: keep-alive\r\nContent-Length: ${body.length}\r\nconnection: X-Y,Content-Length , te\r\n`,
    sent: body,
    body,
  },
  chunked: { headers: "Transfer-Encoding: chunked\r\n", sent: chunks(body), body },
  "chunked without a chunk": { headers: "Transfer-Encoding: chunked\r\n", sent: chunks(), body: "" },
  "Chunked in many chunks": { headers: "transfer-encoding: Chunked\r\n", sent: chunks(...body), body },
  "chunked that Connection names": {
    headers: "Connection: transfer-encoding, TE\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\n",
    sent: chunks(body),
    body,
  },
  "chunked with extensions and trailers": {
    headers: "Transfer-Encoding: chunked\r\nTrailer: X-Case\r\n",
    sent: `${size(body)};a=b;c="d"\r\n${body}\r\n0;e\r\nX-Case: smuggled\r\n\r\n`,
    body,
  },
});

/** Framings that allow two readings, or none. */
const ambiguous = (body: string): Record<string, { headers: string; sent: string; line?: string }> => ({
  "Content-Length and chunked": {
    headers: `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`,
    sent: chunks(body),
  },
  "chunked and Content-Length": { headers: "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", sent: chunks(body) },
  "both, one named by Connection": {
    headers: `Connection: content-length\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
    sent: chunks(body),
  },
  "two equal lengths": { headers: `Content-Length: 5\r\nContent-Length: 5\r\n`, sent: body },
  "two lengths": { headers: `Content-Length: 0\r\nContent-Length: ${body.length}\r\n`, sent: body },
  "a list of lengths": { headers: "Content-Length: 5, 5\r\n", sent: body },
  "a signed length": { headers: "Content-Length: +5\r\n", sent: body },
  "a negative length": { headers: "Content-Length: -1\r\n", sent: body },
  "a hexadecimal length": { headers: "Content-Length: 0x5\r\n", sent: body },
  "an empty length": { headers: "Content-Length:\r\n", sent: body },
  "a length beyond all numbers": { headers: "Content-Length: 18446744073709551617\r\n", sent: body },
  "chunked twice": { headers: "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", sent: chunks(body) },
  "chunked, chunked": { headers: "Transfer-Encoding: chunked, chunked\r\n", sent: chunks(body) },
  "gzip, chunked": { headers: "Transfer-Encoding: gzip, chunked\r\n", sent: chunks(body) },
  "gzip and chunked": { headers: "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", sent: chunks(body) },
  "chunked, identity": { headers: "Transfer-Encoding: chunked, identity\r\n", sent: chunks(body) },
  identity: { headers: "Transfer-Encoding: identity\r\n", sent: body },
  xchunked: { headers: "Transfer-Encoding: xchunked\r\n", sent: chunks(body) },
  quoted: { headers: 'Transfer-Encoding: "chunked"\r\n', sent: chunks(body) },
  "an empty coding": { headers: "Transfer-Encoding:\r\n", sent: chunks(body) },
  "a parameter": { headers: "Transfer-Encoding: chunked;a=b\r\n", sent: chunks(body) },
  "a space before the colon": { headers: "Transfer-Encoding : chunked\r\n", sent: chunks(body) },
  "a folded coding": { headers: "Transfer-Encoding:\r\n chunked\r\n", sent: chunks(body) },
  "a vertical tab": { headers: "Transfer-Encoding: \u000Bchunked\r\n", sent: chunks(body) },
  "a bare line feed": { headers: "X: y\nTransfer-Encoding: chunked\r\n", sent: chunks(body) },
  "a bare carriage return": { headers: "X: y\rTransfer-Encoding: chunked\r\n", sent: chunks(body) },
  "a NUL": { headers: "X: y\0\r\nTransfer-Encoding: chunked\r\n", sent: chunks(body) },
  "HTTP/1.0 with chunked": { headers: "Transfer-Encoding: chunked\r\n", sent: chunks(body), line: "HTTP/1.0" },
  "a version of its own": { headers: "Transfer-Encoding: chunked\r\n", sent: chunks(body), line: "HTTP/1.2" },
});

/** Bodies that are damaged after the headers have been forwarded. */
const damaged = (body: string): Record<string, string> => ({
  "a chunk longer than it says": `5\r\n${body}\r\n0\r\n\r\n`,
  "a chunk shorter than it says": `${size(`${body}123`)}\r\n${body}\r\n0\r\n\r\n`,
  "a size that is no number": `xyz\r\n${body}\r\n0\r\n\r\n`,
  "a negative size": `-5\r\n${body}\r\n0\r\n\r\n`,
  "a size beyond all numbers": `fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
  "a size with a prefix": `0x5\r\n${body}\r\n0\r\n\r\n`,
  "chunks that end in line feeds": `${size(body)}\n${body}\n0\n\n`,
  "a trailer that frames": `${size(body)}\r\n${body}\r\n0\r\nContent-Length: 5\r\n\r\n`,
  "a size with spaces": `${size(body)} \r\n${body}\r\n0\r\n\r\n`,
});

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

describe("unambiguous framings", () => {
  describe.each(Object.keys(framings("")))("%s", (name) => {
    test.each(METHODS)("a %s request arrives as one, on a connection of its own", async (method) => {
      const { headers, sent, body = "" } = framings(SMUGGLED + HALF)[name] ?? { headers: "", sent: "" };
      const [one, other] = [client(), client()];
      for (let round = 0; round < 3; round++) {
        await one.send(
          `${method} /api/v1/x?${round} HTTP/1.1\r\nHost: first\r\nX-Case: one${round}\r\nAuthorization: Bearer one\r\n${headers}\r\n${sent}`,
        );
        await other.send(
          `GET /api/v1/keys HTTP/1.1\r\nHost: second\r\nX-Case: other${round}\r\nAuthorization: Bearer other\r\n\r\n`,
        );
        const isHead = method === "HEAD";
        expect(await one.response({ isHead })).toMatchObject({
          status: 200,
          body: isHead ? "" : `one${round} ${body.length}`,
        });
        expect(await other.response()).toMatchObject({ status: 200, body: `other${round} 0` });
        expect(seenOf(`one${round}`)).toEqual([
          expect.objectContaining({
            method,
            path: `/api/v1/x?${round}`,
            body,
            headers: expect.objectContaining({
              host: ["first"],
              authorization: ["Bearer one"],
              "cf-connecting-ip": ["127.0.0.1"],
            }),
          }),
        ]);
        expect(seenOf(`other${round}`)).toEqual([
          expect.objectContaining({ body: "", headers: expect.objectContaining({ authorization: ["Bearer other"] }) }),
        ]);
      }
      expect(upstream.connections).toHaveLength(6);
      expect(seen()).toHaveLength(6);
    });
  });
});

describe("ambiguous framings", () => {
  describe.each(Object.keys(ambiguous("")))("%s", (name) => {
    test.each(METHODS)(
      "an ambiguous %s request is refused, its connection closed, and nothing of it forwarded",
      async (method) => {
        const { headers, sent, line = "HTTP/1.1" } = ambiguous(SMUGGLED)[name] ?? { headers: "", sent: "" };
        const one = client();
        await one.send(`${method} /api/v1/x ${line}\r\nHost: x\r\nX-Case: one\r\n${headers}\r\n${sent}${SMUGGLED}`);
        expectOneError(await one.ended());
        expect(upstream.connections).toEqual([]);
      },
    );
  });
});

describe("damaged bodies", () => {
  describe.each(Object.keys(damaged("")))("%s", (name) => {
    test.each(METHODS)("a %s request with a damaged body is no request", async (method) => {
      const one = client();
      await one.send(
        `${method} /api/v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${damaged(SMUGGLED)[name]}${SMUGGLED}`,
      );
      expectOneError(await one.ended());
      await expect.poll(() => upstream.connections.every(({ isClosed }) => isClosed)).toBe(true);
      expect(seen()).toEqual([]);
    });
  });
});

test("requests that are split at every byte, and pipelined, arrive as they were sent", async () => {
  const body = "GET /";
  const sent = ["Content-Length", "chunked with extensions and trailers", "no framing", "Chunked in many chunks"];
  const messages = sent.map((name, at) => {
    const framing = framings(body)[name] ?? { headers: "", sent: "" };
    return `DELETE /${at} HTTP/1.1\r\nHost: x\r\nX-Case: c${at}\r\n${framing.headers}\r\n${framing.sent}`;
  });
  const wire = messages.join("");
  const bodies = sent.map((name) => framings(body)[name]?.body ?? "");
  const one = client();
  for (let at = 1; at < wire.length; at++) {
    await one.send(wire.slice(0, at));
    await new Promise((done) => setImmediate(done));
    await one.send(wire.slice(at));
    for (const [index, { length }] of bodies.entries())
      expect((await one.response())?.body, `split at ${at}`).toBe(`c${index} ${length}`);
  }
  const rounds = wire.length - 1;
  expect(upstream.connections).toHaveLength(rounds * sent.length);
  for (const [index, text] of bodies.entries()) {
    const requests = seenOf(`c${index}`);
    expect(requests).toHaveLength(rounds);
    expect(new Set(requests.map(({ path, body }) => `${path} ${body}`))).toEqual(new Set([`/${index} ${text}`]));
  }
});

test("a client cannot set its own address, and Connection removes neither the host, the key, nor the front's headers", async () => {
  const one = client();
  await one.send(
    "GET /a HTTP/1.1\r\nHost: x\r\nX-Case: one\r\nAuthorization: Bearer k\r\nX-Own: 1\r\nCF-Connecting-IP: 192.0.2.1\r\nMF-CF-Blob: {}\r\ncf-ray: 1\r\n" +
      "Connection: close, host, authorization, cf-connecting-ip, x-own, content-length\r\n\r\n",
  );
  expect((await one.response())?.status).toBe(200);
  const [request] = seenOf("one");
  expect(request?.headers).toEqual({
    host: ["x"],
    "x-case": ["one"],
    authorization: ["Bearer k"],
    "cf-connecting-ip": ["127.0.0.1"],
    connection: ["close"],
  });
});

describe("targets and hosts", () => {
  test.each([
    ["a path", "/a?b=c", "x:8787", "x:8787", "/a?b=c"],
    ["an address", "/a", "[::1]:80", "[::1]:80", "/a"],
    ["a URL, whose host counts", "http://y/a?b", "x", "y", "/a?b"],
    ["characters that a URL cannot have", '/a{b}|"<c>^`?{', "x", "x", "/a%7Bb%7D%7C%22%3Cc%3E%5E%60?%7B"],
    ["a URL without a path", "http://y?b", "x", "y", "/?b"],
  ])("a target or host is forwarded in its canonical form: %s", async (_, target, host, expectedHost, expectedPath) => {
    const one = client();
    await one.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Case: one\r\n\r\n`);
    expect((await one.response())?.status).toBe(200);
    expect(seenOf("one")).toMatchObject([{ path: expectedPath, headers: { host: [expectedHost] } }]);
  });

  test.each([
    ["no Host", "GET /a", ""],
    ["an empty Host", "GET /a", "Host:\r\n"],
    ["two Hosts", "GET /a", "Host: x\r\nHost: x\r\n"],
    ["a Host with a space", "GET /a", "Host: x y\r\n"],
    ["a Host with a path", "GET /a", "Host: x/y\r\n"],
    ["a Host with a user", "GET /a", "Host: user@x\r\n"],
    ["a Host with a comma", "GET /a", "Host: x,y\r\n"],
    ["a Host that is no address", "GET /a", "Host: 1.2.3.4.5\r\n"],
    ["a Host with a large port", "GET /a", "Host: x:99999\r\n"],
    ["a Host that is not ASCII", "GET /a", "Host: \u00e4\r\n"],
    ["a bracket", "GET /a", "Host: [\r\n"],
    ["a URL with a user", "GET http://user@x/a", "Host: x\r\n"],
    ["a URL without a host", "GET http:///a", "Host: x\r\n"],
    ["OPTIONS *", "OPTIONS *", "Host: x\r\n"],
    ["GET *", "GET *", "Host: x\r\n"],
    ["no HTTP", "hello", ""],
    ["a method that does not exist", "FROB /a", "Host: x\r\n"],
  ])("a request with %s gets 400", async (_, line, headers) => {
    const one = client();
    await one.send(`${line} HTTP/1.1\r\n${headers}\r\n`);
    expectError(await one.response(), 400, "invalid_parameters");
    expect(await one.ended()).toBe("");
    expect(upstream.connections).toEqual([]);
  });

  test.each(["TRACE /a", "PROPFIND /a", "CONNECT x:80"])("a request for %s gets 405", async (line) => {
    const one = client();
    await one.send(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const response = await one.response();
    expectError(response, 405, "method_not_allowed");
    expect(response?.head).toContain("Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    expect(upstream.connections).toEqual([]);
  });

  test("a request with large headers gets 413", async () => {
    const one = client();
    await one.send(`GET /a HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`);
    const response = await one.response();
    expectError(response, 413, "limit_exceeded");
    expect(response?.body).toContain("16 KiB");
  });

  test("a load balancer's check may be HTTP/1.0 without a Host", async () => {
    const one = client();
    await one.send("GET /api/v1/health HTTP/1.0\r\nX-Case: one\r\n\r\n");
    expect((await one.response())?.status).toBe(200);
    expect(await one.ended()).toBe("");
    expect(seenOf("one")).toMatchObject([{ headers: { host: ["localhost"] } }]);
  });
});

describe("early responses", () => {
  const REFUSAL = responseOf("no", "401 Unauthorized");

  test("an early response reaches a client that has sent no byte of its body", async () => {
    upstream.onHead = (_, socket) => socket.write(REFUSAL);
    const one = client();
    await one.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
    expect(await one.response()).toMatchObject({ status: 401, body: "no" });
  });

  test("an early response reaches clients that are still sending when workerd closes the connection", async () => {
    upstream.onHead = (_, socket) => {
      socket.write(REFUSAL);
      socket.destroySoon();
    };
    const body = "x".repeat(4_000_000);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const one = client();
        await one.send(`POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
        // All of it, as most clients do before they read.
        await one.send(body);
        return (await one.response())?.status;
      }),
    );
    expect(statuses).toEqual(statuses.map(() => 401));
  });

  test("Expect: 100-continue is answered when the service reads the body, or refused", async () => {
    const head = "POST /a HTTP/1.1\r\nHost: x\r\nX-Case: one\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    upstream.onHead = (_, socket) => socket.write(REFUSAL);
    const refused = client();
    await refused.send(head);
    expect(await refused.response()).toMatchObject({ status: 401 });
    upstream.onHead = (_, socket) => socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    const accepted = client();
    await accepted.send(head);
    expect(await accepted.response()).toMatchObject({ status: 100 });
    await accepted.send("hello");
    expect(await accepted.response()).toMatchObject({ status: 200, body: "one 5" });
    expect(seenOf("one")).toMatchObject([{ body: "hello" }]);
  });
});

describe("several workers", () => {
  let other: StrictUpstream;
  beforeEach(async () => {
    other = await startStrictUpstream();
    await front.close(0);
    pool = poolOf(upstream.url, other.url);
    await start();
  });
  afterEach(() => other.close());

  const get = async (name: string): Promise<RawResponse | undefined> => {
    const one = client();
    await one.send(`GET /a HTTP/1.1\r\nHost: x\r\nX-Case: ${name}\r\n\r\n`);
    return one.response();
  };
  const countOf = ({ connections }: StrictUpstream): number => connections.length;

  test("requests go to the worker that has the fewest", async () => {
    upstream.respond = () => undefined;
    const held = client();
    await held.send("GET /a HTTP/1.1\r\nHost: x\r\nX-Case: held\r\n\r\n");
    await expect.poll(() => countOf(upstream)).toBe(1);
    for (const name of ["one", "two", "three"]) expect(await get(name)).toMatchObject({ status: 200 });
    expect([countOf(upstream), countOf(other)]).toEqual([1, 3]);
    await held.close();
    await expect.poll(() => pool.workers.map(({ atWork }) => atWork)).toEqual([0, 0]);
  });

  test("a request goes to another worker if the first cannot be reached, and to none twice", async () => {
    await upstream.close();
    for (const name of ["one", "two", "three"]) expect(await get(name)).toMatchObject({ status: 200 });
    expect(countOf(other)).toBe(3);
    await other.close();
    expectError(await get("four"), 503, "overloaded");
    expect(pool.workers.map(({ atWork }) => atWork)).toEqual([0, 0]);
  });

  test("a request whose worker dies after it was sent is not sent to another", async () => {
    for (const one of [upstream, other]) one.onHead = (_, socket) => void socket.destroy();
    expectError(await get("lost"), 503, "overloaded");
    expect(countOf(upstream) + countOf(other)).toBe(1);
  });

  test("a body arrives whole at the worker that can be reached", async () => {
    await upstream.close();
    const one = client();
    await one.send("POST /a HTTP/1.1\r\nHost: x\r\nX-Case: body\r\nContent-Length: 5\r\n\r\nhel");
    await one.send("lo");
    expect(await one.response()).toMatchObject({ status: 200 });
    expect(other.connections.map(({ request }) => request?.body)).toEqual(["hello"]);
  });

  test("only requests about the service's health have the states of the workers, and a client cannot claim them", async () => {
    for (const worker of pool.workers.slice(1)) worker.url = undefined;
    for (const path of ["/api/v1/ready", "/a"]) {
      const one = client();
      await one.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Case: states\r\nCF-Workers: ready,ready\r\n\r\n`);
      await one.response();
    }
    expect(seenOf("states").map(({ headers }) => headers["cf-workers"])).toEqual([["ready,starting"], undefined]);
  });

  test("closing waits for the requests of all workers", async () => {
    const sockets: Socket[] = [];
    for (const one of [upstream, other])
      one.respond = (_, socket) => {
        sockets.push(socket);
        return undefined;
      };
    const clients = [client(), client()];
    for (const one of clients) await one.send("GET /a HTTP/1.1\r\nHost: x\r\nX-Case: drain\r\n\r\n");
    await expect.poll(() => sockets.length).toBe(2);
    let isClosed = false;
    const closed = front.close(60_000).then(() => (isClosed = true));
    sockets[0]?.end(responseOf("first"));
    await Promise.race(clients.map((one) => one.response()));
    expect(isClosed).toBe(false);
    sockets[1]?.end(responseOf("second"));
    await closed;
    expect([countOf(upstream), countOf(other)]).toEqual([1, 1]);
  });
});

describe("an absent workerd", () => {
  test("requests without a running workerd get 503", async () => {
    for (const worker of pool.workers) worker.url = undefined;
    const one = client();
    await one.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    const response = await one.response();
    expectError(response, 503, "overloaded");
    expect(response?.head).toContain("Retry-After: 5");
  });

  test("a request without a response yet gets 503 when workerd ends, and a response that was cut off is cut off", async () => {
    upstream.respond = (_, socket) => {
      socket.destroy();
      return undefined;
    };
    const one = client();
    await one.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expectError(await one.response(), 503, "overloaded");
    upstream.respond = (_, socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      socket.destroySoon();
      return undefined;
    };
    const other = client();
    await other.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await other.response()).toBeUndefined();
    expect(await other.ended()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*half$/s);
  });
});

describe("bounds", () => {
  test("pipelined requests are worked on one at a time, in their order", async () => {
    const pending: (() => void)[] = [];
    upstream.respond = ({ path }, socket) => {
      pending.push(() => socket.write(responseOf(path)));
      return undefined;
    };
    const one = client();
    await one.send(Array.from({ length: 20 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
    for (let at = 0; at < 20; at++) {
      await expect.poll(() => pending.length).toBe(at + 1);
      pending[at]?.();
      expect(await one.response()).toMatchObject({ body: `/${at}` });
    }
  });

  test("a connection with too many waiting requests gets 503, and its work ends", async () => {
    upstream.respond = () => undefined;
    const floods = Array.from({ length: 10 }, client);
    for (const flood of floods) await flood.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3_000));
    for (const flood of floods) {
      const response = await flood.response();
      expectError(response, 503, "overloaded");
      expect(response?.head).toContain("Retry-After: 5");
      expect(await flood.ended()).toBe("");
    }
    expect(upstream.connections.length).toBeLessThanOrEqual(10);
    await expect.poll(() => upstream.connections.every(({ isClosed }) => isClosed)).toBe(true);
  });

  test("a response that arrives while its connection is refused ends nothing", async () => {
    upstream.respond = () => undefined;
    upstream.onHead = (_, socket) => setTimeout(() => socket.write(responseOf("late")), 1);
    for (let round = 0; round < 30; round++) {
      const flood = client();
      await flood.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
      await expect.poll(() => upstream.connections.length, { interval: 0 }).toBeGreaterThan(round);
      await flood.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200));
      await flood.ended();
    }
    upstream.onHead = () => undefined;
    upstream.respond = () => responseOf("ok");
    const one = client();
    await one.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await one.response()).toMatchObject({ status: 200 });
  });

  test("requests beyond the limit get 503 until others have ended", async () => {
    await front.close(0);
    await start({ requestsAtWork: 2 });
    upstream.respond = () => undefined;
    const [first, second] = [client(), client()];
    for (const one of [first, second]) await one.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => seen().length).toBe(2);
    const third = client();
    await third.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expectError(await third.response(), 503, "overloaded");
    const check = client();
    await check.send("GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => seen().length).toBe(3);
    await check.close();
    await first.close();
    await expect.poll(() => upstream.connections.filter(({ isClosed }) => isClosed).length).toBe(2);
    upstream.respond = () => responseOf("ok");
    const fourth = client();
    await fourth.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await fourth.response()).toMatchObject({ status: 200 });
  });

  test("responses that only wait for their client take no place", async () => {
    await front.close(0);
    await start({ requestsAtWork: 1 });
    upstream.respond = () => responseOf("x".repeat(1_000));
    const unread = client();
    unread.socket.pause();
    await unread.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => upstream.connections.every(({ isClosed }) => isClosed) && seen().length).toBe(1);
    const other = client();
    await other.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await other.response()).toMatchObject({ status: 200 });
  });

  test("a connection ends after a request to upgrade, and later bytes are no request", async () => {
    upstream.respond = () => responseOf("ok");
    const one = client();
    const upgrade = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
    await one.send(`${upgrade}POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 35\r\n\r\n`);
    expect(await one.response()).toMatchObject({ status: 200, head: expect.stringMatching(/connection: close/i) });
    await one.send("GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    const other = client();
    await other.send("GET /c HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await other.response()).toMatchObject({ status: 200 });
    expect(seen().map(({ path }) => path)).toEqual(["/a", "/c"]);
  });

  test("a client that reads nothing of its response loses its connection, and one that waits for it does not", async () => {
    front.server.timeout = 100;
    upstream.respond = ({ path }, socket) => {
      if (path === "/large") return responseOf("x".repeat(50_000_000));
      setTimeout(() => socket.write(responseOf("late")), 500);
      return undefined;
    };
    const [unread, patient] = [client(), client()];
    unread.socket.pause();
    await unread.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    await patient.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect
      .poll(() => upstream.connections.find(({ request }) => request?.path === "/large")?.isClosed, { timeout: 60_000 })
      .toBe(true);
    expect(await patient.response()).toMatchObject({ status: 200, body: "late" });
  });

  test("a request whose client has gone is ended, whether it was read, is being sent, or waits", async () => {
    upstream.respond = () => undefined;
    const read = client();
    await read.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /waiting HTTP/1.1\r\nHost: x\r\n\r\n");
    const sending = client();
    await sending.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf");
    await expect.poll(() => upstream.connections.length).toBe(2);
    await read.close();
    await sending.close();
    await expect.poll(() => upstream.connections.every(({ isClosed }) => isClosed)).toBe(true);
    expect(upstream.connections).toHaveLength(2);
  });
});
