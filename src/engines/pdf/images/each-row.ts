import type { Work } from "../../work.ts";

interface Rows {
  readonly height: number;
  /** Samples of a row, or as many as a visit costs. */
  readonly samples: number;
}

/** Samples after which the work yields to other requests. They are counted as a whole before (`encodingWork`). */
const SAMPLES_A_TURN = 1 << 20;

/** Visits the rows of an image. */
export async function eachRow(work: Work, { height, samples }: Rows, visit: (y: number) => void): Promise<void> {
  for (let y = 0, since = 0; y < height; y++, since += samples) {
    if (since >= SAMPLES_A_TURN) {
      await work.rest();
      since = 0;
    }
    visit(y);
  }
}
