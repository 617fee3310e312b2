import { type Description, operationOf } from "../description/description.ts";
import type { Guide } from "./guides.ts";
import { type Block, anchorOf } from "./markdown.ts";
import { fieldRows, memberRows, parameterRow, type Row, rowAnchor } from "./members.ts";
import { type Described, methodsOf } from "./method-section.ts";
import { errorsIn } from "./responses.ts";
import { objectAnchor, sharedFacts } from "./shared-facts.ts";
import { NOT_OFFERED, type SearchEntry } from "./search.ts";
import { wordsOfGuide } from "./guide-words.ts";

/** An entry with what people call it besides its name. */
const withWords = ([name, place, address, text]: SearchEntry, words = ""): SearchEntry =>
  words === "" ? [name, place, address, text] : [name, place, address, text, words];

/** All that the documentation has: sections of guides, methods with their fields, events, objects, headers, and errors. */
export function searchIndex(description: Description, guides: readonly Guide[]): SearchEntry[] {
  const calls = methodsOf(description.paths);
  const events = methodsOf(description.webhooks ?? {});
  const methods = calls.map(({ method }) => method);
  const { objects, headers } = sharedFacts(description, methods);
  return [
    ...guides.flatMap(sectionsOf),
    ...calls.flatMap((call) => methodEntries(description, call)),
    ...events.map(({ id, method }): SearchEntry => [id, "Event", `/docs#${id}`, plain(method.description ?? "")]),
    ...[...objects].flatMap(([name, schema]) => {
      const anchor = objectAnchor(name);
      const own: SearchEntry = [name, "Object", `/docs#${anchor}`, ""];
      return [own, ...rowEntries(name, anchor, memberRows(description, schema, objects))];
    }),
    ...[...headers].map(([name]): SearchEntry => [
      name,
      "Header",
      `/docs#header-${name}`,
      plain(description.components.headers[name]?.description ?? ""),
    ]),
    ...[...errorsIn(description, methods)].map(([code, { status, about }]): SearchEntry => [
      code,
      `Error ${status}`,
      `/docs#error-${code}`,
      plain(about),
    ]),
  ];
}

/** A guide's beginning and the sections that its headings begin. */
function sectionsOf({ id, title, blocks }: Guide): SearchEntry[] {
  const entries: SearchEntry[] = [];
  let [name, address, text] = [title, `/docs/${id}`, ""];
  const end = () => {
    const entry: SearchEntry = [name, entries.length === 0 ? "Guide" : title, address, plain(text)];
    entries.push(withWords(entry, wordsOfGuide(address)));
  };
  for (const block of blocks) {
    if (block.kind === "heading") {
      end();
      [name, address, text] = [plain(block.text), `/docs/${id}#${anchorOf(block.text)}`, ""];
    } else {
      text += ` ${wordsOf(block)}`;
    }
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

function wordsOf(block: Exclude<Block, { kind: "heading" }>): string {
  if (block.kind === "list") return block.items.join(" ");
  if (block.kind === "table") return block.rows.flat().join(" ");
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
  const own = withWords([name, method.tags[0] ?? "", `/docs#${id}`, plain(about)], method["x-keywords"]);
  return [own, ...rowEntries(name, id, rows)];
}

const rowEntries = (place: string, anchor: string, rows: readonly Row[]): SearchEntry[] =>
  rows.map((row) => [row.name, place, `/docs#${rowAnchor(anchor, row)}`, plain(row.description)]);

/** Text without the marks of Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/\[((?:`[^`]*`|[^\]`])+)\]\([^)\s]+\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
