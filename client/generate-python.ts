/** The Python client's methods and types, from openapi.json. */
import {
  capital,
  contentOf,
  type FormRoute,
  formRouteOf,
  JSON_TYPE,
  type Member,
  type Method,
  type OpenApi,
  valuesOf,
} from "./description.ts";
import { type HeaderFact, headerFactsOf } from "./header-facts.ts";
import type { Schema } from "./schema-types.ts";

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

const BYTES_TYPE = "application/octet-stream";

const snake = (name: string): string =>
  name
    .replaceAll("-", "_")
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase();

const literal = (value: unknown): string => {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
};

/** Types as they are written in Python, and the classes that they need. */
class Types {
  readonly classes: string[] = [];
  readonly #names = new Set<string>();

  /** `name`: what an object without a name of its own is called. */
  of(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return schema.$ref.replace("#/components/schemas/", "");
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(", ")}]`;
    const joined = schema.anyOf ?? schema.oneOf;
    if (joined && schema.properties === undefined) return union(joined.map((one) => this.of(one, name)));
    const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
    return types.length === 0 ? "object" : union(types.map((type) => this.#named(type, schema, name)));
  }

  #named(type: string, schema: Schema, name: string): string {
    if (type === "array") {
      const { prefixItems } = schema;
      if (prefixItems) return `Tuple[${prefixItems.map((item) => this.of(item, name)).join(", ")}]`;
      return `List[${this.of(schema.items ?? {}, `${name}Item`)}]`;
    }
    if (type !== "object") return PRIMITIVES[type] ?? "object";
    if (schema.properties) return this.declare(name, schema);
    const { additionalProperties: values } = schema;
    return `Dict[str, ${typeof values === "object" ? this.of(values, `${name}Value`) : "object"}]`;
  }

  /** Declares a class for an object, and returns its name. */
  declare(name: string, { properties = {}, required = [], description }: Schema): string {
    if (this.#names.has(name)) throw new Error(`two types in Python are called ${name}`);
    this.#names.add(name);
    const members = Object.entries(properties).map(([key, schema]) => {
      if (!/^[A-Za-z_]\w*$/.test(key)) throw new Error(`${name} has a member that is no name: ${key}`);
      // What has a default may be left out of a request, and a client must not rely on it in a response that is older.
      const isRequired = required.includes(key) && schema.default === undefined;
      const type = this.of(schema, `${name}${capital(key)}`);
      return { isRequired, line: `    ${key}: ${type}\n` };
    });
    const lines = (isRequired: boolean): string =>
      members
        .filter((member) => member.isRequired === isRequired)
        .map(({ line }) => line)
        .join("");
    const [needed, optional] = [lines(true), lines(false)];
    const text = description === undefined ? "" : docstring(description, "    ");
    const body = (own: string, doc: string): string => (own === "" && doc === "" ? "    pass\n" : `${doc}${own}`);
    if (optional === "") this.classes.push(`class ${name}(TypedDict):\n${body(needed, text)}`);
    else if (needed === "") this.classes.push(`class ${name}(TypedDict, total=False):\n${body(optional, text)}`);
    else {
      this.classes.push(`class _${name}Required(TypedDict):\n${needed}`);
      this.classes.push(`class ${name}(_${name}Required, total=False):\n${body(optional, text)}`);
    }
    return name;
  }
}

const union = (types: readonly string[]): string => {
  const all = [...new Set(types)];
  return all.length === 1 ? (all[0] ?? "object") : `Union[${all.join(", ")}]`;
};

const optional = (type: string): string => (type.startsWith("Optional[") ? type : `Optional[${type}]`);

function docstring(text: string, indent: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
  const lines = escaped.split("\n").map((line) => `${indent}${line}`.trimEnd());
  const body = lines.join("\n").trim();
  return `${indent}"""${body}${body.includes("\n") ? `\n${indent}` : body.endsWith('"') ? " " : ""}"""\n`;
}

/** A parameter of a method. */
interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description?: string | undefined;
}

const written = ({ name, type, required }: Parameter): string =>
  required ? `${name}: ${type}` : `${name}: ${optional(type)} = None`;

const IDEMPOTENCY_KEY: Parameter = { name: "idempotency_key", type: "str", required: false };
const JOB_PARAMETERS: readonly Parameter[] = [
  {
    name: "expires_in",
    type: "int",
    required: false,
    description: "How many seconds the result is kept once the job has ended.",
  },
];
const PAGE_ERROR: Parameter = {
  name: "on_page_error",
  type: 'Literal["fail", "continue"]',
  required: false,
  description: "Whether the job goes on without pages that fail.",
};

/** Required ones first. The first can be given by its place. */
function signature(name: string, parameters: readonly Parameter[], result: string): string {
  const [first, ...rest] = [...parameters].sort((one, other) => Number(other.required) - Number(one.required));
  const lines = [
    "self",
    ...(first ? (first.required ? [written(first), "*"] : ["*", written(first)]) : []),
    ...rest.map(written),
  ];
  const own = lines.at(-1) === "*" ? lines.slice(0, -1) : lines;
  return `    def ${name}(\n${own.map((line) => `        ${line},\n`).join("")}    ) -> ${result}:\n`;
}

function documented({ summary, description = "" }: Method, parameters: readonly Parameter[]): string {
  const described = parameters.filter(({ description }) => description !== undefined);
  const list = described.map(({ name, description = "" }) => `    ${name}: ${description.replaceAll("\n", " ")}`);
  const sections = [`${summary}.`, description, list.length === 0 ? "" : `Args:\n${list.join("\n")}`];
  return docstring(sections.filter((text) => text !== "").join("\n\n"), "        ");
}

function memberType(member: Member, types: Types, method: Method): string {
  const { kind, schema, isList, property } = member;
  const name = `${capital(method.operationId)}${capital(property)}`;
  const one =
    kind === "file"
      ? "FileInput"
      : kind === "json"
        ? sent(types.of(schema.contentSchema ?? {}, name))
        : schema.enum
          ? `Literal[${(valuesOf(schema) ?? []).map(literal).join(", ")}]`
          : types.of(schema, name);
  if (!isList) return one;
  return `Sequence[${member.required ? one : optional(one)}]`;
}

/** A request takes any sequence and mapping. */
const sent = (type: string): string => type.replaceAll("List[", "Sequence[").replaceAll("Dict[", "Mapping[");

interface ResultType {
  readonly type: string;
  /** Values of one parameter, as a type, with which it is returned. */
  readonly narrowing?: Parameter;
}

function resultsOf({ method, members }: FormRoute, types: Types): { all: readonly ResultType[]; reader: string } {
  const { [JSON_TYPE]: json, ...files } = contentOf(method);
  if (json === undefined) return { all: [{ type: "FileResult" }], reader: "read_file" };
  const data = types.of(json.schema, `${capital(method.operationId)}Result`);
  const type = `JsonResult[${data}]`;
  if (Object.keys(files).length === 0) return { all: [{ type }], reader: "read_json" };
  const [[name, values] = ["", []]] = Object.entries(json["x-when"] ?? {});
  const governor = members.find(({ property }) => property === name);
  const possible = governor && valuesOf(governor.schema);
  if (!governor || !possible) return { all: [{ type: `Union[${type}, FileResult]` }], reader: "read_result" };
  const isFlag = governor.schema.type === "boolean";
  const narrowing = (own: readonly string[]): Parameter => ({
    name: snake(name),
    type: `Literal[${own.map((value) => (isFlag ? capital(value) : literal(value))).join(", ")}]`,
    required: governor.schema.default === undefined || !own.includes(String(governor.schema.default)),
  });
  const all = [
    { type, narrowing: narrowing(values) },
    { type: "FileResult", narrowing: narrowing(possible.filter((value) => !values.includes(value))) },
  ];
  return { all, reader: "read_result" };
}

/** A variable gives the type to what is only known by its headers. */
const returned = (type: string, call: string): string => `        result: ${type} = ${call}\n        return result\n`;

/** A method for requests, and one for jobs. */
function operation(route: FormRoute, types: Types): { request: string; job: string } {
  const { path, method, members, isPageByPage, isPipeline } = route;
  const name = snake(method.operationId);
  const own = members.map((member): Parameter => {
    const type =
      isPipeline && member.property === "steps" ? "Sequence[Mapping[str, object]]" : memberType(member, types, method);
    return { name: snake(member.property), type, required: member.required, description: member.description };
  });
  if (isPipeline) {
    own.push({
      name: "parts",
      type: "Mapping[str, FileInput]",
      required: false,
      description: "Further files, by the names that steps refer to them with: `part:<name>`.",
    });
  }
  const fields = members
    .map(({ field, property, kind }) => `            ("${kind}", "${field}", ${snake(property)}),\n`)
    .join("");
  const more = isPipeline ? ", parts" : "";
  const { all, reader } = isPipeline
    ? { all: [{ type: "Union[JsonResult[object], FileResult]" }], reader: "read_result" }
    : resultsOf(route, types);
  const make = (parameters: readonly Parameter[], wrap: (type: string) => string, call: string): string => {
    const overloads =
      all.length < 2
        ? ""
        : all
            .map(({ type, narrowing }) => {
              const narrowed = parameters.map((one) => (one.name === narrowing?.name ? { ...one, ...narrowing } : one));
              return `    @overload\n${signature(name, narrowed, wrap(type)).trimEnd()} ...\n\n`;
            })
            .join("");
    const any = all.length < 2 ? (all[0]?.type ?? "FileResult") : `Union[${all.map(({ type }) => type).join(", ")}]`;
    const result = all.length < 2 ? wrap(any) : `Union[${all.map(({ type }) => wrap(type)).join(", ")}]`;
    const text = documented(method, parameters);
    return `${overloads}${signature(name, parameters, result)}${text}        fields: Fields = [\n${fields}        ]\n${returned(result, call)}\n`;
  };
  const job = [...own, ...JOB_PARAMETERS, ...(isPageByPage ? [PAGE_ERROR] : []), IDEMPOTENCY_KEY];
  const jobFields = isPageByPage
    ? '[("text", "expiresIn", expires_in), ("text", "onPageError", on_page_error)]'
    : '[("text", "expiresIn", expires_in)]';
  return {
    request: make(
      [...own, IDEMPOTENCY_KEY],
      (type) => type,
      `self._operation("${path}", fields${more || ", None"}, idempotency_key, ${reader})`,
    ),
    job: make(
      job,
      (type) => `JobHandle[${type}]`,
      `self._service._start("${path}", [*fields, *${jobFields}]${more || ", None"}, idempotency_key, ${reader})`,
    ),
  };
}

function route(path: string, verb: string, method: Method, types: Types): string {
  const { operationId, requestBody, parameters: described = [], responses } = method;
  const base = capital(operationId);
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]): Parameter => ({
    name: snake(id),
    type: "str",
    required: true,
  }));
  const query = described.filter((parameter) => parameter.in === "query");
  const bodySchema = requestBody?.content?.[JSON_TYPE]?.schema;
  const isBytes = requestBody?.content?.[BYTES_TYPE] !== undefined;
  const isAlternative = bodySchema?.oneOf !== undefined;
  const given = Object.entries(bodySchema?.properties ?? {}).map(([name, schema]) => ({
    key: name,
    name: snake(name),
    type: sent(types.of(schema, `${base}${capital(name)}`)),
    required: !isAlternative && bodySchema?.required?.includes(name) === true && schema.default === undefined,
    description: schema.description,
  }));
  const asked = query.map(({ name, schema, description }) => ({
    key: name,
    name: snake(name),
    type: types.of(schema, `${base}${capital(name)}`),
    required: false,
    description,
  }));
  const bytes: readonly Parameter[] = isBytes ? [{ name: "content", type: "bytes", required: true }] : [];
  const content = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]?.content ?? {};
  const isFile = Object.values(content).some(({ schema }) => schema.format === "binary");
  const json = content[JSON_TYPE]?.schema;
  const received = json === undefined ? "object" : types.of(json, `${base}Result`);
  const target = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `{quote(${snake(id)}, safe='')}`);
  const args = [
    `"${verb.toUpperCase()}"`,
    `${ids.length === 0 ? "" : "f"}"${target}"`,
    ...(asked.length === 0 ? [] : [`query={${asked.map(({ key, name }) => `"${key}": ${name}`).join(", ")}}`]),
    ...(bodySchema === undefined ? [] : [`json={${given.map(({ key, name }) => `"${key}": ${name}`).join(", ")}}`]),
    ...(isBytes ? ["content=content"] : []),
  ];
  const result = isFile ? (json === undefined ? "FileResult" : "Union[JsonResult[object], FileResult]") : received;
  const call = isFile
    ? `${json === undefined ? "read_file" : "read_result"}(self._send(${args.join(", ")}))`
    : `cast(${JSON.stringify(received)}, self._json(${args.join(", ")}))`;
  const parameters = [...ids, ...bytes, ...given, ...asked];
  return `${signature(snake(operationId), parameters, result)}${documented(method, parameters)}${returned(result, call)}`;
}

const FACT_TYPES: Readonly<Record<string, string>> = {
  string: "Optional[str]",
  integer: "Optional[int]",
  number: "Optional[float]",
  boolean: "bool",
  array: "List[str]",
};

function facts(all: readonly HeaderFact[]): string {
  const members = all.map(({ name, header, type, description }) => {
    const read = type === "string" ? "text" : type;
    return `    @property
    def ${snake(name)}(self) -> ${FACT_TYPES[type] ?? "Optional[str]"}:
