import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";

const MiB = 1024 * 1024;
/** Milliseconds within which every bad request has to have its response, on a busy machine as well; some bodies never end. */
const SOON = 300_000;

const { baseUrl, liveKey } = ownServer();
const { hostname, port } = new URL(baseUrl);

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

function readEnvelope(status: number, text: string): Refused {
  const { error } = JSON.parse(text) as { error: { code: string; details?: Record<string, unknown> } };
  return { status, code: error.code, details: error.details };
}

async function refused(
  operation: string,
  headers: Readonly<Record<string, string>>,
  body: string | FormData | ReadableStream<Uint8Array> | null,
): Promise<Refused> {
  const response = await fetch(`${baseUrl}/api/v1/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${liveKey}`, ...headers },
    body,
    signal: AbortSignal.timeout(SOON),
    ...(body instanceof ReadableStream && { duplex: "half" }),
  });
  expect(response.headers.get("X-Request-Id")).toMatch(/^req_/);
  return readEnvelope(response.status, await response.text());
}

const multipart = { "Content-Type": "multipart/form-data; boundary=X" };
const part = (name: string, value: string, extra = ""): string =>
  `--X\r\nContent-Disposition: form-data; name="${name}"${extra}\r\n\r\n${value}\r\n`;

async function refusedForm(operation: string, fields: Readonly<Record<string, string>>, file?: Blob): Promise<Refused> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== undefined) form.append("file", file, "input.pdf");
  return refused(operation, {}, form);
}

/** The smallest thing that opens: one empty page. */
const onePage = new Blob([
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ",
  "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>",
]);

