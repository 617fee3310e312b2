/** Puts a signature that was made elsewhere into a document that was prepared for it. */
import { invalidParameter } from "../../errors.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { hex } from "../../../bytes/hex.ts";
import { joinedBytes, ownBytes, partOf } from "../../memory/joined-bytes.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
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

/** A prepared document that waits for its signature. It outlasts the document. */
export interface ToComplete {
  /** The full name of the field. */
  readonly field: string;
  /** The digest of the signed bytes. */
  readonly hashed: Uint8Array;
  /**
   * The file with a CMS signature.
   * @throws Refusal `invalid_parameters` if there is too little room
   */
  with(cms: Uint8Array): EngineBytes;
}

/**
 * Reads a prepared document.
 * @throws Refusal `invalid_parameters` if it is not prepared
 */
export async function readPrepared(open: OpenPdf, digest: DigestName): Promise<ToComplete> {
  const { bytes } = open.input;
  const { field, gapStart, gapEnd } = await preparedIn(open);
  const [before, after] = [partOf(bytes, 0, gapStart), partOf(bytes, gapEnd, bytes.length)];
  const hashed = await digestOfParts(open.engine.work, DIGESTS[digest].hash, [before, after]);
  return {
    field,
    hashed,
    with(cms) {
      const [room, contents] = [gapEnd - gapStart - 2, hex(cms)];
      if (contents.length > room)
        throw invalidParameter(
          "signature",
          "and its certificates do not fit: send `prepare` the same `chain` and `level`",
        );
      return joinedBytes([before, ownBytes(bytesOf(`<${contents.padEnd(room, "0")}>`)), after]);
    },
  };
}
