/** Pages whose tags cover their contents. */
import type { VisibleBox } from "../../geometry.ts";
import type { OpenPdf } from "../document/document.ts";
import { EDGE } from "../layout/blocks.ts";
import { markedContent } from "../tags/marked-content.ts";
import { TagReader } from "../tags/page-tags.ts";
import { Slots } from "../tags/slots.ts";
import type { Tag } from "../tags/tag.ts";
import type { Segment } from "../text/glyphs.ts";
import type { VisitedPage } from "../text/text.ts";
import { type DrawnContent, readPageContent } from "./content.ts";

/** A page with its tags. Drawn contents have the identifier of their marked content as slot. */
export interface TaggedPage extends DrawnContent {
  readonly root: Tag;
  /** Contents marked as artifacts: headers, footers, page numbers. */
  readonly artifacts: readonly Segment[];
  /** Contents that are in no element of the tree. */
  readonly loose: readonly Segment[];
}

/** The largest share of the text that no element has, of a page whose tags are followed: before and after it is drawn. */
const [MOST_UNMARKED, MOST_LOOSE] = [0.2, 0.1];
/** The largest share of the text that may be artifacts, and of those away from the edges of the page. Of more, some is content. */
const [MOST_ARTIFACTS, MOST_INNER] = [0.5, 0.1];

export class TaggedPages {
  readonly #open: OpenPdf;
  readonly #tags: TagReader;
  readonly #slots: Slots;

  /** Undefined if the document has no tags. */
  static async of(open: OpenPdf): Promise<TaggedPages | undefined> {
    const tags = await TagReader.of(open);
    return tags && new TaggedPages(open, tags);
  }

  private constructor(open: OpenPdf, tags: TagReader) {
    this.#open = open;
    this.#tags = tags;
    this.#slots = new Slots(open);
  }

  /** Undefined if the page is not tagged, its tags are damaged, or they leave out some of its text. */
  async read(page: VisitedPage): Promise<TaggedPage | undefined> {
    try {
      return await this.#read(page);
    } catch (error) {
      if (this.#open.engine.isFailure(error)) return undefined;
      throw error;
    }
  }

  async #read(page: VisitedPage): Promise<TaggedPage | undefined> {
    const { engine } = this.#open;
    const tags = await this.#tags.ofPage(page.index);
    if (tags === undefined) return undefined;
    const marked = await engine.scope(() => markedContent(engine, page.page.getObject()));
    if (marked === undefined || marked.looseBytes > MOST_UNMARKED * marked.shownBytes) return undefined;
    const tree = this.#slots.treeFor(tags.key, marked.loose);
    const content = marked.changed && this.#slots.contentOf(marked.changed);
    const drawn = await readPageContent(engine, await page.read({ drawings: true }, { tree, content }), page);
    const artifacts = drawn.segments.filter(({ slot }) => slot === marked.artifact);
    const loose = drawn.segments.filter(
      ({ slot }) => slot !== marked.artifact && (slot === undefined || !tags.reached.has(slot)),
    );
    const all = lengthOf(drawn.segments);
    const inner = artifacts.filter((segment) => isInner(segment, page.bounds));
    if (lengthOf(loose) > MOST_LOOSE * (all - lengthOf(artifacts))) return undefined;
    if (lengthOf(artifacts) > MOST_ARTIFACTS * all || lengthOf(inner) > MOST_INNER * all) return undefined;
    return { ...drawn, root: tags.root, artifacts, loose };
  }
}

/** Whether a line is outside of the areas of headers and footers. */
const isInner = ({ direction, baseline }: Segment, [, , , height]: VisibleBox): boolean =>
  direction[0] > 0.9 && baseline > EDGE * height && baseline < (1 - EDGE) * height;

const lengthOf = (segments: readonly Segment[]): number => segments.reduce((sum, { length }) => sum + length, 0);
