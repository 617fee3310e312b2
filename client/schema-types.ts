/** The part of JSON Schema (2020-12) that openapi.json uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  /** By a member, those that must be there with it. */
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly contentSchema?: Schema;
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** The values of other parameters that this one depends on. */
  readonly "x-when"?: Readonly<Record<string, readonly string[]>>;
  /** Of a form with `anyOf`: whether only one of these fields can be sent. */
  readonly "x-exactly-one"?: boolean;
  /** Whether it is required with those values. */
  readonly "x-required"?: boolean;
}

/** A request may leave out values with a default; a response has them. */
type Direction = "sent" | "received";

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** The TypeScript type of a schema's values. Throws on unknown keywords. */
export function typeOf(schema: Schema, direction: Direction): string {
  if ("allOf" in schema) throw new Error("allOf is not known here");
  if (schema.$ref !== undefined) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const joined = schema.anyOf ?? schema.oneOf;
  if (joined && schema.properties === undefined) return joined.map((one) => typeOf(one, direction)).join(" | ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  if (types.length === 0) return "unknown";
  return types.map((type) => typeNamed(type, schema, direction)).join(" | ");
}

function typeNamed(type: string, schema: Schema, direction: Direction): string {
  if (type === "array") {
    if (schema.prefixItems) return `readonly [${schema.prefixItems.map((item) => typeOf(item, direction)).join(", ")}]`;
    return `readonly (${typeOf(schema.items ?? {}, direction)})[]`;
  }
  if (type === "object") return objectType(schema, direction);
  const primitive = PRIMITIVES[type];
  if (primitive === undefined) throw new Error(`no TypeScript type for "${type}"`);
  return primitive;
}

/** An object; a union of objects where exactly one of several sets of members is required. */
function objectType({ oneOf, ...schema }: Schema, direction: Direction): string {
  if (oneOf !== undefined) {
    return oneOf.map((one) => objectType(alternative(schema, one, oneOf), direction)).join(" | ");
  }
  const { properties, required, additionalProperties } = schema;
  if (properties === undefined) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, direction) : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }
  const members = Object.entries(properties).map(([name, schema]) => {
    const isThere = required?.includes(name) === true && !(direction === "sent" && schema.default !== undefined);
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(schema, direction);
    // Where a request is written, an option that is undefined is one that is not given.
    return `readonly ${key}${isThere ? "" : "?"}: ${type}${!isThere && direction === "sent" ? " | undefined" : ""}`;
  });
  return `{ ${members.join("; ")} }`;
}

/** The schema with the members that one alternative requires, and without those that only the others require. */
function alternative(schema: Schema, one: Schema, all: readonly Schema[]): Schema {
  const own = one.required ?? [];
  const others = all.flatMap(({ required = [] }) => required).filter((name) => !own.includes(name));
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !others.includes(name));
  const needed = own.flatMap((name) => schema.dependentRequired?.[name] ?? []);
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: [...(schema.required ?? []), ...own, ...needed],
  };
}
