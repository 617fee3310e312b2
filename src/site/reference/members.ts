import { html, raw } from "hono/html";
import type { Description, Parameter } from "../description/description.ts";
import type { Field } from "../description/fields.ts";
import type { Schema } from "../description/schema.ts";
import { type Html, inline } from "./prose.ts";
import { resolve } from "./resolve.ts";
import { objectAnchor, objectName, type SharedFacts } from "./shared-facts.ts";
import { limitWords, typeWords, withoutNull } from "./schema-words.ts";

/** A line of a table: a form field, a parameter, or a member of a JSON value. */
export interface Row {
  readonly name: string;
  /** What the anchor of the row ends in, if not in its name. */
  readonly key?: string;
  /** The object that is described elsewhere. */
  readonly object?: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  readonly notes: readonly string[];
}

/** Deeper than any schema of the API; recursion of a schema into itself ends here. */
const DEEPEST = 6;

type Objects = SharedFacts["objects"];

/** The members of a JSON value, including nested ones: `pages[].text`. Those of `objects` are left to their own description. */
export function memberRows(
  description: Description,
  given: Schema,
  objects: Objects = new Map(),
  prefix = "",
  depth = 0,
): Row[] {
  if (depth > 0 && objects.has(objectName(given) ?? "")) return [];
  const rowsOf = (inner: Schema, path: string): Row[] => memberRows(description, inner, objects, path, depth + 1);
  const schema = resolved(description, withoutNull(resolved(description, given)).schema);
  if (depth > DEEPEST) return [];
  if (schema.items) return rowsOf(schema.items, `${prefix}[]`);
  if (schema.anyOf) return schema.anyOf.flatMap((one) => rowsOf(one, prefix));
  const { properties = {}, additionalProperties: others, required = [] } = schema;
  const path = prefix === "" ? "" : `${prefix}.`;
  const rows = Object.entries(properties).flatMap(([name, member]) => {
    const inner = resolved(description, member);
    const object = [member, member.items ?? {}].map(objectName).find((one) => objects.has(one ?? ""));
    const row = { name: `${path}${name}`, required: required.includes(name), ...described(inner) };
    if (object !== undefined) return [{ ...row, object }];
    return [row, ...rowsOf(inner, row.name)];
  });
  // `{}` and `true` only allow other members.
  if (typeof others !== "object" || Object.keys(others).length === 0) return rows;
  const inner = resolved(description, others);
  const name = `${path}{name}`;
  return [...rows, { name, required: false, ...described(inner) }, ...rowsOf(inner, name)];
}

function resolved(description: Description, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return {
    ...resolve<Schema>(description, { $ref: schema.$ref }),
    ...(schema.description && { description: schema.description }),
  };
}

function described(schema: Schema): Pick<Row, "type" | "description" | "notes"> {
  return { type: typeWords(schema), description: schema.description ?? "", notes: limitWords(schema) };
}

export function parameterRow({ name, in: place, required = false, description = "", schema }: Parameter): Row {
  return { name, required, ...described({ ...schema, description }), type: `${typeWords(schema)}, in the ${place}` };
}

/** A form field, with the members of the JSON it contains. */
export function fieldRows(description: Description, field: Field): Row[] {
  const { required } = field;
  const when = Object.entries(field.when).map(([name, values]) => ({ name, values }));
  const untold = when.filter(({ name }) => !field.description.includes(`\`${name}\` is `));
  const notes = untold.map(
    ({ name, values }) => `with \`${name}\` ${values.map((value) => `\`${value}\``).join(" or ")}`,
  );
  if (field.kind === "file") {
    return [{ name: field.name, type: fileWords(field.accept), required, description: field.description, notes }];
  }
  if (field.kind === "files") {
    const { name, passwords, min } = field;
    const files = {
      name: numbered(name),
      key: name,
      type: fileWords(field.accept),
      required,
      description: field.description,
    };
    const count = `at least ${min}, numbered without gaps`;
    const own = `The password of the \`${name}\` with the same number.`;
    return [
      { ...files, notes: [count, ...notes] },
      ...(passwords === undefined
        ? []
        : [
            {
              name: numbered(passwords),
              key: `${passwords}s`,
              type: "password",
              required: false,
              description: own,
              notes: [],
            },
          ]),
    ];
  }
  const { schema, name } = field;
  const row = { name, required, ...described(schema), notes: [...limitWords(schema), ...notes] };
  return [row, ...(schema.contentSchema ? memberRows(description, schema.contentSchema, new Map(), name) : [])];
}

const numbered = (name: string): string => `${name}0, ${name}1, …`;

const fileWords = (accept: string): string =>
  `${accept
    .split(/,\s*/)
    .map((type) => (type === "image/webp" ? "WebP" : type.slice(type.indexOf("/") + 1).toUpperCase()))
    .join(", ")
    .replace(/, (\w+)$/, " or $1")} file`;

interface TableOptions {
  /** What the anchors of the rows begin with. */
  readonly anchor: string;
  /** What to note about a name: that it is required in a request, or that it may be missing from a response. */
  readonly marked?: "required" | "optional";
}

export function table(caption: string, rows: readonly Row[], { anchor, marked = "required" }: TableOptions): Html | "" {
  if (rows.length === 0) return "";
  const anchors = rows.map((row) => rowAnchor(anchor, row));
  return html`<table class="members">
    <caption>
      ${caption}
    </caption>
    <thead class="visually-hidden">
      <tr>
        <th scope="col">Name and type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ name, type, object, required, description, notes }, index) =>
          html`<tr ${anchors.indexOf(anchors[index] ?? "") === index ? raw(` id="${anchors[index]}"`) : ""}>
            <th scope="row">
              <a href="#${anchors[index]}"><code>${breakable(name)}</code></a>
              <span class="type"
                >${type}${object === undefined ? "" : html`: <a href="#${objectAnchor(object)}">${object}</a>`}</span
              >${required === (marked === "required") ? html` <span class="${marked}">${marked}</span>` : ""}
            </th>
            <td>
              ${description === "" ? "" : html`<p>${inline(description)}</p>`}${
                notes.length === 0 ? "" : html`<p class="notes">${inline(notes.join(" · "))}</p>`
              }
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The anchor of a row: `ocr.languages`, `extract-text.response.pages.text`. */
export const rowAnchor = (anchor: string, { name, key = name }: Pick<Row, "name" | "key">): string =>
  `${anchor}.${key.replaceAll(/[^\w.-]/g, "")}`;

/** Lets long names break after dots and underscores, and before capitals. */
export const breakable = (name: string): Html =>
  html`${name.split(/(?<=[.\]_])|(?<=[a-z])(?=[A-Z])/).map((part, index) => (index === 0 ? part : html`<wbr />${part}`))}`;
