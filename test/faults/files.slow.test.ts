import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { failing, type Trip, waiting } from "./failing-bucket.ts";
import { documentBytes, fileService, formOf, sha256Of } from "../files/file-service.ts";
import { BUFFER_BYTES } from "../../src/files/upload.ts";
import { nextTurn } from "../../src/next-turn.ts";
import worker from "../../src/worker.ts";

const MiB = 1024 * 1024;
/** In the name of every file here, which no line of the log may have. */
const MARK = "confidential-name";
const lines: string[] = [];
vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)));

const contentOf = (response: Response): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  response.arrayBuffer().then(
    (body) => new Uint8Array(body),
    () => undefined,
  );

const rowsOf = (account: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM files WHERE account = ?").bind(account).first<number>("n");
const keys = async () => (await env.FILES.list()).objects.map(({ key }) => key);
const sweep = (bindings: object = env) =>
  worker.scheduled({ cron: "* * * * *", scheduledTime: Date.now(), noRetry() {} }, bindings, createExecutionContext());

const service = await fileService();
const bytes = documentBytes(5 * MiB);
const file = await service.upload(bytes);
const read = (bindings: object, range: string) =>
  service.send("GET", `/files/${file.id}/content`, { headers: { Range: range }, bindings });

describe("bucket failures during a read", () => {
  const ranges: readonly [string, number, number][] = [
    ["bytes=0-99", 0, 100],
    ["bytes=60000-400000", 60_000, 400_001],
    ["bytes=0-", 0, bytes.length],
  ];

  test.each(["throws", "breaks off", "short"] as const)(
    "a read is repeated if the bucket fails once: %s",
    async (fault) => {
      for (const [range, start, end] of ranges) {
        const { bindings, trips } = failing("get", "once", fault);
        const sent = await contentOf(await read(bindings, range));
        expect(sent && (await sha256Of(sent)), range).toBe(await sha256Of(bytes.slice(start, end)));
        expect(trips()).toBeGreaterThan(1);
      }
    },
  );

  test.each(["throws", "breaks off", "short"] as const)(
    "a read of a bucket that always fails is an error or a broken response: %s",
    async (fault) => {
      for (const [range] of ranges) {
        const { bindings } = failing("get", "always", fault);
        const response = await read(bindings, range);
        const text = response.status === 206 ? undefined : await response.text();
        expect([206, 500]).toContain(response.status);
        expect(text ?? "internal_error").toContain("internal_error");
        expect(text ?? (await contentOf(response))).toBe(text);
      }
    },
  );
});

describe("bucket failures during an upload", () => {
  const small = documentBytes(1_000);
  const large = documentBytes(8 * MiB + 100);
  const cases: readonly [Trip, Uint8Array<ArrayBuffer>][] = [
    ["put", small],
    ["createMultipartUpload", large],
    ["uploadPart", large],
  ];

  test.each(cases)("a write is retried if the bucket fails once: %s", async (trip, body) => {
    const { bindings, trips } = failing(trip, "once");
    const own = await fileService();
    const response = await own.send("POST", "/files", { body: formOf(body, {}, MARK), bindings });
    const { id, sha256 } = await response.json<{ id: string; sha256: string }>();
    expect([response.status, sha256, trips() > 1]).toEqual([201, await sha256Of(body), true]);
    await own.send("DELETE", `/files/${id}`);
  });

  test.each([...cases, ["complete", large]] as const)(
    "an upload leaves nothing if the bucket always fails: %s",
    async (trip, body) => {
      const before = await keys();
      const own = await fileService();
      const { bindings } = failing(trip, "always");
      const response = await own.send("POST", "/files", { body: formOf(body, {}, MARK), bindings });
      expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("internal_error")]);
      expect([await rowsOf(own.account), await keys()]).toEqual([0, before]);
    },
  );

  test.each(cases.filter(([trip]) => trip !== "createMultipartUpload"))(
    "an upload fails once, and leaves nothing, if the bucket neither responds nor fails, as on a full disk: %s",
    async (trip, body) => {
      const own = await fileService();
      const { bindings, trips } = failing(trip, "always", "hangs");
      const response = await own.send("POST", "/files", { body: formOf(body, {}, MARK), bindings });
      expect([response.status, trips(), await rowsOf(own.account)]).toEqual([500, 1, 0]);
    },
    60_000,
  );

  test("a part whose write failed is absent and can be sent again, and completion can be repeated", async () => {
    const { id } = (await service.json("POST", "/files", { name: MARK, size: small.length })).body;
    const put = (bindings: object) =>
      service.send("PUT", `/files/${id}/parts/1`, {
        body: small,
        headers: { "Content-Length": String(small.length) },
        bindings,
      });
    expect((await put(failing("uploadPart", "always").bindings)).status).toBe(500);
    expect((await service.json("GET", `/files/${id}`)).body.parts?.received).toEqual([]);
    expect((await put(env)).status).toBe(200);
    for (const trip of ["complete", "get"] as const) {
      const { bindings } = failing(trip, "always");
      const failed = await service.send("POST", `/files/${id}/complete`, { bindings });
      expect([trip, failed.status]).toEqual([trip, 500]);
      expect((await service.json("GET", `/files/${id}`)).body.status).toBe("pending");
    }
    const done = await service.json("POST", `/files/${id}/complete`);
    expect([done.status, done.body.sha256]).toEqual([200, await sha256Of(small)]);
  });
});

