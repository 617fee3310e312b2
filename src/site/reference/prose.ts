import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

/** The subset of Markdown used in descriptions: paragraphs and code. */
export const prose = (text: string): Html[] =>
  text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** One line of it. */
export const inline = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
