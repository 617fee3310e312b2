/** What a server that is stopped still sends. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { start } from "./started.ts";
import { startCollector } from "../harness/requests/collector.ts";

test("SIGTERM sends the spans and metrics that wait for their interval", async () => {
  const [data, collector] = [await mkdtemp(join(tmpdir(), "pdf-service-end-")), await startCollector()];
  const server = await start(data, [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp/`,
    // Longer than the test.
    OTEL_BSP_SCHEDULE_DELAY: "999999",
    OTEL_METRIC_EXPORT_INTERVAL: "999999",
  });
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  expect((await fetch(`${server.baseUrl}/api/v1/usage`, { headers })).status).toBe(401);
  expect(collector.spans()).toEqual([]);
  await server.stop();
  expect(collector.spans().map((span) => [span.traceId, span.name])).toContainEqual([traceId, "GET /api/v1/usage"]);
  expect(JSON.stringify(collector.received)).toContain("http.server.request.duration");
  await collector.close();
  await rm(data, { recursive: true, force: true });
});
