import { z } from "zod";
import { limits } from "../../limits.ts";
import { describeEndpoint } from "./endpoints.ts";
import { fileReference, formEncoding, formSchema, stepSchemas } from "./form.ts";
import { isOfAllOperations } from "./operation-errors.ts";
import {
  describedHeaders,
  errorResponses,
  everyHeaders,
  headerRefs,
  type Json,
  jsonResponse,
  jsonSchema,
  operationErrors,
  rateHeaders,
  responseRefs,
} from "./responses.ts";
import { retention } from "./retention.ts";
import { describeWebhooks } from "./webhooks.ts";
import { jobFieldsOf } from "../operations/job-options.ts";
import type { Endpoint } from "../endpoints/define.ts";
import { readiness } from "../endpoints/ready.ts";
import { serverLimits } from "../endpoints/server-limits.ts";
import { errorRows, type ErrorCode } from "../errors/error-table.ts";
import { type Operation, resultHeaderTypes } from "../../operations/definition/define.ts";
import { mediaTypesOf, type MediaType, modesOf, inWords, scopeConditions } from "../../operations/definition/modes.ts";
import { version } from "../../version.ts";

/** Headers of every 200 of an operation. */
const creditHeaders = ["X-Credits-Charged", "X-Credits-Remaining", "Idempotency-Replayed"];

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes the request safe to retry. For 24 hours, up to five retries with the same key are processed again but not charged again. The service stores only an HMAC of the request.",
  schema: { type: "string", minLength: 1, maxLength: limits.parameters.idempotencyKeyCharacters },
};

const prefer: Json = {
  name: "Prefer",
  in: "header",
  description:
    "`respond-async` makes a job of the request (RFC 7240): the response is 202 with the job, which runs in the background. With `respond-async, wait=10` (up to 30), you get the ordinary response if the job ends within that many seconds.",
  schema: { type: "string", examples: ["respond-async", "respond-async, wait=10"] },
};

const headerTypes: Readonly<Record<string, string>> = {
  "Content-Length": "integer",
  "X-Credits-Charged": "integer",
  "X-Credits-Remaining": "integer",
  "Idempotency-Replayed": "boolean",
  ...resultHeaderTypes,
};

const headerSchema = (type = "string"): Json => ({ type, ...(type === "array" && { items: { type: "string" } }) });

/** Without the code for a client that has disconnected: no response carries it. */
const sentCodes = errorRows.filter(([, { status }]) => status !== 499).map(([code]) => code);

const errorSchema = z.object({
  error: z.object({
    code: z.enum(sentCodes as [ErrorCode, ...ErrorCode[]]).describe("A stable code for programs."),
    message: z.string().describe("A message for people. It may change."),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("More about the error. Its members depend on the code."),
  }),
});

/**
 * The OpenAPI 3.1 description: derived from the registry, the validation schemas, and the error table. `baseUrl` is where
 * clients reach the service.
 */
export function describeApi(operations: readonly Operation[], endpoints: readonly Endpoint[], baseUrl: string): Json {
  const schemas: Record<string, Json> = {};
  const results = {
    types: new Set(operations.flatMap((operation) => [...mediaTypesOf(operation).keys()])),
    headers: new Set(operations.flatMap(({ headers }) => headers)),
  };
  const described = endpoints.map((endpoint) => ({
    endpoint,
    description: describeEndpoint(endpoint, schemas, results),
  }));
  return {
    openapi: "3.1.0",
    info: {
      title: "PDF Service",
      version,
      description: `Process PDF documents: send PDFs or images, get a PDF, a ZIP archive, an image, or JSON.\n\n${retention}\n\nNew fields may be added to v1 responses at any time, so clients must ignore fields they do not know.`,
      license: { name: "AGPL-3.0-or-later", identifier: "AGPL-3.0-or-later" },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      {
        name: "Operations",
        description:
          "Operations accept a multipart/form-data body. Only successful requests cost credits, charged before the last byte of the response. If a streamed response breaks off because the service fails, the credits are refunded. They are not refunded if a page of the document cannot be drawn or if the client disconnects after the response has started.",
      },
      {
        name: "Files",
        description:
          "Files are kept for a while, encrypted, until they expire or you delete them. Each has a key of its own (AES-256-GCM). Files cost no credits.",
      },
      {
        name: "Jobs",
        description:
          "A request with `Prefer: respond-async` becomes a job: its documents are kept, encrypted, until it ends, and its result until it expires or you delete the job. A job can have up to 5,000 pages. It costs the price of the operation for each started 500 pages, or 50 pages of ocr. Only finished work is charged.",
      },
      {
        name: "Keys",
        description: "The API keys of your account. A key can never do more than the key that created it.",
      },
      {
        name: "Webhooks",
        description:
          "Webhooks send events of your account to a URL. Deliveries are signed according to Standard Webhooks 1.0. An event can be delivered more than once: use `webhook-id` to detect duplicates.",
      },
      { name: "Usage", description: "The credits your account has used." },
      { name: "Service", description: "The state and description of the service." },
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
      "/api/v1/ready": { get: readyDescription },
      "/api/v1/limits": { get: limitsDescription },
      "/api/v1/openapi.json": { get: description },
    },
    webhooks: describeWebhooks(schemas),
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: `sk_live_...` or `sk_test_...`." },
      },
      schemas: {
        Error: jsonSchema(errorSchema),
        FileReference: fileReference,
        ...schemas,
        ...stepSchemas(operations.flatMap(({ steps = [] }) => steps)),
      },
      headers: Object.fromEntries(
        Object.entries(describedHeaders).map(([name, text]) => [
          name,
          { description: text, schema: headerSchema(headerTypes[name]) },
        ]),
      ),
      responses: {
        ...errorResponses("Operation", "authenticated", isOfAllOperations),
        ...errorResponses("Public", "public", ({ from }) => from === "every route"),
      },
    },
  };
}

