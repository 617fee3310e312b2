import { html } from "hono/html";
import { highlighted } from "./example.ts";
import { type Html, inline, type LinkTarget } from "./prose.ts";

/** A block of a document. Lines of paragraphs and list items are joined. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string };

const ITEM = /^(?:-|\d+\.) /;

/** The part of Markdown that the documents use (GitHub Flavored Markdown 0.29). Comments and images are left out. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.replaceAll(/<!--.*?-->\n?/gs, "").split("\n");
  for (let at = 0; at < lines.length;) {
    const rest = lines.slice(at);
    const [line = ""] = rest;
    const [, marks, heading] = /^(#+) (.*)$/.exec(line) ?? [];
    const [, fence, language = ""] = /^(```+)(\w*)$/.exec(line) ?? [];
    if (line.trim() === "" || line.startsWith("![")) {
      at += 1;
    } else if (marks !== undefined && heading !== undefined) {
      blocks.push({ kind: "heading", level: marks.length, text: heading });
      at += 1;
    } else if (fence !== undefined) {
      const end = rest.indexOf(fence, 1);
      blocks.push({ kind: "code", language, text: rest.slice(1, end).join("\n") });
      at += end + 1;
    } else if (line.startsWith("|")) {
      const table = rest.slice(
        0,
        lengthWhile(rest, (one) => one.startsWith("|")),
      );
      const [head = [], , ...rows] = table.map(cellsOf);
      blocks.push({ kind: "table", head, rows });
      at += table.length;
    } else if (ITEM.test(line)) {
      const list = rest.slice(
        0,
        lengthWhile(rest, (one) => ITEM.test(one) || /^ +\S/.test(one)),
      );
      const items = list.join("\n").split(/\n(?=- |\d+\. )/);
      blocks.push({
        kind: "list",
        ordered: !line.startsWith("-"),
        items: items.map((item) => joined(item.replace(ITEM, ""))),
      });
      at += list.length;
    } else {
      const length = lengthWhile(
        rest,
        (one, index) => index === 0 || (one.trim() !== "" && !/^(?:[#|]|```|- )/.test(one)),
      );
      blocks.push({ kind: "paragraph", text: joined(rest.slice(0, length).join("\n")) });
      at += length;
    }
  }
  return blocks;
}

function lengthWhile(lines: readonly string[], belongs: (line: string, index: number) => boolean): number {
  const end = lines.findIndex((line, index) => !belongs(line, index));
  return end < 0 ? lines.length : end;
}

const joined = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ").trim();

/** The cells of a row; a `\|` does not end one. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));

/** The anchor of a heading, as a forge makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** A document's blocks as HTML. */
export const rendered = (blocks: readonly Block[], target: LinkTarget): Html[] =>
  blocks.map((block) => renderedBlock(block, target));

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
      return tableOf(block.head, block.rows, target);
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
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[], target: LinkTarget): Html =>
  html`<div
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
            html`<tr>
              <th scope="row">${inline(first, target)}</th>
              ${cells.map((cell) => html`<td>${inline(cell, target)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
