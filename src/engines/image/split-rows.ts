/** Cuts decoded data into rows. */
import { BadImage } from "./facts.ts";

/**
 * `count` rows of so many bytes; what follows is ignored. A row is valid until the next.
 * @throws BadImage if some are missing
 */
export async function* splitRows(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
  count: number,
): AsyncGenerator<Uint8Array, void> {
  const row = new Uint8Array(bytes);
  let [filled, rows] = [0, 0];
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + bytes - filled);
      row.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < bytes) break;
      yield row;
      filled = 0;
      if (++rows === count) return;
    }
  }
  throw new BadImage("is truncated or damaged: some of its rows are missing");
}
