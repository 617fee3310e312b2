import { DamagedStream, inflate, STEP } from "../../flate/inflate.ts";
import type { Work } from "../../work.ts";

/** Maximum expansion of deflate (RFC 1951). */
export const DEFLATE_RATIO = 1032;

/**
 * The size of data that was deflated `filters` times, once inflated. Counting stops slightly past `most`. For damaged data this is
 * an upper bound: MuPDF's inflater keeps what comes before the damage, up to a whole step more than ours.
 */
export async function countInflated(
  work: Work,
  data: Uint8Array,
  filters: number,
  most: number,
  visit: (chunk: Uint8Array) => Promise<void> = async () => {},
): Promise<number> {
  let chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = [data];
  for (let index = 0; index < filters; index++) chunks = inflate(work, chunks);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > most) break;
      await visit(chunk);
    }
  } catch (error) {
    if (!(error instanceof DamagedStream)) throw error;
    size += STEP * DEFLATE_RATIO;
  }
  return size;
}
