import { z } from "zod";
import { errorRows, type ErrorCode } from "./error-table.ts";
import type { Endpoint } from "./endpoints/define.ts";
import { describeEndpoint } from "./openapi-endpoints.ts";
import { formEncoding, formSchema } from "./openapi-form.ts";
import {
  describedHeaders,
  errorResponses,
  headerRefs,
  type Json,
  jsonAnswer,
  jsonSchema,
  responseRefs,
} from "./openapi-responses.ts";
import { describeWebhooks } from "./openapi-webhooks.ts";
import { type Operation, scopesOf } from "../operations/define.ts";
import { version } from "../version.ts";

/** Headers of every 200 that is a file. */
const fileHeaders = ["Content-Disposition", "Content-Length"];
/** Headers of every answer to a caller who is known. */
const rateHeaders = ["RateLimit-Policy", "RateLimit"];
/** Headers of every 200 of an operation. */
const creditHeaders = ["X-Credits-Charged", "X-Credits-Remaining", "Idempotency-Replayed"];

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes a call safe to repeat. The same request again, for 24 hours, is done again but charged once, up to five times; then it is charged as new. Of the request only an HMAC is kept.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const errorSchema = z.object({
  error: z.object({
    code: z
      .enum(errorRows.map(([code]) => code) as [ErrorCode, ...ErrorCode[]])
      .describe("What went wrong; does not change."),
    message: z.string().describe("For people; may change."),
    details: z.record(z.string(), z.unknown()).optional().describe("Members depend on the code."),
  }),
});

/**
 * The OpenAPI 3.1 description: a projection of the registry, of the schemas that validate, and of the error table.
 * `baseUrl` is where callers reach the service.
 */
export function describeApi(operations: readonly Operation[], endpoints: readonly Endpoint[], baseUrl: string): Json {
  const schemas: Record<string, Json> = {};
  const described = endpoints.map((endpoint) => ({ endpoint, description: describeEndpoint(endpoint, schemas) }));
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
      {
        name: "Operations",
        description:
          "Each takes a multipart/form-data body and costs credits when it succeeds: they are charged before the first byte of the response. A streamed response that our side breaks off is refunded. One that the document breaks off, at a page that cannot be drawn, stays charged, as what came before was delivered. So does one that its client leaves; a client that leaves before the response begins is not charged.",
      },
      {
        name: "Keys",
        description: "The account's API keys. A key can never do more than the one that it was made with.",
      },
      {
        name: "Webhooks",
        description:
          "URLs of the account that are told what happens. Deliveries are signed by Standard Webhooks 1.0 and come at least once: keep the `webhook-id`s that you have seen.",
      },
      { name: "Usage", description: "What the account has used of its plan." },
      { name: "Service", description: "About the service itself." },
    ],
    paths: {
      ...Object.fromEntries(
        operations.map((operation) => [`/api/v1/${operation.name}`, { post: describe(operation) }]),
      ),
      ...Object.fromEntries(
        Map.groupBy(described, ({ endpoint }) => `/api/v1${endpoint.path}`)
          .entries()
          .map(([path, methods]) => [
            path,
            Object.fromEntries(
              methods.map(({ endpoint, description }) => [endpoint.method.toLowerCase(), description]),
            ),
          ]),
      ),
      "/api/v1/health": { get: health },
      "/api/v1/openapi.json": { get: description },
    },
    webhooks: describeWebhooks(schemas),
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: `sk_live_...` or `sk_test_...`." },
      },
      schemas: { Error: jsonSchema(errorSchema), ...schemas },
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
  const { name, summary, credits, produces, headers } = operation;
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
    parameters: [idempotencyKey],
    requestBody: { required: true, content: { "multipart/form-data": form(operation) } },
    responses: {
      "200": {
        description: `The result: ${produces.join(" or ")}.`,
        headers: headerRefs([
          "X-Request-Id",
          ...(carriesFile ? fileHeaders : []),
          ...headers,
          ...creditHeaders,
          ...rateHeaders,
        ]),
        content: Object.fromEntries(produces.map((type) => [type, contentOf(type, operation)])),
      },
      // A POST to this very path is never an unknown path or a wrong method.
      ...responseRefs("Operation", ({ from, status }) => from !== "named" && status !== 404 && status !== 405),
    },
  };
}

function form({ fields, example }: Operation): Json {
  const encoding = formEncoding(fields);
  return {
    schema: formSchema(fields),
    ...(example && { example }),
    ...(Object.keys(encoding).length > 0 && { encoding }),
  };
}

function contentOf(type: Operation["produces"][number], { json }: Operation): Json {
  if (type === "application/json") return { schema: json === undefined ? {} : jsonSchema(json) };
  return { schema: { type: "string", format: "binary", contentMediaType: type } };
}

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
    "200": jsonAnswer("OpenAPI 3.1. Carries an `ETag`.", { type: "object" }),
    "304": { description: "The description is still the one whose `ETag` was sent as `If-None-Match`." },
    ...responseRefs("Public", ({ from, status }) => from === "every route" && status === 500),
  },
};

const operationIdOf = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
