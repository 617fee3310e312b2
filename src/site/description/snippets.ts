import type { Call } from "./call.ts";
import { clientSnippet } from "./client-snippet.ts";
import { pythonClient, pythonRequests } from "./python-snippets.ts";

export const languages = ["TypeScript", "curl", "JavaScript", "Python", "requests"] as const;
export type Language = (typeof languages)[number];

/** The request as code to paste; its files are at their `path`. */
export function snippet(language: Language, call: Call): string {
  return writers[language](call);
}

const writers: Readonly<Record<Language, (call: Call) => string>> = {
  TypeScript: clientSnippet,
  curl,
  JavaScript: javascript,
  Python: pythonClient,
  requests: pythonRequests,
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

/** A JavaScript string. */
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
