/** The value of a signature (ISO 32000-2, 12.8.1): its place is written first, then filled with what signs everything around it. */
import type { PDFObject } from "mupdf";
import { find } from "../../bytes/find.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { hex } from "../../bytes/hex.ts";
import { joinedBytes, ownBytes } from "../../bytes/joined-bytes.ts";
import { bytesOf } from "../../bytes/latin1.ts";
import { timestampFailed } from "../../cms/refusal.ts";
import { DIGESTS, type DigestName } from "../../cms/signer.ts";
import type { OpenPdf } from "../document/document.ts";
import { byteString, objectNumber } from "../objects/objects.ts";
import { digestOfParts } from "../signatures/digest.ts";

/** Numbers that are replaced when their values are known: as wide as the offsets of the largest files. */
const PLACEHOLDERS = [2_000_000_001, 2_000_000_002, 2_000_000_003] as const;
const WIDTH = 10;

export interface Value {
  readonly digest: DigestName;
  /** The most bytes that `sign` returns. */
  readonly room: number;
  /** Signs a digest. */
  sign(digest: Uint8Array): Promise<Uint8Array>;
}

/** A signature dictionary (table 255) with a place for its value. */
export function dictionaryWithPlace(
  { document }: OpenPdf,
  names: { readonly Type: string; readonly SubFilter: string },
  room: number,
): PDFObject {
  const dictionary = document.newDictionary();
  dictionary.put("Type", document.newName(names.Type));
  dictionary.put("Filter", document.newName("Adobe.PPKLite"));
  dictionary.put("SubFilter", document.newName(names.SubFilter));
  dictionary.put("ByteRange", [0, ...PLACEHOLDERS]);
  dictionary.put("Contents", byteString(document, "\0".repeat(room)));
  return dictionary;
}

/**
 * Fills the place of a signature in an update.
 * @param file what the update follows
 * @param dictionary of the signature, which is in the update
 * @throws Refusal `timestamp_failed` if the value is larger than its room; what `sign` throws
 */
export async function fillPlace(
  { engine }: OpenPdf,
  file: EngineBytes,
  update: Uint8Array,
  dictionary: PDFObject,
  { digest, sign }: Value,
): Promise<void> {
  const gap = fillRange(update, file.length, objectNumber(dictionary));
  const [before, after] = [joinedBytes([file, ownBytes(update.subarray(0, gap.from))]), update.subarray(gap.to)];
  const hashed = await digestOfParts(engine.work, DIGESTS[digest].hash, [before, ownBytes(after)]);
  const contents = hex(await sign(hashed));
  // `Contents` has two digits for each byte, between angle brackets.
  if (contents.length > gap.to - gap.from - 2) throw timestampFailed("sent a token that is too large");
  update.set(bytesOf(contents), gap.from + 1);
}

/**
 * Writes the byte range of a signature over its placeholders.
 * @returns the part of the update that is not signed: the string of `Contents` with its brackets
 */
function fillRange(update: Uint8Array, start: number, number: number): { from: number; to: number } {
  const object = find(update, `\n${number} 0 obj\n`, 0);
  const text = `[0 ${PLACEHOLDERS.join(" ")}]`;
  const range = find(update, text, object);
  const from = find(update, "/Contents<", object) + "/Contents".length;
  const to = find(update, ">", from) + 1;
  if (object < 0 || range < 0 || from < "/Contents".length || to < 1)
    throw new Error("the written signature has no placeholders");
  const end = start + update.length;
  const values = [start + from, start + to, end - start - to];
  const written = values.map((value) => String(value).padEnd(WIDTH)).join(" ");
  update.set(bytesOf(`[0 ${written}]`), range);
  return { from, to };
}
