/** The parameters of the n8n node, from openapi.json. */
import { capital, type FormRoute, formRoutesOf, type Member, type OpenApi, valuesOf } from "./description.ts";
import { headerFactsOf } from "./header-facts.ts";

interface Property {
  readonly displayName: string;
  readonly name: string;
  readonly type: string;
  readonly default: unknown;
  readonly description?: string;
  readonly [more: string]: unknown;
}

/** Names that n8n's linter wants in capitals. */
const CAPITALS = new Set(["Id", "Url", "Ocr", "Pdf"]);

/** `imageMaxDpi`: `Image Max Dpi`. */
const titled = (name: string): string =>
  name
    .split(/-|(?<=[a-z])(?=[A-Z0-9])/)
    .map(capital)
    .map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word))
    .join(" ");

/** In n8n, a single sentence ends without a period. */
function described(text: string): string {
  const line = text.replaceAll("\n", " ").trim();
  return /\. \S/.test(line) ? line : line.replace(/\.$/, "");
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name.localeCompare(other.name, "en");

/** The parameters above the optional ones: those that are required, even if only with some values of another one, and those others. */
function isMain(member: Member, all: readonly Member[]): boolean {
  const governs = all.some(
    ({ schema }) => schema["x-required"] === true && schema["x-when"]?.[member.property] !== undefined,
  );
  return member.required || member.schema["x-required"] === true || governs;
}

function property({ property: name, kind, isList, schema, description = "" }: Member): Property {
  const base = { displayName: titled(name), name, description: described(description) };
  if (kind === "file") {
    const takes = isList
      ? "Names of the binary fields that have the files, IDs of stored files, or URLs, separated by commas"
      : "Name of the binary field that has the file, ID of a stored file, or a URL";
    return { ...base, type: "string", default: isList ? "data" : name === "file" ? "data" : "", description: takes };
  }
  if (kind === "json") return { ...base, type: "json", default: "" };
  if (schema.type === "boolean") {
    return {
      ...base,
      type: "boolean",
      default: schema.default === true,
      description: `Whether \`${name}\` is on. ${description}`,
    };
  }
  const values = valuesOf(schema);
  if (values !== undefined) {
    const options = values.map((value) => ({ name: titled(value), value })).sort(byName);
    return { ...base, type: "options", default: String(schema.default ?? values[0]), options };
  }
  if (schema.format === "color") return { ...base, type: "color", default: schema.default ?? "" };
  if (schema.type === "integer" || schema.type === "number") {
    return { ...base, type: "number", default: schema.default ?? schema.minimum ?? 0 };
  }
  const secret = schema.format === "password" ? { typeOptions: { password: true } } : {};
  return { ...base, type: "string", ...secret, default: schema.default ?? "" };
}

/** An option of all operations. */
const AS_JOB: Property = {
  displayName: "Run as Job",
  name: "job",
  type: "boolean",
  default: false,
  description:
    "Whether the service works in the background while the node waits for the end of the job. Files over 16 MiB are always processed by a job.",
};

/** The files of a pipeline besides the first. */
const PARTS: Property = {
  displayName: "Further Files",
  name: "parts",
  type: "string",
  default: "",
  description: "Names of binary fields that steps refer to as part:name, separated by commas",
};

function parametersOf({ name, members, isPipeline }: FormRoute): Property[] {
  const show = { operation: [name] };
  const main = members.filter((member) => isMain(member, members) || (isPipeline && member.property === "file"));
  const optional = [
    ...members.filter((member) => !main.includes(member)).map(property),
    AS_JOB,
    ...(isPipeline ? [PARTS] : []),
  ].sort((one, other) => one.displayName.localeCompare(other.displayName, "en"));
  const own = main.map((member) => {
    const when = Object.entries(member.schema["x-when"] ?? {}).filter(([governor]) =>
      main.some((one) => one.property === governor),
    );
    const required = member.required || member.schema["x-required"] === true;
    return {
      ...property(member),
      ...(required && { required }),
      displayOptions: {
        show: {
          ...show,
          ...Object.fromEntries(when.map(([governor, values]) => [governor, valuesAs(members, governor, values)])),
        },
      },
    };
  });
  return [
    ...own,
    {
      displayName: "Options",
      name: "options",
      type: "collection",
      placeholder: "Add option",
      default: {},
      displayOptions: { show },
      options: optional,
    },
  ];
}

const valuesAs = (members: readonly Member[], governor: string, values: readonly string[]): unknown[] =>
  members.find(({ property }) => property === governor)?.schema.type === "boolean"
    ? values.map((value) => value === "true")
    : [...values];

export function generateN8n(document: OpenApi): string {
  const routes = formRoutesOf(document);
  const operations = routes
    .map(({ name, method }) => ({
      name: titled(name),
      value: name,
      action: method.summary,
      description: method.summary,
    }))
    .sort(byName);
  const fields = Object.fromEntries(
    routes.map(({ name, members }) => [
      name,
      members.map(({ property, field, kind }) => ({ name: property, field, kind })),
    ]),
  );
  const facts = headerFactsOf(document).map(({ name, header, type }) => ({ name, header: header.toLowerCase(), type }));
  const written = (value: unknown): string => JSON.stringify(value, undefined, 2);
  return `// Generated by \`npm run generate -- client\` from openapi.json. Do not edit.
import type { INodeProperties, INodePropertyOptions } from "n8n-workflow";

export const operations: INodePropertyOptions[] = ${written(operations)};

export const parameters: INodeProperties[] = ${written(routes.flatMap(parametersOf))};

/** How each parameter is sent, by operation. \`{N}\` in a field's name stands for the number of a file. */
export const fields: Readonly<
  Record<string, readonly { readonly name: string; readonly field: string; readonly kind: "file" | "text" | "json" }[]>
> = ${written(fields)};

/** What the headers of a response say about its file. */
export const facts: readonly { readonly name: string; readonly header: string; readonly type: string }[] = ${written(facts)};
`;
}
