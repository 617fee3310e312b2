import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type Tool,
} from "@modelcontextprotocol/server";
import { failure } from "./failure.ts";
import { resourceOf } from "./read-file.ts";
import { contentUrl } from "./result.ts";
import { createdTask, serveTasks, takesTasks, TASKS } from "./tasks.ts";
import { isObject, type Json, jsonOf, type McpTool, type ToolCall } from "./tool.ts";
import { ApiError, asApiError } from "../http/errors/api-error.ts";
import type { JobView } from "../events/job-schema.ts";
import { logFault } from "../faults.ts";
import { limits, MiB } from "../limits.ts";
import { version } from "../version.ts";

const { base64Bytes, inlineBytes, resultSeconds } = limits.mcp;

/** The facts common to all tools, so that none has to repeat them. */
const instructions = `Tools for PDF documents: each operation is a tool. Descriptions are short; \`describe-tool\` returns the details of one, what each parameter means and allows, an example, and the schema of its results.

Files: a file parameter takes the ID of a stored file (\`file_...\`), an https:// URL that needs no credentials, or the file in base64 (up to ${base64Bytes / MiB} MiB), bare or as \`data:application/pdf;name=report.pdf;base64,...\`. Paths cannot be read. Inputs are never changed.

Results: text and JSON of up to ${inlineBytes / 1024} KiB are in the response (\`structuredContent.text\`, \`structuredContent.result\`). Anything else is stored as a file of the account (\`structuredContent.file\`: \`id\`, \`name\`, \`size\`, \`contentType\`, \`url\`, \`expiresAt\`), and its \`id\` works as a file of the next tool. It is deleted after ${resultSeconds / 60} minutes, or after the seconds of the parameter \`expiresIn\`, which every operation takes (${limits.storage.shortestSeconds} to ${limits.storage.longestSeconds}). \`structuredContent.headers\` says what happened to the document, such as \`X-Page-Count\`.

Pages: ranges such as \`1-3,5,last\`, \`odd\`, or \`!4\`, counted from 1. To run several operations on one document, \`pipeline\` is one call and stores only the last result.

Long work: for long documents, and for OCR of more than ${limits.ocr.pages} pages, set \`background\`. The result has a job; wait for it with \`get-job\`, then call \`get-job-result\`.

An operation costs 1 credit if its description does not say otherwise (\`get-usage\` has what is left); all else is free, and so are errors. A call of any operation that is repeated with the same \`idempotencyKey\` within 24 hours is charged once.`;

export interface Toolbox {
  /** By name. */
  readonly tools: ReadonlyMap<string, McpTool>;
  listed(): Tool[];
}

/** The server of one request. `call`: the context of its tools; each call counts as a separate request, except the first. */
export function serverOf(
  { tools, ...toolbox }: Toolbox,
  {
    isModern,
    call,
    others,
  }: {
    readonly isModern: boolean;
    call(signal: AbortSignal): Promise<ToolCall>;
    others(signal: AbortSignal): ToolCall;
  },
): Server {
  const server = new Server(
    { name: "pdf-service", title: "PDF Service", version },
    {
      capabilities: { tools: {}, resources: {}, ...(isModern && { extensions: { [TASKS]: {} } }) },
      instructions,
      // The tools change only with a new version of the service, and with the key.
      cacheHints: { "tools/list": { ttlMs: 300_000, cacheScope: "private" } },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: toolbox.listed() }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no tool of this name.");
    const result = await callTool(tool, params.arguments ?? {}, () => call(mcpReq.signal));
    const job = isObject(result.structuredContent) ? result.structuredContent["job"] : undefined;
    const capabilities = (mcpReq.envelope as Json | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
    const isTask = isModern && isObject(job) && takesTasks(capabilities);
    return isTask ? ({ content: [], ...createdTask(job as unknown as JobView) } as CallToolResult) : result;
  });
  server.setRequestHandler("resources/list", async ({ params }, { mcpReq }) => {
    const cursor = params?.cursor === undefined ? "" : `?cursor=${encodeURIComponent(params.cursor)}`;
    const { data, nextCursor } = await guarded(async () => {
      const page = await jsonOf(await others(mcpReq.signal).send("GET", `/files${cursor}`));
      return page as { data: readonly Listed[]; nextCursor: string | null };
    });
    const { baseUrl } = others(mcpReq.signal);
    const ready = data.filter(({ status }) => status === "ready");
    return {
      resources: ready.map(({ id, name, size, contentType }) => ({
        uri: contentUrl(baseUrl, id),
        name,
        size,
        mimeType: contentType ?? "application/octet-stream",
      })),
      ...(nextCursor !== null && { nextCursor }),
    };
  });
  server.setRequestHandler("resources/templates/list", (_, { mcpReq }) => {
    const uriTemplate = contentUrl(others(mcpReq.signal).baseUrl, "{id}");
    return { resourceTemplates: [{ uriTemplate, name: "file", description: "A stored file, by its ID." }] };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => {
    const sent = others(mcpReq.signal);
    const [before = "", after = ""] = contentUrl(sent.baseUrl, "\n").split("\n");
    const id = uri.startsWith(before) && uri.endsWith(after) ? uri.slice(before.length, -after.length) : "";
    if (!/^\w+$/.test(id)) throw new ResourceNotFoundError(uri);
    return { contents: [await guarded(() => resourceOf(sent, uri, id))] };
  });
  if (isModern) serveTasks(server, others);
  return server;
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly contentType: string | null;
  readonly status: string;
}

/** Errors are results, which the model sees, and not errors of the protocol, which it may not. */
async function callTool(
  tool: McpTool,
  parameters: Readonly<Record<string, unknown>>,
  call: () => Promise<ToolCall>,
): Promise<CallToolResult> {
  try {
    return await tool.call(parameters, await call());
  } catch (thrown) {
    const { properties } = tool.described.inputSchema;
    return failure(reported(thrown), { properties, nameOf: (name) => name });
  }
}

/** For requests whose errors are those of the protocol. Its own messages are sent to the client, others are not. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const { message, status } = reported(thrown);
    throw new ProtocolError(status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message);
  }
}

function reported(thrown: unknown): ApiError {
  const error = asApiError(thrown);
  // One that came from the API is in the log of its request.
  if (!(thrown instanceof ApiError)) logFault("mcp", {}, thrown);
  return error;
}
