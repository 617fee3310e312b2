import { html } from "hono/html";
import { Marked, type MarkedToken } from "marked";
import { highlighted } from "./example.ts";
import { external, type Html, inline, type LinkTarget } from "./prose.ts";

/** A block of a document. Lines of paragraphs and list items are joined. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly string[] }
  | {
      readonly kind: "table";
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** The anchor of the heading above it; empty without one. */
      readonly section: string;
    }
  | { readonly kind: "code"; readonly language: string; readonly text: string };

const parser = new Marked({ gfm: true });

/** The blocks that the documents use. Comments and images are left out. */
export function blocksOf(text: string): Block[] {
  let section = "";
  return parser.lexer(text).flatMap((token) => {
    if (token.type === "heading") section = anchorOf(token.text);
    return blockOf(token as MarkedToken, section);
  });
}

function blockOf(token: MarkedToken, section: string): Block[] {
  switch (token.type) {
    case "heading":
      return [{ kind: "heading", level: token.depth, text: token.text }];
    case "paragraph":
      return token.text.startsWith("![") ? [] : [{ kind: "paragraph", text: joined(token.text) }];
    case "list":
      return [{ kind: "list", ordered: token.ordered, items: token.items.map(({ text }) => joined(text)) }];
    case "code":
      return [{ kind: "code", language: token.lang ?? "", text: token.text }];
    case "table": {
      const textsOf = (cells: readonly { readonly text: string }[]): string[] => cells.map(({ text }) => text);
      return [{ kind: "table", head: textsOf(token.header), rows: token.rows.map(textsOf), section }];
    }
    default:
      return [];
  }
}

const joined = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ").trim();

/** The anchor of a heading, as a forge makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** The heads of columns whose cells are names that readers look up. */
const NAMED = new Set(["Limit", "Name", "Variable", "Scope"]);

/** A name of a table's row, with the anchor of the row. */
interface NamedRow {
  readonly name: string;
  readonly anchor: string;
  readonly cells: readonly string[];
}

/** The rows of a table that are looked up by name, such as limits and variables. A row can have several names. */
export function namedRows({ head: [first = ""], rows, section }: Block & { readonly kind: "table" }): NamedRow[] {
  if (!NAMED.has(first)) return [];
  return rows.flatMap(([cell = "", ...cells]) => {
    const names = Array.from(cell.matchAll(/`([\w.:-]+)`/g), ([, name = ""]) => name);
    const [anchor = ""] = names;
    return names.map((name) => ({ name, anchor: `${section}.${anchor}`, cells }));
  });
}

/** A document's blocks as HTML. */
export const rendered = (blocks: readonly Block[], target: LinkTarget): Html[] =>
  blocks.map((block) => renderedBlock(block, target));

/** A description as HTML: paragraphs, lists, and tables. */
export const prose = (text: string): Html[] => rendered(blocksOf(text), external);

function renderedBlock(block: Block, target: LinkTarget): Html {
  switch (block.kind) {
    case "heading":
      return heading(block.level, block.text);
    case "paragraph":
      return html`<p>${inline(block.text, target)}</p>`;
    case "list": {
      const items = block.items.map((item) => html`<li>${inline(item, target)}</li>`);
      return block.ordered
        ? html`<ol>
            ${items}
          </ol>`
        : html`<ul>
            ${items}
          </ul>`;
    }
    case "code":
      return html`<pre class="code" tabindex="0" aria-label="Example"><code>${highlighted(
        block.text,
        languages[block.language],
      )}</code></pre>`;
    case "table":
      return tableOf(block, target);
  }
}

const languages: Readonly<Record<string, Parameters<typeof highlighted>[1]>> = {
  sh: "curl",
  js: "JavaScript",
  ts: "TypeScript",
  json: "JSON",
  py: "Python",
  python: "Python",
};

function heading(level: number, text: string): Html {
  const id = anchorOf(text);
  const inner = html`<a href="#${id}">${inline(text)}</a>`;
  return level < 3 ? html`<h2 id="${id}">${inner}</h2>` : html`<h3 id="${id}">${inner}</h3>`;
}

/** In a box of its own, because a wide one is scrolled on a phone. */
function tableOf(block: Block & { readonly kind: "table" }, target: LinkTarget): Html {
  const { head, rows } = block;
  const anchors = new Map(namedRows(block).map(({ name, anchor }) => [name, anchor]));
  const idOf = (cell: string): Html | "" => {
    const anchor = anchors.get(/^`([\w.:-]+)`/.exec(cell)?.[1] ?? "");
    return anchor === undefined ? "" : html` id="${anchor}"`;
  };
  return html`<div
    class="wide"
    tabindex="0"
    role="region"
    aria-label="Table: ${head.filter((cell) => cell !== "").join(", ")}"
  >
    <table>
      <thead>
        <tr>
          ${head.map((cell) => (cell === "" ? html`<td></td>` : html`<th scope="col">${inline(cell, target)}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = "", ...cells]) =>
            html`<tr${idOf(first)}>
              <th scope="row">${inline(first, target)}</th>
              ${cells.map((cell) => html`<td>${inline(cell, target)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
