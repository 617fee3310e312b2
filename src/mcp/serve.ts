import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Context, Hono } from "hono";
import { describeTool } from "./describe-tool.ts";
import { endpointTools } from "./endpoint-tool.ts";
import { fileTools } from "./file-tools.ts";
import { operationTool } from "./operation-tool.ts";
import { serverOf } from "./server.ts";
import { isObject, type McpTool, type ToolCall } from "./tool.ts";
import { toolsetOf } from "./toolset.ts";
import { checkRate, type Identity, identityOf, InnerRequest } from "../http/auth/authorize.ts";
import type { Endpoint } from "../http/endpoints/define.ts";
import { readBytes } from "../http/endpoints/json-body.ts";
import { takeMemory } from "../http/endpoints/receive-file.ts";
import { ApiError } from "../http/errors/api-error.ts";
import type { AppEnv } from "../http/exchange/exchange.ts";
import { readEnv } from "../env.ts";
import { limits } from "../limits.ts";
import type { Operation } from "../operations/definition/define.ts";

const { bodyBytes, batch, depth, values } = limits.mcp;

/** Bodies up to this size are read without asking for memory. */
const SMALL_BYTES = 64 * 1024;
/** The only revision with batches. Its requests need not name it. */
const BATCH_REVISION = "2025-03-26";

/** The tools of the registries. */
export function toolsOf(operations: readonly Operation[], endpoints: readonly Endpoint[]): readonly McpTool[] {
  const tools = [...operations.map(operationTool), ...fileTools, ...endpointTools(endpoints)];
  return [...tools, describeTool(tools)];
}

/** Responds to a message of an identified sender. */
export async function serve(c: Context<AppEnv>, app: Hono<AppEnv>, tools: readonly McpTool[]): Promise<Response> {
  const toolset = toolsetOf(tools, c.req.query("tools"), c.get("caller").scopes);
  const parsedBody = await readMessage(c);
  if (parsedBody instanceof Response) return parsedBody;
  // A tool reports it to the model.
  if (!isObject(parsedBody) || parsedBody["method"] !== "tools/call") checkRate(c);
  const identity: Identity = {
    caller: c.get("caller"),
    database: c.get("database"),
    rate: c.get("rate"),
    credits: c.get("credits"),
  };
  const env = readEnv(c.env);
  const callAs = (sender: Identity, signal: AbortSignal): ToolCall => ({
    caller: sender.caller,
    baseUrl: env.baseUrl,
    async send(method, path, init = {}) {
      const request = new InnerRequest(sender, `${env.baseUrl}/api/v1${path}`, { ...init, method, signal });
      const { traceparent } = c.get("log");
      if (traceparent !== undefined) request.headers.set("traceparent", traceparent);
      return app.fetch(request, c.env, c.executionCtx);
    },
  });
  let isCounted = true;
  const handler = createMcpHandler(
    ({ era }) =>
      serverOf(toolset, {
        isModern: era === "modern",
        others: (signal) => callAs(identity, signal),
        async call(signal) {
          // Each further call of a batch is counted, too.
          const sender = isCounted ? identity : await identityOf(env, c.req.raw.headers);
          isCounted = false;
          return callAs(sender, signal);
        },
      }),
    // Nothing here changes in a way that a client could listen to.
    { maxSubscriptions: 0 },
  );
  return handler.fetch(c.req.raw, { parsedBody });
}

/** The message of a request, as JSON, or the response to one that cannot be read. Throws what reading the body throws. */
async function readMessage(c: Context<AppEnv>): Promise<unknown> {
  const length = Number(c.req.header("Content-Length") ?? bodyBytes);
  using memory = length > SMALL_BYTES ? await takeMemory(c, Math.min(length, bodyBytes)) : undefined;
  try {
    const bytes = await readBytes(c, bodyBytes, (received) => memory?.received(received));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    const message = JSON.parse(text) as unknown;
    const problem = problemOf(message);
    if (problem !== undefined) return refused(-32600, `Invalid Request: ${problem}`);
    if (Array.isArray(message)) {
      if ((c.req.header("MCP-Protocol-Version") ?? BATCH_REVISION) !== BATCH_REVISION)
        return refused(-32600, `Invalid Request: only revision ${BATCH_REVISION} has batches`);
      if (message.length > batch) return refused(-32600, `Invalid Request: a batch can have up to ${batch} messages`);
    }
    return message;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return refused(-32700, "Parse error: the body must be JSON in UTF-8");
  }
}

/** An error of JSON-RPC 2.0 for a message that has no readable ID. */
const refused = (code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status: 400 });

/**
 * The issue of a message that is nested deeper, or has more values, than any tool accepts. Later readers may recurse, and look at each value several
 * times without yielding.
 */
function problemOf(message: unknown): string | undefined {
  let level: unknown[] = [message];
  let count = 0;
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) return `more than ${depth} levels of arrays and objects`;
    count += level.length;
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      for (const value of Object.values(one)) next.push(value);
      if (count + next.length > values) return `more than ${values.toLocaleString("en-US")} values`;
    }
    level = next;
  }
  return undefined;
}
