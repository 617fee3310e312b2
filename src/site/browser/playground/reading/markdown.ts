/** Markdown as HTML, in a file of its own so that the parser is loaded only when there is Markdown to show. */
import { Marked, type Tokens } from "marked";

/** Footnotes are GitHub's. Their labels are `3-1`: the page, and the number or sign on it. */
const numberIn = (label: string): string =>
  label.replace(/^\d+-/, "").replace(/^n([1-6])$/, (_, at: string) => "*†‡§¶".charAt(Number(at) - 1));

const LABEL = String.raw`\[\^([\w-]+)\]`;

const marked = new Marked({
  extensions: [
    {
      name: "note",
      level: "block",
      start: (text) => text.search(new RegExp(`^${LABEL}:`, "m")),
      tokenizer(raw) {
        const [all, label, text] = new RegExp(`^${LABEL}: ([^\n]*)(?:\n|$)`).exec(raw) ?? [];
        if (all === undefined || label === undefined || text === undefined) return undefined;
        return { type: "note", raw: all, label, tokens: this.lexer.inlineTokens(text) };
      },
      renderer({ label, tokens = [] }) {
        return `<p><sup>${numberIn(String(label))}</sup> ${this.parser.parseInline(tokens)}</p>`;
      },
    },
    {
      name: "noteMark",
      level: "inline",
      start: (text) => text.indexOf("[^"),
      tokenizer(raw) {
        const [all, label] = new RegExp(`^${LABEL}`).exec(raw) ?? [];
        return all === undefined ? undefined : { type: "noteMark", raw: all, label };
      },
      renderer: ({ label }: Tokens.Generic) => `<sup>${numberIn(String(label))}</sup>`,
    },
  ],
});

/** It can contain any HTML of the document. The renderer chooses the elements to show. */
export const htmlOf = (markdown: string): string => marked.parse(markdown, { async: false });
