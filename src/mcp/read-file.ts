import type { CallToolResult } from "@modelcontextprotocol/server";
import { base64Of, contentUrl } from "./result.ts";
import { errorOf, type Json, jsonOf, pathSegment, type ToolCall } from "./tool.ts";
import { invalidFields } from "../http/errors/invalid-fields.ts";
import { limits } from "../limits.ts";
import type { FieldIssue } from "../operations/definition/fields.ts";
import { tooLargeToRead } from "./errors.ts";

const { inlineBytes, readBytes } = limits.mcp;

interface Content {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly size: number;
}

/** The content of a stored file. `range`: a part of it. Throws `limit_exceeded` for more than `limits.mcp.readBytes`. */
async function contentOf(
  call: ToolCall,
  id: string,
  range?: { readonly start: number; readonly length: number },
): Promise<Content> {
  const path = `/files/${pathSegment(id)}`;
  const facts = await jsonOf(await call.send("GET", path));
  const [size, type] = [Number(facts["size"]), String(facts["contentType"])];
  if (range === undefined && size > readBytes) throw tooLargeToRead(contentUrl(call.baseUrl, id), size);
  const headers = range && { Range: `bytes=${range.start}-${range.start + range.length - 1}` };
  const response = await call.send("GET", `${path}/content`, headers && { headers });
  if (!response.ok) throw await errorOf(response);
  return { bytes: new Uint8Array(await response.arrayBuffer()), type, size };
}

/** Text in UTF-8, without the character that the end of a range cuts off; undefined if it is not text. */
function textIn(bytes: Uint8Array): { readonly text: string; readonly used: number } | undefined {
  for (let used = bytes.length; used >= Math.max(0, bytes.length - 3); used -= 1) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, used));
      return text.includes("\0") ? undefined : { text, used };
    } catch {
      // One byte less.
    }
  }
  return undefined;
}

/** The tool `read-file`. */
export async function readFile(parameters: Json, call: ToolCall): Promise<CallToolResult> {
  const { id, offset: start = 0, length = inlineBytes } = parameters;
  const issues: FieldIssue[] = [];
  if (typeof id !== "string") issues.push({ name: "id", issue: "must be the ID of a stored file, `file_...`" });
  if (!isCount(start, 0, Number.MAX_SAFE_INTEGER))
    issues.push({ name: "offset", issue: "must be a whole number from 0" });
  if (!isCount(length, 1, inlineBytes))
    issues.push({ name: "length", issue: `must be a whole number from 1 to ${inlineBytes}` });
  if (issues.length > 0) throw invalidFields(issues);
  const [file, from, count] = [String(id), Number(start), Number(length)];
  const part = await contentOf(call, file, { start: from, length: count });
  const text = part.type === "application/octet-stream" ? textIn(part.bytes) : undefined;
  if (text !== undefined) {
    const next = from + text.used;
    const more = next < part.size ? `\n\n[${next} of ${part.size} bytes. Continue with "offset": ${next}.]` : "";
    return { content: [{ type: "text", text: `${text.text}${more}` }] };
  }
  const { bytes, type } = await contentOf(call, file);
  const data = base64Of(bytes);
  if (type.startsWith("image/")) return { content: [{ type: "image", data, mimeType: type }] };
  const uri = contentUrl(call.baseUrl, file);
  return { content: [{ type: "resource", resource: { uri, mimeType: type, blob: data } }] };
}

const isCount = (value: unknown, min: number, max: number): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max;

/** A stored file as a resource: what `resources/read` returns. */
export async function resourceOf(call: ToolCall, uri: string, id: string) {
  const { bytes, type } = await contentOf(call, id);
  const text = type === "application/octet-stream" ? textIn(bytes) : undefined;
  return text?.used === bytes.length
    ? { uri, mimeType: "text/plain", text: text.text }
    : { uri, mimeType: type, blob: base64Of(bytes) };
}
