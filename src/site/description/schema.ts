/** The part of JSON Schema used by the API description. */
export interface Schema {
  /** What people read instead of the name. */
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | number)[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly const?: unknown;
  readonly $ref?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly contentMediaType?: string;
  readonly contentSchema?: Schema;
  /** The values of the fields of the PDF's own form, by name. */
  readonly "x-form-values"?: boolean;
  /** The words of a list separated by commas. */
  readonly "x-choices"?: Choices;
  /** Definitions that references in it name. */
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: { readonly pattern?: string };
  /** Required with the values in `x-when`. */
  readonly "x-required"?: boolean;
  /** The parameter depends on values of others, such as `{ "kind": ["text"] }`. */
  readonly "x-when"?: Readonly<Record<string, readonly string[]>>;
}

/** The words of a list: either a few of many, or any of them, with a word of its own for all and for none. */
export interface Choices {
  readonly values: readonly string[];
  /** How many the list may have; undefined if it may have all. */
  readonly most?: number;
  readonly all?: string;
  readonly none?: string;
  /** Words that stand for others, too. */
  readonly includes?: Readonly<Record<string, readonly string[]>>;
}

/** Whether a schema allows a type, alone or among others. */
export function allows(schema: Schema, type: string): boolean {
  if (schema.anyOf) return schema.anyOf.some((one) => allows(one, type));
  return typeof schema.type === "string" ? schema.type === type : (schema.type?.includes(type) ?? false);
}
