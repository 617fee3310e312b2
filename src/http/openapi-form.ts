import { z } from "zod";
import type { Fields } from "../operations/fields.ts";

type Json = Readonly<Record<string, unknown>>;
type Field = Fields[string];
type FileField = Extract<Field, { kind: "file" | "files" }>;

const mediaTypes: Readonly<Record<FileField["accept"][number], string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
};
const NUMBER = "(0|[1-9][0-9]*)$";
const password = (description: string): Json => ({ type: "string", format: "password", description });

/** A form as a JSON schema: what stands in a `multipart/form-data` entry of OpenAPI 3.1. */
export function formSchema(fields: Fields): Json {
  const properties: Record<string, Json> = {};
  const patternProperties: Record<string, Json> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const takesPdf = field.kind !== "text" && field.accept.includes("pdf");
    if (field.kind === "text") {
      properties[name] = textSchema(field);
      if (!field.schema.safeParse(undefined).success) required.push(name);
    } else if (field.kind === "file") {
      properties[name] = fileSchema(field);
      if (field.optional !== true) required.push(name);
      if (takesPdf) properties["password"] = password(`Opens \`${name}\` if it is encrypted.`);
    } else {
      const { prefix, min } = field;
      for (const number of [0, 1]) properties[`${prefix}${number}`] = fileSchema(field);
      for (let number = 0; number < min; number += 1) required.push(`${prefix}${number}`);
      patternProperties[`^${prefix}${NUMBER}`] = fileSchema(field);
      if (takesPdf) {
        properties["password"] = password("Opens the encrypted inputs that have no password of their own.");
        patternProperties[`^password${NUMBER}`] = password(`Opens the \`${prefix}\` of the same number.`);
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
 * The media types of the file fields that take more than one (OpenAPI 3.1, Encoding Object): a schema can name one only.
 * They are for the reference; what a file is says its first bytes.
 */
export function formEncoding(fields: Fields): Json {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      if (field.kind === "text" || field.accept.length < 2) return [];
      const contentType = field.accept.map((kind) => mediaTypes[kind]).join(", ");
      const names = field.kind === "file" ? [name] : [0, 1].map((number) => `${field.prefix}${number}`);
      return names.map((key) => [key, { contentType }]);
    }),
  );
}

function fileSchema(field: FileField): Json {
  const { accept, description } = field;
  const [first] = accept;
  return {
    type: "string",
    format: "binary",
    ...(accept.length === 1 && first !== undefined && { contentMediaType: mediaTypes[first] }),
    ...("notes" in field && noted(field.notes)),
    description,
  };
}

/** What the field's schema gives. An object or array travels as JSON in a string. */
function textSchema({ schema, description, notes }: Extract<Field, { kind: "text" }>): Json {
  const { $schema: _, ...value } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  if (value.type !== "object" && value.type !== "array") return { ...value, ...noted(notes), description };
  return {
    type: "string",
    contentMediaType: "application/json",
    contentSchema: value,
    ...noted(notes),
    description,
  };
}

/** `x-when` names the values of other fields that this one belongs to, which JSON schema can say only in many more words. */
function noted({ when, ...rest }: Extract<Field, { kind: "text" }>["notes"]): Json {
  return { ...rest, ...(when && { "x-when": when }) };
}
