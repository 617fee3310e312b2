/**
 * Whether the output of an operation makes a signature of its file invalid: the verdict of verify-signatures on the output, by the same comparison,
 * for the newest update only.
 */
import { limits } from "../../../limits.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { partOf } from "../../memory/joined-bytes.ts";
import { Unusable } from "../../cms/refusal.ts";
import { type OpenPdf, openPdf } from "../document/document.ts";
import { isSigned } from "./fields.ts";
import { fetchForm } from "../document/fetch-pages.ts";
import { documentChanges } from "../write/write.ts";
import { changesAfter, History, permissionsOf } from "./changes-after.ts";
import { changesBetween } from "./comparison.ts";
import { differenceIn } from "./difference.ts";
import { coveredIn, type FoundSignature, signatureFields } from "./fields.ts";
import { isIntact } from "./verify.ts";

/**
 * Whether a document has an intact signature. Rewriting the document or removing the field breaks it, so call this first. Of an unsigned document,
 * only the fields are inspected.
 */
export async function hasIntactSignature(open: OpenPdf): Promise<boolean> {
  if (!(await isSigned(open))) return false;
  const signatures = await signatureFields(open);
  return someIntact(open, signatures, signatures.length);
}

/**
 * Whether an update makes an intact signature of a document invalid.
 * @param open the signed document, with the changes that are not in its file
 * @param file the file with the update that contains them
 * @param pages the changed pages (0-based), which cannot be found otherwise in a file that is read in ranges
 */
export async function breaksSignature(
  open: OpenPdf,
  file: EngineBytes,
  pages: readonly number[] = [],
): Promise<boolean> {
  const { engine, input } = open;
  if (engine.ranges) return breaksInRanges(open, file, pages);
  using before = await openPdf(engine, input);
  using after = await openPdf(engine, { ...input, bytes: { ...file, pointer: input.bytes.pointer } });
  const history = new History(after, before);
  const [signatures, later] = [await signatureFields(before), await signatureFields(after)];
  const lost: FoundSignature[] = [];
  for (const one of signatures) {
    const same = later.find(({ field, number }) => field === one.field && number === one.number);
    if (same === undefined || !(await isKept(after, history, same, input.bytes.length))) lost.push(one);
  }
  return await someIntact(before, lost, signatures.length);
}

/**
 * The same for a file that is read in ranges, whose revisions verify-signatures does not compare: all signatures together must allow the update. Only
 * the changed objects are read.
 */
async function breaksInRanges(open: OpenPdf, file: EngineBytes, pages: readonly number[]): Promise<boolean> {
  const { engine, input } = open;
  using before = await openPdf(engine, {
    ...input,
    bytes: { ...partOf(input.bytes, 0, input.bytes.length), pointer: 0 },
  });
  using after = await openPdf(engine, { ...input, bytes: { ...file, pointer: 0 } });
  for (const one of [before, after]) await fetchForm(one);
  const numbers = documentChanges(open).objects.map(({ number }) => number);
  const changes = await changesBetween(await differenceIn(before, after, { numbers, pages }));
  const allows = await permissionsOf(before);
  return !changes.every(allows);
}

/** Whether a signature still covers its revision, and allows the changes since the file ended at `since`. */
async function isKept(after: OpenPdf, history: History, found: FoundSignature, since: number): Promise<boolean> {
  try {
    coveredIn(after, found);
  } catch (error) {
    if (error instanceof Unusable) return false;
    throw error;
  }
  const changes = await changesAfter(after, history, found, found.end, since);
  return changes.every(({ allowed }) => allowed);
}

/**
 * Whether any of these signatures is intact. They count as intact if verify-signatures does not check them, because the document has too many or is
 * read in ranges.
 * @param count of all signatures of the document
 */
async function someIntact(open: OpenPdf, signatures: readonly FoundSignature[], count: number): Promise<boolean> {
  if (count > limits.signatures.most || open.engine.ranges) return signatures.length > 0;
  for (const one of signatures) if (await isIntact(open, one)) return true;
  return false;
}
