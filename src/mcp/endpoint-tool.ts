import { z } from "zod";
import { jsonSchemaOf } from "./result.ts";
import { checked, jsonOf, type McpTool, pathSegment, structured, type ToolDescription, toolGroups } from "./tool.ts";
import { type Endpoint, scopesOfEndpoint } from "../http/endpoints/define.ts";

/** An endpoint as a tool: its parameters are those of the path and the query, and its result is the response. */
function endpointTool(endpoint: Endpoint): McpTool {
  const { name, tag, method, path, summary, description, query, response } = endpoint;
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, id = ""]) => id);
  const { properties } = query ? z.toJSONSchema(query, { io: "output", unrepresentable: "any" }) : {};
  const described: ToolDescription = {
    name: toolName(name),
    description: `${summary}.`,
    inputSchema: {
      type: "object",
      properties: { ...Object.fromEntries(ids.map((id) => [id, { type: "string" }])), ...properties },
      ...(ids.length > 0 && { required: ids }),
      additionalProperties: false,
    },
    annotations: { ...(method === "GET" && { readOnlyHint: true }), idempotentHint: true, openWorldHint: false },
  };
  return checked({
    described,
    manual: { description, outputSchema: { ...jsonSchemaOf(response), type: "object" } },
    group: toolGroups.find((group) => group === tag.toLowerCase()),
    isFor: (scopes) => scopesOfEndpoint(endpoint).some((scope) => scopes.includes(scope)),
    async call(parameters, call) {
      const values = new Map(Object.entries(parameters).filter(([, value]) => (value ?? null) !== null));
      let target: string = path;
      for (const id of ids) {
        target = target.replace(`{${id}}`, pathSegment(values.get(id)));
        values.delete(id);
      }
      const search = new URLSearchParams(Array.from(values, ([key, value]) => [key, text(value)]));
      return structured(
        await jsonOf(await call.send(method, search.size > 0 ? `${target}?${search.toString()}` : target)),
      );
    },
  });
}

const text = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

const toolName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The endpoints whose objects a model needs for operations. Keys and webhooks are none of its business. */
const names: ReadonlySet<string> = new Set([
  "listFiles",
  "getFile",
  "deleteFile",
  "listJobs",
  "getJob",
  "cancelJob",
  "getUsage",
]);

export const endpointTools = (endpoints: readonly Endpoint[]): readonly McpTool[] =>
  endpoints.filter(({ name }) => names.has(name)).map((endpoint) => endpointTool(endpoint));
