import { type Description, operationOf } from "../description/description.ts";
import type { Guide } from "./guides.ts";
import { type Block, anchorOf, namedRows } from "./markdown.ts";
import { fieldRows, memberRows, parameterRow, type Row, rowAnchor } from "./members.ts";
import { type Described, methodsOf } from "./method-section.ts";
import { errorsIn } from "./responses.ts";
import { objectAnchor, sharedFacts } from "./shared-facts.ts";
import { GUIDE, NOT_OFFERED, type SearchEntry } from "./search.ts";
import { wordsOf } from "./search-words.ts";

/** An entry with what people call it besides its name. */
function entryOf(name: string, place: string, address: string, text: string, keywords = ""): SearchEntry {
  const words = `${keywords} ${wordsOf(address)}`.trim();
  return words === "" ? [name, place, address, plain(text)] : [name, place, address, plain(text), words];
}

/** All that the documentation has: sections of guides, methods with their fields, events, objects, headers, and errors. */
export function searchIndex(description: Description, guides: readonly Guide[]): SearchEntry[] {
  const calls = methodsOf(description.paths);
  const events = methodsOf(description.webhooks ?? {});
  const methods = calls.map(({ method }) => method);
  const { objects, headers } = sharedFacts(description, methods);
  return [
    ...guides.flatMap(sectionsOf),
    ...calls.flatMap((call) => methodEntries(description, call)),
    ...events.map(({ id, method }) => entryOf(id, "Event", `/docs#${id}`, method.description ?? "")),
    ...[...objects].flatMap(([name, schema]) => {
      const anchor = objectAnchor(name);
      return [
        entryOf(name, "Object", `/docs#${anchor}`, ""),
        ...rowEntries(name, anchor, memberRows(description, schema, objects)),
      ];
    }),
    ...[...headers].map(([name]) =>
      entryOf(name, "Header", `/docs#header-${name}`, description.components.headers[name]?.description ?? ""),
    ),
    ...[...errorsIn(description, methods)].map(([code, { status, about }]) =>
      entryOf(code, `Error ${status}`, `/docs#error-${code}`, about),
    ),
  ];
}

/** A guide's beginning and the sections that its headings begin, each with the named rows of its tables. */
function sectionsOf({ id, title, blocks }: Guide): SearchEntry[] {
  const page = `/docs/${id}`;
  const entries: SearchEntry[] = [];
  let [name, place, address, text] = [title, GUIDE, page, ""];
  let rows: SearchEntry[] = [];
  const end = () => {
    entries.push(entryOf(name, place, address, text), ...rows);
    [place, text, rows] = [title, "", []];
  };
  for (const block of blocks) {
    if (block.kind === "heading") {
      end();
      [name, address] = [plain(block.text), `${page}#${anchorOf(block.text)}`];
      continue;
    }
    text += ` ${textOf(block)}`;
    if (block.kind !== "table") continue;
    const kind = `${title}: ${block.head[0]?.toLowerCase()}`;
    for (const { name: own, anchor, cells } of namedRows(block))
      rows.push(entryOf(own, kind, `${page}#${anchor}`, cells.join(" ")));
  }
  end();
  return title === NOT_OFFERED ? [...entries, ...blocks.flatMap((block) => notOffered(id, block))] : entries;
}

/** Each of a list of things that are not offered can be found by its name. */
const notOffered = (id: string, block: Block): SearchEntry[] =>
  (block.kind === "list" ? block.items : []).map((item) => {
    const [, name = item] = /^\*\*(.+?)\*\*/.exec(item) ?? [];
    return [plain(name), NOT_OFFERED, `/docs/${id}`, plain(item)];
  });

function textOf(block: Exclude<Block, { kind: "heading" }>): string {
  if (block.kind === "list") return block.items.join(" ");
  if (block.kind === "table") return [block.head, ...block.rows].flat().join(" ");
  return block.text;
}

function methodEntries(description: Description, { id, method, path }: Described): SearchEntry[] {
  const operation = operationOf(path, method);
  const json = method.requestBody?.content["application/json"]?.schema;
  const rows = [
    ...(operation?.fields.flatMap((field) => fieldRows(description, field)) ?? []),
    ...(operation || json === undefined ? [] : memberRows(description, json)),
    // Those of operations are the same everywhere.
    ...(operation ? [] : (method.parameters ?? []).map(parameterRow)),
  ];
  const name = operation === undefined ? method.summary : id;
  const about = `${operation === undefined ? path : method.summary}. ${method.description ?? ""}`;
  const own = entryOf(name, method.tags[0] ?? "", `/docs#${id}`, about, method["x-keywords"]);
  return [own, ...rowEntries(name, id, rows)];
}

const rowEntries = (place: string, anchor: string, rows: readonly Row[]): SearchEntry[] =>
  rows.map((row) => entryOf(row.name, place, `/docs#${rowAnchor(anchor, row)}`, row.description));

/** Text without the marks of Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/\[((?:`[^`]*`|[^\]`])+)\]\([^)\s]+\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
