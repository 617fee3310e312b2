import { z } from "zod";
import { everyHeaders, headerRefs, routeErrors, type Json, jsonResponse, rateHeaders } from "./responses.ts";
import { type Endpoint, fileResponse, resultResponse, scopesOfEndpoint, type Upload } from "../endpoints/define.ts";
import { CONTENT_TYPES } from "../../files/content-type.ts";
import type { ErrorCode } from "../errors/error-table.ts";

/** The errors of every endpoint, of those with a body, and of those with an ID in the path. */
const always: readonly ErrorCode[] = ["invalid_parameters", "internal_error"];
const withBody: readonly ErrorCode[] = [
  "request_timeout",
  "file_too_large",
  "unsupported_format",
  "unsupported_encoding",
];
const withId: readonly ErrorCode[] = ["not_found"];

/** What the responses of operations have. */
interface Results {
  readonly types: ReadonlySet<string>;
  readonly headers: ReadonlySet<string>;
}

/** One method of a path. Schemas with an ID are moved to `schemas`, where all descriptions refer to them. */
export function describeEndpoint(endpoint: Endpoint, schemas: Record<string, Json>, results: Results): Json {
  const { name, tag, summary, description, path, query, body, upload } = endpoint;
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, id = ""]) => id);
  const codes = [
    ...always,
    ...((body ?? upload) ? withBody : []),
    ...(ids.length > 0 ? withId : []),
    ...endpoint.errors,
  ];
  const parameters = [
    ...ids.map((id) => ({ name: id, in: "path", required: true, schema: { type: "string" } })),
    ...(query ? queryParameters(query) : []),
  ];
  return {
    operationId: name,
    summary,
    description: `${description}\n\nRequires the ${scopesOfEndpoint(endpoint)
      .map((one) => `\`${one}\``)
      .join(" or ")} scope.`,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...((body ?? upload) && {
      requestBody: {
        required: body?.safeParse({}).success !== true,
        content: {
          ...(body && { "application/json": { schema: bodySchema(body, schemas) } }),
          ...(upload && { [upload.type]: { schema: uploadSchema(upload), ...exampleOf(upload) } }),
        },
      },
    }),
    responses: { ...successOf(endpoint, schemas, results), ...routeErrors(codes) },
  };
}

function successOf({ status, response }: Endpoint, schemas: Record<string, Json>, results: Results): Json {
  const isResult = response === resultResponse;
  if (response !== fileResponse && !isResult) {
    // `input`: a response may gain members that a client does not know yet, so the schema allows additional ones.
    return {
      [status]: jsonResponse(
        status === 201 ? "Created." : status === 202 ? "Accepted." : "Success.",
        sentSchema(response, schemas),
        rateHeaders,
      ),
    };
  }
  const common = [...everyHeaders, ...rateHeaders, "ETag"];
  const about = isResult ? [...results.headers, "X-Ignored-Parameters"] : [];
  const headers = [...common, "Content-Disposition", "Content-Length", "Accept-Ranges", ...about];
  const types = isResult ? new Set(["application/octet-stream", ...results.types]) : CONTENT_TYPES;
  const content = Object.fromEntries(
    Array.from(types, (type) => [type, { schema: { type: "string", format: "binary" } }]),
  );
  return {
    [status]: { description: "The file.", headers: headerRefs(headers), content },
    206: { description: "A part of the file.", headers: headerRefs([...headers, "Content-Range"]), content },
    304: { description: "The file is the one in `If-None-Match`.", headers: headerRefs(common) },
  };
}

/** As for operations, a file is named as in `examples/`. */
const exampleOf = ({ type }: Upload): Json =>
  type === "multipart/form-data" ? { example: { file: "letter.pdf" } } : {};

function uploadSchema({ type, description, fields }: Upload): Json {
  const file = { type: "string", format: "binary", description };
  if (type === "application/octet-stream") return file;
  const { properties } = fields ? z.toJSONSchema(fields, { io: "output", ...options }) : {};
  return { type: "object", properties: { file, ...properties }, required: ["file"], additionalProperties: false };
}

/** A transform has no description; describe its input, which is what the client sends. */
const options = {
  unrepresentable: "any",
  override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
    // The format expresses the same in fewer than 300 characters.
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

function bodySchema(body: z.ZodType, schemas: Record<string, Json>): Json {
  // zod omits examples if a member is transformed: they could describe either side.
  const { examples } = body.meta() ?? {};
  const schema = shared(z.toJSONSchema(body, { io: "input", ...options }), schemas);
  return { ...schema, ...(examples !== undefined && { examples }) };
}

function queryParameters(query: z.ZodType): Json[] {
  const { properties = {} } = z.toJSONSchema(query, { io: "output", ...options });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json;
    return { name, in: "query", description, schema };
  });
}

/** A schema of a request or response. Its definitions are moved to `schemas`. */
export const sentSchema = (schema: z.ZodType, schemas: Record<string, Json>): Json =>
  shared(z.toJSONSchema(schema, { io: "input", ...options }), schemas);

/** Moves the definitions of a schema to `schemas`. */
function shared(schema: object, schemas: Record<string, Json>): Json {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _, $defs, ...rest } = JSON.parse(text) as Json;
  Object.assign(schemas, $defs);
  return rest;
}
