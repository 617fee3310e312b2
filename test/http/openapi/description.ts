import { endpoints } from "../../../src/http/endpoints/index.ts";
import { describeApi } from "../../../src/http/openapi/openapi.ts";
import { operations } from "../../../src/operations/index.ts";

export type Json = Readonly<Record<string, unknown>>;
export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** The value at `/a/b/0`; undefined where there is none. */
export function at(document: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
}

export const document = describeApi(operations, endpoints, "https://pdf.example.com");