${docstring(description, "        ")}        return read_${read}(self.headers, "${header}")
`;
  });
  return `class Facts(Headers):
    """What the headers of a response say about its result."""

${members.join("\n")}`;
}

export function generatePython(document: OpenApi): string {
  const types = new Types();
  const { Error: errorSchema, ...schemas } = document.components.schemas;
  const codes = errorSchema?.properties?.["error"]?.properties?.["code"]?.enum ?? [];
  const used = Object.entries(schemas).filter(([name, { properties }]) => properties && !name.endsWith("Step"));
  for (const [name, schema] of used) types.declare(name, schema);
  const [requests, jobs, routes]: [string[], string[], string[]] = [[], [], []];
  for (const [path, verbs] of Object.entries(document.paths)) {
    for (const [verb, method] of Object.entries(verbs)) {
      const form = formRouteOf(path, method);
      if (form) {
        const { request, job } = operation(form, types);
        requests.push(request);
        jobs.push(job);
      } else routes.push(route(path, verb, method, types));
    }
  }
  return `# Generated by \`npm run client\` from openapi.json. Do not edit.
from __future__ import annotations

from typing import Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union, cast, overload
from urllib.parse import quote

from ._files import FileInput
from ._results import FileResult, JobHandle, JsonResult, read_file, read_json, read_result
from ._transport import Fields, Transport

__all__ = ["ErrorCode", "JobMethods", "ServiceMethods"]

ErrorCode = Literal[
${codes.map((code) => `    ${literal(code)},\n`).join("")}]

${types.classes.join("\n\n")}

class ServiceMethods(Transport):
    """One method per request of the service."""

${[...requests, ...routes].join("\n")}

class JobMethods:
    """The operations, as jobs."""

    def __init__(self, service: Transport) -> None:
        self._service = service

${jobs.join("\n")}`;
}

/** The properties of results. They have a module of their own, because results rest on them. */
export function generatePythonFacts(document: OpenApi): string {
  return `# Generated by \`npm run client\` from openapi.json. Do not edit.
from __future__ import annotations

from typing import List, Optional

from ._headers import Headers, read_array, read_boolean, read_integer, read_number, read_text


${facts(headerFactsOf(document))}`;
}
