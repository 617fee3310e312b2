/** Metrics of this isolate, as OTLP has them (opentelemetry-proto, metrics.proto): cumulative since it began. */
import { attributesOf, type Attributes, nanoseconds } from "./attributes.ts";

/** Upper bounds of durations in seconds, as the semantic conventions of HTTP recommend. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60];
/** Combinations of attributes of one metric. They come from closed lists; should one not, memory stays bounded. */
const MOST_SERIES = 2_000;
/** AggregationTemporality. */
const CUMULATIVE = 2;

interface Series {
  readonly attributes: Attributes;
  sum: number;
  count: number;
  readonly buckets: number[];
}

interface Metric {
  readonly kind: "sum" | "histogram";
  readonly unit: string;
  readonly series: Map<string, Series>;
}

/** A value that is read when metrics are sent. */
export interface Observed {
  readonly name: string;
  readonly unit: string;
  readonly kind: "gauge" | "sum";
  read(): number;
}

export class Metrics {
  readonly #start = Date.now();
  readonly #metrics = new Map<string, Metric>();
  readonly #observed: readonly Observed[];

  constructor(observed: readonly Observed[]) {
    this.#observed = observed;
  }

  add(name: string, unit: string, value: number, attributes: Attributes): void {
    const series = this.#series(name, "sum", unit, attributes);
    if (series) series.sum += value;
  }

  /** `seconds`: a duration. */
  record(name: string, seconds: number, attributes: Attributes): void {
    const series = this.#series(name, "histogram", "s", attributes);
    if (series === undefined) return;
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const index = bucket === -1 ? BOUNDS.length : bucket;
    series.buckets[index] = (series.buckets[index] ?? 0) + 1;
    series.sum += seconds;
    series.count += 1;
  }

  #series(name: string, kind: Metric["kind"], unit: string, attributes: Attributes): Series | undefined {
    let metric = this.#metrics.get(name);
    if (metric === undefined) this.#metrics.set(name, (metric = { kind, unit, series: new Map() }));
    const key = JSON.stringify(attributes);
    const known = metric.series.get(key);
    if (known !== undefined || metric.series.size >= MOST_SERIES) return known;
    const series = { attributes, sum: 0, count: 0, buckets: Array.from({ length: BOUNDS.length + 1 }, () => 0) };
    metric.series.set(key, series);
    return series;
  }

  /** The `metrics` of a scope. */
  toJson(now: number): unknown[] {
    const time = { startTimeUnixNano: nanoseconds(this.#start), timeUnixNano: nanoseconds(now) };
    const recorded = Array.from(this.#metrics, ([name, { kind, unit, series }]) => {
      const all = Array.from(series.values());
      if (kind === "sum") {
        const dataPoints = all.map((one) => ({ ...time, attributes: attributesOf(one.attributes), asDouble: one.sum }));
        return { name, unit, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
      }
      const dataPoints = all.map((one) => ({
        ...time,
        attributes: attributesOf(one.attributes),
        count: String(one.count),
        sum: one.sum,
        bucketCounts: one.buckets.map(String),
        explicitBounds: BOUNDS,
      }));
      return { name, unit, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
    });
    const observed = this.#observed.map(({ name, unit, kind, read }) => {
      const dataPoints = [{ ...time, asDouble: read() }];
      return kind === "gauge"
        ? { name, unit, gauge: { dataPoints } }
        : { name, unit, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
    });
    return [...recorded, ...observed];
  }
}
