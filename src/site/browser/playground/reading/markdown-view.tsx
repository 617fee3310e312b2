import { type ComponentChild, Fragment, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { abridged } from "../text-view.tsx";

/** What Markdown of documents has. Everything else is left out, and its text stays. */
const ELEMENTS: ReadonlySet<string> = new Set(
  "p ul ol li blockquote pre code em strong del sup sub br hr table thead tbody tr th td".split(" "),
);

/** These are no text. */
const LEFT_OUT: ReadonlySet<string> = new Set(["script", "style", "template", "iframe", "object"]);

/** Rendered Markdown. No HTML of the document reaches the page: only known elements are created anew. */
export function MarkdownView({ text }: { text: string }) {
  const [shown, setShown] = useState<ComponentChild>();
  useEffect(() => {
    let isCurrent = true;
    void import("./markdown.ts").then(({ htmlOf }) => {
      // A document without a window: nothing in it is loaded or run.
      const { body } = new DOMParser().parseFromString(htmlOf(abridged(text)), "text/html");
      if (isCurrent) setShown(childrenOf(body));
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return <div class="markdown">{text.trim() === "" ? <p class="quiet">(no text)</p> : shown}</div>;
}

const childrenOf = (node: Node): ComponentChild[] => [...node.childNodes].map(shownOf);

function shownOf(node: Node): ComponentChild {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element)) return null;
  const name = node.localName;
  const children = childrenOf(node);
  if (LEFT_OUT.has(name)) return null;
  const level = /^h([1-6])$/.exec(name)?.[1];
  // Below the headings of this page.
  if (level !== undefined) return h(`h${Math.min(6, Number(level) + 2)}`, { class: `level-${level}` }, children);
  if (name === "a") return <Link to={node.getAttribute("href") ?? ""}>{children}</Link>;
  if (!ELEMENTS.has(name)) return <Fragment>{children}</Fragment>;
  const given = ["rowspan", "colspan", "start"].map((attribute) => [attribute, node.getAttribute(attribute)] as const);
  return h(name, Object.fromEntries(given.filter(([, value]) => /^\d+$/.test(value ?? ""))), children);
}

function Link({ to, children }: { to: string; children: ComponentChild[] }) {
  if (!/^(https?|mailto):/i.test(to)) return <Fragment>{children}</Fragment>;
  return (
    <a href={to} title={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
