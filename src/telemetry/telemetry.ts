/**
 * Sends traces and metrics to a collector: OTLP/HTTP in JSON (opentelemetry.io/docs/specs/otlp). An isolate has no background work, so spans and
 * metrics are kept until a request, a batch of messages, or the scheduled work sends them. Sending waits for a moment, so that simultaneous events
 * are sent together.
 */
import { attributesOf, type Attributes, nanoseconds } from "./attributes.ts";
import { Metrics, type Observed } from "./metrics.ts";
import type { Step } from "./trace-context.ts";
import { logFault } from "../faults.ts";
import { ofIsolate } from "../isolate.ts";
import { version } from "../version.ts";

export interface TelemetrySettings {
  /** Of the collector, without `/v1/traces` and without a slash at its end. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  /** Milliseconds from what happened until it is sent. */
  readonly spanDelay: number;
  /** Milliseconds between two times that metrics are sent. */
  readonly metricInterval: number;
  /** Reaches the collector. Default: the global one. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** Something that took time. */
export interface Span {
  readonly step: Step;
  readonly name: string;
  readonly kind: keyof typeof KINDS;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  /** Whether it failed through no fault of whoever asked. */
  readonly failed: boolean;
}

/** SpanKind. */
const KINDS = { server: 2, client: 3, consumer: 5 } as const;
/** StatusCode. */
const ERROR = 2;
/** Spans that wait to be sent. Those beyond are lost, and counted. */
const MOST_SPANS = 2_048;
const TIMEOUT = 10_000;
/** Milliseconds after which sending that was promised counts as lost: its isolate's request has ended. */
const LOST = 30_000;

export type WaitUntil = (promise: Promise<unknown>) => void;

export class Telemetry {
  readonly #settings: TelemetrySettings;
  readonly metrics: Metrics;
  readonly #instance = crypto.randomUUID();
  #spans: Span[] = [];
  #dropped = 0;
  #metricsSent = 0;
  /** When sending was promised. */
  #promised: number | undefined;

  constructor(settings: TelemetrySettings, observed: readonly Observed[]) {
    this.#settings = settings;
    const dropped = {
      name: "pdf.telemetry.dropped_spans",
      unit: "{span}",
      kind: "sum",
      read: () => this.#dropped,
    } as const;
    this.metrics = new Metrics([...observed, dropped]);
  }

  /** Keeps a span, unless whoever began its trace does not record it. */
  span(span: Span): void {
    if (!span.step.sampled) return;
    if (this.#spans.length < MOST_SPANS) this.#spans.push(span);
    else this.#dropped += 1;
  }

  /** Sends the kept data after a moment. Never throws. */
  flushSoon(waitUntil: WaitUntil): void {
    const now = Date.now();
    if (this.#promised !== undefined && now - this.#promised < LOST) return;
    this.#promised = now;
    waitUntil(
      new Promise((done) => setTimeout(done, this.#settings.spanDelay)).then(() => {
        this.#promised = undefined;
        return this.#flush();
      }),
    );
  }

  /** Sends the kept data at once, and the metrics whatever their interval. Never throws. */
  flush(): Promise<void> {
    this.#metricsSent = 0;
    return this.#flush();
  }

  async #flush(): Promise<void> {
    const now = Date.now();
    const spans = this.#spans;
    this.#spans = [];
    const isDue = now - this.#metricsSent >= this.#settings.metricInterval;
    if (isDue) this.#metricsSent = now;
    const resource = {
      attributes: attributesOf({ ...this.#settings.resource, "service.instance.id": this.#instance }),
    };
    const scope = { name: "pdf-service", version };
    await Promise.all([
      spans.length > 0 &&
        this.#send("traces", { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanJson) }] }] }),
      isDue &&
        this.#send("metrics", {
          resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: this.metrics.toJson(now) }] }],
        }),
    ]);
  }

  async #send(signal: "traces" | "metrics", body: unknown): Promise<void> {
    const { endpoint, headers, fetch } = this.#settings;
    let status: number | undefined;
    try {
      const response = await fetch(`${endpoint}/v1/${signal}`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json", "User-Agent": `pdf-service/${version} (telemetry)` },
        body: JSON.stringify(body),
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT),
      });
      await response.body?.cancel();
      status = response.status;
      if (status >= 300) throw new Error("the collector refused it");
    } catch (error) {
      logFault("telemetry not sent", { signal, ...(status !== undefined && { status }) }, error);
    }
  }
}

function spanJson({ step, name, kind, start, end, attributes, failed }: Span): unknown {
  const { traceId, spanId, parentId } = step;
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: attributesOf(attributes),
    ...(failed && { status: { code: ERROR } }),
  };
}

const known = ofIsolate(() => new WeakMap<TelemetrySettings, Telemetry>());

/** The isolate's telemetry; undefined if none is configured. `observed`: the values that are read when metrics are sent. */
export function telemetryOf(
  settings: TelemetrySettings | undefined,
  observed: () => readonly Observed[],
): Telemetry | undefined {
  if (settings === undefined) return undefined;
  const found = known.value.get(settings);
  if (found !== undefined) return found;
  const telemetry = new Telemetry(settings, observed());
  known.value.set(settings, telemetry);
  return telemetry;
}
