/**
 * Part of `npm run check`: documents and comments are plain English. Counts phrases that no native writer would use, sentences of more than
 * `LONGEST_SENTENCE` words, and lines wider than `WIDEST_LINE` columns. Fails if documents or comments have more than their budget, and prints the
 * places. Lower the budgets when the counts fall; never raise them. `node scripts/check-words.ts --list [docs|comments] [path]` prints every place.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "@tsd/typescript";
import { root } from "./root.ts";

/** How many findings each kind of text may have. */
const BUDGETS = { docs: 53, comments: 333 };

const LONGEST_SENTENCE = 35;
const WIDEST_LINE = 160;

/** Words that replace a noun, an actor, or a plain verb. Quoted code and URLs are blanked out before the search. */
const PHRASES: readonly RegExp[] = [
  /\bwhat (?:is|are|was|were|it|has|have|they|there|stays|goes|does|its|only)\b/gi,
  // "Stands for" is English.
  /\bstands?\b(?! for\b|-)/gi,
  /\bsays?\b/gi,
  /\bas (?:they are|it is)\b/gi,
  /\b(?:is|are|was|were|be) given up\b/gi,
  /\bgo(?:es)? on\b/gi,
  /\bwhere (?:it is|they are|there is|there are) (?:not|no|none)\b/gi,
];

interface Block {
  /** Its lines with their numbers, of prose only: neither code nor markers of comments, lists, and tables. */
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

interface Finding {
  readonly place: string;
  readonly problem: string;
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");

/** Code becomes one word, so that it counts as one; addresses of links and HTML comments count as none. */
const withoutCode = (text: string): string =>
  text
    .replaceAll(/`+[^`]*`+/g, (code) => `x${blank(code).slice(1)}`)
    .replaceAll(/\]\([^)\s]*\)/g, (address) => `]${blank(address).slice(1)}`)
    .replaceAll(/<!--.*?-->|https?:\/\/\S+/gs, blank);

/** Paragraphs, items of lists, and cells of tables of a Markdown document. */
function markdownBlocks(text: string): Block[] {
  const blocks: { number: number; text: string }[][] = [];
  let current: { number: number; text: string }[] = [];
  let fence: string | undefined;
  const end = (): void => {
    if (current.length > 0) blocks.push(current);
    current = [];
  };
  for (const [index, line] of text.split("\n").entries()) {
    const number = index + 1;
    const marker = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (marker !== undefined || fence !== undefined) {
      end();
      if (marker !== undefined) fence = fence === undefined ? marker : marker.startsWith(fence) ? undefined : fence;
    } else if (/^\s*\|/.test(line)) {
      end();
      for (const cell of withoutCode(line).split("|")) blocks.push([{ number, text: cell }]);
    } else {
      if (/^\s*(?:$|#|[-*+] |\d+\. |>)/.test(line)) end();
      if (line.trim() !== "") current.push({ number, text: line.replace(/^\s*(?:#+|[-*+]|\d+\.|>) /, "") });
      if (line.startsWith("#")) end();
    }
  }
  end();
  return blocks.map((lines) => ({ lines }));
}

/** The comments of a TypeScript file. Comments at the ends of consecutive lines, and lines of `//`, are one block until code or an empty line comes between. */
function commentBlocks(file: string, text: string): Block[] {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  const comments = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    // Comments lie only between tokens. Text of JSX is a token, whatever it looks like.
    if (children.length === 0 && node.kind !== ts.SyntaxKind.JsxText) {
      for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) comments.set(range.pos, range);
      for (const range of ts.getTrailingCommentRanges(text, node.pos) ?? []) comments.set(range.pos, range);
    }
    for (const child of children) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  const blocks: { number: number; text: string }[][] = [];
  let last: { line: number; isLine: boolean } | undefined;
  for (const { pos, end, kind: type } of [...comments.values()].sort((a, b) => a.pos - b.pos)) {
    const first = source.getLineAndCharacterOfPosition(pos).line + 1;
    const isLine = type === ts.SyntaxKind.SingleLineCommentTrivia;
    const lines = text
      .slice(pos, end)
      .split("\n")
      .map((line, index) => ({
        number: first + index,
        text: line.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/+) ?|\s*\*\/$/g, ""),
      }));
    const continues = isLine && last?.isLine === true && last.line === first - 1;
    if (continues) blocks.at(-1)?.push(...lines);
    else for (const part of paragraphs(lines)) blocks.push(part);
    last = { line: first, isLine };
  }
  return blocks.map((lines) => ({ lines }));
}

