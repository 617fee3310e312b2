import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { attributesIn, type CollectedSpan, type Collector, startCollector } from "../harness/requests/collector.ts";
import { pdfPart, post } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { type Receiver, startReceiver, until } from "./webhook-receiver.ts";
import { callsOf } from "./webhook-server.ts";

let persistTo: string;
let server: StartedServer;
let collector: Collector;
let receiver: Receiver;
beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), "pdf-service-telemetry-"));
  [collector, receiver] = await Promise.all([startCollector(), startReceiver()]);
  const variables = {
    WEBHOOK_ALLOW_LOCAL: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=tests,authorization=Bearer%20abc",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_METRIC_EXPORT_INTERVAL: "100",
  };
  const args = Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  server = await startServer(persistTo, args);
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
  await collector.close();
  await rm(persistTo, { recursive: true, force: true });
});

const { subscribe } = callsOf(
  () => server,
  () => server.liveKey,
);
const letter = document({ name: "letter", pages: 2 });

/** Another trace in each run. */
const traceId = (): string => randomBytes(16).toString("hex");
const CLIENT = "00f067aa0ba902b7";

/** The spans of a trace, once there are so many. */
async function spansOf(trace: string, count: number): Promise<CollectedSpan[]> {
  const spans = (): CollectedSpan[] => collector.spans().filter((one) => one.traceId === trace);
  await until(async () => spans().length >= count);
  return spans();
}

/** Sends a request with the trace context in `traceparent`. */
async function send(path: string, traceparent: string | undefined, more: RequestInit = {}): Promise<Response> {
  const headers = new Headers(more.headers);
  headers.set("Authorization", `Bearer ${server.liveKey}`);
  if (traceparent !== undefined) headers.set("traceparent", traceparent);
  return fetch(`${server.baseUrl}/api/v1${path}`, { ...more, headers });
}

function rotation(): FormData {
  const form = new FormData();
  form.append("file", new Blob([letter.slice()]), "a secret name.pdf");
  form.append("angle", "90");
  return form;
}

test("one trace leads from the client's request through its job to the webhook", async () => {
  const trace = traceId();
  await subscribe(`${receiver.url}/traced`, ["job.succeeded", "operation.completed"]);
  const response = await send("/rotate", `00-${trace}-${CLIENT}-01`, {
    method: "POST",
    headers: { Prefer: "respond-async" },
    body: rotation(),
  });
  expect(response.status).toBe(202);
  await until(async () => receiver.at("/traced").length === 2);
  const spans = await spansOf(trace, 4);
  const [request] = spans.filter(({ kind }) => kind === 2);
  expect(request).toMatchObject({ name: "POST /api/v1/rotate", parentSpanId: CLIENT });
  expect(response.headers.get("traceparent")).toBe(`00-${trace}-${request?.spanId}-01`);
  expect(attributesIn(request?.attributes ?? [])).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/api/v1/rotate",
    "http.response.status_code": 202,
    "pdf.operation": "rotate",
    "pdf.request_id": response.headers.get("X-Request-Id"),
  });
  const others = spans.filter(({ kind }) => kind !== 2);
  expect(others.map(({ name }) => name).toSorted()).toEqual([
    "deliver job.succeeded",
    "deliver operation.completed",
    "job part rotate",
  ]);
  expect(others.map(({ parentSpanId }) => parentSpanId)).toEqual(others.map(() => request?.spanId));
  // The receiver continues the attempt that it was sent.
  const deliveries = others.filter(({ kind }) => kind === 3).map(({ spanId }) => `00-${trace}-${spanId}-01`);
  expect(
    receiver
      .at("/traced")
      .map(({ headers }) => headers["traceparent"])
      .toSorted(),
  ).toEqual(deliveries.toSorted());
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
});

test("a request without a trace begins one, and one whose trace is not recorded is not sent", async () => {
  const first = await send("/usage", undefined);
  const [, begun = "", spanId] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(first.headers.get("traceparent") ?? "") ?? [];
  const [span] = await spansOf(begun, 1);
  expect(span).toMatchObject({ spanId, name: "GET /api/v1/usage" });
  expect(span?.parentSpanId).toBeUndefined();

  const unsampled = traceId();
  const second = await send("/usage", `00-${unsampled}-${CLIENT}-00`);
  expect(second.headers.get("traceparent")).toMatch(new RegExp(`^00-${unsampled}-(?!${CLIENT})[0-9a-f]{16}-00$`));
  // What follows it has been sent, so it would have been.
  const after = (await send("/usage", undefined)).headers.get("traceparent")?.split("-")[1] ?? "";
  await spansOf(after, 1);
  expect(collector.spans().filter((one) => one.traceId === unsampled)).toEqual([]);
});

