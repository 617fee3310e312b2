import type { Call, ClientCall } from "./call.ts";
import type { Field, ValueField } from "./fields.ts";
import type { Entry } from "./form-values.ts";
import { allows } from "./schema.ts";
import { isStepsField, PART, type Step, stepsIn } from "./steps.ts";

/** An operation's method: `extract-text` is `extractText`. */
export const clientMethod = (operation: string): string =>
  operation.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The request with the TypeScript client. */
export function clientSnippet({ client, url, key, body, file }: Call): string {
  const written = new Written();
  const args = client.ids.map(quote);
  let call = `pdf.${client.method}`;
  if (body && "path" in body) args.push(`await ${written.use("openAsBlob", "node:fs")}(${quote(body.path)})`);
  if (body && "json" in body) args.push(literal(body.json));
  const isPipeline = client.fields?.some((field) => field.kind === "value" && isStepsField(field)) === true;
  if (body && "form" in body && isPipeline) call = pipeline(body.form, written);
  else if (body && "form" in body) call += `(${formArgument(client, body.form, written)})`;
  else call += `(${args.join(", ")})`;
  const isOperation = body !== undefined && "form" in body && client.fields !== undefined && !isUpload(client);
  const lines =
    file === undefined
      ? [`const result = await ${call};`, `console.log(${isOperation ? "result.data" : "result"});`]
      : [
          `const result = await ${call};`,
          `await ${written.use("writeFile", "node:fs/promises")}(${quote(file)}, await result.bytes());`,
        ];
  const apiKey = typeof key === "object" ? `process.env.${key.variable}` : quote(key ?? "");
  const options: [string, string][] = [
    ...(key === undefined ? [] : [["apiKey", apiKey] as [string, string]]),
    ["baseUrl", quote(new URL(url).origin)],
  ];
  return [
    ...written.imports(),
    `import { PdfService } from "pdf-service-client";`,
    "",
    `const pdf = new PdfService(${object(options)});`,
    ...lines,
  ].join("\n");
}

/** It takes the file itself. */
const isUpload = ({ method }: ClientCall): boolean => method === "uploadFile";

/** The names that a snippet imports. */
class Written {
  readonly #names = new Map<string, string>();

  use(name: string, from: string): string {
    this.#names.set(name, from);
    return name;
  }

  imports(): string[] {
    const modules = new Set(this.#names.values());
    return [...modules].map((from) => {
      const names = [...this.#names].filter(([, module]) => module === from);
      const sorted = names.map(([name]) => name).toSorted();
      return `import { ${sorted.join(", ")} } from ${quote(from)};`;
    });
  }
}

const quote = (text: string): string => JSON.stringify(text);

function formArgument(client: ClientCall, entries: readonly Entry[], written: Written): string {
  const { fields = [] } = client;
  if (isUpload(client)) return entries.map((entry) => fileValue(entry, written)).join(", ");
  return object(members(fields, entries, written));
}

/** The members of an operation's input: numbered files are a list, and values have their types. */
function members(fields: readonly Field[], entries: readonly Entry[], written: Written): [string, string][] {
  return fields.flatMap((field): [string, string][] => {
    const { name } = field;
    if (field.kind !== "files") {
      const entry = entries.find((one) => one.name === name);
      if (entry === undefined) return [];
      return [[name, field.kind === "value" && "text" in entry ? value(field, entry.text) : fileValue(entry, written)]];
    }
    const numbered = (prefix: string): string[] =>
      entries.flatMap((entry) =>
        new RegExp(`^${prefix}\\d+$`).test(entry.name)
          ? ["text" in entry && prefix !== name ? quote(entry.text) : fileValue(entry, written)]
          : [],
      );
    const { passwords } = field;
    const own = passwords === undefined ? [] : numbered(passwords);
    return [
      [`${name}s`, list(numbered(name))],
      ...(own.length > 0 ? [[`${passwords}s`, `[${own.join(", ")}]`] as [string, string]] : []),
    ];
  });
}

function fileValue(entry: Entry, written: Written): string {
  if (!("file" in entry)) return quote(entry.text);
  const { path, name } = entry.file;
  return `{ data: await ${written.use("readFile", "node:fs/promises")}(${quote(path)}), name: ${quote(name)} }`;
}

/** The text of a form field as a value of its type. */
function value({ schema }: ValueField, text: string): string {
  const isNumber = (allows(schema, "number") || allows(schema, "integer")) && Number.isFinite(Number(text));
  if (isNumber) return String(Number(text));
  if (allows(schema, "boolean")) return String(text === "true" || text === "1");
  return schema.contentSchema === undefined ? quote(text) : literal(parsed(text) ?? text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `pdf.pipeline(file).rotate({ angle: 90 }).compress().run()` */
function pipeline(entries: readonly Entry[], written: Written): string {
  const steps = stepsIn(entries.flatMap((entry) => (entry.name === "steps" && "text" in entry ? entry.text : []))[0]);
  const document = entries.find(({ name }) => name === "file");
  const first = document === undefined ? "" : fileValue(document, written);
  const part = (given: unknown): string => {
    const named = typeof given === "string" && given.startsWith(PART) ? given.slice(PART.length) : undefined;
    const entry = entries.find(({ name }) => name === named);
    return entry === undefined ? literal(given) : fileValue(entry, written);
  };
  const calls = steps.map(({ operation, ...parameters }: Step) => {
    const given = Object.entries(parameters).map(([name, one]): [string, string] => [name, part(one)]);
    return `  .${clientMethod(String(operation))}(${given.length === 0 ? "" : object(given, "  ")})`;
  });
  return [`pdf\n  .pipeline(${first})`, ...calls, "  .run()"].join("\n");
}

const NAME = /^[A-Za-z_]\w*$/;
const LINE = 72;

/** An object of members that are written already: in a line if it is short. */
function object(written: readonly (readonly [string, string])[], indent = ""): string {
  if (written.length === 0) return "{}";
  const all = written.map(([name, one]) => `${NAME.test(name) ? name : quote(name)}: ${one}`);
  const line = `{ ${all.join(", ")} }`;
  return line.length <= LINE ? line : `{\n${all.map((one) => `${indent}  ${one},`).join("\n")}\n${indent}}`;
}

function list(written: readonly string[]): string {
  const line = `[${written.join(", ")}]`;
  return line.length <= LINE ? line : `[\n${written.map((one) => `    ${one},`).join("\n")}\n  ]`;
}

/** JSON as a literal. */
function literal(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(literal).join(", ")}]`;
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  const entries = Object.entries(json).map(([name, one]) => `${NAME.test(name) ? name : quote(name)}: ${literal(one)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
