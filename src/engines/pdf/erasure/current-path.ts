/** The path that content is constructing, and the rectangle around it on the page (ISO 32000-2, 8.5.2 and 8.5.4). */
import { apply, IDENTITY, type Matrix, type PageBox } from "../../geometry.ts";
import type { GraphicsState } from "../content/graphics-state.ts";
import type { ContentOperators } from "../content/operators.ts";
import { common } from "../document/page-facts.ts";
import { isBlank } from "../syntax/characters.ts";
import type { ByteRange } from "../syntax/tokens.ts";
import { normOf } from "./cut-path.ts";
import { boundsOf, corners } from "./geometry.ts";
import type { PlacedDrawing } from "./choice.ts";

/** Points that are held. More are replaced by the corners of the rectangle around them. */
const MOST_POINTS = 1000;

/** The width of a line without one, and the largest overlap of adjoining objects, in units of the page. */
const HAIR = 1e-3;

const NOWHERE: PageBox = [0, 0, 0, 0];

/** A painted path. */
export interface PlacedPath extends PlacedDrawing {
  /** The rectangle around its points. */
  readonly bounds: PageBox;
  /** How far the ends and joins of its lines reach from their middle, in units of the page. */
  readonly distance: number;
}

export class CurrentPath {
  readonly #bytes: Uint8Array;
  #points: [number, number][] = [];
  /** Where its operators are, and whether they make it a clipping path. Those with nothing between them are one range. */
  #ranges: { readonly start: number; end: number; readonly clips: boolean }[] = [];
  #clips: "W" | "W*" | undefined;

  /** `bytes`: of the content. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The operator that makes it a clipping path. */
  get clips(): "W" | "W*" | undefined {
    return this.#clips;
  }

  /** All its operators, without the one that paints it. */
  get ranges(): readonly ByteRange[] {
    return this.#ranges;
  }

  /** The operators that construct it. */
  get sources(): Uint8Array[] {
    return this.#ranges.flatMap(({ start, end, clips }) => (clips ? [] : [this.#bytes.subarray(start, end)]));
  }

  add(operators: ContentOperators, matrix: Matrix): void {
    const { start, end } = operators;
    const numbers = operators.numbers();
    if (operators.operator === "re") {
      const [x = 0, y = 0, width = 0, height = 0] = numbers;
      this.#points.push(...cornersOf([x, y, x + width, y + height], matrix));
    } else {
      for (let at = 0; at + 1 < numbers.length; at += 2)
        this.#points.push(apply(matrix, numbers[at] ?? 0, numbers[at + 1] ?? 0));
    }
    if (this.#points.length > MOST_POINTS) this.#points = cornersOf(boundsOf(this.#points), IDENTITY);
    const last = this.#ranges.at(-1);
    if (last && !last.clips && isBlank(this.#bytes, last.end, start)) last.end = end;
    else this.#ranges.push({ start, end, clips: false });
  }

  clip({ operator, start, end }: ContentOperators): void {
    this.#clips = operator === "W" ? "W" : "W*";
    this.#ranges.push({ start, end, clips: true });
  }

  /** The area of the page that it paints. */
  placed({ matrix, lineWidth, miterLimit, clip }: GraphicsState<unknown>, strokes: boolean): PlacedPath | undefined {
    if (this.#points.length === 0) return undefined;
    const scale = Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]));
    const bounds = boundsOf(this.#points);
    const [left, bottom, right, top] = bounds;
    // A line without a width is as wide as a pixel.
    const around = (more: number): PageBox | undefined =>
      common([left - more - HAIR, bottom - more - HAIR, right + more + HAIR, top + more + HAIR], clip);
    const distance = strokes ? (lineWidth * normOf(matrix) * Math.max(miterLimit, Math.SQRT2)) / 2 + HAIR : HAIR;
    const [box, reach] = [around(strokes ? (lineWidth * scale) / 2 : 0), around(distance)];
    return box && reach && { bounds, box, reach, distance };
  }

  /** Ends the path. Returns the remaining rectangle around the clipping path. Undefined if the path does not clip. */
  end(clip: PageBox): PageBox | undefined {
    const box = this.#points.length > 0 ? boundsOf(this.#points) : undefined;
    const left = this.#clips && ((box && common(box, clip)) ?? NOWHERE);
    this.#points = [];
    this.#ranges = [];
    this.#clips = undefined;
    return left;
  }
}

const cornersOf = (box: PageBox, matrix: Matrix): [number, number][] =>
  corners(box).map(([x, y]) => apply(matrix, x, y));
