/** The client's types and methods, from openapi.json: an operation that is new there needs nothing here. */
import { type Schema, typeOf } from "./schema-types.ts";

interface MediaTypes {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Method {
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
}

/** The part of an OpenAPI 3.1 document that is read here. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Method }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data";
const BYTES_TYPE = "application/octet-stream";
/** Methods (RFC 9110) that may be sent again when no answer came. */
const IDEMPOTENT = new Set(["get", "put", "delete", "patch"]);

/** The fields of jobs are options in the client, because ordinary requests do not have them. */
const JOB_FIELDS = new Set(["expiresIn", "onPageError"]);

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function comment(text: string, indent: string): string {
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ""} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** One member of a form's type, and the field that it becomes. */
interface Member {
  readonly property: string;
  readonly field: string;
  readonly kind: "file" | "text" | "json";
  readonly type: string;
  readonly required: boolean;
  readonly description: string | undefined;
}

function memberType(schema: Schema): Pick<Member, "kind" | "type"> {
  if (schema.format === "binary") return { kind: "file", type: "FileInput" };
  const [file, reference] = schema.anyOf ?? [];
  if (file?.format === "binary") return { kind: "file", type: `FileInput | ${typeOf(reference ?? {}, "sent")}` };
  if (schema.contentSchema) return { kind: "json", type: typeOf(schema.contentSchema, "sent") };
  const numeric = schema.enum?.every((value) => typeof value === "string" && /^\d+$/.test(value)) === true;
  const type = typeOf(schema, "sent");
  return { kind: "text", type: numeric ? `${type} | ${schema.enum?.join(" | ") ?? ""}` : type };
}

/** `file0`, `file1`, ... are one list, `files`. */
function members(form: Schema): Member[] {
  const patterns = Object.entries(form.patternProperties ?? {});
  const required = new Set(form.required);
  const lists = patterns.map(([pattern, schema]): Member => {
    const base = /^\^([A-Za-z]+)\(/.exec(pattern)?.[1];
    if (base === undefined) throw new Error(`no list of fields: ${pattern}`);
    const { kind, type } = memberType(schema);
    const isRequired = required.has(`${base}0`);
    const element = `(${type}${isRequired ? "" : " | undefined"})`;
    const { description } = schema;
    const field = `${base}{N}`;
    return { property: `${base}s`, field, kind, type: `readonly ${element}[]`, required: isRequired, description };
  });
  const numbered = patterns.map(([pattern]) => new RegExp(pattern));
  const singles = Object.entries(form.properties ?? {})
    .filter(([name]) => !JOB_FIELDS.has(name) && !numbered.some((pattern) => pattern.test(name)))
    .map(([name, schema]): Member => {
      const isRequired = required.has(name) && schema.default === undefined;
      return {
        property: name,
        field: name,
        ...memberType(schema),
        required: isRequired,
        description: schema.description,
      };
    });
  return [...lists, ...singles];
}

/** The declarations that stand before the class, and the method itself. */
interface Code {
  readonly types: string;
  readonly method: string;
}

function documented({ summary, description }: Method): string {
  return comment(`${summary}.\n\n${description ?? ""}`.trim(), "  ");
}

function contentOf({ responses }: Method): NonNullable<MediaTypes["content"]> {
  return Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]?.content ?? {};
}

/** What the method gives back: its type, and how it is made of `answer`. */
function resultOf(method: Method): { type: string; make: string } {
  const content = contentOf(method);
  const json = content[JSON_TYPE]?.schema;
  const types = Object.keys(content);
  const of = json === undefined ? "" : `<${typeOf(json, "received")}>`;
  if (types.length === 1 && json !== undefined) return { type: `JsonResult${of}`, make: `jsonResult${of}(answer)` };
  return { type: `FileResult${of}`, make: `new FileResult${of}(answer)` };
}

function operation(path: string, method: Method, form: Schema): Code {
  const name = method.operationId;
  const all = members(form);
  const input = `${capital(name)}Input`;
  const properties = all.map(
    ({ property, type, required, description }) =>
      `${description === undefined ? "" : comment(description, "  ")}  readonly ${property}${required ? "" : "?"}: ${type};\n`,
  );
  const fields = all.map(
    ({ property, field, kind }) =>
      `  ${property}: { name: ${JSON.stringify(field)}, kind: ${JSON.stringify(kind)} },\n`,
  );
  const { type, make } = resultOf(method);
  const jobOptions = form.properties?.["onPageError"] === undefined ? "JobOptions" : "PageJobOptions";
  return {
    types: `export interface ${input} {\n${properties.join("")}}\n\nconst ${name}Fields = {\n${fields.join("")}} as const;\n`,
    method: `${comment(`${method.summary}, as a job.`, "  ")}  ${name}(input: ${input}, options: ${jobOptions}): Promise<JobHandle<${type}>>;
${documented(method)}  ${name}(input: ${input}, options?: CallOptions): Promise<${type}>;
  ${name}(input: ${input}, options?: CallOptions | ${jobOptions}): Promise<${type} | JobHandle<${type}>> {
    return this.sendForm(${JSON.stringify(path)}, ${name}Fields, input, options, (answer) => ${make});
  }
`,
  };
}

/** The form of a pipeline has the steps that each operation can be. */
const isPipeline = (form: Schema): boolean => form.properties?.["steps"]?.contentSchema !== undefined;

/** The builder of a pipeline: a method per operation, with the types of its own method. */
function pipeline(path: string, method: Method, forms: readonly (readonly [string, Method, Schema])[]): Code {
  const steps = forms.map(([own, { operationId: name, summary, responses }, form]) => {
    const input = `${capital(name)}Input`;
    const files = members(form).filter(({ kind }) => kind === "file");
    const takesPdf = Object.hasOwn(form.properties ?? {}, "password");
    const document = takesPdf ? files[0] : undefined;
    const isList = document?.field.includes("{N}") === true;
    const omitted = document && !isList ? `Omit<${input}, "${document.property}">` : input;
    const isOptional = members(form).every(({ required, property }) => !required || property === document?.property);
    const json = contentOf({ operationId: name, summary, responses })[JSON_TYPE]?.schema;
    const result = json === undefined ? "" : `<${typeOf(json, "received")}>`;
    const first = JSON.stringify(document?.field.replace("{N}", "0"));
    const follow = isList ? ` \`${document.property}\` follow the PDF of the step before.` : "";
    return `${comment(`${summary}.${follow}`, "  ")}  ${name}(input: ${omitted}${isOptional && !isList ? " = {}" : ""}): Pipeline${result} {
    return new Pipeline(this.with(${JSON.stringify(own.slice(own.lastIndexOf("/") + 1))}, ${first}, ${name}Fields, input));
  }
`;
  });
  return {
    types: `/** Operations that run one after the other in one request. */\nexport class Pipeline<T = never> extends PipelineSteps<T> {\n${steps.join("\n")}}\n`,
    method: `${documented(method)}  ${method.operationId}(file?: FileInput | FileReference): Pipeline {
    return new Pipeline(stepsFor((parts, options, make) => this.sendParts(${JSON.stringify(path)}, parts, options, make), file));
  }
`,
  };
}

function route(path: string, verb: string, method: Method): Code {
  const name = method.operationId;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id ?? "");
  const query = (method.parameters ?? []).filter((parameter) => parameter.in === "query");
  const body = method.requestBody?.content?.[JSON_TYPE]?.schema;
  const bytes = method.requestBody?.content?.[BYTES_TYPE]?.schema;
  const success = Object.entries(method.responses).find(([status]) => status.startsWith("2"))?.[1];
  const received = success?.content?.[JSON_TYPE]?.schema;
  const input = `${capital(name)}Input`;
  const parameters = ids.map((id) => `${id}: string`);
  let types = "";
  if (body !== undefined) {
    types = `export type ${input} = ${typeOf(body, "sent")};\n`;
    const isNeeded = body.oneOf !== undefined || (body.required ?? []).length > 0;
    parameters.push(isNeeded ? `input: ${input}` : `input: ${input} = {}`);
  } else if (bytes !== undefined) {
    parameters.push("bytes: Blob | Uint8Array<ArrayBuffer>");
  } else if (query.length > 0) {
    const lines = query.map(
      ({ name, schema, description }) =>
        `${comment(description ?? name, "  ")}  readonly ${name}?: ${typeOf(schema, "sent")} | undefined;\n`,
    );
    types = `export interface ${input} {\n${lines.join("")}}\n`;
    parameters.push(`query?: ${input}`);
  }
  const sent = [
    `method: ${JSON.stringify(verb.toUpperCase())}`,
    `path: \`${path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `\${encodeURIComponent(${id})}`)}\``,
    `repeatable: ${IDEMPOTENT.has(verb)}`,
    ...(body === undefined ? [] : ["json: input"]),
    ...(bytes === undefined ? [] : ["bytes"]),
    ...(body === undefined && query.length > 0 ? ["query: { ...query }"] : []),
    "options",
  ];
  const isFile = Object.values(success?.content ?? {}).some(({ schema }) => schema.format === "binary");
  if (isFile) {
    return {
      types,
      method: `${documented(method)}  async ${name}(${[...parameters, "options?: CallOptions"].join(", ")}): Promise<FileResult> {
    return new FileResult(await this.send({ ${sent.join(", ")} }));
  }
`,
    };
  }
  const type = received === undefined ? "unknown" : typeOf(received, "received");
  return {
    types,
    method: `${documented(method)}  ${name}(${[...parameters, "options?: CallOptions"].join(", ")}): Promise<${type}> {
    return this.sendJson({ ${sent.join(", ")} });
  }
`,
  };
}