/** A comment's paragraphs, tags, and items of lists. */
function paragraphs(lines: readonly { number: number; text: string }[]): { number: number; text: string }[][] {
  const found: { number: number; text: string }[][] = [[]];
  for (const line of lines) {
    if (/^\s*(?:$|@\w|[-*] |\d+\. )/.test(line.text)) found.push([]);
    if (line.text.trim() !== "") found.at(-1)?.push(line);
  }
  return found.filter((part) => part.length > 0);
}

function findings(file: string, blocks: readonly Block[], text: string): Finding[] {
  const found: Finding[] = [];
  for (const { lines } of blocks) {
    const prose = withoutCode(lines.map((line) => line.text).join("\n"));
    const numberAt = (offset: number): number => lines[prose.slice(0, offset).split("\n").length - 1]?.number ?? 0;
    for (const phrase of PHRASES) {
      for (const match of prose.replaceAll("\n", " ").matchAll(phrase))
        found.push({ place: `${file}:${numberAt(match.index)}`, problem: `"${match[0]}"` });
    }
    let start = 0;
    for (const sentence of prose.split(/(?<=[.!?]["”)]*)(?=\s+["“([*]*[\p{Lu}x\d])/u)) {
      const words = sentence.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
      const place = start + (sentence.length - sentence.trimStart().length);
      if (words > LONGEST_SENTENCE)
        found.push({ place: `${file}:${numberAt(place)}`, problem: `a sentence of ${words} words` });
      start += sentence.length;
    }
  }
  const prose = new Set(blocks.flatMap(({ lines }) => lines.map(({ number }) => number)));
  for (const [index, line] of text.split("\n").entries()) {
    // A row of a table cannot be broken.
    if (line.length > WIDEST_LINE && prose.has(index + 1) && !/^\s*\|/.test(line))
      found.push({ place: `${file}:${index + 1}`, problem: `${line.length} columns` });
  }
  return found;
}

const files = (patterns: string[]): string[] =>
  globSync(patterns, {
    cwd: root,
    exclude: ["**/node_modules/**", "wasm/generated/**", "client/src/generated*.ts"],
  }).sort();
const read = (file: string): string => readFileSync(join(root, file), "utf8");

const docs = files(["*.md", "{docs,client,clients,examples,wasm}/**/*.md"]).flatMap((file) => {
  const text = read(file);
  return findings(file, markdownBlocks(text), text);
});
const comments = files(["{src,test,scripts,bench,client,wasm}/**/*.{ts,tsx}", "*.ts"]).flatMap((file) => {
  const text = read(file);
  return findings(file, commentBlocks(file, text), text);
});

const [flag, kindOrPath, path] = process.argv.slice(2);
const found = { docs, comments };
for (const kind of ["docs", "comments"] as const) {
  const isTooMuch = found[kind].length > BUDGETS[kind];
  const isListed = flag === "--list" && (kindOrPath === undefined || kindOrPath === kind);
  if (isListed || (isTooMuch && flag !== "--list"))
    for (const { place, problem } of found[kind].filter((one) => one.place.startsWith(path ?? "")))
      console.error(`${place}: ${problem}`);
  const result = `${kind}: ${found[kind].length} findings of odd wording, ${BUDGETS[kind]} allowed`;
  if (!isTooMuch) console.log(result);
  else {
    console.error(result);
    process.exitCode = 1;
  }
}
