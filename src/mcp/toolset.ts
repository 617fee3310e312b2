import { listedTool } from "./portable-schema.ts";
import type { Toolbox } from "./server.ts";
import { type McpTool, toolGroups } from "./tool.ts";
import type { Scope } from "../accounts/scopes.ts";
import { unknownTool } from "./errors.ts";

/**
 * The tools that a client requested (`?tools=`, names of tools and groups, separated by commas), and for the list, those that its key can use. Throws
 * `invalid_parameters` for an unknown name.
 */
export function toolsetOf(all: readonly McpTool[], query: string | undefined, scopes: readonly Scope[]): Toolbox {
  const wanted = (query ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const known = [...toolGroups, ...all.map(({ described }) => described.name)];
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownTool(unknown, known);
  const isWanted = ({ described, group }: McpTool): boolean =>
    wanted.length === 0 || group === undefined || wanted.includes(group) || wanted.includes(described.name);
  const tools = all.filter(isWanted);
  return {
    tools: new Map(tools.map((tool) => [tool.described.name, tool])),
    listed: () => tools.filter((tool) => tool.isFor(scopes)).map(({ described }) => listedTool(described)),
  };
}
