import type { Call } from "./call.ts";
import { clientSnippet } from "./client-snippet.ts";
import type { Entry } from "./form-values.ts";

export const languages = ["TypeScript", "curl", "JavaScript", "Python"] as const;
export type Language = (typeof languages)[number];

/** The request as code to paste; its files are at their `path`. */
export function snippet(language: Language, call: Call): string {
  return writers[language](call);
}

const writers: Readonly<Record<Language, (call: Call) => string>> = {
  TypeScript: clientSnippet,
  curl,
  JavaScript: javascript,
  Python: python,
};

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** curl gives `;` and `,` in an unquoted path a meaning, and backslashes in a quoted one. */
const formPath = (path: string): string =>
  /[";,\\]/.test(path) ? `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : path;

function curl({ method, url, key, body, file }: Call): string {
  const lines = [`curl --fail-with-body ${url}`];
  if (method !== (body === undefined ? "GET" : "POST")) lines.push(`-X ${method}`);
  if (typeof key === "object") lines.push(`-H "Authorization: Bearer $${key.variable}"`);
  else if (key !== undefined) lines.push(`-H ${shellQuoted(`Authorization: Bearer ${key}`)}`);
  if (body && "form" in body) {
    for (const entry of body.form) {
      if ("file" in entry) lines.push(`-F ${shellQuoted(`${entry.name}=@${formPath(entry.file.path)}`)}`);
      // Not -F: a value may begin with @ or <, which -F takes for file names.
      else lines.push(`--form-string ${shellQuoted(`${entry.name}=${entry.text}`)}`);
    }
  } else if (body && "path" in body) {
    lines.push(`-H 'Content-Type: application/octet-stream'`, `--data-binary @${formPath(body.path)}`);
  } else if (body) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${shellQuoted(JSON.stringify(body.json))}`);
  }
  if (file !== undefined) lines.push(`-o ${/^[\w.-]+$/.test(file) ? file : shellQuoted(file)}`);
  return lines.join(" \\\n  ");
}

/** A JavaScript string. It is also valid Python, except for escapes that do not occur here. */
const quote = (text: string): string => JSON.stringify(text);

function javascript({ method, url, key, body, file }: Call): string {
  const imports: string[] = [];
  const form: string[] = [];
  if (body && "form" in body) {
    if (body.form.some((entry) => "file" in entry)) imports.push('import { openAsBlob } from "node:fs";');
    form.push("const form = new FormData();");
    for (const entry of body.form) {
      form.push(
        "file" in entry
          ? `form.append(${quote(entry.name)}, await openAsBlob(${quote(entry.file.path)}), ${quote(entry.file.name)});`
          : `form.append(${quote(entry.name)}, ${quote(entry.text)});`,
      );
    }
    form.push("");
  }
  if (body && "path" in body) imports.push('import { openAsBlob } from "node:fs";');
  if (file !== undefined) imports.push('import { writeFile } from "node:fs/promises";');
  if (imports.length > 0) imports.push("");
  const headers: string[] = [];
  if (key !== undefined) {
    const value = typeof key === "string" ? quote(`Bearer ${key}`) : `\`Bearer \${process.env.${key.variable}}\``;
    headers.push(`Authorization: ${value}`);
  }
  if (body && "json" in body) headers.push(`"Content-Type": "application/json"`);
  const options = [
    ...(method === "GET" ? [] : [`  method: ${quote(method)},`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(", ")} },`] : []),
    ...(body ? [`  body: ${javascriptBody(body)},`] : []),
  ];
  return [
    ...imports,
    ...form,
    options.length > 0
      ? `const response = await fetch(${quote(url)}, {\n${options.join("\n")}\n});`
      : `const response = await fetch(${quote(url)});`,
    "if (!response.ok) throw new Error(await response.text());",
    file === undefined
      ? "console.log(await response.json());"
      : `await writeFile(${quote(file)}, new Uint8Array(await response.arrayBuffer()));`,
  ].join("\n");
}

function javascriptBody(body: NonNullable<Call["body"]>): string {
  if ("form" in body) return "form";
  return "path" in body ? `await openAsBlob(${quote(body.path)})` : `JSON.stringify(${JSON.stringify(body.json)})`;
}

function python({ method, url, key, body, file }: Call): string {
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
