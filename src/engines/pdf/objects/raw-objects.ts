/** Finds the objects of a file in its bytes, wherever its cross-references may lead. */
import { find } from "../../../bytes/find.ts";
import type { Work } from "../../work.ts";
import { numberBefore } from "../syntax/objects.ts";
import { measureStream, type RawFile, type StoredStream } from "./raw-streams.ts";
import { isDigit, isRegular } from "../syntax/characters.ts";
import { LARGE, type ObjectMeter } from "./measures.ts";

/** Bytes read between two pauses, and fuel for each. */
const STEP = 64 * 1024;
const BYTE_WORK = 3;
/** Bytes that are searched for a unit of fuel. */
const SEARCHED = 8;
const [O, B, J] = [0x6f, 0x62, 0x6a];

/**
 * Measures each object of a file: of what follows each keyword `obj` or `trailer`, even within a string or a stream, for a cross-reference may
 * lead there. Returns the numbers of large objects, and all object streams.
 * @throws Refusal `limit_exceeded`
 */
export async function measureObjects(
  work: Work,
  file: RawFile,
  meter: ObjectMeter,
): Promise<{ readonly large: readonly number[]; readonly streams: readonly StoredStream[] }> {
  const { bytes } = file;
  const large: number[] = [];
  const streams: StoredStream[] = [];
  let searched = 0;
  for (const start of keywords(bytes)) {
    work.spend(Math.ceil(Math.max(0, start - searched) / SEARCHED));
    searched = start;
    meter.begin();
    let end = start;
    for (let to = start; end === to && to < bytes.length;) {
      to = Math.min(bytes.length, to + STEP);
      const from = end;
      end = meter.read(bytes.subarray(0, to), from);
      work.spend((end - from) * BYTE_WORK);
      await work.pause();
    }
    const stream = await measureStream(work, file, start, end);
    if (stream) streams.push(stream);
    if (meter.tokens > LARGE.tokens || end - start > LARGE.bytes) large.push(numberBefore(bytes, start));
  }
  return { large: large.filter((number) => number > 0), streams };
}

/** Where each object may begin: behind the keywords that precede one. */
function* keywords(bytes: Uint8Array): Generator<number, void> {
  for (let at = bytes.indexOf(J); at >= 0; at = bytes.indexOf(J, at + 1)) {
    if (bytes[at - 1] !== B || bytes[at - 2] !== O || isRegular(bytes[at + 1])) continue;
    const before = bytes[at - 3];
    if (!isRegular(before) || isDigit(before)) yield at + 1;
  }
  for (let at = find(bytes, "trailer", 0); at >= 0; at = find(bytes, "trailer", at + 1)) yield at + "trailer".length;
}
