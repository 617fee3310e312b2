/** The signatures of a document: the bytes that each covers, and who signed (ISO 32000-2, 12.8). */
import { partiesIn } from "../../../cms/signed-data.ts";
import { Unusable } from "../../../cms/refusal.ts";
import { coveredIn, type FoundSignature, signatureFields } from "../../signatures/fields.ts";
import { CR, LF } from "../../syntax/characters.ts";
import { latin1 } from "../../../../bytes/latin1.ts";
import type { Check } from "./check.ts";
import type { ModelDocument } from "./document.ts";

const MARKER = "%%EOF";

/** @throws Refusal `limit_exceeded`, `overloaded` */
export async function checkSignatures({ open }: ModelDocument, bytes: Uint8Array, check: Check): Promise<void> {
  const { engine } = open;
  await engine.scope(async () => {
    for (const found of await signatureFields(open)) {
      await engine.work.pause();
      const contents = found.signature.get("Contents");
      const parties = contents.isString()
        ? partiesIn(engine.work, contents.asByteString())
        : { signers: 0, certificates: 0 };
      const coversRevision = isCovered(found);
      check("signedBytes", { ...parties, coversRevision }, { object: found.number, context: found.field });
    }
  });

  /** Whether a signature covers a revision up to its end, and leaves out nothing but itself. */
  function isCovered(found: FoundSignature): boolean {
    try {
      const { end } = coveredIn(open, found);
      const hasLineFeed = bytes[end - 1] === LF;
      const afterLine = hasLineFeed ? end - 1 : end;
      const last = bytes[afterLine - 1] === CR ? afterLine - 1 : afterLine;
      return latin1(bytes.subarray(last - MARKER.length, last)) === MARKER;
    } catch (error) {
      if (error instanceof Unusable) return false;
      throw error;
    }
  }
}
