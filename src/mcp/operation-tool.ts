import type { CallToolResult } from "@modelcontextprotocol/server";
import { failure, type ToolHints } from "./failure.ts";
import { expiresInSchema, jobResult, resultOf, resultSchema } from "./result.ts";
import { errorOf, isObject, type Json, type McpTool, type ToolCall, type ToolDescription } from "./tool.ts";
import { bodyOf, fileListsOf, formOf, parameterOf } from "./tool-form.ts";
import { briefSchema, FILE, type ParametersSchema } from "./brief-schema.ts";
import { jobFieldsOf } from "../http/operations/job-options.ts";
import { parameterSchemas } from "../http/openapi/form.ts";
import { asApiError } from "../http/errors/api-error.ts";
import { invalidFields } from "../http/errors/invalid-fields.ts";
import type { JobView } from "../events/job-schema.ts";
import { limits } from "../limits.ts";
import type { Operation } from "../operations/definition/define.ts";
import { isText, kindOfResult, type MediaType, modesOf, XLSX } from "../operations/definition/modes.ts";
import { type FieldIssue, type Fields, hintsOf, takesJson } from "../operations/definition/fields.ts";
import { cannotStoreResult } from "./errors.ts";

/** An operation as a tool: its name, texts, parameters, and results all derive from its definition. */
export function operationTool(operation: Operation): McpTool {
  const { name, summary, guidance, description, headers } = operation;
  const modes = modesOf(operation);
  const inputSchema = inputSchemaOf(operation);
  const example = exampleOf(operation);
  const hints: ToolHints = {
    properties: inputSchema.properties,
    example,
    nameOf: (field) => parameterOf(operation, field),
  };
  // Tables in a file count as reading too: only the result is stored, and it expires.
  const isRead = (type: MediaType): boolean => isText(type) || type === XLSX;
  const isReading =
    modes.every(({ scope, returns }) => scope === "pdf:read" && returns.some(isRead)) &&
    modes.some(({ returns }) => returns.every(isText)) &&
    !modes.some(({ returns }) => returns.includes("application/pdf"));
  const described: ToolDescription = {
    name,
    description: [guidance ?? `${summary}.`, needsOf(operation), costOf(operation)]
      .filter((sentence) => sentence !== undefined)
      .join(" "),
    inputSchema: briefSchema(operation, inputSchema),
    // Files are never changed: results are new files.
    annotations: isReading ? { readOnlyHint: true, idempotentHint: true } : { destructiveHint: false },
  };
  return {
    described,
    manual: {
      description: [
        `${summary}.${guidance === undefined ? "" : ` ${guidance}`}`,
        description,
        costOf(operation) ?? "Costs 1 credit.",
      ].join("\n\n"),
      example,
      inputSchema,
      outputSchema: { ...resultSchema(modes, [...headers, "X-Ignored-Parameters"]), type: "object" },
    },
    group: "operations",
    isFor: (scopes) =>
      modes.some(
        ({ scope, returns }) => scopes.includes(scope) && (returns.some(isText) || scopes.includes("files:write")),
      ),
    async call(parameters, call) {
      try {
        return await callOperation(operation, parameters, call);
      } catch (thrown) {
        const error = asApiError(thrown);
        if (error.code === "internal_error") throw thrown;
        return failure(error, hints);
      }
    },
  };
}

