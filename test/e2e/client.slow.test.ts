import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { PDFDocument } from "pdf-lib";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import type { OpenApi } from "../../client/generate.ts";
import {
  type Job,
  PdfService,
  PdfServiceError,
  verifyWebhook,
  WebhookVerificationError,
} from "../../client/src/index.ts";
import { describedApi } from "../../scripts/described-api.ts";
import { cuttingProxy, type CuttingProxy } from "../harness/requests/cutting-proxy.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { readPng } from "../harness/images/images.ts";

const { baseUrl, liveKey: apiKey } = ownServer();
const service = new PdfService({ apiKey, baseUrl });
const bytes = (pages: number): Uint8Array<ArrayBuffer> => document({ name: "small", pages }).slice();

async function failureOf(call: Promise<unknown>): Promise<PdfServiceError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PdfServiceError)) throw new Error(`no PdfServiceError: ${String(error)}`);
  return error;
}

test("the client's types and methods are generated from the service's description", async () => {
  const served = (await (await fetch(`${baseUrl}/api/v1/openapi.json`)).json()) as OpenApi;
  const ofSource = await describedApi();
  const text = (description: OpenApi): string => JSON.stringify({ ...description, servers: [] });
  expect(JSON.parse(text(served))).toEqual(JSON.parse(text(ofSource).replaceAll("http://localhost:8787", baseUrl)));
});

test("the client builds a pipeline with the types of the operations", async () => {
  const end = { data: bytes(1), name: "end.pdf" };
  const text = service
    .pipeline({ data: bytes(3), name: "small.pdf" })
    .extractPages({ range: "3" })
    .merge({ files: [end] })
    .rotate({ angle: 90 })
    .extractText();
  expectTypeOf<Awaited<ReturnType<typeof text.run>>["data"]["stats"]["charCount"]>().toBeNumber();
  // @ts-expect-error: the range is required.
  const incomplete = () => service.pipeline().extractPages({});
  expect(incomplete).not.toThrow();
  const result = await text.run();
  expect(result.data.text).toBe("Page 3 of small\n\fPage 1 of small");
  expect(result.steps.map(({ operation, pages }) => [operation, pages])).toEqual([
    ["extract-pages", 1],
    ["merge", 2],
    ["rotate", 2],
    ["extract-text", undefined],
  ]);
  expect(result.creditsCharged).toBe(4);
});

describe("operations", () => {
  test("an operation accepts files as blobs, bytes, and named, and returns a file with its headers", async () => {
    const blob = new Blob([bytes(1)]);
    const named = { data: bytes(3), name: "Bericht März.pdf" };
    const result = await service.merge({ files: [named, blob, bytes(2)], title: "Tom & “Ann”", interleave: true });
    expect(result).toMatchObject({ status: 200, contentType: "application/pdf", pageCount: 6, creditsCharged: 1 });
    expect(result.fileName).toBe("Bericht März-merge.pdf");
    expect(result.creditsRemaining).toBeGreaterThan(0);
    const merged = await PDFDocument.load(await result.bytes());
    expect([merged.getPageCount(), merged.getTitle()]).toEqual([6, "Tom & “Ann”"]);
  });

  test("an operation accepts files by reference", async () => {
    const { id } = await service.uploadFile({ data: bytes(2), name: "kept.pdf" });
    const result = await service.merge({ files: [id, bytes(1)] });
    expect([result.fileName, result.pageCount]).toEqual(["kept-merge.pdf", 3]);
    await result.bytes();
    const refused = await failureOf(service.rotate({ file: "https://10.0.0.1/a.pdf", angle: 90 }));
    expect(refused.fields).toEqual([{ name: "file", issue: "must have a host name, not an IP address" }]);
  });

  test("an operation accepts objects for JSON parameters, and numbers as numbers", async () => {
    const rotated = await service.rotate({ file: bytes(3), angle: 90, rotations: { 2: 180 } });
    const pages = (await PDFDocument.load(await rotated.bytes())).getPages();
    expect(pages.map((page) => page.getRotation().angle)).toEqual([90, 180, 90]);
  });

  test("an operation returns typed JSON", async () => {
    const { data, creditsCharged } = await service.extractText({ file: bytes(2) });
    expect(creditsCharged).toBe(1);
    expect(data.pages.map(({ pageNumber }) => pageNumber)).toEqual([1, 2]);
    expect(data.stats.charCount).toBe(Array.from(data.text).length);
    const facts = await service.metadata({ file: bytes(2), action: "get" });
    expect(facts.data.pageCount).toBe(2);
  });

  test("an operation returns its headers with their types", async () => {
    const { outputSize, originalSize, size, inputRepaired, steps } = await service.compress({ file: bytes(2) });
    expect([originalSize, size, inputRepaired, steps]).toEqual([bytes(2).length, outputSize, false, []]);
    const form = new Uint8Array(await readFile(join(root, "examples/form.pdf")));
    const filled = await service.fillForm({ file: form, values: { "näme, 2": "x", other: "y" } });
    expect([filled.unknownFields, filled.unknownFieldsCount]).toEqual([["näme, 2", "other"], 2]);
  });

  test("an operation streams its file and its result", async () => {
    let pulled = 0;
    const file = bytes(2);
    const slow = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulled >= file.length) controller.close();
        else controller.enqueue(file.subarray(pulled, (pulled += 100)));
      },
    });
    const result = await service.toImages({ file: { data: slow, name: "slow.pdf" }, dpi: 36 });
    const parts: Uint8Array[] = [];
    for await (const part of result.stream()) parts.push(part);
    const entries = unzipSync(Buffer.concat(parts));
    expect(Object.keys(entries)).toEqual(["slow-1.png", "slow-2.png"]);
    expect(readPng(entries["slow-2.png"] ?? new Uint8Array()).width).toBeGreaterThan(100);
  });
});

