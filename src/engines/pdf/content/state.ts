/** Tracks the constructs that the content streams of a page leave open at their end (ISO 32000-2, 7.8.2 and 8.4.2). */
import type { Work } from "../../work.ts";
import { Run, type Visitor } from "./processor.ts";
import { TolerantOperators } from "./tolerant-operators.ts";

/** The bytes of a stream from one offset up to another. */
type ByteRange = readonly [from: number, to: number];

/**
 * Reads the content streams of a page in order. They form one content: an array, dictionary, or text object and, as readers
 * interpret it, even a string, comment, or inline image may begin in one stream and end in another.
 */
export class ContentState implements Visitor<never, void, TolerantOperators> {
  readonly keeps = [];
  readonly #operators = new TolerantOperators();
  readonly #blanked: ByteRange[][] = [];
  readonly #run = new Run(this, this.#operators);

  /** Reads the next stream. Yields to other requests. */
  async read(bytes: Uint8Array, work: Work): Promise<void> {
    this.#blanked.push([]);
    this.#operators.feed(bytes);
    await this.#run.read(work);
  }

  /** Makes the run count marked content. */
  mark(): void {}

  unmatched(): void {
    this.#blanked.at(-1)?.push([this.#operators.start, this.#operators.end]);
  }

  /** Whether readers disagree about the open constructs, from `TolerantOperators.isDoubtful`. */
  get isDoubtful(): boolean {
    return this.#operators.isDoubtful;
  }

  /** Operators that close all open constructs. A comment ends at the end of its line. */
  get closing(): string {
    const { graphics, marks } = this.#run;
    return `\n${graphics.inText ? "ET " : ""}${"EMC ".repeat(marks.length)}${"Q ".repeat(graphics.depth)}`;
  }

  /**
   * The parts of each stream that must be blanked before anything can be put around them. One is a `Q` with nothing to restore, which readers
   * ignore until a `q` precedes it. The other is an inline image that never ends.
   */
  get blanked(): readonly (readonly ByteRange[])[] {
    const image = this.#operators.openImage;
    if (!image) return this.#blanked;
    return this.#blanked.map((ranges, stream) =>
      stream < image.stream ? ranges : [...ranges, [stream === image.stream ? image.from : 0, Infinity]],
    );
  }
}
