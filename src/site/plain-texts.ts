/** What crawlers and language models read instead of the pages. */
import { operationOf } from "./description/description.ts";
import type { Description } from "./description/description.ts";
import { snippet } from "./description/snippets.ts";
import { exampleCall } from "./reference/example.ts";
import type { Guide } from "./reference/guides.ts";
import { methodsOf } from "./reference/method-section.ts";

export const robots = (baseUrl: string): string =>
  `User-agent: *\nDisallow: /api/\n\nSitemap: ${baseUrl}/sitemap.xml\n`;

/** The pages (https://www.sitemaps.org/protocol.html). */
export function sitemap(baseUrl: string, guides: readonly Guide[]): string {
  const paths = ["/", "/docs", ...guides.map(({ id }) => `/docs/${id}`)];
  const urls = paths.map((path) => `  <url><loc>${baseUrl}${path}</loc></url>\n`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`;
}

/** The list of pages for language models (https://llmstxt.org). */
export function llms(description: Description, baseUrl: string, guides: readonly Guide[]): string {
  const operations = methodsOf(description.paths).flatMap(({ id, method, path }) =>
    method.tags.includes("Operations") && operationOf(path, method) ? [{ id, summary: method.summary }] : [],
  );
  return `# PDF Service

> ${(description.info.description ?? "").replaceAll("\n\n", "\n>\n> ")}

The API is below ${baseUrl}/api/v1, and requests need an API key. Models can use the operations as tools through the MCP server at ${baseUrl}/mcp.

## Operations

${operations.map(({ id, summary }) => `- [${id}](${baseUrl}/docs/${id}.md): ${summary}`).join("\n")}

## Guides

${guides.map(({ id, title }) => `- [${title}](${baseUrl}/docs/${id})`).join("\n")}

## Optional

- [OpenAPI description](${baseUrl}/api/v1/openapi.json): every request, with its schemas
- [Source](${baseUrl}/assets/source.tar.gz)
`;
}

/** An operation in Markdown; undefined if there is none of this name. */
export function operationText(description: Description, baseUrl: string, name: string): string | undefined {
  const found = methodsOf(description.paths).find(
    ({ id, method }) => id === name && method.tags.includes("Operations"),
  );
  const operation = found && operationOf(found.path, found.method);
  if (found === undefined || operation === undefined) return undefined;
  const { summary, credits, fields, produces } = operation;
  const price = credits === undefined ? "" : ` Costs ${credits} ${credits === 1 ? "credit" : "credits"}.`;
  const parameters = fields.map((field) => {
    const own = field.kind === "files" ? `${field.name}0\`, \`${field.name}1\`, ...` : `${field.name}\``;
    return `- \`${own}${field.required ? " (required)" : ""}: ${field.description.replaceAll("\n", " ")}`;
  });
  return `# ${name}

${summary}.${price}

\`POST ${baseUrl}${found.path}\`, \`multipart/form-data\`. Returns ${produces.map(({ type }) => `\`${type}\``).join(", ")}.

${operation.description}

## Parameters

${parameters.join("\n")}

## Example

\`\`\`sh
${snippet("curl", exampleCall(baseUrl, "post", found.path, found.method))}
\`\`\`
`;
}