function describe(operation: Operation): Json {
  const { name, summary, group, keywords, credits, headers } = operation;
  const types = mediaTypesOf(operation);
  const scopes = scopeConditions(operation);
  const required = Object.entries(scopes).map(([scope, condition]) => `\`${scope}\` scope${inWords(condition)}`);
  const one = `Costs ${credits} ${credits === 1 ? "credit" : "credits"}. Requires the ${required.join(", and the ")}.`;
  const cost = operation.steps ? "Costs the credits of all steps, and requires their scopes." : one;
  const carriesFile = types.keys().some((type) => type !== "application/json");
  return {
    operationId: operationIdOf(name),
    summary,
    description: `${operation.description}\n\n${cost}`,
    tags: ["Operations"],
    // For pages that list operations.
    "x-group": group,
    "x-keywords": keywords,
    // For programs that show the price and the scopes that a key needs. A pipeline costs the sum of its steps.
    ...(!operation.steps && { "x-credits": credits, "x-scopes": scopes }),
    parameters: [idempotencyKey, prefer],
    requestBody: { required: true, content: { "multipart/form-data": form(operation) } },
    responses: {
      "200": {
        description: `The result: ${[...types.keys()].join(" or ")}.`,
        headers: headerRefs([
          ...everyHeaders,
          ...(carriesFile ? ["Content-Disposition"] : []),
          "Content-Length",
          // Of a job that ended while the request waited.
          "Preference-Applied",
          "ETag",
          "Accept-Ranges",
          ...headers,
          "X-Ignored-Parameters",
          ...creditHeaders,
          ...rateHeaders,
        ]),
        content: Object.fromEntries(Array.from(types, ([type, values]) => [type, contentOf(operation, type, values)])),
      },
      "202": {
        description: "The request has become a job, because it asked for one.",
        headers: headerRefs([
          ...everyHeaders,
          "Location",
          "Preference-Applied",
          "Retry-After",
          "X-Ignored-Parameters",
          ...rateHeaders,
        ]),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Job" } } },
      },
      ...operationErrors(operation),
    },
  };
}

function form({ example, ...operation }: Operation): Json {
  const withJobs = { ...operation, fields: { ...operation.fields, ...jobFieldsOf(operation) } };
  const encoding = formEncoding(withJobs);
  return {
    schema: formSchema(withJobs),
    example,
    ...(Object.keys(encoding).length > 0 && { encoding }),
  };
}

/** `x-when`: the values of the parameter that selects the mode with which the response has this type, if not any. */
function contentOf({ modes, ...operation }: Operation, type: MediaType, values: readonly string[]): Json {
  const all = modesOf({ modes });
  const condition = "by" in modes && values.length < all.length && { "x-when": { [modes.by]: values } };
  if (type !== "application/json")
    return { schema: { type: "string", format: "binary", contentMediaType: type }, ...condition };
  const [json] = operation.steps ? [] : all.flatMap((mode) => mode.json ?? []);
  return { schema: json === undefined ? {} : jsonSchema(json), ...condition };
}

const health: Json = {
  operationId: "health",
  summary: "Check the health of the service",
  tags: ["Service"],
  security: [],
  responses: {
    "200": jsonResponse(
      "The service is healthy.",
      jsonSchema(z.object({ status: z.literal("ok"), version: z.string() })),
    ),
    ...responseRefs("Public", ({ from, status }) => from === "every route" && status === 500),
  },
};

const readyDescription: Json = {
  operationId: "ready",
  summary: "Check what the service depends on",
  tags: ["Service"],
  security: [],
  responses: {
    "200": jsonResponse("The database, the stored files, and the queues respond.", jsonSchema(readiness)),
    "503": jsonResponse("One of them does not.", jsonSchema(readiness)),
    ...responseRefs("Public", ({ from, status }) => from === "every route" && status === 500),
  },
};

const limitsDescription: Json = {
  operationId: "getLimits",
  summary: "Get the limits of the server",
  description:
    "Returns the limits that a client can check before it sends anything. Some follow from the memory of the server.",
  tags: ["Service"],
  security: [],
  responses: {
    "200": jsonResponse("The limits, with an `ETag`.", jsonSchema(serverLimits), ["ETag", "Content-Length"]),
    "304": {
      description: "The limits have not changed since the `ETag` in `If-None-Match`.",
      headers: headerRefs([...everyHeaders, "ETag"]),
    },
    ...responseRefs("Public", ({ from, status }) => from === "every route" && status === 500),
  },
};

const description: Json = {
  operationId: "openapi",
  summary: "Get the OpenAPI description",
  tags: ["Service"],
  security: [],
  responses: {
    "200": jsonResponse("OpenAPI 3.1, with an `ETag`.", { type: "object" }, ["ETag", "Content-Length"]),
    "304": {
      description: "The description has not changed since the `ETag` in `If-None-Match`.",
      headers: headerRefs([...everyHeaders, "ETag"]),
    },
    ...responseRefs("Public", ({ from, status }) => from === "every route" && status === 500),
  },
};

const operationIdOf = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
