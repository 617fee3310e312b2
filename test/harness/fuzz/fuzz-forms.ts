/** What a mutation run sends: forms drawn from the schema of an operation, its example, and the values that its fields name. */
import { chainPem, issue, keyPem } from "../signatures/certificates.ts";
import type { Part } from "../requests/client.ts";
import type { Random } from "./random.ts";
import { type Description, type Operation, operationOf } from "../../../src/site/description/description.ts";
import type { Field, ValueField } from "../../../src/site/description/fields.ts";
import type { Schema } from "../../../src/site/description/schema.ts";

/** What a form is made of. */
export interface Draw {
  readonly random: Random;
  /** Letters that belong to this call alone. */
  readonly mark: string;
  /** A document, damaged or not, and the password that opens it, if it has one. */
  document(): { readonly file: Part; readonly password?: string };
  /** An image, damaged or not. */
  image(): Part;
  /** A file of `examples/`, damaged or not. */
  example(name: string): Part;
}

export type Form = Readonly<Record<string, Part>>;

/** An operation as openapi.json describes it, and what the registry says about its fields. */
export interface Drawn extends Operation {
  readonly form: Schema;
  readonly schemas: Description["components"]["schemas"];
  readonly tries: Readonly<Record<string, readonly string[]>>;
}

const RANGES = ["1", "all", "odd", "even", "last", "1-end", "last-2", "2-1", "!1", "1,1,1", "1|1-end", "99", ""];
/** Names of fields and attachments in the documents of a mutation run. */
const NAMES = ["person.name", "person.city", "agree", "radio", "color", "data.csv", "pinned.txt", "nobody"];
/** JSON that is nested deeper has only what it needs. */
const DEEPEST = 4;
/** Optional fields of a form, on average. */
const OPTIONAL = 2;

const issued = await issue({ subject: "Signer" });
/** By the name of a field: texts that no schema can give. */
const PEM: Readonly<Record<string, string>> = {
  privateKey: await keyPem(issued),
  chain: chainPem(issued),
  trust: chainPem(issued),
};

/** The operations of a service. `tries`: by name and field, those of the registry. */
export function drawnOperations(
  { paths, components }: Description,
  tries: Readonly<Record<string, Drawn["tries"]>>,
): Drawn[] {
  return Object.entries(paths).flatMap(([path, { post }]) => {
    // Files are uploaded as forms, too, but not only.
    const { "multipart/form-data": media, ...others } = post?.requestBody?.content ?? {};
    const operation = post && operationOf(path, post);
    if (media?.schema === undefined || operation === undefined || Object.keys(others).length > 0) return [];
    return [{ ...operation, form: media.schema, schemas: components.schemas, tries: tries[operation.name] ?? {} }];
  });
}

/** Draws a form. Half of them begin with the values of the example. */
export function drawForm(operation: Drawn, draw: Draw): Form {
  const { random } = draw;
  const { fields, form, tries, example } = operation;
  const base = random.once(2) ? example : {};
  const values = new Values(operation.schemas, draw);
  const drawn: Record<string, Part> = {};
  const isNeeded = ({ name, required }: Field): boolean => required || tries[name] !== undefined || name in base;
  const optional = fields.filter((field) => !isNeeded(field) && field.name !== "password");
  const rarity = Math.max(2, Math.ceil(optional.length / OPTIONAL));
  const add = (field: Field): void => {
    if (field.kind === "value") drawn[field.name] = textOf(field);
    else Object.assign(drawn, filesOf(field, operation, draw));
  };
  const textOf = ({ name, schema }: ValueField): string => {
    const own = tries[name];
    if (own !== undefined) return random.pick(own);
    const given = base[name];
    if (given !== undefined && !random.once(4)) return given;
    return PEM[name] !== undefined && !random.once(4) ? PEM[name] : values.text(schema);
  };
  // The fields that others depend on come first.
  for (const field of fields.toSorted((a, b) => Object.keys(a.when).length - Object.keys(b.when).length)) {
    if (field.name === "password") continue;
    const applies = Object.entries(field.when).every(([name, allowed]) => {
      const governor = fields.find((one) => one.name === name);
      const value = drawn[name] ?? (governor?.kind === "value" ? governor.schema.default : undefined);
      return typeof value !== "object" && allowed.includes(String(value));
    });
    const isRequired = isNeeded(field) || (applies && form.properties?.[field.name]?.["x-required"] === true);
    if (isRequired ? applies || random.once(8) : random.once(applies ? rarity : 8 * rarity)) add(field);
  }
  const oneOf = (form.anyOf ?? []).flatMap(({ required = [] }) => required);
  if (oneOf.length > 0 && !oneOf.some((name) => name in drawn)) {
    const missing = random.pick(oneOf);
    fields.filter(({ name }) => name === missing).forEach(add);
  }
  return Object.fromEntries(Object.entries(drawn).filter(([, part]) => part !== ""));
}

