/** The facts about operations in openapi.json, as all generators need them. */
import { type Schema, typeOf } from "./schema-types.ts";

export interface MediaTypes {
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface MediaType {
  readonly schema: Schema;
  /** Of an operation that returns files, too: the values of a parameter with which it returns this. */
  readonly "x-when"?: When;
  readonly example?: Readonly<Record<string, string>>;
}

/** By the name of a parameter, its values. */
export type When = Readonly<Record<string, readonly string[]>>;

export interface Method {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: MediaTypes;
  readonly responses: Readonly<Record<string, MediaTypes>>;
  /** The scopes of an operation, each with the values of a parameter for which it is needed. */
  readonly "x-credits"?: number;
  readonly "x-scopes"?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** The part of an OpenAPI 3.1 document that is read here. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Method }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  };
}

export const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data";

/** The fields of jobs are options in the clients, because ordinary requests do not have them. */
const JOB_FIELDS: ReadonlySet<string> = new Set(["expiresIn", "deliverTo", "onPageError"]);

export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** One member of an operation's input, and the field that it becomes. */
export interface Member {
  /** `file0`, `file1`, ... are one list, `files`. */
  readonly property: string;
  /** `file{N}` for a list. */
  readonly field: string;
  readonly kind: "file" | "text" | "json";
  readonly isList: boolean;
  readonly schema: Schema;
  /** Its TypeScript type. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string | undefined;
}

/** A route that takes a form. */
export interface FormRoute {
  readonly path: string;
  /** The last segment of its path: `add-page-numbers`. */
  readonly name: string;
  readonly method: Method;
  readonly form: Schema;
  readonly members: readonly Member[];
  readonly example: Readonly<Record<string, string>> | undefined;
  /** Whether it works page by page as a job. */
  readonly isPageByPage: boolean;
  /** The form of a pipeline has the steps that each operation can be. */
  readonly isPipeline: boolean;
}

/** The operations and the pipeline. A route that takes JSON, too, is sent by hand-written code. */
export function formRouteOf(path: string, method: Method): FormRoute | undefined {
  const { content = {} } = method.requestBody ?? {};
  const { schema: form, example } = content[FORM_TYPE] ?? {};
  if (form === undefined || content[JSON_TYPE] !== undefined) return undefined;
  return {
    path,
    name: path.slice(path.lastIndexOf("/") + 1),
    method,
    form,
    members: membersOf(form),
    example,
    isPageByPage: form.properties?.["onPageError"] !== undefined,
    isPipeline: form.properties?.["steps"]?.contentSchema !== undefined,
  };
}

export const formRoutesOf = ({ paths }: OpenApi): FormRoute[] =>
  Object.entries(paths).flatMap(([path, { post }]) => (post === undefined ? [] : (formRouteOf(path, post) ?? [])));

function membersOf(form: Schema): Member[] {
  const patterns = Object.entries(form.patternProperties ?? {});
  const required = new Set(form.required);
  const lists = patterns.map(([pattern, schema]): Member => {
    const base = /^\^([A-Za-z]+)\(/.exec(pattern)?.[1];
    if (base === undefined) throw new Error(`no list of fields: ${pattern}`);
    const { kind, type } = memberType(schema);
    const isRequired = required.has(`${base}0`);
    const element = `(${type}${isRequired ? "" : " | undefined"})`;
    return {
      property: `${base}s`,
      field: `${base}{N}`,
      kind,
      isList: true,
      schema,
      type: `readonly ${element}[]`,
      required: isRequired,
      description: schema.description,
    };
  });
  const numbered = patterns.map(([pattern]) => new RegExp(pattern));
  const singles = Object.entries(form.properties ?? {})
    .filter(([name]) => !JOB_FIELDS.has(name) && !numbered.some((pattern) => pattern.test(name)))
    .map(([name, schema]): Member => ({
      property: name,
      field: name,
      ...memberType(schema),
      isList: false,
      schema,
      required: required.has(name) && schema.default === undefined,
      description: withExample(schema),
    }));
  return [...lists, ...singles];
}

/** JSON is easier to write with an example. */
function withExample({ description, contentSchema }: Schema): string | undefined {
  const [example] = contentSchema?.examples ?? [];
  if (description === undefined || example === undefined) return description;
  return `${description} For example: \`${JSON.stringify(example)}\`.`;
}

function memberType(schema: Schema): Pick<Member, "kind" | "type"> {
  if (schema.format === "binary") return { kind: "file", type: "FileInput" };
  const [file, reference] = schema.anyOf ?? [];
  if (file?.format === "binary") return { kind: "file", type: `FileInput | ${typeOf(reference ?? {}, "sent")}` };
  if (schema.contentSchema) return { kind: "json", type: typeOf(schema.contentSchema, "sent") };
  return { kind: "text", type: schema.enum ? literals(schema, schema.enum.map(String)) : typeOf(schema, "sent") };
}

/** The TypeScript type of some values of a parameter, as the form has them: `"90"` can be sent as a number, too. */
export function literals({ type, enum: all }: Schema, values: readonly string[]): string {
  if (type !== "string") return values.join(" | ");
  const numeric = all?.every((value) => typeof value === "string" && /^\d+$/.test(value)) === true;
  return [...values.map((value) => JSON.stringify(value)), ...(numeric ? values : [])].join(" | ");
}

/** All values of a parameter that has few; undefined if it can have any. */
export function valuesOf({ type, enum: values }: Schema): readonly string[] | undefined {
  return type === "boolean" ? ["true", "false"] : values?.map(String);
}

/** The media types of the 2xx response that is not a job. */
export function contentOf({ responses }: Method): NonNullable<MediaTypes["content"]> {
  return Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]?.content ?? {};
}
