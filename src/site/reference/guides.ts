import { anchorOf, type Block, blocksOf } from "./markdown.ts";
import type { LinkTarget } from "./prose.ts";

/** A page of explanations: a document, or a section of docs/api.md. */
export interface Guide {
  /** The last segment of its path below `/docs/`. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly target: LinkTarget;
}

/** The texts of the documents by their paths in the source, in the order of the guides. */
export type Documents = Readonly<Record<string, string>>;

/** The document whose sections are guides of their own. */
const BY_SECTION = "docs/api.md";

interface Part {
  readonly path: string;
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** The guides, with the links between them as links of the site. */
export function guidesOf(documents: Documents): Guide[] {
  const parts = Object.entries(documents).flatMap(([path, text]) => partsOf(path, blocksOf(text)));
  const places = new Map<string, string>();
  for (const { path, id, title, blocks } of parts) {
    if (path !== BY_SECTION) places.set(path, `/docs/${id}`);
    places.set(`${path}#${anchorOf(title)}`, `/docs/${id}`);
    for (const block of blocks) {
      if (block.kind !== "heading") continue;
      const anchor = anchorOf(block.text);
      places.set(`${path}#${anchor}`, `/docs/${id}#${anchor}`);
    }
  }
  places.set(BY_SECTION, "/docs");
  return parts.map(({ path, ...part }) => ({
    ...part,
    target(href) {
      if (/^https?:/.test(href)) return href;
      const [file = "", anchor] = href.split("#");
      const full = file === "" ? path : new URL(file, `file:///${path}`).pathname.slice(1);
      return places.get(anchor === undefined ? full : `${full}#${anchor}`);
    },
  }));
}

/** A document as one part, or as one for each of its sections. Text before the first section is then shown only by the host of the repository. */
function partsOf(path: string, blocks: readonly Block[]): Part[] {
  if (path !== BY_SECTION) {
    const [first, ...rest] = blocks;
    const title = first?.kind === "heading" ? first.text : path;
    const id = /(?<folder>\w+)\/README\.md$/.exec(path)?.groups?.["folder"] ?? path.replace(/^.*\/|\.md$/g, "");
    return [{ path, id, title, blocks: rest }];
  }
  const starts = blocks.flatMap((block, index) => (block.kind === "heading" && block.level === 2 ? [index] : []));
  return starts.flatMap((start, index) => {
    const [head, ...rest] = blocks.slice(start, starts[index + 1]);
    return head?.kind === "heading" ? [{ path, id: anchorOf(head.text), title: head.text, blocks: rest }] : [];
  });
}
