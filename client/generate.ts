/** The client's types and methods, from openapi.json: an operation that is new there needs nothing here. */
import { generateCommands } from "./generate-commands.ts";
import { generateN8n } from "./generate-n8n.ts";
import { generatePython } from "./generate-python.ts";
import { headerFactsOf } from "./header-facts.ts";
import {
  capital,
  contentOf,
  type FormRoute,
  formRouteOf,
  JSON_TYPE,
  type Method,
  type OpenApi,
} from "./description.ts";
import { commented, inputType, narrowed } from "./input-types.ts";
import { typeOf } from "./schema-types.ts";

export type { OpenApi } from "./description.ts";

const BYTES_TYPE = "application/octet-stream";
/** Methods (RFC 9110) that may be sent again when no answer came. */
const IDEMPOTENT = new Set(["get", "put", "delete", "patch"]);

/** The declarations before the class, and the method itself. */
interface Code {
  readonly types: string;
  readonly method: string;
  /** The method that runs it as a job. */
  readonly job?: string;
}

function documented({ summary, description }: Method): string {
  return commented(`${summary}.\n\n${description ?? ""}`.trim(), "  ");
}

/** A possible result of an operation, and the type of the input for it. */
interface Result {
  /** Added to the name of the input type, if there is more than one result. */
  readonly suffix: string;
  readonly type: string;
  /** The values of the input with which it is returned. */
  readonly narrowing?: string;
}

function resultsOf({ method, members }: FormRoute): { results: readonly Result[]; make: string } {
  const content = contentOf(method);
  const { [JSON_TYPE]: json, ...files } = content;
  if (json === undefined) return { results: [{ suffix: "", type: "FileResult" }], make: "fileResult" };
  const type = `JsonResult<${typeOf(json.schema, "received")}>`;
  if (Object.keys(files).length === 0) return { results: [{ suffix: "", type }], make: "jsonResult" };
  const when = json["x-when"];
  if (when === undefined) return { results: [{ suffix: "", type: `${type} | FileResult` }], make: "result" };
  const narrowings = narrowed(members, when);
  const results = [
    { suffix: "Json", type, narrowing: narrowings.with },
    { suffix: "File", type: "FileResult", narrowing: narrowings.without },
  ];
  return { results, make: "result" };
}