/** The files of a field, with their passwords where the form takes them. */
function filesOf(
  field: Exclude<Field, ValueField>,
  { form, example }: Drawn,
  draw: Draw,
): Readonly<Record<string, Part>> {
  const { random } = draw;
  const takesPassword = form.properties?.["password"] !== undefined;
  const given = example[field.name];
  const file = (name: string, passwordName: string): Record<string, Part> => {
    if (given !== undefined && !field.accept.includes("pdf") && !random.once(4))
      return { [name]: draw.example(given), ...(takesPassword && random.once(4) && { [passwordName]: "secret" }) };
    const takesPdf = /pdf|octet-stream/.test(field.accept);
    if (!takesPdf || (/image|octet-stream/.test(field.accept) && random.once(4))) return { [name]: draw.image() };
    const { file, password } = draw.document();
    return { [name]: file, ...(takesPassword && password !== undefined && { [passwordName]: password }) };
  };
  if (field.kind === "file") return file(field.name, "password");
  const all = Array.from({ length: Math.max(1, field.min) + random.below(3) }, (_, index) =>
    file(`${field.name}${index}`, `${field.passwords ?? "password"}${index}`),
  );
  return Object.assign({}, ...all) as Record<string, Part>;
}

/** Draws values from their schemas. */
class Values {
  readonly #schemas: Drawn["schemas"];
  readonly #draw: Draw;

  constructor(schemas: Drawn["schemas"], draw: Draw) {
    this.#schemas = schemas;
    this.#draw = draw;
  }

  /** The text of a form field. */
  text(schema: Schema): string {
    const { contentSchema } = schema;
    const value =
      contentSchema === undefined ? this.#value(schema, schema, 0) : this.#value(contentSchema, contentSchema, 0);
    return typeof value === "string" && contentSchema === undefined ? value : JSON.stringify(value);
  }

  /** `root` has the definitions that the schema refers to. */
  #value(schema: Schema, root: Schema, depth: number): unknown {
    const { random } = this.#draw;
    const { $ref, anyOf, oneOf, enum: words, examples = [], "x-choices": choices } = schema;
    if ($ref !== undefined) return this.#value(this.#resolve($ref, root), root, depth);
    if (schema.const !== undefined) return schema.const;
    if (words !== undefined) return random.pick(words);
    if (examples.length > 0 && random.once(2)) return random.pick(examples);
    const alternatives = oneOf ?? anyOf?.filter(({ required }) => required === undefined) ?? [];
    if (alternatives.length > 0) return this.#value(random.pick(alternatives), root, depth);
    if (choices !== undefined)
      return [random.pick(choices.values), random.pick(choices.values)].slice(random.below(2)).join(",");
    const type = random.pick([schema.type ?? "string"].flat());
    if (type === "object") return this.#object(schema, root, depth + 1);
    if (type === "array") return this.#array(schema, root, depth + 1);
    if (type === "boolean") return random.once(2);
    if (type === "null") return null;
    return type === "string" ? this.#string(schema) : this.#number(schema, type === "integer");
  }

  #resolve(reference: string, root: Schema): Schema {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    if (reference === "#") return root;
    const found = reference.startsWith("#/components/") ? this.#schemas[name] : root.$defs?.[name];
    if (found === undefined) throw new Error(`no schema ${reference}`);
    return found;
  }

  #object(schema: Schema, root: Schema, depth: number): Record<string, unknown> {
    const { random, mark } = this.#draw;
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const isWanted = (name: string): boolean => required.includes(name) || (depth < DEEPEST && random.once(3));
    const known = Object.entries(properties)
      .filter(([name]) => isWanted(name))
      .map(([name, inner]) => [name, this.#value(inner, root, depth)] as const);
    if (typeof additionalProperties !== "object") return Object.fromEntries(known);
    const pattern = new RegExp(propertyNames?.pattern ?? "", "u");
    const names = [...NAMES, mark, "1", "2", "99"].filter((name) => pattern.test(name));
    const others = Array.from({ length: random.below(4) }, () => random.pick(names));
    return Object.fromEntries([
      ...known,
      ...others.map((name) => [name, this.#value(additionalProperties, root, depth)]),
    ]);
  }

  #array({ items = {}, minItems = 0, maxItems = Infinity }: Schema, root: Schema, depth: number): unknown[] {
    const most = depth < DEEPEST ? 2 : 0;
    const length = Math.min(maxItems, minItems + this.#draw.random.below(most + 1));
    return Array.from({ length }, () => this.#value(items, root, depth));
  }

  #string({ format = "", maxLength = Infinity }: Schema): string {
    const { random, mark } = this.#draw;
    if (format.startsWith("page-")) return random.pick(RANGES);
    if (format === "color") return "#336699";
    if (format === "password") return random.pick(["user", "an, owner's", mark]);
    return random.pick([mark, `${mark} Zoë عربى 変`, `${mark} <b>&amp;`, "e", ...NAMES]).slice(0, maxLength);
  }

  #number({ minimum, maximum, default: byDefault }: Schema, isInteger: boolean): number {
    const { random } = this.#draw;
    const bounds = [minimum, maximum, typeof byDefault === "number" ? byDefault : undefined];
    const ordinary = isInteger ? [1, 2, 9] : [0, 20, 90.5, -1];
    const all = [...bounds.filter((bound) => bound !== undefined), ...ordinary];
    // A value that is not allowed is an error, which is seldom worth a call.
    const allowed = all.filter((value) => value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity));
    return random.pick(allowed.length > 0 && !random.once(8) ? allowed : all);
  }
}
