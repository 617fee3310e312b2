import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import type { ApiError } from "../http/errors/api-error.ts";
import { receivedError } from "./errors.ts";
import type { ErrorCode } from "../http/errors/error-table.ts";
import { invalidFields, shownName, unknownIssue } from "../http/errors/invalid-fields.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Scope } from "../accounts/scopes.ts";

export type Json = Readonly<Record<string, unknown>>;
/** Any of `CallToolResult.content`. */
export type Content = CallToolResult["content"][number];

/** What a tool needs to do its work for one call. */
export interface ToolCall {
  readonly caller: Caller;
  /** Where clients reach the service, without a slash at the end. */
  readonly baseUrl: string;
  /**
   * Sends a request to the API, below `/api/v1`, for the sender of the call. It passes every check that a request of theirs would
   * pass, and is canceled with the call. Returns the response whatever its status.
   */
  send(method: string, path: string, init?: Pick<RequestInit, "body" | "headers">): Promise<Response>;
}

/** How clients see a tool. All of it is sent with each list, so it has only what a model needs to choose the tool and to call it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema & { readonly properties: Json };
  /** Only those that differ from the defaults of the protocol. */
  readonly annotations: ToolAnnotations;
}

/** What `describe-tool` adds to a tool's description. */
export interface ToolManual {
  readonly description: string;
  /** Parameters that work. */
  readonly example?: Json | undefined;
  /** With all that the list leaves out. */
  readonly inputSchema?: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
}

/** Groups of tools, for `?tools=`. */
export const toolGroups = ["operations", "files", "jobs", "usage"] as const;
export type ToolGroup = (typeof toolGroups)[number];

type ObjectSchema = Json & { readonly type: "object" };

/** A tool and its implementation. Errors that it throws become results that the model can read. */
export interface McpTool {
  readonly described: ToolDescription;
  readonly manual?: ToolManual;
  /** Undefined for a tool that every list has. */
  readonly group?: ToolGroup | undefined;
  /** Whether a key with these scopes can use it, with some parameters at least. */
  isFor(scopes: readonly Scope[]): boolean;
  call(parameters: Json, call: ToolCall): Promise<CallToolResult>;
}

/** A tool that gets no parameters other than those of its schema, and all that it requires. */
export function checked({ call, ...tool }: McpTool): McpTool {
  const { properties, required = [] } = tool.described.inputSchema;
  return {
    ...tool,
    async call(parameters, context) {
      const unknown = Object.keys(parameters).filter((name) => !Object.hasOwn(properties, name));
      const missing = (required as readonly string[]).filter((name) => (parameters[name] ?? null) === null);
      const issues = [
        ...unknown.slice(0, MOST_ISSUES).map((name) => ({
          name: shownName(name),
          issue: unknownIssue("is not a known parameter", name, Object.keys(properties)),
        })),
        ...missing.map((name) => ({ name, issue: "is required" })),
      ];
      if (issues.length > 0) throw invalidFields(issues);
      return call(parameters, context);
    },
  };
}

/** Unknown parameters that are listed. */
const MOST_ISSUES = 10;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An ID as a segment of a path. Anything else becomes `-`, which matches no object. */
export const pathSegment = (id: unknown): string => (typeof id === "string" && /^\w{1,100}$/.test(id) ? id : "-");

/** A result as text and as structured content, for clients that read only one of them. */
export function structured(value: Json, ...content: readonly Content[]): CallToolResult {
  return {
    content: content.length > 0 ? [...content] : [{ type: "text", text: JSON.stringify(value) }],
    structuredContent: value,
  };
}

/** Headers of an error that its reader can act on. */
const errorHeaders = ["Retry-After", "X-Request-Id"];

/** The error of a response. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { error } = await response.json<{ error: { code: ErrorCode; message: string; details?: Json } }>();
  const headers = errorHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return receivedError({ details: undefined, ...error }, Object.fromEntries(headers));
}

/** The body of a response of JSON. Throws its error. */
export async function jsonOf(response: Response): Promise<Json> {
  if (!response.ok) throw await errorOf(response);
  return response.json<Json>();
}
