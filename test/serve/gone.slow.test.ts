/** Whoever closes the connection stops the work on the request, whatever it is and however far it is. */
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { deflatedZeros, sparseNumbers } from "../harness/bombs/bomb-fixtures.ts";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { type Part, pdfPart, post, type Service } from "../harness/requests/client.ts";
import { bilevel, fills, ruledLines } from "../harness/bombs/drawing-bombs.ts";
import { drawing, type DrawnPage, textPage } from "../harness/fixtures/drawing-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { formBody, type LoggedRequest, requestsIn, sendAndLeave } from "../harness/requests/gone-client.ts";
import { writePng } from "../harness/images/png-writer.ts";
import { limits, MiB } from "../../src/limits.ts";

let data: string;
let server: StartedServer;
let service: Service;
/** A server that accepts connections, and never responds. */
const silent = createServer().on("request", () => {});
const held = new Set<Socket>();
silent.on("connection", (socket) => {
  held.add(socket);
  socket.on("close", () => held.delete(socket));
});
const silentUrl = (): string => `http://localhost:${(silent.address() as AddressInfo).port}/`;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "pdf-service-gone-"));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  server = await startServer(data, ["--var", "FETCH_ALLOW_LOCAL:true"]);
  service = { baseUrl: server.baseUrl, key: server.liveKey };
});
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

const letter = document({ name: "letter", pages: 1 });
const page = textPage({ width: 612, height: 792 });
const pages = (count: number): Uint8Array => drawing(...Array<DrawnPage>(count).fill(page));
const file = (bytes: Uint8Array, name = "input.pdf"): Part => pdfPart(bytes, name);

/** The next request of an operation that ends. */
async function nextEnd(operation: string, since: number): Promise<LoggedRequest> {
  const ended = () => requestsIn(server.printed()).slice(since);
  await expect.poll(() => ended().some((one) => one.operation === operation), { timeout: 300_000 }).toBe(true);
  const found = ended().find((one) => one.operation === operation);
  if (found === undefined) throw new Error("the request is not in the log");
  return found;
}
const soFar = (): number => requestsIn(server.printed()).length;

const GONE = { status: 499, code: "client_closed_request", outcome: "aborted" };

async function expectFree(): Promise<void> {
  const both = await Promise.all([1, 2].map(() => post(service, "rotate", { file: file(letter), angle: "90" })));
  expect(both.map(({ status, code }) => [status, code])).toEqual([
    [200, undefined],
    [200, undefined],
  ]);
}

describe("clients leaving during the work", () => {
  const words = "Words of a paragraph that goes on for a while, and then ends. ".repeat(4);
  const html = `<body>${`<p>${words.repeat(2)}</p>`.repeat(6_000)}</body>`;
  const interlaced = writePng(
    { width: 4_000, height: 4_000, colorType: 2, depth: 8, interlaced: true },
    (x, y, channel) => (x * (channel + 1) + y) & 255,
  );
  /** Work of seconds, of each kind. */
  const works: Readonly<Record<string, readonly [string, () => Readonly<Record<string, Part>>]>> = {
    "layout of HTML": ["to-pdf", () => ({ file: file(Buffer.from(html), "long.html") })],
    "layout of text": ["to-pdf", () => ({ file: file(Buffer.from(words.repeat(12_000)), "long.txt") })],
    recognition: ["ocr", () => ({ file: file(pages(20)), mode: "force" })],
    "drawing a page": ["to-images", () => ({ file: file(drawing(fills(60))), dpi: "600" })],
    "decoding an image": ["to-images", () => ({ file: file(drawing(bilevel(8_000))), dpi: "300" })],
    "decompressing a stream": ["compress", () => ({ file: file(deflatedZeros(800 * MiB)) })],
    "reading objects": ["compress", () => ({ file: file(sparseNumbers(400_000)) })],
    "reading text": [
      "extract-text",
      () => ({ file: file(drawing(...Array<DrawnPage>(10).fill(ruledLines(499, 5_000)))), format: "markdown" }),
    ],
    "encoding an image": ["from-images", () => ({ image0: file(interlaced, "interlaced.png") })],
    "a step of a pipeline": [
      "pipeline",
      () => ({
        file: file(pages(20)),
        steps: JSON.stringify([
          { operation: "rotate", angle: "90" },
          { operation: "ocr", mode: "force" },
        ]),
      }),
    ],
  };
  test.each(Object.keys(works))("work is stopped and not charged when its client leaves: %s", async (name) => {
    const [operation, parts] = works[name] ?? ["", () => ({})];
    const body = await formBody(parts());
    const before = soFar();
    expect(await sendAndLeave(service, `/api/v1/${operation}`, body, () => sleep(150))).toBeUndefined();
    const ended = await nextEnd(operation, before);
    expect(ended).toMatchObject(GONE);
    expect(ended.credits).toBeUndefined();
    await expectFree();
  });
});