/** Bytes that the client sends at once, and turns of the event loop in which they are certainly encrypted: it takes about one. */
const PIECE = 256 * 1024;
const TURNS_PER_PIECE = 10;

test("a slow bucket limits what is read from the client to two parts", async () => {
  const goOn = Promise.withResolvers<void>();
  const parts = 2 * BUFFER_BYTES;
  const own = await fileService();
  const body = new Uint8Array(await new Response(formOf(documentBytes(26 * MiB), {}, MARK)).arrayBuffer());
  const boundary = /^--(.*)/.exec(new TextDecoder().decode(body.subarray(0, 100)))?.[1];
  let taken = 0;
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller: ReadableByteStreamController) {
      const piece = body.slice(taken, taken + PIECE);
      taken += piece.length;
      if (piece.length > 0) controller.enqueue(piece);
      else controller.close();
    },
  });
  const response = own.send("POST", "/files", {
    body: stream,
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    bindings: waiting("uploadPart", goOn.promise),
  });
  await vi.waitFor(() => expect(taken).toBeGreaterThan(parts), 60_000);
  // It waits for nothing but the bucket: were it not held, it would read on in each of these turns of the event loop.
  for (let turn = 0; turn < TURNS_PER_PIECE * (body.length / PIECE); turn += 1) await nextTurn();
  expect(taken).toBeLessThan(parts + MiB);
  goOn.resolve();
  expect((await response).status).toBe(201);
  expect(taken).toBe(body.length);
});

describe("leaving clients", () => {
  test("a client that leaves in the middle of its upload leaves nothing", async () => {
    const before = await keys();
    const own = await fileService();
    const { body, headers } = new Response(formOf(documentBytes(9 * MiB), {}, MARK));
    const form = new Uint8Array(await new Response(body).arrayBuffer());
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const sent = own.send("POST", "/files", {
      body: readable,
      headers: { "Content-Type": headers.get("Content-Type") ?? "" },
    });
    await writer.write(form.subarray(0, 8 * MiB + 200_000));
    await writer.abort(new Error("gone"));
    expect((await sent).status).toBe(400);
    expect([await rowsOf(own.account), await keys()]).toEqual([0, before]);
  });

  test("a client that leaves in the middle of a part keeps the previous one", async () => {
    const part = documentBytes(200_000);
    const { id } = (await service.json("POST", "/files", { name: MARK, size: part.length })).body;
    const headers = { "Content-Length": String(part.length) };
    await service.send("PUT", `/files/${id}/parts/1`, { body: part, headers });
    const { readable, writable } = new FixedLengthStream(part.length);
    const writer = writable.getWriter();
    const sent = service.send("PUT", `/files/${id}/parts/1`, { body: readable, headers });
    await writer.write(documentBytes(150_000, 3));
    await writer.abort(new Error("gone"));
    expect((await sent).status).toBe(400);
    expect((await service.json("POST", `/files/${id}/complete`)).body.sha256).toBe(await sha256Of(part));
  });
});

describe("deleted files", () => {
  test("a file that is deleted while the bucket fails cannot be read, and the sweep removes its bytes", async () => {
    const { id } = await service.upload(documentBytes(100));
    const { bindings } = failing("delete", "always");
    const deleted = await service.send("DELETE", `/files/${id}`, { bindings });
    expect(deleted.status).toBe(200);
    expect((await service.json("GET", `/files/${id}/content`)).status).toBe(404);
    expect(await keys()).toContain(`${id.slice(-1)}/${id}`);
    await expect(sweep(bindings)).rejects.toThrow("the scheduled work failed");
    await sweep();
    expect(await keys()).not.toContain(`${id.slice(-1)}/${id}`);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM files WHERE id = ?").bind(id).first("n")).toBe(0);
  });

  test("a file that is deleted during a read breaks off the response, which never continues with other bytes", async () => {
    const { id } = await service.upload(bytes);
    const response = await service.send("GET", `/files/${id}/content`);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(first?.value?.subarray(0, 100)).toEqual(bytes.slice(0, 100));
    await service.send("DELETE", `/files/${id}`);
    const rest = (async () => {
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read());
    })();
    await expect(rest).rejects.toThrow("the response broke off");
  });
});

test("the log of file requests contains no name, no key, and nothing of a file", () => {
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) for (const word of [MARK, service.token, "%PDF"]) expect(line).not.toContain(word);
});
