/** What was changed in a file after a signature, and whether the signatures before allow it (ISO 32000-2, 12.8.2.2, 12.8.2.4). */
import type { PDFObject } from "mupdf";
import { limits, MiB } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { InputBytes } from "../../bytes/heap.ts";
import { type OpenPdf, openPdf } from "../document/document.ts";
import { allowsFilling } from "../forms/signature-permissions.ts";
import { readFormTree } from "../forms/tree.ts";
import { isNamed, items } from "../objects/objects.ts";
import { TextReader } from "../objects/text-string.ts";
import { startXrefAt } from "./byte-range.ts";
import { type Change, changesBetween, type Level } from "./comparison.ts";
import { differenceOf } from "./difference.ts";
import type { FoundSignature } from "./fields.ts";

/** Names of the levels of a certification (table 257). */
const PERMISSIONS = new Map([
  [1, "no-changes"],
  [2, "form-filling"],
  [3, "annotations"],
] as const);
export type DocMdp = "no-changes" | "form-filling" | "annotations";

export interface ReportedChange extends Omit<Change, "level"> {
  readonly allowed: boolean;
}

/** The certification level of a signature (12.8.2.2); undefined if it does not certify. */
export function levelIn(signature: PDFObject): DocMdp | undefined {
  const reference = items(signature.get("Reference")).find((one) => isNamed(one.get("TransformMethod"), "DocMDP"));
  if (reference === undefined) return undefined;
  const level = reference.get("TransformParams", "P");
  return PERMISSIONS.get((level.isNumber() ? level.asNumber() : 2) as 1 | 2 | 3) ?? "no-changes";
}

const OTHER = { kind: "other", object: 0, allowed: false } as const;

/** What was changed since a revision that ends at `end`. */
export async function changesAfter(
  open: OpenPdf,
  { number }: FoundSignature,
  end: number | undefined,
): Promise<ReportedChange[]> {
  const { input, engine } = open;
  const { bytes } = input;
  if (end === undefined) return [{ ...OTHER, object: number, text: "What the signature covers is not known." }];
  if (startXrefAt(bytes, end) === undefined)
    return [{ ...OTHER, object: number, text: "The signed bytes do not end as a revision of the file does." }];
  const tail = bytes.view(end, Math.min(bytes.length, end + 3));
  // A line end behind the end marker belongs to it.
  if (tail.length < 3 && tail.every((byte) => byte === 10 || byte === 13)) return [];
  const newest = startXrefAt(bytes, bytes.length);
  if (newest === undefined || newest + engine.headerOf(open.document) < end)
    return [{ ...OTHER, text: "Bytes follow the signed revision that are no update of the file." }];
  const damaged = [{ ...OTHER, text: "The file is damaged, so its revisions cannot be compared." }];
  if (open.repaired) return damaged;
  if (engine.ranges) {
    const limit = limits.references.heldBytes;
    const message = `The file was changed after it was signed. Revisions are compared in files of up to ${limit / MiB} MiB.`;
    throw new Refusal("limit_exceeded", message, { limit, actual: bytes.length });
  }
  try {
    using before = await openPdf(engine, { ...input, bytes: beginningOf(bytes, end) });
    const changes = await changesBetween(await differenceOf(before, open));
    if (before.repaired || open.repaired) return damaged;
    const allows = await permissionsOf(before);
    return changes.map((change) => {
      const { level: _, ...said } = change;
      return { ...said, allowed: allows(change) };
    });
  } catch (error) {
    const meaning = engine.explain(error);
    if (meaning instanceof Refusal && meaning.code === "invalid_file") return damaged;
    throw error;
  }
}

const beginningOf = (bytes: InputBytes, end: number): InputBytes => ({
  length: end,
  pointer: bytes.pointer,
  view: (from, to) => bytes.view(from, Math.min(to, end)),
  free: () => undefined,
});

/** What the signatures in a revision allow (12.8.2.2, 12.8.2.4). */
async function permissionsOf(before: OpenPdf): Promise<(change: Change) => boolean> {
  const texts = new TextReader(before.engine);
  const fields = await readFormTree(before, texts);
  const root = before.document.getTrailer().get("Root");
  const levels = fields
    .filter(({ type, own }) => type === "signature" && own.V.isDictionary())
    .map(({ own }) => levelIn(own.V));
  const certified = [...levels, levelIn(root.get("Perms", "DocMDP"))].filter((level) => level !== undefined);
  const allowed: Readonly<Record<Level, boolean>> = {
    always: true,
    "form-filling": !certified.includes("no-changes"),
    // Without a certification, signatures say nothing about annotations, which may hide what was signed.
    annotations: certified.length > 0 && certified.every((level) => level === "annotations"),
    never: false,
  };
  return ({ level, field }) =>
    allowed[level] && (level === "always" || field === undefined || allowsFilling(root, fields, [field], texts));
}