describe("clients leaving at other stages", () => {
  test.each([
    ["a small upload", 2 * MiB],
    ["a large upload", 8 * MiB],
  ])("a client that leaves during %s is not charged", async (_, size) => {
    const padded = Buffer.concat([letter, Buffer.alloc(size, "\n")]);
    const body = await formBody({ angle: "90", file: file(padded) });
    const before = soFar();
    await sendAndLeave(service, "/api/v1/rotate", body, () => sleep(300), { share: 0.5 });
    const ended = await nextEnd("rotate", before);
    expect([ended.outcome, ended.credits]).toEqual(["aborted", undefined]);
    await expectFree();
  });

  test("a client that leaves the queue is not charged", async () => {
    const heavy = await formBody({ file: file(pages(50)), mode: "force" });
    const leave = Promise.withResolvers<void>();
    const before = soFar();
    const busy = [1, 2].map(() => sendAndLeave(service, "/api/v1/ocr", heavy, () => leave.promise));
    // Long enough on a busy machine for both to have a place, and for the third to wait; they take much longer.
    await sleep(3_000);
    // A short request would have a place beside the long ones.
    const long = await formBody({ file: file(letter) });
    await sendAndLeave(service, "/api/v1/compress", long, () => sleep(5_000));
    expect(await nextEnd("compress", before)).toMatchObject({ ...GONE, work: 0 });
    leave.resolve();
    await Promise.all(busy);
    await expect
      .poll(
        () =>
          requestsIn(server.printed())
            .slice(before)
            .filter((one) => one.operation === "ocr").length,
      )
      .toBe(2);
    await expectFree();
  });

  test("connections to a time-stamp service and a document's server are closed when the client leaves", async () => {
    const signer = await issue({ subject: "Ada" });
    const sealing = {
      privateKey: await keyPem(signer),
      chain: chainPem(signer),
      level: "b-t",
      timestampUrl: silentUrl(),
    };
    for (const [operation, parts] of [
      ["seal", { file: file(letter), ...sealing }],
      ["rotate", { file: silentUrl(), angle: "90" }],
    ] as const) {
      const before = soFar();
      await sendAndLeave(service, `/api/v1/${operation}`, await formBody(parts), () =>
        expect.poll(() => held.size).toBe(1),
      );
      expect(await nextEnd(operation, before)).toMatchObject(GONE);
      await expect.poll(() => held.size).toBe(0);
      await expectFree();
    }
  });

  test("a client that leaves during the response ends its production, and stays charged", async () => {
    const body = await formBody({ file: file(pages(300)), dpi: "300" });
    const before = soFar();
    await sendAndLeave(service, "/api/v1/to-images", body, (status) => expect.poll(status).toBe(200));
    expect(await nextEnd("to-images", before)).toMatchObject({ status: 200, outcome: "aborted", credits: 2 });
    await expectFree();
  });

  test("a tool call whose client leaves is ended", async () => {
    const call = { name: "ocr", arguments: { file: Buffer.from(pages(20)).toString("base64"), mode: "force" } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
    const body = { type: "application/json", bytes: Buffer.from(JSON.stringify(message)) };
    const headers = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18" };
    const before = soFar();
    await sendAndLeave(service, "/mcp", body, () => sleep(1_500), { headers });
    expect(await nextEnd("ocr", before)).toMatchObject(GONE);
    await expectFree();
  });
});

test("clients that leave again and again delay nobody", async () => {
  const body = await formBody({ file: file(pages(20)), mode: "force" });
  const before = soFar();
  for (let round = 0; round < 3 * limits.admission.requests; round += 1)
    await sendAndLeave(service, "/api/v1/ocr", body, () => sleep(200));
  await expectFree();
  const ended = requestsIn(server.printed())
    .slice(before)
    .filter((one) => one.operation === "ocr");
  expect(ended.filter(({ status }) => status !== 499)).toEqual([]);
});
