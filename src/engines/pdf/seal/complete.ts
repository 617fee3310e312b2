/** Puts a signature that was made elsewhere into a document that was prepared for it. */
import { invalidParameter } from "../../errors.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { hex } from "../../bytes/hex.ts";
import { joinedBytes, ownBytes, partOf } from "../../bytes/joined-bytes.ts";
import { bytesOf } from "../../bytes/latin1.ts";
import { Unusable } from "../../cms/refusal.ts";
import { DIGESTS, type DigestName } from "../../cms/signer.ts";
import type { OpenPdf } from "../document/document.ts";
import { digestOfParts } from "../signatures/digest.ts";
import { coveredIn, findSignatures } from "../signatures/fields.ts";

/** A document whose last signature has a place for its value and no value. */
interface Prepared {
  /** The full name of its field. */
  readonly field: string;
  /** The place, from its opening bracket to behind its closing one. */
  readonly gapStart: number;
  readonly gapEnd: number;
}

async function preparedIn(open: OpenPdf): Promise<Prepared> {
  const { length } = open.input.bytes;
  const last = (await findSignatures(open)).find(({ end }) => end === length);
  try {
    const covered = last && coveredIn(open, last);
    if (last && covered?.contents.every((byte) => byte === 0)) return { field: last.field, ...covered };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
  }
  throw invalidParameter(
    open.input.field,
    "must be what `mode=prepare` returned, without any change: it has no signature that is prepared",
  );
}

/**
 * Completes a prepared document.
 * @param sign makes the CMS signature of a digest
 * @throws Refusal `invalid_parameters` if the document is not prepared, or has too little room; what `sign` throws
 */
export async function completePdf(
  open: OpenPdf,
  digest: DigestName,
  sign: (digest: Uint8Array) => Promise<Uint8Array>,
): Promise<{ bytes: EngineBytes; field: string }> {
  const { bytes } = open.input;
  const { field, gapStart, gapEnd } = await preparedIn(open);
  const [before, after] = [partOf(bytes, 0, gapStart), partOf(bytes, gapEnd, bytes.length)];
  const hashed = await digestOfParts(open.engine.work, DIGESTS[digest].hash, [before, after]);
  const room = gapEnd - gapStart - 2;
  const contents = hex(await sign(hashed));
  if (contents.length > room)
    throw invalidParameter("signature", "and its certificates do not fit: send `prepare` the same `chain` and `level`");
  return { field, bytes: joinedBytes([before, ownBytes(bytesOf(`<${contents.padEnd(room, "0")}>`)), after]) };
}
