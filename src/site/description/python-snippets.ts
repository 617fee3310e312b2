import type { Call } from "./call.ts";
import type { Field, ValueField } from "./fields.ts";
import type { Entry } from "./form-values.ts";
import { allows } from "./schema.ts";
import { isStepsField, partsIn } from "./steps.ts";

/** A string of JavaScript, which is also one of Python, except for escapes that do not occur here. */
const quote = (text: string): string => JSON.stringify(text);

/** Names of methods and parameters: `chunkSize` is `chunk_size`. */
const snake = (name: string): string =>
  name
    .replaceAll("-", "_")
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase();

type Argument = readonly [name: string | undefined, value: string];

/** The request with the Python client. */
export function pythonClient({ client, url, key, body, file }: Call): string {
  const isOperation = body !== undefined && "form" in body && client.fields !== undefined;
  const [id, ...others] = client.ids;
  const args: Argument[] = [
    ...(id === undefined ? [] : [[undefined, quote(id)] as const]),
    ...others.map((one): Argument => [one.toLowerCase(), quote(one)]),
    ...(body && "form" in body ? formArguments(client.fields ?? [], body.form) : []),
    ...(body && "path" in body ? [["content", `open(${quote(body.path)}, "rb").read()`] as const] : []),
    ...(body && "json" in body ? jsonArguments(body.json) : []),
  ];
  const options: Argument[] = [
    ...(key === undefined
      ? []
      : [["api_key", typeof key === "object" ? `os.environ['${key.variable}']` : quote(key)] as const]),
    ["base_url", quote(new URL(url).origin)],
  ];
  const isData = isOperation && client.method !== "uploadFile";
  return [
    ...(typeof key === "object" ? ["import os", ""] : []),
    "from pdf_service import PdfService",
    "",
    invocation("pdf = PdfService", options),
    invocation(`result = pdf.${snake(client.method)}`, args),
    file === undefined ? `print(result${isData ? ".data" : ""})` : `result.save(${quote(file)})`,
  ].join("\n");
}

const LINE = 88;

function invocation(called: string, args: readonly Argument[]): string {
  const written = args.map(([name, value]) => (name === undefined ? value : `${name}=${value}`));
  const line = `${called}(${written.join(", ")})`;
  return line.length <= LINE ? line : `${called}(\n${written.map((one) => `    ${one},`).join("\n")}\n)`;
}

const jsonArguments = (json: unknown): Argument[] =>
  Object.entries(json ?? {}).map(([name, value]) => [snake(name), pythonLiteral(value)]);

/** The arguments of a form: the first is its file or files, or the steps of a pipeline, and has no name. */
function formArguments(fields: readonly Field[], entries: readonly Entry[]): Argument[] {
  const steps = fields.find((field) => field.kind === "value" && isStepsField(field));
  const named = fields.flatMap((field): Argument[] => {
    if (field.kind === "files") return listArguments(field.name, field.passwords, entries);
    const entry = entries.find(({ name }) => name === field.name);
    if (entry === undefined) return [];
    return [
      [snake(field.name), field.kind === "value" && "text" in entry ? value(field, entry.text) : fileValue(entry)],
    ];
  });
  const text = entries.flatMap((entry) => (entry.name === steps?.name && "text" in entry ? entry.text : []))[0] ?? "";
  const parts = partsIn(text).flatMap((part) => {
    const entry = entries.find(({ name }) => name === part);
    return entry === undefined ? [] : [`${quote(part)}: ${fileValue(entry)}`];
  });
  const first = steps === undefined ? named[0]?.[0] : snake(steps.name);
  const all: Argument[] = [...named, ...(parts.length > 0 ? [["parts", `{${parts.join(", ")}}`] as const] : [])];
  return all
    .map(([name, value]): Argument => [name === first ? undefined : name, value])
    .toSorted(([a], [b]) => Number(a !== undefined) - Number(b !== undefined));
}

/** Numbered files and their passwords as lists. */
function listArguments(name: string, passwords: string | undefined, entries: readonly Entry[]): Argument[] {
  const numbered = (prefix: string): readonly Entry[] =>
    entries.filter((entry) => new RegExp(`^${prefix}\\d+$`).test(entry.name));
  const own = passwords === undefined ? [] : numbered(passwords);
  return [
    [`${name}s`, `[${numbered(name).map(fileValue).join(", ")}]`],
    ...(own.length > 0
      ? [
          [
            `${passwords}s`,
            `[${own.map((entry) => ("text" in entry ? quote(entry.text) : "None")).join(", ")}]`,
          ] as const,
        ]
      : []),
  ];
}

/** A path, or what refers to a file. */
const fileValue = (entry: Entry): string => quote("file" in entry ? entry.file.path : entry.text);

/** The text of a form field as a value of its type. */
function value({ schema }: ValueField, text: string): string {
  const isNumber = (allows(schema, "number") || allows(schema, "integer")) && Number.isFinite(Number(text));
  if (isNumber) return String(Number(text));
  if (allows(schema, "boolean")) return pythonLiteral(text === "true" || text === "1");
  if (schema.contentSchema === undefined) return quote(text);
  try {
    return pythonLiteral(JSON.parse(text));
  } catch {
    return quote(text);
  }
}

/** The request with the `requests` package, without a client. */
export function pythonRequests({ method, url, key, body, file }: Call): string {
  const given = [quote(url)];
  if (typeof key === "string") given.push(`headers={"Authorization": ${quote(`Bearer ${key}`)}}`);
  else if (key !== undefined) given.push(`headers={"Authorization": f"Bearer {os.environ['${key.variable}']}"}`);
  if (body && "form" in body) {
    // Without a file, requests would not send a form with parts.
    const isData = (entry: Entry): boolean => !("file" in entry) && body.form.some((one) => "file" in one);
    const files = body.form
      .filter((entry) => !isData(entry))
      .map((entry) => {
        const value =
          "file" in entry
            ? `${quote(entry.file.name)}, open(${quote(entry.file.path)}, "rb")`
            : `None, ${quote(entry.text)}`;
        return `        (${quote(entry.name)}, (${value})),`;
      });
    const data = body.form.flatMap((entry) =>
      "text" in entry && isData(entry) ? [`        ${quote(entry.name)}: ${quote(entry.text)},`] : [],
    );
    given.push(`files=[\n${files.join("\n")}\n    ]`);
    if (data.length > 0) given.push(`data={\n${data.join("\n")}\n    }`);
  } else if (body && "path" in body) {
    given.push(`data=open(${quote(body.path)}, "rb")`);
  } else if (body) {
    given.push(`json=${pythonLiteral(body.json)}`);
  }
  return [
    ...(typeof key === "object" ? ["import os", ""] : []),
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(\n${given.map((argument) => `    ${argument},`).join("\n")}\n)`,
    "response.raise_for_status()",
    file === undefined
      ? "print(response.json())"
      : `with open(${quote(file)}, "wb") as out:\n    out.write(response.content)`,
  ].join("\n");
}

/** JSON as a Python literal. */
function pythonLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${quote(name)}: ${pythonLiteral(member)}`);
    return `{${members.join(", ")}}`;
  }
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}
