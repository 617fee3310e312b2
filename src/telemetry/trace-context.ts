/** Traces across services (W3C Trace Context, 3.2): which request caused what. */

/** One step of a trace: a request, a part of a job, an attempt to deliver. */
export interface Step {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** The step that caused it, if that is known. */
  readonly parentId: string | undefined;
  /** Whether whoever began the trace records it. */
  readonly sampled: boolean;
}

/** Version 00. Later ones may add fields behind a hyphen (3.2.4). */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The step that a `traceparent` causes; undefined if there is none, or not a valid one. */
export function stepAfter(traceparent: string | undefined): Step | undefined {
  const [, version, traceId, parentId, flags, rest] = TRACEPARENT.exec(traceparent?.trim() ?? "") ?? [];
  if (traceId === undefined || parentId === undefined || (version === "00" && rest !== undefined)) return undefined;
  const sampled = (Number.parseInt(flags ?? "0", 16) & SAMPLED) !== 0;
  return { traceId, parentId, spanId: randomHex(8), sampled };
}

/** The first step of a trace. */
export const firstStep = (): Step => ({
  traceId: randomHex(16),
  spanId: randomHex(8),
  parentId: undefined,
  sampled: true,
});

/** The context for the next service, or for a later step. */
export const traceparentOf = ({ traceId, spanId, sampled }: Step): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
