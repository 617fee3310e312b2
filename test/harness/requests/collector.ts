/** A collector of traces and metrics: OTLP/HTTP in JSON, as opentelemetry-proto describes it. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}
type Attributes = readonly { readonly key: string; readonly value: Value }[];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly status?: { readonly code: number };
}

interface Point {
  readonly attributes?: Attributes;
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}
interface Points {
  readonly dataPoints: readonly Point[];
}
export interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: Points;
  readonly gauge?: Points;
  readonly histogram?: Points;
}

interface Export {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly CollectedMetric[] }[];
  }[];
}

export interface Collector {
  readonly url: string;
  spans(): CollectedSpan[];
  /** The points of a metric as they were sent last, by isolate and attributes. */
  points(name: string): Point[];
  /** All that was sent, with headers. */
  readonly received: readonly {
    readonly path: string;
    readonly headers: NodeJS.Dict<string | string[]>;
    readonly text: string;
  }[];
  close(): Promise<void>;
}

export const attributesIn = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue)),
    ]),
  );

export async function startCollector(): Promise<Collector> {
  const received: { path: string; headers: NodeJS.Dict<string | string[]>; text: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    received.push({ path: request.url ?? "", headers: request.headers, text: Buffer.concat(chunks).toString() });
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bodies = (path: string): Export[] =>
    received.filter((one) => one.path === path).map(({ text }) => JSON.parse(text) as Export);
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    received,
    spans: () =>
      bodies("/otlp/v1/traces").flatMap(({ resourceSpans = [] }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    points: (name) => {
      const latest = new Map<string, Point>();
      for (const { resourceMetrics = [] } of bodies("/otlp/v1/metrics"))
        for (const { name: found, sum, gauge, histogram } of resourceMetrics.flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics),
        ))
          for (const point of found === name ? ((sum ?? gauge ?? histogram)?.dataPoints ?? []) : [])
            latest.set(JSON.stringify([point.startTimeUnixNano, point.attributes]), point);
      return Array.from(latest.values());
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
