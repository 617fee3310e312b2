/** Values of spans, metrics, and resources. Those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** As OTLP/HTTP has them in JSON: 64-bit integers are text. */
export const attributesOf = (attributes: Attributes): { readonly key: string; readonly value: unknown }[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]));

function valueOf(value: string | number | boolean): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A time in milliseconds as text in nanoseconds, which a number cannot hold. */
export const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds)}000000`;
