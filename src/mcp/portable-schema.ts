import type { Tool } from "@modelcontextprotocol/server";
import { isObject, type Json, type ToolDescription } from "./tool.ts";

/** Members with schemas by names of their own. */
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);
/** Members with values, not schemas. */
const values: ReadonlySet<string> = new Set(["default", "examples", "enum", "const", "required"]);

/** A tool in the list. */
export function listedTool({ inputSchema, ...described }: ToolDescription): Tool {
  return { ...described, inputSchema: portable(inputSchema) } as Tool;
}

/**
 * A schema that means the same to clients that know less of JSON Schema than 2020-12, such as the subset of OpenAPI 3.0 that some models take: no
 * lists of types, tuples, or empty schemas. `npx @modelcontextprotocol/inspector --cli ... --method tools/list --strict` lists schemas that are not
 * portable.
 */
function portable(schema: Json): Json {
  const { propertyNames: _, ...rest } = schema;
  const entries = Object.entries(rest).flatMap(([key, value]) => {
    // It adds nothing, in each of dozens of schemas.
    if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return [];
    if (values.has(key)) return [[key, value]];
    if (maps.has(key) && isObject(value)) return [[key, mapped(value)]];
    if (isObject(value)) return [[key, Object.keys(value).length === 0 ? true : portable(value)]];
    return [[key, Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? portable(one) : one)) : value]];
  });
  return oneType(withoutTuple(Object.fromEntries(entries)));
}

const mapped = (schemas: Json): Json =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? portable(schema) : schema]),
  );

/** A tuple whose items have the same schema as an array of so many of them. */
function withoutTuple(schema: Json): Json {
  const { prefixItems, items, ...rest } = schema;
  if (!Array.isArray(prefixItems) || items !== false) return schema;
  const [first] = prefixItems as unknown[];
  const isSame = prefixItems.every((one) => JSON.stringify(one) === JSON.stringify(first));
  const length = prefixItems.length;
  return { ...rest, items: isSame ? first : { anyOf: prefixItems }, minItems: length, maxItems: length };
}

/** `anyOf` instead of a list of types. */
function oneType(schema: Json): Json {
  const { type, description, default: byDefault, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const anyOf = type.map((one: unknown) => (one === "null" ? { type: one } : { type: one, ...rest }));
  return {
    anyOf,
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
}
