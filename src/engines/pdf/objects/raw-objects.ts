/** Finds the objects of a file in its bytes, wherever its cross-references may lead. */
import type { EngineBytes } from "../../bytes/heap.ts";
import { find } from "../../bytes/find.ts";
import { latin1 } from "../../bytes/latin1.ts";
import type { Work } from "../../work.ts";
import { measureStream } from "./raw-streams.ts";
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
 * lead there. Returns the numbers of large objects.
 * @throws Refusal `limit_exceeded`
 */
export async function measureObjects(work: Work, file: EngineBytes, meter: ObjectMeter): Promise<number[]> {
  const bytes = file.view(0, file.length);
  const large: number[] = [];
  let searched = 0;
  let encrypted: boolean | undefined;
  const isEncrypted = (): boolean => (encrypted ??= find(bytes, "/Encrypt", 0) >= 0);
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
    await measureStream(work, bytes, start, end, isEncrypted);
    if (meter.tokens > LARGE.tokens || end - start > LARGE.bytes) large.push(numberBefore(bytes, start));
  }
  return large.filter((number) => number > 0);
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

/** The object number before the keyword `obj` that ends here; 0 if there is none. */
function numberBefore(bytes: Uint8Array, end: number): number {
  return Number(/(\d{1,10})\s+\d{1,5}\s*obj$/.exec(latin1(bytes.subarray(Math.max(0, end - 40), end)))?.[1] ?? 0);
}
