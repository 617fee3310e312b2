/** The field of a signature (ISO 32000-2, 12.7.5.5), and the requirements of earlier signatures and of the field itself. */
import type { PDFObject } from "mupdf";
import { invalidParameter } from "../../errors.ts";
import type { OpenPdf } from "../document/document.ts";
import { allowsFilling } from "../forms/signature-permissions.ts";
import { readFormTree, type TerminalField } from "../forms/tree.ts";
import { isNamed, items } from "../objects/objects.ts";
import { TextReader } from "../objects/text-string.ts";
import { formHasXfa } from "../../parameter-errors.ts";
import { certifiesFirst, fieldLocked, fieldRequires, fieldSigned, noVisibleSignature } from "../../signature-errors.ts";

/** Levels of DocMDP (table 257). */
export type Permission = 1 | 2 | 3;

export interface WantedField {
  /** Full name. */
  readonly name: string | undefined;
  readonly certify: Permission | undefined;
  readonly isVisible: boolean;
  readonly digest: string;
  readonly reason: string | undefined;
  readonly hasTimestamp: boolean;
}

/** The field of the signature: an existing one, or a new one with this partial name. */
export interface SealField {
  readonly name: string;
  readonly existing?: { readonly field: PDFObject; readonly widget: PDFObject };
}

/** The default level of a certification. */
const FILL = 2;

/** Bits of the flags of a seed value dictionary (table 237): the required properties. */
const REQUIRED = {
  Filter: 1,
  SubFilter: 2,
  V: 3,
  Reasons: 4,
  LegalAttestation: 5,
  AddRevInfo: 6,
  DigestMethod: 7,
  LockDocument: 8,
  AppearanceFilter: 9,
} as const;

export const SUB_FILTER = "ETSI.CAdES.detached";

/**
 * Finds the field, or a name for a new one.
 * @throws Refusal `invalid_parameters` (no signature field), `already_signed`, `signature_forbidden`, `unsupported_form`
 */
export async function findField(open: OpenPdf, wanted: WantedField): Promise<SealField> {
  const root = open.document.getTrailer().get("Root");
  if (!root.get("AcroForm", "XFA").isNull()) throw formHasXfa();
  const texts = new TextReader(open.engine);
  const fields = await readFormTree(open, texts);
  const signed = fields.filter(({ type, own }) => type === "signature" && own.V.isDictionary());
  if (wanted.certify !== undefined && signed.length > 0) throw certifiesFirst(signed[0]?.name);
  const found = wanted.name === undefined ? undefined : fields.find(({ name }) => name === wanted.name);
  const name = found?.name ?? wanted.name ?? freeNameAmong(fields);
  checkCertification(root, name, found === undefined && wanted.isVisible);
  if (!allowsFilling(root, fields, [name], texts)) throw fieldLocked(name);
  if (found === undefined) {
    checkName(name, fields);
    return { name };
  }
  const [field, widget] = [found.objects[0], found.widgets[0]];
  if (found.type !== "signature" || field === undefined || widget === undefined)
    throw invalidParameter("fieldName", `names the field ${name}, which is not for signatures`);
  if (!found.own.V.isNull()) throw fieldSigned(name);
  checkSeedValue(name, field.get("SV"), wanted, texts);
  return { name, existing: { field, widget } };
}

/** A name for a new field. */
export const freeName = async (open: OpenPdf): Promise<string> =>
  freeNameAmong(await readFormTree(open, new TextReader(open.engine)));

function freeNameAmong(fields: readonly TerminalField[]): string {
  const known = new Set(fields.map(({ name }) => name));
  let number = 1;
  while (known.has(`Signature${number}`)) number += 1;
  return `Signature${number}`;
}

function checkName(name: string, fields: readonly TerminalField[]): void {
  if (name.includes("."))
    throw invalidParameter(
      "fieldName",
      "names no field of the document, and the name of a new one must not contain a period",
    );
  if (fields.some((field) => field.name.startsWith(`${name}.`)))
    throw invalidParameter("fieldName", "names a group of fields, not one for a signature");
}

/** Checks the permissions of the certification: level 2 allows only existing fields, or invisible ones, as in Acrobat. */
function checkCertification(root: PDFObject, name: string, addsVisible: boolean): void {
  const [certification] = items(root.get("Perms", "DocMDP", "Reference")).filter((reference) =>
    isNamed(reference.get("TransformMethod"), "DocMDP"),
  );
  if (certification === undefined) return;
  const level = certification.get("TransformParams", "P");
  if (addsVisible && (level.isNumber() ? level.asNumber() : FILL) <= FILL) throw noVisibleSignature(name);
}

/** Refuses a signature that lacks a property required by the field (12.7.5.5, table 237). Unknown requirements count as unmet. */
function checkSeedValue(name: string, seed: PDFObject, wanted: WantedField, texts: TextReader): void {
  if (!seed.isDictionary()) return;
  const flags = seed.get("Ff").asNumber();
  const requires = (key: keyof typeof REQUIRED): boolean => ((flags >> (REQUIRED[key] - 1)) & 1) === 1;
  const names = (key: string): string[] =>
    items(seed.get(key)).map((one) => (one.isName() ? one.asName() : (texts.text(one) ?? "")));
  const refuse = (what: string): never => {
    throw fieldRequires(name, what);
  };
  const filter = seed.get("Filter");
  if (requires("Filter") && filter.isName() && filter.asName() !== "Adobe.PPKLite")
    refuse(`the signature handler ${filter.asName()}`);
  if (requires("SubFilter") && !names("SubFilter").includes(SUB_FILTER))
    refuse(`one of the formats ${names("SubFilter").join(", ")}, and seals are ${SUB_FILTER}`);
  const digests = names("DigestMethod").map((one) => one.toLowerCase().replace("-", ""));
  if (requires("DigestMethod") && !digests.includes(wanted.digest))
    refuse(`one of the digests ${names("DigestMethod").join(", ")}: send \`digest\``);
  const reasons = names("Reasons");
  const needsNone = reasons.length === 0 || (reasons.length === 1 && reasons[0] === ".");
  if (requires("Reasons") && needsNone && wanted.reason !== undefined) refuse("that there is no `reason`");
  if (requires("Reasons") && !needsNone && !reasons.includes(wanted.reason ?? ""))
    refuse(`one of these in \`reason\`: ${reasons.join(", ")}`);
  const certification = seed.get("MDP", "P");
  const level = certification.isNumber() ? certification.asNumber() : undefined;
  if (level === 0 && wanted.certify !== undefined) refuse("a signature that does not certify the document");
  if (level !== undefined && level > 0 && wanted.certify !== level)
    refuse(`that the signature certifies the document with the level ${level}: send \`certify\``);
  const stamp = seed.get("TimeStamp", "Ff");
  if (stamp.isNumber() && stamp.asNumber() === 1 && !wanted.hasTimestamp) refuse("a time stamp: send `level=b-t`");
  const unknown = (["V", "LegalAttestation", "AddRevInfo", "LockDocument", "AppearanceFilter"] as const).filter(
    requires,
  );
  if (unknown.length > 0) refuse(`something that is not supported (${unknown.join(", ")})`);
  const certificate = seed.get("Cert", "Ff");
  if (certificate.isNumber() && certificate.asNumber() !== 0) refuse("certain certificates, which is not supported");
}