/** Sends bytes over a connection of its own, as no HTTP client would, and reads until there is a whole response. */
async function raw(headers: readonly string[], body: string): Promise<Refused> {
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    "POST /api/v1/rotate HTTP/1.1",
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${liveKey}`,
    ...headers,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let response = "";
  const whole = /^HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n[^]*?(\{"error":[^]*\})/;
  try {
    return await new Promise<Refused>((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`no response, only: ${response}`)), SOON);
      socket.on("data", (chunk: Buffer) => {
        response += chunk.toString();
        const [, status, envelope] = whole.exec(response) ?? [];
        if (envelope === undefined) return;
        clearTimeout(timer);
        done(readEnvelope(Number(status), envelope));
      });
      socket.on("error", fail);
      socket.on("close", () => fail(new Error(`closed after: ${response}`)));
    });
  } finally {
    socket.destroy();
  }
}

// Whatever came before, the next request gets a response.
afterEach(async () => {
  const form = new FormData();
  form.append("file", onePage, "input.pdf");
  form.append("angle", "90");
  const response = await fetch(`${baseUrl}/api/v1/rotate`, {
    method: "POST",
    headers: { Authorization: `Bearer ${liveKey}` },
    body: form,
    signal: AbortSignal.timeout(SOON),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`the response to the next request was ${response.status}`);
});

describe("malformed bodies", () => {
  test("an empty body is refused", async () => {
    expect(await refused("rotate", multipart, null)).toMatchObject({ status: 400, code: "invalid_parameters" });
    expect(await refused("rotate", {}, null)).toMatchObject({ status: 415, code: "unsupported_format" });
  });

  test("a body without a boundary in its Content-Type, or without its boundary, is refused", async () => {
    const noBoundary = { "Content-Type": "multipart/form-data" };
    expect(await refused("rotate", noBoundary, part("a", "1"))).toMatchObject({
      status: 400,
      code: "invalid_parameters",
    });
    expect(await refused("rotate", multipart, "nothing")).toMatchObject({ status: 400, code: "invalid_parameters" });
  });

  test("a body of another type is refused", async () => {
    const json = { "Content-Type": "application/json" };
    expect(await refused("rotate", json, "{}")).toMatchObject({ status: 415, code: "unsupported_format" });
  });

  test("a body that ends in the middle of a file is refused", async () => {
    const body = part("file", "%PDF-1.7", '; filename="f.pdf"');
    for (const cut of [body, body.slice(0, -5), body.slice(0, 30)]) {
      expect(await refused("rotate", multipart, cut)).toMatchObject({ status: 400, code: "invalid_parameters" });
    }
  });

  test("a body of 200,000 fields is refused", async () => {
    const body = `${part("f", "x").repeat(200_000)}--X--`;
    const expected = { status: 413, code: "limit_exceeded", details: { limit: 1_000, actual: 1_001 } };
    expect(await refused("rotate", multipart, body)).toEqual(expected);
  });
});

describe("large bodies", () => {
  const limit = 32 * MiB;
  const tooLarge = { status: 413, code: "file_too_large" };

  test("a body is refused by its Content-Length of 1 GB, after few bytes", async () => {
    const headers = ["Content-Type: multipart/form-data; boundary=X", "Content-Length: 1000000000"];
    const expected = { ...tooLarge, details: { limit, actual: 1_000_000_000 } };
    expect(await raw(headers, part("file", "%PDF-1.7", '; filename="f.pdf"'))).toEqual(expected);
  });

  test("a body is refused for one excess byte", async () => {
    const head = part("file", "%PDF-1.7", '; filename="f.pdf"').trimEnd();
    const tail = "\r\n--X--";
    const body = head + "x".repeat(limit + 1 - head.length - tail.length) + tail;
    expect(await refused("rotate", multipart, body)).toEqual({ ...tooLarge, details: { limit, actual: limit + 1 } });
  });

  test("a large body without a Content-Length is refused", async () => {
    const head = new TextEncoder().encode(part("file", "%PDF-1.7", '; filename="f.pdf"').trimEnd());
    const chunks = [head, ...Array.from({ length: 40 }, () => new Uint8Array(MiB))];
    expect(await refused("rotate", multipart, ReadableStream.from(chunks))).toMatchObject(tooLarge);
  });
});

test("a small body without a Content-Length is accepted", async () => {
  const body = `${part("file", "hello", '; filename="f.pdf"')}${part("angle", "90")}--X--`;
  const headers = ["Content-Type: multipart/form-data; boundary=X", "Transfer-Encoding: chunked"];
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  expect(await raw(headers, chunked)).toEqual({ status: 415, code: "unsupported_format", details: { input: "file" } });
});

describe("files of other formats", () => {
  test("a text under the name of a PDF is refused", async () => {
    const response = await refusedForm("rotate", { angle: "90" }, new Blob(["hello"], { type: "application/pdf" }));
    expect(response).toEqual({ status: 415, code: "unsupported_format", details: { input: "file" } });
  });

  test("a file of no bytes is refused", async () => {
    const response = await refusedForm("rotate", { angle: "90" }, new Blob([]));
    expect(response).toEqual({ status: 400, code: "invalid_file", details: { input: "file" } });
  });
});

describe("page ranges", () => {
  test.each(["0", "5-", "9999", "1-3-5", "-1", "📄", "1,,2", "1e0", "last-0"])(
    "the page range %s is refused",
    async (pages) => {
      const response = await refusedForm("rotate", { angle: "90", pages }, onePage);
      expect(response).toMatchObject({ status: 400, code: "invalid_page_range" });
      expect(response.details).toEqual({ field: "pages", range: pages, maxPage: 1 });
    },
  );

  test("an invalid page range is listed with another problem", async () => {
    const response = await refusedForm("rotate", { angle: "91", pages: "5-" }, onePage);
    expect(response).toMatchObject({ status: 400, code: "invalid_parameters" });
    expect(((response.details ?? {})["fields"] as { name: string }[]).map(({ name }) => name)).toEqual([
      "angle",
      "pages",
    ]);
  });

  test("a page range of 10 MB of commas is refused", async () => {
    const commas = ",".repeat(10 * MiB);
    const response = await refusedForm("split", { mode: "ranges", ranges: commas }, onePage);
    expect(response).toMatchObject({ status: 413, code: "limit_exceeded", details: { limit: MiB } });
  });

  test("a page range of just under 1 MiB is refused", async () => {
    for (const ranges of [",".repeat(MiB - 1), "1|".repeat(MiB / 2 - 1), "!1,".repeat(MiB / 3)]) {
      const response = await refusedForm("split", { mode: "ranges", ranges }, onePage);
      expect(response.status === 400 || response.status === 413).toBe(true);
    }
  });
});

test("numbered files with a gap name the missing one", async () => {
  const form = new FormData();
  for (const name of ["file0", "file2"]) form.append(name, onePage, "x.pdf");
  const response = await refused("merge", {}, form);
  expect(response).toMatchObject({ status: 400, code: "invalid_parameters", details: { fields: [{ name: "file1" }] } });
});

test("a hundred and one files are refused as one too many", async () => {
  const form = new FormData();
  for (let index = 0; index <= 100; index += 1) form.append(`file${index}`, onePage, "x.pdf");
  const expected = { status: 413, code: "limit_exceeded", details: { limit: 100, actual: 101 } };
  expect(await refused("merge", {}, form)).toEqual(expected);
});
