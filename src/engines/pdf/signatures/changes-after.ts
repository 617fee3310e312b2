/** The changes in a file after a signature, and whether the earlier signatures allow them (ISO 32000-2, 12.8.2.2, 12.8.2.4). */
import type { PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import { revisionsTooLarge } from "../../limit-errors.ts";
import type { InputBytes } from "../../memory/heap.ts";
import { type OpenPdf, openPdf } from "../document/document.ts";
import { allowsFilling } from "../forms/signature-permissions.ts";
import { readFormTree } from "../forms/tree.ts";
import { isNamed, items } from "../objects/objects.ts";
import { TextReader } from "../objects/text-string.ts";
import { startXrefAt } from "./end-marker.ts";
import { type RevisionChange, changesBetween, type ChangeLevel } from "./comparison.ts";
import { differenceOf } from "./difference.ts";
import type { FoundSignature } from "./fields.ts";
import { Broken } from "./section.ts";
import { problemOf } from "./update-structure.ts";
import { type Update, updatesAfter } from "./updates.ts";
import { HiddenReferences } from "./written-references.ts";

/** Names of the levels of a certification (table 257). */
const PERMISSIONS = new Map([
  [1, "no-changes"],
  [2, "form-filling"],
  [3, "annotations"],
] as const);
export type DocMdp = "no-changes" | "form-filling" | "annotations";

export interface ReportedChange extends Omit<RevisionChange, "level"> {
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

/**
 * The updates of a file, each compared with the revision before it. A change that the next update reverts is still a change, because a signature in
 * between may cover it.
 */
export class History {
  readonly #open: OpenPdf;
  readonly #before: OpenPdf | undefined;
  /** The changes of each update, by its end. Undefined if the file is damaged. */
  readonly #known = new Map<number, readonly RevisionChange[] | undefined>();

  readonly #hidden = new HiddenReferences();

  /** `before`: a revision that is open, and stays so. */
  constructor(open: OpenPdf, before?: OpenPdf) {
    this.#open = open;
    this.#before = before;
  }

  /** Looks at the document as it was when it ended at `end`. */
  async at<T>(end: number, look: (revision: OpenPdf) => Promise<T>): Promise<T> {
    const { engine, input } = this.#open;
    for (const open of [this.#open, this.#before]) if (open?.input.bytes.length === end) return look(open);
    using revision = await openPdf(engine, { ...input, bytes: beginningOf(input.bytes, end) });
    return await look(revision);
  }

  async changesOf(update: Update): Promise<readonly RevisionChange[] | undefined> {
    const { end } = update;
    if (!this.#known.has(end)) this.#known.set(end, await this.#compare(update));
    return this.#known.get(end);
  }

  #compare(update: Update): Promise<readonly RevisionChange[] | undefined> {
    const compared = async (before: OpenPdf, after: OpenPdf): Promise<readonly RevisionChange[] | undefined> => {
      const problem = await problemOf(update, before, after);
      const changes = await changesBetween(await differenceOf(before, after, this.#hidden));
      if (before.repaired || after.repaired) return undefined;
      return problem === undefined
        ? changes
        : [{ kind: "other", level: "never", object: 0, text: problem }, ...changes];
    };
    return this.at(update.start, (before) => this.at(update.end, (after) => compared(before, after)));
  }
}

/** The changes since a revision that ends at `end`. `since`: only those in updates from there on, in bytes from the start of the file. */
export async function changesAfter(
  open: OpenPdf,
  history: History,
  { number }: FoundSignature,
  end: number | undefined,
  since = 0,
): Promise<ReportedChange[]> {
  const { input, engine } = open;
  const { bytes } = input;
  if (end === undefined) return [{ ...OTHER, object: number, text: "What the signature covers is not known." }];
  if (startXrefAt(bytes, end) === undefined)
    return [{ ...OTHER, object: number, text: "The signed bytes do not end as a revision of the file does." }];
  const tail = bytes.view(end, Math.min(bytes.length, end + 3));
  // A line end behind the end marker belongs to it.
  if (tail.length < 3 && tail.every((byte) => byte === 10 || byte === 13)) return [];
  const damaged = [{ ...OTHER, text: "The file is damaged, so its revisions cannot be compared." }];
  if (open.repaired) return damaged;
  if (engine.ranges) throw revisionsTooLarge(engine.ranges.heldBytes, bytes.length);
  try {
    const updates = await updatesAfter(bytes, end, engine.headerOf(open.document), engine.work);
    const changes: RevisionChange[] = [];
    for (const update of updates) {
      if (update.end <= since) continue;
      const made = await history.changesOf(update);
      if (made === undefined) return damaged;
      changes.push(...made);
    }
    const reported = await history.at(end, async (before) => {
      const allows = await permissionsOf(before);
      return changes.map((change): ReportedChange => {
        const { level: _, ...said } = change;
        return { ...said, allowed: allows(change) };
      });
    });
    // A field that is filled in several times is one change.
    return Array.from(new Map(reported.map((one) => [JSON.stringify(one), one])).values());
  } catch (error) {
    if (error instanceof Broken) return [{ ...OTHER, text: error.message }];
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

/** The changes that the signatures in a revision allow (12.8.2.2, 12.8.2.4). To be used only while the revision is open. */
export async function permissionsOf(before: OpenPdf): Promise<(change: RevisionChange) => boolean> {
  const texts = new TextReader(before.engine);
  const fields = await readFormTree(before, texts);
  const root = before.document.getTrailer().get("Root");
  const levels = fields
    .filter(({ type, own }) => type === "signature" && own.V.isDictionary())
    .map(({ own }) => levelIn(own.V));
  const certified = [...levels, levelIn(root.get("Perms", "DocMDP"))].filter((level) => level !== undefined);
  const allowed: Readonly<Record<ChangeLevel, boolean>> = {
    always: true,
    "form-filling": !certified.includes("no-changes"),
    // Without a certification, signatures do not restrict annotations, which may hide the signed content.
    annotations: certified.length > 0 && certified.every((level) => level === "annotations"),
    never: false,
  };
  return ({ level, field }) =>
    allowed[level] && (level === "always" || field === undefined || allowsFilling(root, fields, [field], texts));
}
