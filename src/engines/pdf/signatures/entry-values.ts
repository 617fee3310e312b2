/** The allowed values of entries that signatures let change: none that could also be drawn or executed elsewhere. */
import type { PDFObject } from "mupdf";
import { find } from "../../../bytes/find.ts";
import { fields } from "../document/fields.ts";
import type { TreeSource } from "../document/tree.ts";
import { boxOf } from "../document/page-facts.ts";
import { parseXmp } from "../metadata/xmp.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { possibleNames } from "../syntax/names.ts";
import { entries, isNamed, items } from "../objects/objects.ts";

/** Fuel per field. */
const FIELD_WORK = 500;

/** Begins the record at the end of a ZIP archive, by which its directory is found wherever it begins. */
const ZIP_END = "PK\x05\x06";

/** Entries of a new signature field and of its widgets: without actions, and without optional content. */
const NEW_FIELD_ENTRIES = new Set(
  "Type Subtype FT T TU TM V F Ff Rect P Kids Parent AP AS BS Border DA DR H Lock M MK NM Q StructParent SV C CA Contents".split(
    " ",
  ),
);

/** A direct string, or null. */
export const isPlain = (value: PDFObject): boolean => !value.isIndirect() && (value.isNull() || value.isString());
/** Text, or a stream of text: with a subtype, it could also be a picture. */
export const isTextValue = (value: PDFObject): boolean =>
  value.isNull() || value.isString() || (value.isStream() && value.get("Subtype").isNull());
export const isDictionary = (value: PDFObject): boolean => value.isDictionary() && !value.isStream();
export const isVisible = (widget: PDFObject): boolean => boxOf(widget.get("Rect")) !== undefined;

/**
 * Whether a stream is a file in a container (ODF, OOXML), regardless of its dictionary. LibreOffice opens such a file in its own PDFs in place of
 * their pages.
 */
export function isFile(engine: PdfEngine, value: PDFObject): boolean {
  if (!value.isStream()) return false;
  const buffer = value.readStream();
  const bytes = buffer.asUint8Array();
  const found = find(bytes, ZIP_END, 0) >= 0;
  engine.countDecoded(bytes.length);
  buffer.destroy();
  return found;
}

/** The value of a field: a signature, or else text, names, and lists of texts. */
export const isFieldValue = (value: PDFObject, isSignature: boolean): boolean =>
  isSignature
    ? isDictionary(value)
    : isTextValue(value) || value.isName() || (value.isArray() && items(value).every((one) => one.isString()));

/** Whether a value is an appearance dictionary (12.5.5) and has nothing else. */
export function isAppearance(engine: PdfEngine, value: PDFObject): boolean {
  return (
    isDictionary(value) &&
    entries(engine, value).every(({ key, value: one }) => {
      if (!["N", "R", "D"].includes(key.asName())) return false;
      return one.isStream() || (isDictionary(one) && entries(engine, one).every((state) => state.value.isStream()));
    })
  );
}

/** Whether a value is XMP, and not another kind of object, such as a picture, regardless of its data. */
export async function isXmp(engine: PdfEngine, value: PDFObject): Promise<boolean> {
  if (!value.isStream() || !isNamed(value.get("Type"), "Metadata") || !isNamed(value.get("Subtype"), "XML"))
    return false;
  const buffer = value.readStream();
  const bytes = buffer.asUint8Array().slice();
  buffer.destroy();
  engine.countDecoded(bytes.length);
  return (await parseXmp(engine.work, bytes)) !== undefined;
}

/** Entries of a new field or its widget that a signature does not need and that could be visible or executed. */
export function newWidgetProblem(engine: PdfEngine, widget: PDFObject): string | undefined {
  const subtype = widget.get("Subtype");
  if (!subtype.isNull() && !isNamed(subtype, "Widget")) return "an annotation that is no widget";
  const appearance = widget.get("AP");
  if (!appearance.isNull() && !isAppearance(engine, appearance)) return "an appearance that is none";
  const other = entries(engine, widget).find(({ key }) => !NEW_FIELD_ENTRIES.has(key.asName()));
  return other && `the entry \`${other.key.asName()}\``;
}

/** The names in the default appearances of a form: `/Helv 12 Tf`. */
export async function namesInAppearances(open: TreeSource): Promise<Set<string>> {
  const names = new Set<string>();
  const look = (owner: PDFObject): void => {
    open.engine.work.spend(FIELD_WORK);
    const appearance = owner.get("DA");
    if (appearance.isString())
      for (const name of possibleNames(Uint8Array.from(appearance.asByteString()))) names.add(name);
  };
  look(open.document.getTrailer().get("Root", "AcroForm"));
  for await (const { object } of fields(open)) look(object);
  return names;
}
