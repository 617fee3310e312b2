import { z } from "zod";
import { oneOf } from "../errors/schema-issues.ts";
import type { Operation } from "../../operations/definition/define.ts";
import { type Field, type Fields, hintsOf, takesJson } from "../../operations/definition/fields.ts";
import { imageKinds } from "../../engines/image/kind.ts";
import { limits } from "../../limits.ts";

type Json = Readonly<Record<string, unknown>>;
type TextField = Extract<Field, { kind: "text" }>;
type FileField = Extract<Field, { kind: "file" | "files" }>;

const mediaTypes: Readonly<Record<FileField["accept"][number], string>> = {
  pdf: "application/pdf",
  xml: "application/xml",
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  tiff: "image/tiff",
  gif: "image/gif",
  bmp: "image/bmp",
  any: "application/octet-stream",
};
const NUMBER = "(0|[1-9][0-9]*)$";
const password = (description: string): Json => ({ type: "string", format: "password", description });

/** A form as a JSON schema, for a `multipart/form-data` entry of OpenAPI 3.1. */
export function formSchema({ fields, steps, ...needs }: Pick<Operation, "fields" | "steps" | "oneOf">): Json {
  const schema = { ...fieldsSchema(fields), ...alternatives(needs) };
  if (steps === undefined) return schema;
  const { properties } = schema;
  const mapping = Object.fromEntries(steps.map(({ name }) => [name, stepReference(name)]));
  const items = {
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: "operation", mapping },
  };
  const list = { type: "array", minItems: 1, maxItems: limits.steps, items };
  const { steps: described, ...others } = properties as { readonly steps: Json };
  return {
    ...schema,
    properties: { file: fileSchema(firstFile), ...others, steps: { ...described, contentSchema: list } },
    additionalProperties: fileSchema(otherFile),
  };
}

const firstFile: FileField = {
  kind: "file",
  // The first step may be one that takes any format.
  accept: ["any"],
  description:
    "The file of the first step. If its operation takes several, they have the same names as there: `file0`, `image0`, and so on.",
};
const otherFile: FileField = {
  kind: "file",
  accept: ["pdf", ...imageKinds],
  description: "A file that a step refers to, by its name: `part:<name>`.",
};

const stepName = (operation: string): string =>
  `${operation.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Step`;

const stepReference = (operation: string): string => `#/components/schemas/${stepName(operation)}`;

/** The objects in the `steps` of a pipeline, by their names in `components.schemas`. */
export function stepSchemas(operations: readonly Operation[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(operations.map((operation) => [stepName(operation.name), stepSchema(operation)]));
}

/** Not `oneOf`, where exactly one is required: with another one, a field may have its default. */
function alternatives({ oneOf: needed }: Pick<Operation, "oneOf">): Json {
  if (needed === undefined) return {};
  const anyOf = needed.fields.map((name) => ({ required: [name] }));
  return { anyOf, ...(needed.exactly && { "x-exactly-one": true }) };
}

function stepSchema({ name, fields, summary, ...needs }: Operation): Json {
  const { properties, patternProperties, required = [], ...rest } = fieldsSchema(fields, stepField);
  // The first step has its files from the request, and a further one that of the step before.
  const parameters = (required as readonly string[]).filter((one) => fields[one]?.kind === "text");
  return {
    description: `${summary}, as a step of a pipeline.`,
    ...rest,
    properties: { operation: { const: name }, ...(properties as Json) },
    ...(patternProperties !== undefined && { patternProperties }),
    required: ["operation", ...parameters],
    ...alternatives(needs),
  };
}

/** A parameter as a JSON value, and a file as a reference to a part of the request. */
function stepField(field: Field): Json {
  if (field.kind !== "text") {
    return { type: "string", pattern: "^part:", description: field.description, ...hintSchema(field) };
  }
  const { type, contentMediaType: _json, contentSchema, ...hints } = textSchema(field);
  return contentSchema === undefined
    ? { ...(type !== undefined && { type }), ...hints }
    : { ...(contentSchema as Json), ...hints };
}

/** The text fields of a form as members of a JSON object: numbers, booleans, arrays, and objects are values, not text. */
export function parameterSchemas(fields: Fields): {
  readonly properties: Readonly<Record<string, Json>>;
  $defs?: Json;
} {
  const texts = Object.entries(fields).flatMap(([name, field]) =>
    field.kind === "text" ? [[name, field] as const] : [],
  );
  const shape = Object.fromEntries(texts.map(([name, { schema }]) => [name, schema]));
  const options = { io: "output", unrepresentable: "any", override } as const;
  const { properties = {}, $defs } = z.toJSONSchema(z.object(shape), options);
  const described = texts.map(([name, field]) => [name, { ...(properties[name] as Json), ...hintSchema(field) }]);
  return { properties: Object.fromEntries(described) as Record<string, Json>, ...($defs && { $defs }) };
}

const formField = (field: Field): Json => (field.kind === "text" ? textSchema(field) : fileSchema(field));

function fieldsSchema(fields: Fields, schemaOf = formField): Json {
  const properties: Record<string, Json> = {};
  const patternProperties: Record<string, Json> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const { required: isRequired, when } = hintsOf(field);
    if (isRequired && !when) required.push(name);
    const takesPdf = field.kind !== "text" && field.accept.includes("pdf");
    if (field.kind === "text") {
      properties[name] = schemaOf(field);
    } else if (field.kind === "file") {
      properties[name] = schemaOf(field);
      if (takesPdf) properties["password"] = password(`The password of \`${name}\`, if it is encrypted.`);
    } else {
      const { prefix, min } = field;
      for (const number of [0, 1]) properties[`${prefix}${number}`] = schemaOf(field);
      for (let number = 0; number < min; number += 1) required.push(`${prefix}${number}`);
      patternProperties[`^${prefix}${NUMBER}`] = schemaOf(field);
      if (takesPdf) {
        properties["password"] = password("The password of encrypted files that have no password of their own.");
        patternProperties[`^password${NUMBER}`] = password(`The password of the \`${prefix}\` with the same number.`);
      }
    }
  }
  return {
    type: "object",
    properties,
    ...(Object.keys(patternProperties).length > 0 && { patternProperties }),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * The media types of file fields that accept more than one (OpenAPI 3.1, Encoding Object): a schema can name only one. They
 * only document the field; the service recognizes a file by its first bytes.
 */
export function formEncoding({ fields, steps }: Pick<Operation, "fields" | "steps">): Json {
  const all: Fields = steps ? { file: firstFile, ...fields } : fields;
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, field]) => {
      if (field.kind === "text" || field.accept.length < 2) return [];
      const contentType = field.accept.map((kind) => mediaTypes[kind]).join(", ");
      const names = field.kind === "file" ? [name] : [0, 1].map((number) => `${field.prefix}${number}`);
      return names.map((key) => [key, { contentType }]);
    }),
  );
}