describe("stored files", () => {
  test.each([1_000, 16 * 1024 * 1024 + 70_000])(
    "a stored file of %i bytes is returned unchanged, and is removed when it is deleted",
    async (size) => {
      const sent = new Uint8Array(size).map((_, at) => at * 7 + (at >> 9));
      sent.set(new TextEncoder().encode("%PDF-1.7"));
      const file = await service.uploadFile(new File([sent], "kept.pdf"), { expiresIn: 600 });
      expect(file).toMatchObject({ name: "kept.pdf", size, status: "ready", contentType: "application/pdf" });
      const digest = await crypto.subtle.digest("SHA-256", sent);
      expect(file.sha256).toBe(Buffer.from(digest).toString("hex"));
      expect(Date.parse(file.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
      const content = await service.getFileContent(file.id);
      expect(content.fileName).toBe("kept.pdf");
      expect(Buffer.from(await content.bytes()).equals(sent)).toBe(true);
      await service.deleteFile(file.id);
      expect(await failureOf(service.getFile(file.id))).toMatchObject({ code: "not_found", status: 404 });
    },
  );

  test("a stored file can be a stream of unknown length", async () => {
    const stream = new Blob([bytes(2)]).stream();
    const file = await service.uploadFile({ data: stream, name: "streamed.pdf" });
    expect(file).toMatchObject({ name: "streamed.pdf", size: bytes(2).length, status: "ready" });
    expect((await service.listFiles({ limit: 1 })).data).toEqual([file]);
  });
});

describe("jobs", () => {
  test("a job shows its progress, and has the typed result of the operation", async () => {
    const input = { file: { data: bytes(3), name: "small.pdf" } };
    const job = await service.jobs.extractText(input, { expiresIn: 600, onPageError: "continue" });
    const direct = () => service.extractText(input);
    expectTypeOf<Awaited<ReturnType<typeof job.result>>>().toEqualTypeOf<Awaited<ReturnType<typeof direct>>>();
    const states: Job[] = [];
    for await (const state of job) states.push(state);
    expect(states.map(({ progress }) => progress.total)).toEqual(states.map(() => 3));
    const last = states.at(-1);
    expect(last).toMatchObject({ status: "succeeded", progress: { done: 3 }, credits: { charged: 1 } });
    expect(Date.parse(last?.expiresAt ?? "") - Date.parse(last?.finishedAt ?? "")).toBe(600_000);
    const { data, creditsCharged } = await job.result();
    expect([data, creditsCharged]).toEqual([(await direct()).data, 1]);
    // @ts-expect-error: rotate does not work page by page.
    const wrong = service.jobs.rotate({ ...input, angle: 90 }, { onPageError: "continue" });
    // The service ignores it.
    expect((await wrong).id).toMatch(/^job_/);
  });

  test("a job can be a pipeline, can be opened by its ID, and is removed when it is deleted", async () => {
    const steps = service.pipeline(bytes(3)).extractPages({ range: "2-3" }).rotate({ angle: 90 });
    const job = await steps.start();
    const result = await job.result();
    expect([result.steps.map(({ pages }) => pages), result.pageCount, result.creditsCharged]).toEqual([[2, 2], 2, 2]);
    const opened = await (await service.openJob(job.id)).result();
    expect("bytes" in opened && (await opened.bytes())).toEqual(await result.bytes());
    expect((await service.listJobs({ limit: 1 })).data).toEqual([job.state]);
    await job.delete();
    expect(await failureOf(service.getJob(job.id))).toMatchObject({ code: "not_found", status: 404 });
  });

  test("a job throws its error, and has no result once it is canceled", async () => {
    const failed = await service.jobs.rotate({ file: bytes(1), angle: 90, pages: "9" });
    expect(await failureOf(failed.result())).toMatchObject({ code: "invalid_page_range", status: 400 });
    expect(failed.state).toMatchObject({ status: "failed", credits: { charged: 0 } });
    const canceled = await service.jobs.toImages({ file: bytes(200), dpi: 72 });
    expect((await canceled.cancel()).status).toBe("canceled");
    expect(await failureOf(canceled.result())).toMatchObject({ code: "not_ready", status: 409 });
  });
});

describe("failures", () => {
  test("a failure has its code, its fields, and its request ID", async () => {
    const wrong = service.split({ file: bytes(1), mode: "chunks", chunkSize: 0 });
    const error = await failureOf(wrong);
    expect([error.code, error.status, error.fields.map(({ name }) => name)]).toEqual([
      "invalid_parameters",
      400,
      ["chunkSize"],
    ]);
    expect(error.requestId).toMatch(/^req_/);
    const noPdf = await failureOf(service.rotate({ file: new Uint8Array([1, 2, 3]), angle: 90 }));
    expect([noPdf.code, noPdf.fields]).toEqual(["unsupported_format", [{ name: "file", issue: noPdf.message }]]);
    const noPage = await failureOf(service.extractPages({ file: bytes(2), range: "3" }));
    expect([noPage.code, noPage.fields]).toEqual(["invalid_page_range", [{ name: "range", issue: noPage.message }]]);
    const stranger = new PdfService({ apiKey: "sk_live_nobody", baseUrl });
    expect(await failureOf(stranger.getUsage())).toMatchObject({ code: "unauthenticated", status: 401 });
  });

  test("a lost connection is an error, after the requested number of retries", async () => {
    const nowhere = new PdfService({ apiKey, baseUrl: "http://localhost:1", maxRetries: 1 });
    expect(await failureOf(nowhere.getUsage())).toMatchObject({ code: "connection", status: 0 });
    const impatient = service.merge({ files: [bytes(1), bytes(1)] }, { timeoutMilliseconds: 1, maxRetries: 0 });
    expect((await failureOf(impatient)).message).toBe("No response within 1 ms.");
  });

  test("a canceled request has the reason of the caller", async () => {
    const wish = new AbortController();
    const call = service.merge({ files: [bytes(1), bytes(1)] }, { signal: wish.signal });
    wish.abort(new Error("not wanted any more"));
    await expect(call).rejects.toThrow("not wanted any more");
  });
});

describe("lost connections", () => {
  let proxy: CuttingProxy;
  beforeAll(async () => (proxy = await cuttingProxy(baseUrl)));
  afterAll(() => proxy.close());
  // By operation: calls of other tests that were given up may be charged for at any time.
  const charged = async (operation: string): Promise<number> => (await service.getUsage()).perOperation[operation] ?? 0;

  test("a request is retried over a lost connection, and charged once", async () => {
    const far = new PdfService({ apiKey, baseUrl: proxy.baseUrl });
    const before = await charged("extract-pages");
    proxy.cut(2);
    const result = await far.extractPages({ file: bytes(4), range: "2-3" });
    expect([proxy.lost(), result.pageCount, result.creditsCharged]).toEqual([2, 2, 0]);
    expect(result.headers.get("Idempotency-Replayed")).toBe("true");
    expect((await PDFDocument.load(await result.bytes())).getPageCount()).toBe(2);
    expect((await charged("extract-pages")) - before).toBe(1);
  });

  test("incomplete JSON is requested again", async () => {
    const far = new PdfService({ apiKey, baseUrl: proxy.baseUrl });
    const before = await charged("extract-text");
    proxy.cut(1, "within");
    const { data, creditsCharged } = await far.extractText({ file: bytes(2) });
    expect([data.pages.length, creditsCharged, (await charged("extract-text")) - before]).toEqual([2, 0, 1]);
    proxy.cut(1, "within");
    expect((await far.getUsage()).perOperation["extract-text"]).toBe(before + 1);
  });

  test("a request whose file was a stream cannot be retried, and throws an error with that reason", async () => {
    const far = new PdfService({ apiKey, baseUrl: proxy.baseUrl });
    const lost = proxy.lost();
    proxy.cut(1);
    const call = far.extractPages({ file: new Blob([bytes(1)]).stream(), range: "1" });
    expect((await failureOf(call)).code).toBe("connection");
    expect(proxy.lost() - lost).toBe(1);
  });

  test("a key is not created twice", async () => {
    const far = new PdfService({ apiKey, baseUrl: proxy.baseUrl });
    const { count } = await service.listKeys({ limit: 1 });
    proxy.cut(1);
    expect((await failureOf(far.createKey({ name: "lost" }))).code).toBe("connection");
    expect((await service.listKeys({ limit: 1 })).count).toBe(count + 1);
  });
});

test("the client creates, names, pages through, and revokes keys", async () => {
  const made = await service.createKey({ name: "Invoice worker", scopes: ["pdf:read"] });
  const own = new PdfService({ apiKey: made.key, baseUrl });
  expect((await failureOf(own.rotate({ file: bytes(1), angle: 90 }))).code).toBe("forbidden");
  expect((await service.renameKey(made.id, { name: "Archive" })).name).toBe("Archive");
  const { data, hasMore } = await service.listKeys({ limit: 1 });
  expect([data.map(({ id }) => id), hasMore]).toEqual([[made.id], true]);
  expect((await service.revokeKey(made.id)).revokedAt).not.toBeNull();
  expect((await failureOf(own.extractText({ file: bytes(1) }))).code).toBe("unauthenticated");
});

describe("webhook deliveries", () => {
  const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
  const body = JSON.stringify({
    type: "webhook.test",
    timestamp: "2026-11-01T00:00:00.000Z",
    data: { webhook: "wh_1" },
  });
  const now = new Date("2026-11-01T00:00:10Z");
  const signed = (at: Date, text = body): Record<string, string> => ({
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at.getTime() / 1_000),
    "webhook-signature": `v1,AAAA ${new Webhook(secret).sign("evt_1", at, text)}`,
  });

  test("a delivery that is signed as in Standard Webhooks is accepted and parsed", async () => {
    const event = await verifyWebhook(body, new Headers(signed(now)), { secret, now });
    expect(event).toEqual({ id: "evt_1", ...(JSON.parse(body) as object) });
    expect(await verifyWebhook(new TextEncoder().encode(body), signed(now), { secret, now })).toEqual(event);
  });

  test.each([
    ["another body", body.replace("wh_1", "wh_2"), signed(now), secret],
    ["another secret", body, signed(now), `whsec_${btoa("another")}`],
    ["an hour ago", body, signed(new Date(now.getTime() - 3_600_000)), secret],
    ["an hour from now", body, signed(new Date(now.getTime() + 3_600_000)), secret],
    ["no signature", body, { ...signed(now), "webhook-signature": "" }, secret],
    ["a signature that is no base64", body, { ...signed(now), "webhook-signature": "v1,*" }, secret],
    ["another time than was signed", body, { ...signed(now), "webhook-timestamp": "1793491209" }, secret],
  ])("a delivery is rejected: %s", async (_, text, headers, key) => {
    await expect(verifyWebhook(text, headers, { secret: key, now })).rejects.toBeInstanceOf(WebhookVerificationError);
  });
});
