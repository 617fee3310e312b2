/** Headers and footers (ECMA-376, part 1, 17.10): parts of their own, which sections refer to. */
import { boundedHtml } from "../source/bounded-html.ts";
import type { PageFormat, PlacedBox, RunningContent } from "../source/document.ts";
import { htmlDocument } from "../source/markup.ts";
import { partAt, relationshipsOf } from "../source/relationships.ts";
import { RUNNING_END } from "../source/page-fields.ts";
import { tidied } from "../source/tidy-html.ts";
import type { XmlElement } from "../source/xml.ts";
import { BodyWriter } from "./body.ts";
import type { Context, PlacedHtml } from "./context.ts";
import { nameLostIn } from "./coverage.ts";

/** Style sheets of the text, of headers, and of boxes. */
export interface HtmlStyle {
  /** Of documents of this kind. */
  readonly style: string;
  /** The client's. */
  readonly css: string;
}

/** Drawings at places of their own, as HTML that can be laid out. */
export async function placedBoxesOf(
  { work, fontSize }: Pick<Context, "work" | "fontSize">,
  placed: readonly PlacedHtml[],
  { style, css }: HtmlStyle,
): Promise<PlacedBox[]> {
  const boxes: PlacedBox[] = [];
  for (const { html, wrap: _, ...place } of placed) {
    await tidied(work, html);
    const bounded = await boundedHtml(work, htmlDocument({ style, body: html }), css, {
      emsOfPage: place.width / fontSize,
    });
    boxes.push({ ...place, html: bounded });
  }
  return boxes;
}

/** Reads each part once, and writes it once for each width of the text. */
export class HeaderReader {
  readonly #context: Context;
  readonly #style: HtmlStyle;
  readonly #parts = new Map<string, XmlElement | undefined>();
  readonly #contents = new Map<string, RunningContent | undefined>();

  /** `context`: that of the body, without what belongs to its text. */
  constructor(context: Context, style: HtmlStyle) {
    this.#context = context;
    this.#style = style;
  }

  /** The roots of all parts that were read. */
  get roots(): readonly XmlElement[] {
    return [...this.#parts.values()].flatMap((root) => root ?? []);
  }

  /** The header or footer with an identifier of the body's relationships; undefined if there is none. */
  async read(
    id: string | undefined,
    name: RunningContent["name"],
    { width: pageWidth, margins }: PageFormat,
  ): Promise<RunningContent | undefined> {
    const relationship = this.#context.relationships.get(id ?? "");
    if (relationship === undefined || relationship.external) return undefined;
    const { target } = relationship;
    const width = pageWidth - margins.left - margins.right;
    const key = `${width} ${name} ${target}`;
    if (this.#contents.has(key)) return this.#contents.get(key);
    const content = await this.#written(target, name, width);
    this.#contents.set(key, content);
    return content;
  }

  async #written(target: string, name: RunningContent["name"], width: number): Promise<RunningContent | undefined> {
    const { work, archive, notConverted, fontSize } = this.#context;
    if (!this.#parts.has(target)) {
      const read = await partAt(work, archive, target);
      this.#parts.set(target, read);
      await nameLostIn(work, read, notConverted);
    }
    const root = this.#parts.get(target);
    if (root === undefined) return undefined;
    const relationships = await relationshipsOf(work, archive, target);
    const placed: PlacedHtml[] = [];
    const context = { ...this.#context, relationships, width, placed, isRunning: true, note: () => undefined };
    const body = await new BodyWriter(context).blocks(root);
    if (body === "") return undefined;
    // Only to count how deep its tables are inside each other.
    await tidied(work, body);
    const { style, css } = this.#style;
    const document = htmlDocument({ style, body: `${body}<div id="${RUNNING_END}"></div>` });
    const html = await boundedHtml(work, document, css, { emsOfPage: width / fontSize });
    return { html, boxes: await placedBoxesOf(context, placed, this.#style), name };
  }
}
