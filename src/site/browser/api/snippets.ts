import type { Answer } from "./call.ts";
import type { Operation } from "./description.ts";
import type { Entry } from "./form-values.ts";

export const languages = ["curl", "JavaScript", "Python"] as const;
export type Language = (typeof languages)[number];

export interface Call {
  readonly operation: Operation;
  readonly entries: readonly Entry[];
  readonly url: string;
  readonly key: string;
  /** Of the same operation, where it has been run: then it is known what comes back. */
  readonly answer: Answer | undefined;
}

/** The call as somebody would paste it; its files are where `path` says. */
export function snippet(language: Language, call: Call): string {
  if (language === "curl") return curl(call);
  return language === "JavaScript" ? javascript(call) : python(call);
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** curl reads `;` and `,` after a bare path, and backslashes in a quoted one. */
const formPath = (path: string): string =>
  /[";,\\]/.test(path) ? `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : path;

function curl(call: Call): string {
  const lines = [
    `curl --fail-with-body ${call.url}`,
    `-H ${shellQuoted(`Authorization: Bearer ${call.key}`)}`,
    ...call.entries.map((entry) =>
      "file" in entry
        ? `-F ${shellQuoted(`${entry.name}=@${formPath(entry.file.path)}`)}`
        : // Not -F: a value may begin with @ or <, which are not meant as file names.
          `--form-string ${shellQuoted(`${entry.name}=${entry.text}`)}`,
    ),
  ];
  const file = outputName(call);
  if (file !== undefined) lines.push(`-o ${/^[\w.-]+$/.test(file) ? file : shellQuoted(file)}`);
  return lines.join(" \\\n  ");
}

function javascript(call: Call): string {
  const quote = (text: string): string => JSON.stringify(text);
  const appended = call.entries.map((entry) =>
    "file" in entry
      ? `form.append(${quote(entry.name)}, await openAsBlob(${quote(entry.file.path)}), ${quote(entry.file.name)});`
      : `form.append(${quote(entry.name)}, ${quote(entry.text)});`,
  );
  const file = outputName(call);
  return `import { openAsBlob } from "node:fs";
${file === undefined ? "" : 'import { writeFile } from "node:fs/promises";\n'}
const form = new FormData();
${appended.join("\n")}

const answer = await fetch(${quote(call.url)}, {
  method: "POST",
  headers: { Authorization: ${quote(`Bearer ${call.key}`)} },
  body: form,
});
if (!answer.ok) throw new Error(await answer.text());
${
  file === undefined
    ? "console.log(await answer.json());"
    : `await writeFile(${quote(file)}, new Uint8Array(await answer.arrayBuffer()));`
}`;
}

function python(call: Call): string {
  // A JSON string is a Python string, too, but for what lies beyond its escapes: none here.
  const quote = (text: string): string => JSON.stringify(text);
  const files = call.entries.flatMap((entry) =>
    "file" in entry
      ? [`    (${quote(entry.name)}, (${quote(entry.file.name)}, open(${quote(entry.file.path)}, "rb"))),`]
      : [],
  );
  const data = call.entries.flatMap((entry) =>
    "file" in entry ? [] : [`    ${quote(entry.name)}: ${quote(entry.text)},`],
  );
  const file = outputName(call);
  return `import requests

answer = requests.post(
    ${quote(call.url)},
    headers={"Authorization": ${quote(`Bearer ${call.key}`)}},
    files=[
${files.map((line) => `    ${line}`).join("\n")}
    ],${data.length > 0 ? `\n    data={\n${data.map((line) => `    ${line}`).join("\n")}\n    },` : ""}
)
answer.raise_for_status()
${
  file === undefined ? "print(answer.json())" : `with open(${quote(file)}, "wb") as out:\n    out.write(answer.content)`
}`;
}

const extensions: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/zip": "zip",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

/** Where the result goes: named as the service names it. Undefined for JSON, which is printed. */
function outputName({ operation, entries, answer }: Call): string | undefined {
  const known = answer?.error === undefined ? answer : undefined;
  const type = known?.type ?? operation.produces[0] ?? "";
  if (type === "application/json") return undefined;
  if (known?.fileName !== undefined) return known.fileName;
  const first = entries.find((entry) => "file" in entry);
  const stem = first && "file" in first ? first.file.name.replace(/\.[^.]*$/, "") : "document";
  return `${stem}-${operation.name}.${extensions[type] ?? "bin"}`;
}
