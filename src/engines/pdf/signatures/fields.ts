/** The signatures of a document, and the bytes that each covers. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { tooManySignatures } from "../../limit-errors.ts";
import type { OpenPdf } from "../document/document.ts";
import { fields } from "../document/fields.ts";
import type { TreeSource } from "../document/tree.ts";
import { readFormTree } from "../forms/tree.ts";
import { objectNumber } from "../objects/objects.ts";
import { TextReader } from "../objects/text-string.ts";
import { type Covered, coveredBy, endOf } from "./byte-range.ts";

export interface FoundSignature {
  /** Full name. */
  readonly field: string;
  readonly signature: PDFObject;
  /** The number of the object that has the signature dictionary. */
  readonly number: number;
  /** `SubFilter`. */
  readonly format: string;
  /** Where the revision ends that it covers; undefined if its byte range makes no sense. */
  readonly end: number | undefined;
}

/** Whether the document is signed: a signature field has a signature over its bytes (12.8.1). */
export async function isSigned(open: TreeSource): Promise<boolean> {
  for await (const { object } of fields(open)) if (object.get("V", "ByteRange").isArray()) return true;
  return false;
}

/** Finds the signatures, in the order of the revisions that they cover. */
export async function signatureFields(open: OpenPdf): Promise<FoundSignature[]> {
  const terminal = await readFormTree(open, new TextReader(open.engine));
  const found = terminal
    .filter(({ type, own }) => type === "signature" && own.V.isDictionary())
    .map(({ name, own: { V }, objects }): FoundSignature => {
      const format = V.get("SubFilter");
      return {
        field: name,
        signature: V,
        number: objectNumber(V) || (objects[0] ? objectNumber(objects[0]) : 0),
        format: format.isName() ? format.asName() : "",
        end: endOf(V, open.input.bytes),
      };
    });
  return found.toSorted((a, b) => (a.end ?? Infinity) - (b.end ?? Infinity));
}

/**
 * The same, if they can be verified.
 * @throws Refusal `limit_exceeded` beyond 50
 */
export async function findSignatures(open: OpenPdf): Promise<FoundSignature[]> {
  const found = await signatureFields(open);
  if (found.length > limits.signatures.most) throw tooManySignatures(found.length);
  return found;
}

/**
 * The bytes that a signature covers.
 * @throws Unusable
 */
export function coveredIn(open: OpenPdf, { signature, number }: FoundSignature): Covered {
  const { engine, document, input } = open;
  const entry = engine.fileEntryOf(document, number);
  const isPlain = entry !== undefined && entry.container === undefined;
  const position = isPlain ? entry.offset + engine.headerOf(document) : undefined;
  return coveredBy(signature, input.bytes, position);
}
