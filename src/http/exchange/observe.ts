/** What a collector is told of requests (docs/operating.md lists it). */
import type { Observation, RequestLine } from "./request-log.ts";
import { type Env, readEnv } from "../../env.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { firstStep, type Step, stepAfter } from "../../telemetry/trace-context.ts";

/** Methods that are told by name; others could be any text (semantic conventions of HTTP). */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Asked every few seconds by machines. */
const UNTOLD: ReadonlySet<string> = new Set(["/api/v1/health", "/api/v1/ready"]);

/** Finds the isolate's telemetry. */
export type TelemetryIn = (env: Env) => Telemetry | undefined;

/** A request as it arrives. */
interface Arrived {
  readonly traceparent: string | undefined;
  readonly bindings: object;
  waitUntil(promise: Promise<unknown>): void;
}

/** A request continues the trace of its client. It begins one only for a collector. */
export function observe({ traceparent, bindings, waitUntil }: Arrived, telemetryIn: TelemetryIn): Observation {
  const continued = stepAfter(traceparent);
  const telemetry = telemetryFor(bindings, telemetryIn);
  if (telemetry === undefined) return { step: continued, ended: () => undefined };
  const step = continued ?? firstStep();
  return {
    step,
    ended(line, start) {
      if (continued === undefined && UNTOLD.has(line.route ?? "")) return;
      tell(telemetry, step, line, start);
      telemetry.flushSoon(waitUntil);
    },
  };
}

function telemetryFor(bindings: object, telemetryIn: TelemetryIn): Telemetry | undefined {
  try {
    return telemetryIn(readEnv(bindings));
  } catch {
    // The request itself fails with the error of the configuration.
    return undefined;
  }
}

function tell(telemetry: Telemetry, step: Step, line: RequestLine, start: number): void {
  const method = METHODS.has(line.method) ? line.method : "_OTHER";
  const { operation } = line;
  const facts = {
    "http.request.method": method,
    "http.route": line.route,
    "http.response.status_code": line.status,
    "pdf.operation": operation,
    "error.type": line.code,
  };
  const end = start + line.milliseconds;
  telemetry.metrics.record("http.server.request.duration", line.milliseconds / 1000, facts);
  const of = { "pdf.operation": operation };
  if (line.work !== undefined) telemetry.metrics.add("pdf.work", "{unit}", line.work, of);
  if (line.credits !== undefined) telemetry.metrics.add("pdf.credits", "{credit}", line.credits, of);
  telemetry.span({
    step,
    name: line.route === undefined ? method : `${method} ${line.route}`,
    kind: "server",
    start,
    end,
    failed: line.status >= 500,
    attributes: {
      ...facts,
      "http.request.body.size": line.bodyBytes,
      "http.response.body.size": line.responseBytes,
      "pdf.request_id": line.requestId,
      "pdf.account": line.account,
      "pdf.outcome": line.outcome,
      "pdf.page_count": line.pageCount,
      "pdf.work": line.work,
      "pdf.credits": line.credits,
    },
  });
}
