import { z } from "zod";
import { errorRows, type ErrorCode } from "./error-table.ts";
import { responseHeaders } from "./headers.ts";
import { formEncoding, formSchema } from "./openapi-form.ts";
import { type Operation, scopesOf } from "../operations/define.ts";
import { version } from "../version.ts";

type Json = Readonly<Record<string, unknown>>;
type Row = (typeof errorRows)[number][1];

/** Headers that only errors carry; the statuses they come with. */
const errorHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};
const describedHeaders: Readonly<Record<string, string>> = {
  ...responseHeaders,
  "WWW-Authenticate": "`Bearer`: the scheme to authenticate with.",
  Allow: "The methods that the path takes.",
};
/** Headers of every 200 that is a file. */
const fileHeaders = ["Content-Disposition", "Content-Length"];

const errorSchema = z.object({
  error: z.object({
    code: z.enum(errorRows.map(([code]) => code) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe("For people; may change."),
    details: z.record(z.string(), z.unknown()).optional().describe("Members depend on the code."),
  }),
});

/**
 * The OpenAPI 3.1 description: a projection of the registry, of the schemas that validate, and of the error table.
 * `baseUrl` is where callers reach the service.
 */
export function describeApi(operations: readonly Operation[], baseUrl: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "PDF Operations Service",
      version,
      description:
        "Send PDFs or images, get a PDF, a ZIP or JSON. Nothing of a document outlives its request. Clients ignore fields of an answer that they do not know: changes within v1 are additive.",
      license: { name: "AGPL-3.0-or-later", identifier: "AGPL-3.0-or-later" },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: "Operations", description: "Each takes a multipart/form-data body and costs credits when it succeeds." },
      { name: "Service", description: "About the service itself." },
    ],
    paths: {
      ...Object.fromEntries(
        operations.map((operation) => [`/api/v1/${operation.name}`, { post: describe(operation) }]),
      ),
      "/api/v1/health": { get: health },
      "/api/v1/openapi.json": { get: description },
    },
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: `sk_live_...` or `sk_test_...`." },
      },
      schemas: { Error: jsonSchema(errorSchema) },
      headers: Object.fromEntries(
        Object.entries(describedHeaders).map(([name, text]) => [
          name,
          { description: text, schema: { type: "string" } },
        ]),
      ),
      responses: {
        ...errorResponses("Operation", ({ from }) => from !== "named"),
        ...errorResponses("Public", ({ from }) => from === "every route"),
      },
    },
  };
}

function describe(operation: Operation): Json {
  const { name, summary, credits, fields, produces, headers } = operation;
  const scopes = scopesOf(operation)
    .map((scope) => `\`${scope}\``)
    .join(" or ");
  const cost = `Costs ${credits} ${credits === 1 ? "credit" : "credits"}; needs the scope ${scopes}.`;
  const carriesFile = produces.some((type) => type !== "application/json");
  return {
    operationId: operationIdOf(name),
    summary,
    description: `${operation.description}\n\n${cost}`,
    tags: ["Operations"],
    requestBody: { required: true, content: { "multipart/form-data": form(fields) } },
    responses: {
      "200": {
        description: `The result: ${produces.join(" or ")}.`,
        headers: headerRefs(["X-Request-Id", ...(carriesFile ? fileHeaders : []), ...headers]),
        content: Object.fromEntries(produces.map((type) => [type, contentOf(type, operation)])),
      },
      // A POST to this very path is never an unknown path or a wrong method.
      ...responseRefs("Operation", ({ from, status }) => from !== "named" && status !== 404 && status !== 405),
    },
  };
}

function form(fields: Operation["fields"]): Json {
  const encoding = formEncoding(fields);
  return { schema: formSchema(fields), ...(Object.keys(encoding).length > 0 && { encoding }) };
}

function contentOf(type: Operation["produces"][number], { json }: Operation): Json {
  if (type === "application/json") return { schema: json === undefined ? {} : jsonSchema(json) };
  return { schema: { type: "string", format: "binary", contentMediaType: type } };
}

const jsonAnswer = (text: string, schema: Json): Json => ({
  description: text,
  headers: headerRefs(["X-Request-Id"]),
  content: { "application/json": { schema } },
});

const health: Json = {
  operationId: "health",
  summary: "Whether the service answers",
  tags: ["Service"],
  security: [],
  responses: {
    "200": jsonAnswer("The service answers.", jsonSchema(z.object({ status: z.literal("ok"), version: z.string() }))),
    ...responseRefs("Public", ({ from, status }) => from === "every route" && status === 500),
  },
};

const description: Json = {
  operationId: "openapi",
  summary: "This description",
  tags: ["Service"],
  security: [],
  responses: {
    "200": jsonAnswer("OpenAPI 3.1.", { type: "object" }),
    ...responseRefs("Public", ({ from, status }) => from === "every route" && status === 500),
  },
};

/** One response a status, with the codes that it can carry. */
function errorResponses(prefix: string, applies: (row: Row) => boolean): Json {
  const byStatus = Map.groupBy(
    errorRows.filter(([, row]) => applies(row)),
    ([, row]) => row.status,
  );
  return Object.fromEntries(
    Array.from(byStatus, ([status, rows]) => [
      `${prefix}${status}`,
      {
        description: rows.map(([code, row]) => `\`${code}\`: ${row.title}. ${row.when}${detailsOf(row)}`).join("\n\n"),
        headers: headerRefs(["X-Request-Id", ...(errorHeaders[status] ?? [])]),
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
            examples: Object.fromEntries(
              rows.map(([code, row]) => [code, { value: { error: { code, message: `${row.title}.` } } }]),
            ),
          },
        },
      },
    ]),
  );
}

const detailsOf = ({ details }: Row): string =>
  details === undefined ? "" : ` \`details\`: ${details.map((member) => `\`${member}\``).join(", ")}.`;

function responseRefs(prefix: string, applies: (row: Row) => boolean): Json {
  const statuses = new Set(errorRows.filter(([, row]) => applies(row)).map(([, row]) => row.status));
  return Object.fromEntries(
    Array.from(statuses, (status) => [String(status), { $ref: `#/components/responses/${prefix}${status}` }]),
  );
}

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "output" });
  return rest;
}

const operationIdOf = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
