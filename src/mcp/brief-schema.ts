import { isObject, type Json } from "./tool.ts";
import type { Operation } from "../operations/definition/define.ts";
import { type Field, hintsOf } from "../operations/definition/fields.ts";

/** The instructions of the server explain it once. */
export const FILE = "ID, URL, or base64.";

/** Parameters of all operations that the instructions of the server explain. */
const UNLISTED: ReadonlySet<string> = new Set(["expiresIn", "idempotencyKey"]);
/** Parameters of most operations with self-explanatory names. */
const BARE: ReadonlySet<string> = new Set(["password", "onPageError"]);
/** Names for forms, and bounds: the error of a call that breaks one has it. */
const LEFT_OUT: ReadonlySet<string> = new Set(["title", "minLength", "maxLength", "minItems", "maxItems", "examples"]);
const RANGE: ReadonlySet<string> = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
/** Members with schemas by names of their own. */
const MAPS: ReadonlySet<string> = new Set(["properties", "$defs"]);

/** The schema of an object of parameters. */
export interface ParametersSchema extends Json {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Json>>;
}

/**
 * The parameters of an operation in few words, for the list of all tools, which a model reads whole. The manual of the tool has the rest, and the
 * service checks what a client then cannot.
 */
export function briefSchema(
  { fields }: Pick<Operation, "fields">,
  { properties, ...schema }: ParametersSchema,
): ParametersSchema {
  const listed = Object.entries(properties).flatMap(([name, { description, ...parameter }]): [string, Json][] => {
    if (UNLISTED.has(name)) return [];
    const field = fields[name];
    const words = field === undefined ? [BARE.has(name) ? "" : description] : wordsOf(name, field);
    const sentences = words.filter((sentence) => typeof sentence === "string" && sentence !== "");
    return [[name, { ...outer(parameter), ...(sentences.length > 0 && { description: sentences.join(" ") }) }]];
  });
  return { ...inner(schema), type: "object", properties: Object.fromEntries(listed) };
}

function wordsOf(name: string, field: Field): string[] {
  const { brief = field.description, when = {}, required } = hintsOf(field);
  const conditions = Object.entries(when).map(([governor, values]) => `\`${governor}=${values.join("|")}\``);
  // Elsewhere it is ignored, and the response names it.
  const isSelfExplanatory = brief === "" && required !== true;
  return [
    brief,
    ...(conditions.length > 0 && !isSelfExplanatory
      ? [`${required ? "Required" : "Only"} with ${conditions.join(", ")}.`]
      : []),
    // Said once for each tool: further files take the same.
    ...(name === "file" ? [FILE] : []),
  ];
}

function outer(schema: Json): Json {
  // A range tells what a number means, such as an opacity. Without names of members, an example is what shows them.
  const range = Object.entries(schema).filter(([key]) => RANGE.has(key));
  const isOpen = schema["type"] === "object" && schema["properties"] === undefined;
  return {
    ...inner(schema),
    ...(range.length === 2 && schema["type"] !== "string" && Object.fromEntries(range)),
    ...(isOpen && schema["examples"] !== undefined && { examples: schema["examples"] }),
  };
}

function inner(schema: Json): Json {
  const { description: _, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]): [string, unknown][] => {
      if (LEFT_OUT.has(key) || RANGE.has(key)) return [];
      if (value === false && (key === "default" || key === "additionalProperties")) return [];
      if (key === "required" && Array.isArray(value) && value.length === 0) return [];
      if (key === "default") return [[key, value]];
      if (MAPS.has(key) && isObject(value)) {
        const members = Object.entries(value).map(([name, one]) => [name, isObject(one) ? inner(one) : one]);
        return [[key, Object.fromEntries(members)]];
      }
      if (Array.isArray(value)) return [[key, value.map((one: unknown) => (isObject(one) ? inner(one) : one))]];
      return [[key, isObject(value) ? inner(value) : value]];
    }),
  );
}
