import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

/** Where a link of a document leads on the site; undefined if it leads nowhere there. */
export type LinkTarget = (href: string) => string | undefined;

/** Descriptions link to nothing but other sites. */
export const external: LinkTarget = (href) => (href.startsWith("https://") ? href : undefined);

/** One line of Markdown: code, bold, links. */
export function inline(text: string, target = external): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[(?:`[^`]*`|[^\]`])+\]\([^)\s]+\))/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : marked(part, target)))}`;
}

function marked(part: string, target: LinkTarget): Html {
  if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`;
  if (part.startsWith("**")) return html`<strong>${inline(part.slice(2, -2), target)}</strong>`;
  const [, text = "", href = ""] = /^\[(.*)\]\((.*)\)$/s.exec(part) ?? [];
  const to = target(href);
  return to === undefined ? inline(text, target) : html`<a href="${to}">${inline(text, target)}</a>`;
}