function operation(route: FormRoute): Code {
  const { path, method, form, members } = route;
  const name = method.operationId;
  const input = `${capital(name)}Input`;
  const fields = members.map(
    ({ property, field, kind }) =>
      `  ${property}: { name: ${JSON.stringify(field)}, kind: ${JSON.stringify(kind)} },\n`,
  );
  const { results, make } = resultsOf(route);
  const inputs = results.flatMap(({ suffix, narrowing }) =>
    narrowing === undefined ? [] : [`export type ${capital(name)}${suffix}Input = ${input} & ${narrowing};\n`],
  );
  const jobOptions = route.isPageByPage ? "PageJobOptions" : "JobOptions";
  const any = results.map(({ type }) => type).join(" | ");
  const overloads = results.map(({ suffix, type }): [string, string] => [`${capital(name)}${suffix}Input`, type]);
  if (overloads.length > 1) overloads.push([input, any]);
  // A file needs no overload: the method itself has its type.
  const several = make !== "fileResult";
  const end = several ? ";" : " {";
  const asJob = overloads.map(
    ([input, type]) =>
      `${commented(`${method.summary}, as a job.`, "  ")}  ${name}(input: ${input}, options?: ${jobOptions}): Promise<JobHandle<${type}>>${end}\n`,
  );
  const asRequest = overloads.map(
    ([input, type]) =>
      `${documented(method)}  ${name}(input: ${input}, options?: CallOptions): Promise<${type}>${end}\n`,
  );
  const call = (base: string): string => `${base}(${JSON.stringify(path)}, ${name}Fields, input, options, ${make});`;
  return {
    types: `${inputType(input, members, form)}${inputs.map((type) => `\n${type}`).join("")}\nconst ${name}Fields = {\n${fields.join("")}} as const;\n`,
    method: `${asRequest.join("")}${several ? `  ${name}(input: ${input}, options?: CallOptions): Promise<Result> {\n` : ""}    return ${call("this.sendForm")}
  }
`,
    job: `${asJob.join("")}${several ? `  ${name}(input: ${input}, options?: ${jobOptions}): Promise<JobHandle<Result>> {\n` : ""}    return ${call("this.#start")}
  }
`,
  };
}

/** The builder of a pipeline: a method per operation, with the types of its own method. */
function pipeline({ path, method }: FormRoute, operations: readonly FormRoute[]): Code {
  const steps = operations.map((route) => {
    const { form, members, name: own } = route;
    const { operationId: name, summary } = route.method;
    const files = members.filter(({ kind }) => kind === "file");
    const takesPdf = Object.hasOwn(form.properties ?? {}, "password");
    const document = takesPdf ? files[0] : undefined;
    const omitted = (input: string): string =>
      document && !document.isList ? `Without<${input}, ${JSON.stringify(document.property)}>` : input;
    const isOptional =
      form.anyOf === undefined &&
      !document?.isList &&
      members.every(({ required, property }) => !required || property === document?.property);
    const first = JSON.stringify(document?.field.replace("{N}", "0"));
    const follow = document?.isList === true ? ` \`${document.property}\` follow the PDF of the step before.` : "";
    const { results } = resultsOf(route);
    const signature = ({ suffix, type, narrowing = "" }: Result): string => {
      const mayBeEmpty = isOptional && !/^\{ readonly \w+: /.test(narrowing);
      const input = omitted(`${capital(name)}${suffix}Input`);
      return `${commented(`${summary}.${follow}`, "  ")}  ${name}(input${mayBeEmpty ? "?" : ""}: ${input}): Pipeline<${type}>;\n`;
    };
    return `${results.map(signature).join("")}  ${name}(input: object = {}): Pipeline<Result> {
    return new Pipeline(this.with(${JSON.stringify(own)}, ${first}, ${name}Fields, input));
  }
`;
  });
  return {
    types: `type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Operations that run one after the other in one request. */\nexport class Pipeline<R = never> extends PipelineSteps<R> {\n${steps.join("\n")}}\n`,
    method: `${documented(method)}  ${method.operationId}(file?: FileInput | FileReference): Pipeline {
    return new Pipeline(
      stepsFor(
        {
          send: (parts, options, make) => this.sendParts(${JSON.stringify(path)}, parts, options, make),
          start: (parts, options, make) => this.startParts(${JSON.stringify(path)}, parts, options, make),
        },
        file,
      ),
    );
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
    parameters.push("bytes: Blob | Uint8Array");
  } else if (query.length > 0) {
    const lines = query.map(
      ({ name, schema, description }) =>
        `${commented(description ?? name, "  ")}  readonly ${name}?: ${typeOf(schema, "sent")} | undefined;\n`,
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
    // JSON that is described as bytes is a file like any other.
    const isJsonToo = received !== undefined && success?.content?.["application/json"]?.schema.format !== "binary";
    return {
      types,
      method: `${documented(method)}  async ${name}(${[...parameters, "options?: CallOptions"].join(", ")}): Promise<${isJsonToo ? "Result" : "FileResult"}> {
    return ${isJsonToo ? "result" : "fileResult"}(await this.send({ ${sent.join(", ")} }));
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

const FACT_TYPES: Readonly<Record<string, string>> = {
  string: "string | undefined",
  integer: "number | undefined",
  number: "number | undefined",
  boolean: "boolean",
  array: "readonly string[]",
};

/** The headers of results, as members of all results. */
function facts(document: OpenApi): string {
  const all = headerFactsOf(document).map((one) => ({ ...one, fact: FACT_TYPES[one.type] ?? "string | undefined" }));
  const members = all.map(
    ({ name, fact, description }) => `${commented(description, "  ")}  readonly ${name}: ${fact};\n`,
  );
  const rows = all.map(
    ({ name, header, type }) => `  ${name}: { header: ${JSON.stringify(header)}, type: ${JSON.stringify(type)} },\n`,
  );
  return `${NOTE}
/** What the headers of a response say about its result. */
export interface HeaderFacts {\n${members.join("")}}

export const headerFacts = {\n${rows.join("")}} as const satisfies Record<keyof HeaderFacts, object>;
`;
}

/** From client/src/. */
const PYTHON = "../../clients/python/pdf_service";
const N8N = "../../clients/n8n/nodes/PdfService";

const NOTE = "// Generated by `npm run generate -- client` from openapi.json. Do not edit.\n";

/**
 * The generated files of client/src/: their texts, by name. Error codes and the state of a job have files of their own, because the
 * class of the methods rests on errors and jobs. Throws if the document has something that this does not understand.
 */
export function generate(document: OpenApi): ReadonlyMap<string, string> {
  const { Error: errorSchema, Job: job, ...schemas } = document.components.schemas;
  const codes = errorSchema?.properties?.["error"]?.properties?.["code"];
  if (codes === undefined || job === undefined) throw new Error("the document has no error codes, or no jobs");
  const all = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, method]) => ({ path, verb, method, form: formRouteOf(path, method) })),
  );
  const operations = all.flatMap(({ form }) => (form === undefined || form.isPipeline ? [] : [form]));
  const methods = all.map(({ path, verb, method, form }) => {
    if (form === undefined) return route(path, verb, method);
    return form.isPipeline ? pipeline(form, operations) : operation(form);
  });
  // The builder of a pipeline has the types of the operations' own methods.
  const unused = new Set(
    all
      .flatMap(({ form }) => form?.form.properties?.["steps"]?.contentSchema?.items?.oneOf ?? [])
      .map(({ $ref }) => $ref),
  );
  const kept = Object.entries(schemas).filter(([name]) => !unused.has(`#/components/schemas/${name}`));
  const named = kept.map(
    ([name, schema]) =>
      `${schema.description === undefined ? "" : commented(schema.description, "")}export type ${name} = ${typeOf(schema, "received")};\n`,
  );
  const errorCodes = [
    NOTE,
    `/** The error codes of the service. */\nexport type ErrorCode = ${typeOf(codes, "received")};\n`,
  ];
  const jobState = [
    NOTE,
    `${commented(job.description ?? "A job as the service describes it.", "")}export type Job = ${typeOf(job, "received")};\n`,
  ];
  const service = [
    NOTE,
    `import type { FileInput } from "./body.ts";
import type { JobHandle, JobOptions, PageJobOptions } from "./job.ts";
import type { Job } from "./generated-job.ts";
import { OperationTransport, type StartJob } from "./operations.ts";
import { PipelineSteps, stepsFor } from "./pipeline.ts";
import { type FileResult, fileResult, type JsonResult, jsonResult, type Result, result } from "./result.ts";
import type { CallOptions } from "./transport.ts";\n`,
    `/** The body of a webhook delivery. */\nexport type WebhookEvent =${events(document)};\n`,
    ...named,
    ...methods.map(({ types }) => types).filter((types) => types !== ""),
    `/** The operations, as jobs. */\nexport class JobMethods {\n  readonly #start: StartJob;\n\n  constructor(start: StartJob) {\n    this.#start = start;\n  }\n\n${methods.flatMap(({ job = [] }) => job).join("\n")}}\n`,
    `/** One method per request of the service. */\nexport class ServiceMethods extends OperationTransport {
  /** The operations, as jobs: \`pdf.jobs.ocr(...)\` returns at once. */
  readonly jobs: JobMethods = new JobMethods(this.startForm);\n\n${methods.map(({ method }) => method).join("\n")}}\n`,
  ];
  return new Map([
    ["error-codes.ts", errorCodes.join("\n")],
    ["generated-facts.ts", facts(document)],
    ["generated-job.ts", jobState.join("\n")],
    ...Array.from(generatePython(document), ([name, text]): [string, string] => [`${PYTHON}/${name}`, text]),
    [`${N8N}/operations.ts`, generateN8n(document)],
    ["generated-commands.ts", `${NOTE}${generateCommands(document)}`],
    ["generated.ts", service.join("\n")],
  ]);
}
