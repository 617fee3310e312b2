/** Appends a digital signature (ISO 32000-2, 12.8) to a document, as an incremental update: every byte before it stays. */
import type { PDFObject } from "mupdf";
import { invalidParameter } from "../../errors.ts";
import { tooDamagedToSign } from "../../file-errors.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { joinedBytes, ownBytes } from "../../memory/joined-bytes.ts";
import type { Matrix } from "../../geometry.ts";
import type { OpenPdf } from "../document/document.ts";
import { profileToKeep } from "../conformance/keep.ts";
import { boxOf } from "../document/page-facts.ts";
import { fetchPages } from "../document/fetch-pages.ts";
import { type StampPage, pageAsShown } from "../content/page-content.ts";
import { boxOn, inUnits, misplaced, pageIssue, type ShownBox, touches } from "../content/shown-box.ts";
import { pdfDateOf } from "../objects/dates.ts";
import { textString } from "../objects/text-string.ts";
import { appendToPdf } from "../write/save.ts";
import { makeForm } from "../stamps/mark.ts";
import { sealAppearance, type SealLook } from "./appearance.ts";
import { type Permission, type SealField, SUB_FILTER } from "./field.ts";
import { dictionaryWithPlace, type Unsigned, unsignedUpdate, type SignatureValue } from "./value.ts";

/** Annotation flags (table 167): printed, and locked. */
const PRINT_AND_LOCKED = 4 | 128;
/** Signature flags of a form (table 225): it has signatures, and must be appended to. */
const SIGNATURES_EXIST = 1;
const APPEND_ONLY = 2;

export interface Signature extends SignatureValue {
  readonly field: SealField;
  readonly certify: Permission | undefined;
  readonly signedAt: Date;
  /** Text entries of the signature dictionary. */
  readonly texts: Readonly<Partial<Record<"Name" | "Reason" | "Location" | "ContactInfo", string | undefined>>>;
  /** Where a new field is shown. */
  readonly box: ShownBox | undefined;
  /** The appearance of a visible field. */
  look(): Promise<SealLook>;
}

/** A document with a signature whose value is still to be filled in (`fillPlace`). */
export interface Sealed extends Unsigned {
  readonly file: EngineBytes;
}

/**
 * Appends a signature to a document, except for its value. The file outlasts the document.
 * @throws Refusal `invalid_parameters` if the box is not on its page; `invalid_file` if the document is damaged
 */
export async function sealPdf(open: OpenPdf, signature: Signature): Promise<Sealed> {
  const { document, input } = open;
  if (open.repaired) throw tooDamagedToSign(input.field);
  const root = document.getTrailer().get("Root");
  const value = document.addObject(dictionaryOf(open, signature));
  const { existing, name } = signature.field;
  if (existing) await fillField(open, existing, value, signature);
  else await addField(open, name, value, signature);
  if (signature.certify !== undefined) {
    const known = root.get("Perms");
    const permissions = known.isDictionary() ? known : root.put("Perms", document.newDictionary());
    permissions.put("DocMDP", value);
  }
  const file = await appendToPdf(open, { awaitsSignature: true });
  if (file?.continues === undefined) throw tooDamagedToSign(input.field);
  return sealedFile(open, file.continues, value, signature.digest);
}

/** An update outside of the engine, complete but for the value of its signature, if it has one. */
export async function sealedFile(
  open: OpenPdf,
  { file, rest }: NonNullable<EngineBytes["continues"]>,
  dictionary: PDFObject,
  digest: SignatureValue["digest"],
): Promise<Sealed> {
  const update = copyOutside(open, rest);
  const unsigned = await unsignedUpdate(open, file, update, dictionary, digest);
  return { ...unsigned, file: withUpdate(file, update) };
}

/** An update outside of the engine. */
export function copyOutside({ engine }: OpenPdf, rest: EngineBytes): Uint8Array {
  engine.claim(rest.length);
  const update = rest.view(0, rest.length).slice();
  rest.free();
  return update;
}

/** A file with an update. */
export function withUpdate(file: EngineBytes, update: Uint8Array): EngineBytes {
  const rest = ownBytes(update);
  return { ...joinedBytes([file, rest]), continues: { file, rest } };
}

/** The signature dictionary (table 255). */
function dictionaryOf(open: OpenPdf, { field, certify, signedAt, texts, room }: Signature): PDFObject {
  const dictionary = dictionaryWithPlace(open, { Type: "Sig", SubFilter: SUB_FILTER }, room);
  dictionary.put("M", textString(dictionary, pdfDateOf(signedAt.toISOString()) ?? ""));
  for (const [key, text] of Object.entries(texts))
    if (text !== undefined) dictionary.put(key, textString(dictionary, text));
  const references = referencesOf(open, field, certify);
  if (references.length > 0) dictionary.put("Reference", references);
  return dictionary;
}