/** Which of its optional parameters it needs. */
function needsOf({ oneOf }: Operation): string | undefined {
  if (oneOf === undefined) return undefined;
  return `Needs ${oneOf.exactly ? "one" : "at least one"} of ${oneOf.fields.map((name) => `\`${name}\``).join(", ")}.`;
}

/** The price, if it is not the one that the instructions give. */
function costOf({ credits, steps }: Operation): string | undefined {
  if (steps) return "Costs the credits of all steps.";
  return credits === 1 ? undefined : `Costs ${credits} credits.`;
}

async function callOperation(operation: Operation, parameters: Json, call: ToolCall): Promise<CallToolResult> {
  const { background, idempotencyKey, expiresIn, ...given } = parameters;
  const issues = issuesOf(operation, parameters);
  if (issues.length > 0) throw invalidFields(issues);
  const isJob = background === true;
  const kind = isJob ? "text" : resultKind(operation, given);
  if ((kind === "pdf" || kind === "files") && !call.caller.scopes.includes("files:write"))
    throw cannotStoreResult(operation.name);
  // So that a result that could not be stored can be made again without a charge.
  const key = typeof idempotencyKey === "string" ? idempotencyKey : kind !== "text" ? crypto.randomUUID() : undefined;
  const { body, headers } = await bodyOf(
    formOf(operation, { ...given, ...(isJob && { expiresIn: expiresIn ?? limits.mcp.resultSeconds }) }),
  );
  const response = await call.send("POST", `/${operation.name}`, {
    body,
    headers: {
      ...headers,
      ...(key !== undefined && { "Idempotency-Key": key }),
      ...(isJob && { Prefer: "respond-async" }),
    },
  });
  if (!response.ok) throw await errorOf(response);
  if (response.status === 202) return jobResult(await response.json<JobView>());
  return resultOf(call, response, { expiresIn, retryKey: key });
}

/** Problems with the parameters that are not those of a form. */
function issuesOf(operation: Operation, { background, idempotencyKey: key, expiresIn }: Json): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
  if (isGiven(background) && typeof background !== "boolean")
    issues.push({ name: "background", issue: "must be true or false" });
  if (isGiven(key) && !(typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)))
    issues.push({ name: "idempotencyKey", issue: "must be 1 to 255 characters of ASCII, without spaces" });
  // Checked here, because a result would be stored only when it has been charged.
  const kept = jobFieldsOf(operation).expiresIn.schema.safeParse(isGiven(expiresIn) ? String(expiresIn) : undefined);
  for (const { message } of kept.error?.issues ?? []) issues.push({ name: "expiresIn", issue: message });
  return issues;
}

/** What the result will be, as far as the parameters tell. They may be invalid. */
function resultKind(operation: Operation, parameters: Json): ReturnType<typeof kindOfResult> {
  const values = Object.entries(operation.fields).flatMap(([name, field]) => {
    if (field.kind !== "text") return [];
    const given = parameters[name] ?? hintsOf(field).default;
    const text = typeof given === "object" ? JSON.stringify(given) : given === undefined ? undefined : String(given);
    return [[name, field.schema.safeParse(text).data]];
  });
  return kindOfResult(operation, Object.fromEntries(values));
}

function inputSchemaOf(operation: Operation): ParametersSchema {
  const { fields } = operation;
  const { properties: texts, $defs } = parameterSchemas(fields);
  const own: Record<string, Json> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const { required: isRequired, when } = hintsOf(field);
    if (isRequired && !when) required.push(name);
    if (field.kind === "text") own[name] = ownSchema(texts[name] ?? {});
    else if (field.kind === "file") own[name] = fileSchema(field);
    if (field.kind === "files") {
      const { prefix, min, max, description } = field;
      required.push(`${prefix}s`);
      own[`${prefix}s`] = {
        type: "array",
        minItems: min,
        maxItems: max,
        items: { type: "string" },
        description: `${description} Each: ${FILE}`,
      };
    }
  }
  const lists = fileListsOf(operation);
  const takesPdf =
    operation.steps !== undefined ||
    Object.values(fields).some((field) => field.kind !== "text" && field.accept.includes("pdf"));
  return {
    type: "object",
    properties: {
      ...(operation.steps !== undefined && pipelineFiles(lists.map(({ parameter }) => parameter))),
      ...own,
      ...(operation.steps !== undefined && { steps: stepsSchema(operation.steps) }),
      ...(takesPdf && { password: { type: "string", description: "If a PDF is encrypted." } }),
      ...(takesPdf &&
        fields["file"] === undefined &&
        lists.length > 0 && {
          passwords: {
            type: "array",
            items: { type: ["string", "null"] },
            description: "One for each of `files`, where they differ.",
          },
        }),
      ...jobParameters(operation),
      idempotencyKey: { type: "string" },
    },
    required,
    additionalProperties: false,
    ...($defs && { $defs }),
  };
}

/** Without facts for forms, and with nothing said twice. */
function ownSchema({ "x-when": _when, "x-required": _required, format, examples, ...schema }: Json): Json {
  const { default: byDefault, description, "x-choices": choices, ...rest } = schema;
  const named = isObject(choices) ? ` Of: ${(choices["values"] as readonly string[]).join(", ")}.` : "";
  return {
    ...rest,
    ...(byDefault !== undefined && { default: byDefault }),
    ...(examples !== undefined && format !== "page-range" && format !== "color" && { examples }),
    ...(typeof description === "string" && {
      description: `${byDefault === undefined ? description : description.replace(/ Default: `[^`]*`\.$/, "")}${named}`,
    }),
  };
}