test("a tool of MCP continues the trace of its message", async () => {
  const trace = traceId();
  const response = await fetch(`${server.baseUrl}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${server.liveKey}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-06-18",
      traceparent: `00-${trace}-${CLIENT}-01`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get-usage", arguments: {} } }),
  });
  expect(response.status).toBe(200);
  await response.text();
  const spans = await spansOf(trace, 2);
  const message = spans.find(({ name }) => name === "POST /mcp");
  expect(message?.parentSpanId).toBe(CLIENT);
  const tools = spans.filter(({ name }) => name === "GET /api/v1/usage");
  expect(tools.map(({ parentSpanId }) => parentSpanId)).toEqual([message?.spanId]);
});

test("an error has its status and code, and only those of the service are marked as errors", async () => {
  const trace = traceId();
  const { status } = await send("/rotate", `00-${trace}-${CLIENT}-01`, { method: "POST", body: new FormData() });
  expect(status).toBe(400);
  const [span] = await spansOf(trace, 1);
  expect(attributesIn(span?.attributes ?? [])).toMatchObject({
    "http.response.status_code": 400,
    "error.type": "invalid_parameters",
  });
  expect(span?.status).toBeUndefined();
});

test("metrics report operations, their duration, and their cost", async () => {
  const service = { baseUrl: server.baseUrl, key: server.liveKey };
  for (let count = 0; count < 3; count++) {
    const { status } = await post(service, "merge", { file0: pdfPart(letter), file1: pdfPart(letter) });
    expect(status).toBe(200);
  }
  const merged = (name: string) =>
    collector.points(name).filter((point) => attributesIn(point.attributes ?? [])["pdf.operation"] === "merge");
  const total = (points: readonly { readonly count?: string; readonly asDouble?: number }[]): number =>
    points.reduce((sum, { count, asDouble }) => sum + Number(count ?? asDouble ?? 0), 0);
  await until(async () => {
    // What is not due yet is sent with what happens next.
    await send("/usage", undefined);
    return total(merged("http.server.request.duration")) === 3;
  });
  const [duration] = merged("http.server.request.duration");
  expect(attributesIn(duration?.attributes ?? [])).toMatchObject({
    "http.route": "/api/v1/merge",
    "http.response.status_code": 200,
  });
  expect(duration?.bucketCounts?.map(Number).reduce((a, b) => a + b, 0)).toBe(3);
  expect(duration?.bucketCounts?.length).toBe((duration?.explicitBounds?.length ?? 0) + 1);
  expect(total(merged("pdf.credits"))).toBe(3);
  expect(total(merged("pdf.work"))).toBeGreaterThan(1_000);
  expect(total(collector.points("pdf.engine.starts"))).toBeGreaterThanOrEqual(1);
  expect(total(collector.points("pdf.memory.kept"))).toBeGreaterThan(1_000_000);
  const waits = collector.points("pdf.queue.age").map(({ attributes = [] }) => attributesIn(attributes)["pdf.message"]);
  expect(waits).toContain("parts");
  expect(waits).toContain("delivery");
  expect(total(collector.points("pdf.webhook.attempt.duration"))).toBeGreaterThanOrEqual(2);
});

test("telemetry contains no key, file name, or query", async () => {
  const trace = traceId();
  await send("/usage?month=2026-01&secret=query", `00-${trace}-${CLIENT}-01`);
  await spansOf(trace, 1);
  const all = collector.received.map(({ text }) => text).join("\n");
  for (const secret of [server.liveKey, server.liveKey.slice(-20), "a secret name", "secret=query"])
    expect(all).not.toContain(secret);
  for (const { headers } of collector.received)
    expect(headers).toMatchObject({
      "x-tenant": "tests",
      authorization: "Bearer abc",
      "content-type": "application/json",
    });
  expect(all).toContain(`{"key":"deployment.environment.name","value":{"stringValue":"test"}}`);
});
