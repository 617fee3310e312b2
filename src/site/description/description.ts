import { type Field, fieldsOf } from "./fields.ts";
import type { Schema } from "./schema.ts";

export interface Media {
  readonly schema?: Schema;
  /** For JSON: the values of parameters with which it is the result. */
  readonly "x-when"?: Readonly<Record<string, readonly string[]>>;
  /** For a form: parameters of a working request; files are named as in `examples/`. */
  readonly example?: Readonly<Record<string, string>>;
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string }>>;
  /** By name, such as an error's code. */
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** A reference to another part of the description, such as `#/components/headers/X-Request-Id`. */
export interface Reference {
  readonly $ref: string;
}

export interface Header {
  readonly description: string;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, Media>>;
}

/** A parameter outside the body. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Method {
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly "x-credits"?: number;
  /** Where people look for an operation. */
  readonly "x-group"?: string;
  /** Words that people search for, separated by spaces. */
  readonly "x-keywords"?: string;
  /** Empty if no key is needed. */
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Method>>>>;

/** The part of openapi.json used here. */
export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  /** The requests that the service sends to others, by event type. */
  readonly webhooks?: Paths;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** A method that takes a form, which the playground can run. */
export interface Operation {
  /** The path's last segment. */
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly group: string;
  /** Words that people search for, separated by spaces. */
  readonly keywords: string;
  /** Undefined if they depend on the parameters. */
  readonly credits: number | undefined;
  readonly fields: readonly Field[];
  /** Parameters of a working request; files are named as in `examples/`. */
  readonly example: Readonly<Record<string, string>>;
  /** Media types of a successful response, each with the values of a parameter that it takes, if it takes any. */
  readonly produces: readonly { readonly type: string; readonly when: Readonly<Record<string, readonly string[]>> }[];
}

/** The operations: forms whose response is the result. An upload (201) is none. */
export function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, { post }]) =>
    post?.responses["200"] === undefined ? [] : (operationOf(path, post) ?? []),
  );
}

/** Undefined if the method takes no form. */
export function operationOf(path: string, method: Method): Operation | undefined {
  const form = method.requestBody?.content["multipart/form-data"];
  if (form?.schema === undefined) return undefined;
  const success = method.responses["200"] ?? method.responses["201"];
  return {
    name: path.slice(path.lastIndexOf("/") + 1),
    path,
    summary: method.summary,
    description: method.description ?? "",
    group: method["x-group"] ?? "",
    keywords: method["x-keywords"] ?? "",
    credits: method["x-credits"],
    fields: fieldsOf(form.schema, (name) => form.encoding?.[name]?.contentType),
    example: form.example ?? {},
    produces: Object.entries((success && "content" in success && success.content) || {}).map(
      ([type, { "x-when": when = {} }]) => ({ type, when }),
    ),
  };
}

/** The schema of a JSON body, such as that of `POST /api/v1/keys`; undefined if the API has no such endpoint. */
export function bodyOf({ paths }: Description, method: string, path: string): Schema | undefined {
  return paths[path]?.[method]?.requestBody?.content["application/json"]?.schema;
}
