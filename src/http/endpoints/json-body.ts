import type { Context } from "hono";
import type { z } from "zod";
import { checkInto, invalidParameters } from "./issues.ts";
import { jsonTooLarge } from "../errors/limit-errors.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import { plainBody, readBody } from "../multipart/body.ts";
import { limits } from "../../limits.ts";
import type { FieldIssue } from "../../operations/definition/fields.ts";
import { repeatedKey } from "../../operations/definition/repeated-key.ts";
import { jsonMalformed, jsonNotObject, notJson } from "../errors/request-errors.ts";

/**
 * Reads and validates a JSON object (RFC 8259) of at most `limits.json.bodyBytes`; problems with its members are added to
 * `issues`. A missing body counts as `{}`. Throws `unsupported_format`, `unsupported_encoding`, `file_too_large`, `request_timeout`, and
 * `invalid_parameters` if the body is not a JSON object.
 */
export async function readJson(c: Context<AppEnv>, schema: z.ZodType, issues: FieldIssue[]): Promise<unknown> {
  const type = c.req.header("Content-Type");
  const isJson = type !== undefined && /^application\/json *(?:;|$)/i.test(type);
  if (type !== undefined && !isJson) throw notJson();
  const bytes = await readBytes(c, limits.json.bodyBytes);
  if (bytes.length > 0 && !isJson) throw notJson();
  const value = bytes.length === 0 ? {} : parse(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw jsonNotObject();
  }
  return checkInto(schema, value, issues);
}

/**
 * Reads a body of at most `maxBytes`. `received` is called with the number of bytes that have arrived since its last call. Throws
 * `unsupported_encoding`, `file_too_large`, `request_timeout`, and what `received` throws.
 */
export async function readBytes(
  c: Context<AppEnv>,
  maxBytes: number,
  received?: (bytes: number) => void,
): Promise<Uint8Array> {
  const { headers } = c.req.raw;
  const body = plainBody(c.req.raw);
  const declared = Number(headers.get("Content-Length") ?? 0);
  if (declared > maxBytes) throw jsonTooLarge(maxBytes, declared);
  if (body === null) return new Uint8Array();
  let bytes = new Uint8Array();
  await readBody(body, {
    maxBytes,
    tooLarge: jsonTooLarge,
    graceMilliseconds: limits.form.graceMilliseconds,
    read(window) {
      const longer = new Uint8Array(bytes.length + window.length);
      longer.set(bytes);
      longer.set(window, bytes.length);
      bytes = longer;
      return window.length;
    },
    progress(total) {
      const log = c.get("log");
      received?.(total - log.bodyBytes);
      log.bodyBytes = total;
    },
  });
  return bytes;
}

function parse(bytes: Uint8Array): unknown {
  const { text, value } = decode(bytes);
  const key = repeatedKey(text);
  if (key === undefined) return value;
  throw invalidParameters([{ name: key, issue: "must not be repeated" }]);
}

function decode(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return { text, value: JSON.parse(text) as unknown };
  } catch (cause) {
    throw jsonMalformed(cause);
  }
}