/** The later changes that are allowed: by the certification, and by the lock of the field (12.8.2.2, 12.8.2.4). */
function referencesOf({ document }: OpenPdf, { existing }: SealField, certify: Permission | undefined): unknown[] {
  const root = document.getTrailer().get("Root");
  const reference = (method: string, parameters: Record<string, unknown>): Record<string, unknown> => ({
    Type: "SigRef",
    TransformMethod: method,
    TransformParams: { Type: "TransformParams", V: document.newName("1.2"), ...parameters },
    Data: root,
  });
  const references: unknown[] = [];
  const lock = existing?.field.get("Lock");
  const locked = lock?.isDictionary() ? lock.get("P") : undefined;
  const level = certify ?? (locked?.isNumber() ? locked.asNumber() : undefined);
  if (level !== undefined) references.push(reference("DocMDP", { P: level }));
  if (lock?.isDictionary()) {
    const fields = lock.get("Fields");
    const named = fields.isArray() ? { Fields: fields.resolve() } : {};
    references.push(reference("FieldMDP", { Action: lock.get("Action"), ...named }));
  }
  return references;
}

/** The array in an entry of a form or page, which is made if there is none. */
export function arrayIn(open: OpenPdf, holder: PDFObject, key: string): PDFObject {
  const known = holder.get(key);
  return known.isArray() ? known : holder.put(key, open.document.newArray());
}

function formOf({ document }: OpenPdf, root: PDFObject): PDFObject {
  const known = root.get("AcroForm");
  const form = known.isDictionary() ? known : root.put("AcroForm", document.addObject(document.newDictionary()));
  const flags = form.get("SigFlags");
  form.put("SigFlags", (flags.isNumber() ? flags.asNumber() : 0) | SIGNATURES_EXIST | APPEND_ONLY);
  return form;
}

/** Adds a signature field with its value: invisible, unless there is a box. */
export async function addField(
  open: OpenPdf,
  name: string,
  value: PDFObject,
  shown?: Pick<Signature, "box" | "look">,
): Promise<void> {
  const { document } = open;
  const box = shown?.box;
  const root = document.getTrailer().get("Root");
  const page = await pageOf(open, box);
  const field = document.addObject({ FT: "Sig", Type: "Annot", Subtype: "Widget", F: PRINT_AND_LOCKED });
  field.put("T", textString(field, name));
  field.put("V", value);
  field.put("P", page.object);
  field.put("Rect", box ? inUnits(page, boxOn(page, box)) : [0, 0, 0, 0]);
  if (box && shown) await draw(open, field, [box.width, box.height], page.toPage, shown.look);
  // Part 1 asks every field for an appearance, even where nothing is seen of it (ISO 19005-1, 6.9).
  else if ((await profileToKeep(open)) === "1b") field.put("AP", { N: makeForm(open, [0, 0, 0, 0], () => "") });
  arrayIn(open, formOf(open, root), "Fields").push(field);
  arrayIn(open, page.object, "Annots").push(field);
}

async function pageOf(open: OpenPdf, box: ShownBox | undefined): Promise<StampPage> {
  const issue = box && pageIssue(box, open.pageCount);
  if (issue !== undefined) throw invalidParameter("field", issue);
  const index = box ? box.page - 1 : 0;
  const [object] = await fetchPages(open, [index]);
  if (object === undefined) throw new Error("the page of the signature is missing");
  const page = pageAsShown(object, index);
  if (box && !touches(page, box)) throw misplaced("field", page, box);
  return page;
}

/** Signs a field that is there, and draws it if it has a box. */
async function fillField(
  open: OpenPdf,
  { field, widget }: { readonly field: PDFObject; readonly widget: PDFObject },
  value: PDFObject,
  { look }: Signature,
): Promise<void> {
  field.put("V", value);
  formOf(open, open.document.getTrailer().get("Root"));
  const rectangle = boxOf(widget.get("Rect"));
  if (rectangle === undefined) return;
  const [width, height] = [rectangle[2] - rectangle[0], rectangle[3] - rectangle[1]];
  const page = widget.get("P");
  const { toPage } = page.isDictionary() ? pageAsShown(page, 0) : { toPage: [1, 0, 0, 1, 0, 0] as const };
  const [a, b, c, d] = toPage;
  // The size as the page is shown: with its sides exchanged if it is turned.
  const shown: readonly [number, number] =
    a === 0 ? [height / Math.abs(b), width / Math.abs(c)] : [width / Math.abs(a), height / Math.abs(d)];
  await draw(open, widget, shown, toPage, look);
}

async function draw(
  open: OpenPdf,
  widget: PDFObject,
  size: readonly [number, number],
  toPage: Matrix,
  look: Signature["look"],
): Promise<void> {
  const appearance = open.document.newDictionary();
  appearance.put("N", sealAppearance(open, size, toPage, await look()));
  widget.put("AP", appearance);
  widget.delete("AS");
}
