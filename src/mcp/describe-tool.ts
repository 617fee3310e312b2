import { checked, type McpTool, structured } from "./tool.ts";
import { invalidFields, shownName, unknownIssue } from "../http/errors/invalid-fields.ts";

/** The tool that has the texts and schemas which a list of all tools would send again and again. */
export function describeTool(others: readonly McpTool[]): McpTool {
  const self = checked({
    described: {
      name: "describe-tool",
      description:
        "Returns the full description of a tool: details, what each parameter means and allows, an example, and the schema of its results.",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    isFor: () => true,
    // Without a request to the API.
    call({ name }) {
      const tools = [...others, self];
      const tool = tools.find(({ described }) => described.name === name);
      if (tool === undefined) {
        const names = tools.map(({ described }) => described.name);
        const issue = unknownIssue("is not the name of a tool", shownName(String(name)), names);
        throw invalidFields([{ name: "name", issue }]);
      }
      return Promise.resolve(structured({ description: tool.described.description, ...tool.manual }));
    },
  });
  return self;
}
