import { chunksOf } from "../../memory/chunks.ts";
import { type EngineBytes } from "../../memory/heap.ts";
import { partOf } from "../../memory/joined-bytes.ts";
import { HASH_WORK } from "../../cms/public-key.ts";
import type { Work } from "../../work.ts";

/** The digest of parts of a file, one after the other. They are still needed, and are not freed. */
export async function digestOfParts(
  work: Work,
  hash: "SHA-256" | "SHA-384" | "SHA-512",
  parts: readonly EngineBytes[],
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new crypto.DigestStream(hash);
  const writer = stream.getWriter();
  for (const part of parts) {
    for await (const chunk of chunksOf(part.stored ? part : partOf(part, 0, part.length))) {
      work.spend(chunk.length * HASH_WORK);
      await writer.write(chunk);
      await work.pause();
    }
  }
  await writer.close();
  return new Uint8Array(await stream.digest);
}