function fileSchema(field: Extract<Fields[string], { kind: "file" }>): Json {
  const { when, required } = hintsOf(field);
  const conditions = Object.entries(when ?? {}).map(([name, values]) => `\`${name}\` is ${values.join(" or ")}`);
  const condition =
    conditions.length === 0 ? "" : ` ${required ? "Required" : "Only"} when ${conditions.join(" and ")}.`;
  return { type: "string", description: `${field.description}${condition} ${FILE}` };
}

function pipelineFiles(lists: readonly string[]): Readonly<Record<string, Json>> {
  const several = lists.map((name) => [
    name,
    {
      type: "array",
      items: { type: "string" },
      description: `Instead of \`file\`, if the first step takes \`${name}\`.`,
    },
  ]);
  return {
    file: { type: "string", description: `The file of the first step. ${FILE}` },
    ...(Object.fromEntries(several) as Record<string, Json>),
    parts: {
      type: "object",
      additionalProperties: { type: "string" },
      description: 'Further files, by names of your own. A step refers to one as `"part:<name>"`.',
    },
  };
}

const stepsSchema = (operations: readonly Operation[]): Json => ({
  type: "array",
  minItems: 1,
  maxItems: limits.steps,
  items: {
    type: "object",
    properties: { operation: { enum: operations.map(({ name }) => name) } },
    required: ["operation"],
    additionalProperties: true,
  },
  description: "In order: the name of a tool as `operation`, and its parameters, without files.",
});

function jobParameters(operation: Operation): Readonly<Record<string, Json>> {
  const { properties } = parameterSchemas(jobFieldsOf(operation));
  const { onPageError } = properties;
  return {
    background: { type: "boolean" },
    ...(onPageError && {
      onPageError: {
        ...ownSchema(onPageError),
        description: "Of a job: `continue` leaves out the pages that fail.",
      },
    }),
    expiresIn: expiresInSchema,
  };
}

/** The example of the reference, with files as URLs and values as JSON. */
function exampleOf(operation: Operation): Json | undefined {
  const { example, fields, steps } = operation;
  if (example === undefined) return undefined;
  const value: Record<string, unknown> = {};
  const lists = fileListsOf(operation);
  for (const [name, text] of Object.entries(example)) {
    const field = fields[name];
    const list = lists.find(({ prefix }) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)));
    const url = `https://example.com/${text}`;
    if (list !== undefined) value[list.parameter] = [...((value[list.parameter] as string[] | undefined) ?? []), url];
    else if (field?.kind === "file" || (steps !== undefined && name === "file")) value[name] = url;
    else if (field?.kind === "text")
      // A page size is an object or a name.
      value[name] =
        takesJson(field) && /^[[{]/.test(text) ? JSON.parse(text) : plain(field.schema.safeParse(text).data, text);
    else value[name] = text;
  }
  return value;
}

const plain = (value: unknown, text: string): unknown =>
  typeof value === "number" || typeof value === "boolean" ? value : text;
