/** The value of a signature (ISO 32000-2, 12.8.1): space for it is written first, then filled with the signature over everything around it. */
import type { PDFObject } from "mupdf";
import { find } from "../../../bytes/find.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { hex } from "../../../bytes/hex.ts";
import { joinedBytes, ownBytes } from "../../memory/joined-bytes.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { DIGESTS, type DigestName } from "../../cms/signer.ts";
import type { OpenPdf } from "../document/document.ts";
import { byteString, objectNumber } from "../objects/objects.ts";
import { digestOfParts } from "../signatures/digest.ts";
import { tokenTooLarge } from "../../signature-errors.ts";

/** Numbers that are replaced when their values are known: as wide as the offsets of the largest files. */
const PLACEHOLDERS = [2_000_000_001, 2_000_000_002, 2_000_000_003] as const;
const WIDTH = 10;

export interface SignatureValue {
  readonly digest: DigestName;
  /** The most bytes that it has. */
  readonly room: number;
}

/** An update with an empty place for the value of its signature. */
export interface Unsigned {
  readonly update: Uint8Array;
  /** The digest that is signed: of everything but the place. */
  readonly hashed: Uint8Array;
  /** The string of `Contents` with its brackets, in the update. */
  readonly gap: { readonly from: number; readonly to: number };
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
 * Completes an update except for the value of its signature.
 * @param file the bytes before the update
 * @param dictionary of the signature, which is in the update
 */
export async function unsignedUpdate(
  { engine }: OpenPdf,
  file: EngineBytes,
  update: Uint8Array,
  dictionary: PDFObject,
  digest: DigestName,
): Promise<Unsigned> {
  const gap = fillRange(update, file.length, objectNumber(dictionary));
  const [before, after] = [joinedBytes([file, ownBytes(update.subarray(0, gap.from))]), update.subarray(gap.to)];
  const hashed = await digestOfParts(engine.work, DIGESTS[digest].hash, [before, ownBytes(after)]);
  return { update, hashed, gap };
}

/**
 * Writes the value of a signature into its place.
 * @throws Refusal `timestamp_failed` if it is larger than its room
 */
export function fillPlace({ update, gap }: Unsigned, value: Uint8Array): void {
  const contents = hex(value);
  // `Contents` has two digits for each byte, between angle brackets.
  if (contents.length > gap.to - gap.from - 2) throw tokenTooLarge();
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
