/** The part of JSON Schema that the API's description uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | number)[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly contentMediaType?: string;
  readonly contentSchema?: Schema;
  /** The parameter belongs to some values of others, such as `{ "kind": ["text"] }`. */
  readonly "x-when"?: Readonly<Record<string, readonly string[]>>;
}

/** Whether a schema allows a type, alone or among others. */
export function allows(schema: Schema, type: string): boolean {
  if (schema.anyOf) return schema.anyOf.some((one) => allows(one, type));
  return typeof schema.type === "string" ? schema.type === type : (schema.type?.includes(type) ?? false);
}
