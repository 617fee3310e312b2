import { type Field, fieldsOf } from "./fields.ts";
import type { Schema } from "./schema.ts";

interface Media {
  readonly schema: Schema;
  readonly example?: Readonly<Record<string, string>>;
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string }>>;
}

export interface Method {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** openapi.json, as far as it is used here. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
  };
}

/** What takes a form: all that the playground can run. */
export interface Operation {
  /** The path's last segment. */
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** Parameters of a call that works; files by their names among the examples. */
  readonly example: Readonly<Record<string, string>>;
  /** Media types of a 200. */
  readonly produces: readonly string[];
}

export async function loadDescription(): Promise<Description> {
  const answer = await fetch("/api/v1/openapi.json");
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  return (await answer.json()) as Description;
}

export function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) => {
    const { post } = methods;
    const form = post?.requestBody?.content["multipart/form-data"];
    if (post === undefined || form === undefined) return [];
    return {
      name: path.slice(path.lastIndexOf("/") + 1),
      path,
      summary: post.summary,
      description: post.description ?? "",
      fields: fieldsOf(form.schema, (name) => form.encoding?.[name]?.contentType),
      example: form.example ?? {},
      produces: Object.keys(post.responses["200"]?.content ?? {}),
    };
  });
}

/** The schema of a JSON body, such as that of `POST /api/v1/keys`; undefined where the API has no such call. */
export function bodyOf({ paths }: Description, method: string, path: string): Schema | undefined {
  return paths[path]?.[method]?.requestBody?.content["application/json"]?.schema;
}