/** The union of all events' bodies. */
function events({ webhooks }: OpenApi): string {
  const bodies = Object.values(webhooks).map(({ post }) => post.requestBody?.content?.[JSON_TYPE]?.schema ?? {});
  return bodies.map((schema) => `\n  | ${typeOf(schema, "received")}`).join("");
}

const NOTE = "// Generated by `npm run client` from openapi.json. Do not edit.\n";

/**
 * The generated files of client/src/: their texts, by name. Error codes and the state of a job have files of their own, because the
 * class of the methods rests on errors and jobs. Throws where the document says something that is not understood here.
 */
export function generate(document: OpenApi): ReadonlyMap<string, string> {
  const { Error: errorSchema, Job: job, ...schemas } = document.components.schemas;
  const codes = errorSchema?.properties?.["error"]?.properties?.["code"];
  if (codes === undefined || job === undefined) throw new Error("the document has no error codes, or no jobs");
  const all = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, method]) => {
      const { content } = method.requestBody ?? {};
      // The form of a route that takes JSON, too, is sent by hand-written code (service.ts).
      const form = content?.[JSON_TYPE] === undefined ? content?.[FORM_TYPE]?.schema : undefined;
      return { path, verb, method, form };
    }),
  );
  const operations = all.flatMap(({ path, method, form }) =>
    form === undefined || isPipeline(form) ? [] : [[path, method, form] as const],
  );
  const methods = all.map(({ path, verb, method, form }) => {
    if (form === undefined) return route(path, verb, method);
    return isPipeline(form) ? pipeline(path, method, operations) : operation(path, method, form);
  });
  // The builder of a pipeline has the types of the operations' own methods.
  const unused = new Set(
    all.flatMap(({ form }) => form?.properties?.["steps"]?.contentSchema?.items?.oneOf ?? []).map(({ $ref }) => $ref),
  );
  const kept = Object.entries(schemas).filter(([name]) => !unused.has(`#/components/schemas/${name}`));
  const named = kept.map(
    ([name, schema]) =>
      `${schema.description === undefined ? "" : comment(schema.description, "")}export type ${name} = ${typeOf(schema, "received")};\n`,
  );
  const errorCodes = [
    NOTE,
    `/** The error codes of the service. */\nexport type ErrorCode = ${typeOf(codes, "received")};\n`,
  ];
  const jobState = [
    NOTE,
    `${comment(job.description ?? "A job as the service describes it.", "")}export type Job = ${typeOf(job, "received")};\n`,
  ];
  const service = [
    NOTE,
    `import type { FileInput } from "./body.ts";
import type { JobHandle, JobOptions, PageJobOptions } from "./job.ts";
import type { Job } from "./generated-job.ts";
import { OperationTransport } from "./operations.ts";
import { PipelineSteps, stepsFor } from "./pipeline.ts";
import { FileResult, type JsonResult, jsonResult } from "./result.ts";
import type { CallOptions } from "./transport.ts";\n`,
    `/** The body of a webhook delivery. */\nexport type WebhookEvent =${events(document)};\n`,
    ...named,
    ...methods.map(({ types }) => types).filter((types) => types !== ""),
    `/** One method per request of the service. */\nexport class ServiceMethods extends OperationTransport {\n${methods.map(({ method }) => method).join("\n")}}\n`,
  ];
  return new Map([
    ["error-codes.ts", errorCodes.join("\n")],
    ["generated-job.ts", jobState.join("\n")],
    ["generated.ts", service.join("\n")],
  ]);
}
