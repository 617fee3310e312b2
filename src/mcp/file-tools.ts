import { fileOf } from "./base64-file.ts";
import { readFile } from "./read-file.ts";
import { expiresInSchema, fileFacts, linkTo, resultOf } from "./result.ts";
import { type StoredFile, storeFile } from "./store-file.ts";
import { checked, errorOf, jsonOf, type McpTool, pathSegment, structured } from "./tool.ts";
import { invalidFields } from "../http/errors/invalid-fields.ts";
import { limits } from "../limits.ts";
import type { FieldIssue } from "../operations/definition/fields.ts";

const { shortestSeconds, longestSeconds, defaultSeconds } = limits.storage;

const id = { type: "string", description: "`file_...`" };

/** Stores a file that later calls refer to. */
const createFile = checked({
  described: {
    name: "create-file",
    description:
      "Stores a file, so that other tools can use it by its ID: the document at a URL, or content in base64. To process a file only once, pass the URL or base64 to the tool of the operation. Files are encrypted, and deleted when they expire.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string", description: "An https:// URL that can be fetched without credentials." },
        content: { type: "string", description: "Instead of `url`: the file in base64, up to 1 MiB." },
        name: {
          type: "string",
          maxLength: limits.storage.name,
          description: "The name of the file, such as `report.pdf`.",
        },
        expiresIn: {
          type: "integer",
          minimum: shortestSeconds,
          maximum: longestSeconds,
          default: defaultSeconds,
          description: "How many seconds the file is kept.",
        },
      },
      additionalProperties: false,
    },
    annotations: { destructiveHint: false },
  },
  group: "files",
  isFor: (scopes) => scopes.includes("files:write"),
  async call({ content, ...given }, call) {
    const { url, name, expiresIn } = given;
    const issues: FieldIssue[] = [];
    if (content === undefined && url === undefined) issues.push({ name: "url", issue: "or `content` is required" });
    if (content !== undefined && url !== undefined) issues.push({ name: "url", issue: "is not used with `content`" });
    if (content !== undefined && typeof content !== "string")
      issues.push({ name: "content", issue: "must be a string" });
    if (name !== undefined && typeof name !== "string") issues.push({ name: "name", issue: "must be a string" });
    if (issues.length > 0) throw invalidFields(issues);
    const stored = async (): Promise<StoredFile> => {
      if (content === undefined) {
        const headers = { "Content-Type": "application/json" };
        const response = await call.send("POST", "/files", { body: JSON.stringify(given), headers });
        return (await jsonOf(response)) as unknown as StoredFile;
      }
      const sent = fileOf("content", String(content));
      return storeFile(call, { name: String(name ?? sent.name), length: sent.size, expiresIn }, piecesOf(sent));
    };
    const file = fileFacts(call, await stored());
    return structured(file, { type: "text", text: JSON.stringify(file) }, linkTo(file));
  },
});

async function* piecesOf(file: File): AsyncGenerator<Uint8Array, void> {
  yield new Uint8Array(await file.arrayBuffer());
}

const read = checked({
  described: {
    name: "read-file",
    description:
      "Returns the content of a stored file: text and JSON from `offset`, up to `length` bytes; an image as an image; any other file of up to 1 MiB as a resource. To get the text of a PDF, use `extract-text`.",
    inputSchema: {
      type: "object",
      properties: {
        id,
        offset: {
          type: "integer",
          minimum: 0,
          default: 0,
          description: "Of text: the first byte.",
        },
        length: {
          type: "integer",
          minimum: 1,
          maximum: limits.mcp.inlineBytes,
          default: limits.mcp.inlineBytes,
          description: "Of text: the number of bytes.",
        },
      },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  group: "files",
  isFor: (scopes) => scopes.includes("files:read"),
  call: readFile,
});

const jobResult = checked({
  described: {
    name: "get-job-result",
    description:
      "Returns the result of a job that has `succeeded` or is `partial`, as the tool of its operation would have: text in the response, and a file as a stored file with an ID. Call it once: each call stores the file again.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "string", description: "`job_...`" }, expiresIn: expiresInSchema },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false, openWorldHint: false },
  },
  group: "jobs",
  isFor: (scopes) => scopes.includes("pdf:read") || scopes.includes("pdf:write"),
  async call({ id, expiresIn }, call) {
    const response = await call.send("GET", `/jobs/${pathSegment(id)}/result`);
    if (!response.ok) throw await errorOf(response);
    return resultOf(call, response, { expiresIn });
  },
});

export const fileTools: readonly McpTool[] = [createFile, read, jobResult];