/** A file, or a reference to one. Not `oneOf`: for a schema, a reference is a string just as a file is. */
function fileSchema(field: FileField): Json {
  const { accept } = field;
  const [first] = accept;
  const file = {
    type: "string",
    format: "binary",
    ...(accept.length === 1 && first !== undefined && first !== "any" && { contentMediaType: mediaTypes[first] }),
  };
  return { anyOf: [file, { $ref: "#/components/schemas/FileReference" }], ...hintSchema(field) };
}

/** A file that is not sent with the request. */
export const fileReference: Json = {
  type: "string",
  pattern: "^(file_|https://)",
  examples: ["https://example.com/report.pdf"],
  description:
    "The ID of a stored file (`file_...`, with the `files:read` scope), or an `https://` URL that responds with 200 to a request without credentials. At most three redirects are followed.",
};

/** The schema of a text field. An object or array is sent as a JSON string. */
function textSchema(field: TextField): Json {
  const { $schema: _, ...value } = z.toJSONSchema(field.schema, { io: "output", unrepresentable: "any", override });
  if (!takesJson(field)) return { ...value, ...hintSchema(field) };
  return { type: "string", contentMediaType: "application/json", contentSchema: value, ...hintSchema(field) };
}

/** In the output, a member with a default is always present; in the input it is optional. */
function override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (!(zodSchema instanceof z.ZodObject) || jsonSchema.required === undefined) return;
  const { shape } = zodSchema as z.ZodObject<Record<string, z.ZodType>>;
  jsonSchema.required = jsonSchema.required.filter((name) => shape[name]?.safeParse(undefined).success === false);
}

/**
 * A field's hints, in words and for generated forms and clients. `x-when` lists the values of other fields that this one depends on, and `x-required`
 * marks it as required with them, which would be much longer in JSON Schema.
 */
function hintSchema(field: Field): Json {
  const { label, default: byDefault, when, required, format } = hintsOf(field);
  const conditions = Object.entries(when ?? {}).map(([name, values]) => `\`${name}\` is ${oneOf(values.map(code))}`);
  const sentences = [
    field.description,
    ...(conditions.length === 0 ? [] : [`${required ? "Required" : "Only applies"} when ${conditions.join(" and ")}.`]),
    ...(byDefault === undefined ? [] : [`Default: ${code(byDefault)}.`]),
  ];
  return {
    ...(label !== undefined && { title: label }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(format && { format }),
    ...(when && { "x-when": when, ...(required && { "x-required": true }) }),
    description: sentences.join(" "),
  };
}

const code = (value: string | number): string => `\`${value}\``;
