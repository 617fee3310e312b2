import type { EngineBytes } from "../../engines/memory/heap.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { beginsAsPdf, PDF_HEAD_BYTES } from "../../bytes/pdf-signature.ts";
import { beginsAsDocument } from "../../engines/convert/detect.ts";
import { imageKindOf, imageKinds, type OtherImage, otherImageOf } from "../../engines/image/kind.ts";
import { beginsAsXml } from "../../engines/markup/xml.ts";
import type { FileKind } from "../../operations/definition/fields.ts";

/** Whether a file is one of these kinds, by its bytes. A file can be two kinds at once; the expected one counts. */
export function isOneOf(kinds: readonly FileKind[], bytes: EngineBytes): boolean {
  if (kinds.includes("any")) return true;
  const head = bytes.view(0, Math.min(bytes.length, PDF_HEAD_BYTES));
  const image = imageKindOf(head);
  if (image !== undefined && kinds.includes(image)) return true;
  if (kinds.includes("xml") && beginsAsXml(head)) return true;
  return kinds.includes("pdf") && beginsAsPdf(head);
}

/** Bytes in which the first tag of an SVG is looked for. */
const OTHER_HEAD_BYTES = 4_096;

/** The format of an image that a field for images does not take, if it is a known one. */
export const otherImageInstead = (kinds: readonly FileKind[], bytes: EngineBytes): OtherImage | undefined =>
  imageKinds.some((kind) => kinds.includes(kind))
    ? otherImageOf(bytes.view(0, Math.min(bytes.length, OTHER_HEAD_BYTES)))
    : undefined;

/** Bytes in which the kind of an image or document is recognized. */
const START_BYTES = 32;

/** The operation that makes a PDF of a file, by its first bytes. */
export function makerOfPdf(bytes: EngineBytes): "from-images" | "to-pdf" | undefined {
  const start = bytes.view(0, Math.min(bytes.length, START_BYTES));
  if (imageKindOf(start) !== undefined) return "from-images";
  return beginsAsDocument(latin1(start)) ? "to-pdf" : undefined;
}

/** Longest text that is taken for a mistyped reference, such as `letter.pdf`, in bytes. */
const LONGEST_TEXT = 2_048;

/** Whether the content of a field that takes a file is printable text in UTF-8, such as the name of a file instead of the file. */
export function isText(bytes: EngineBytes): boolean {
  if (bytes.length > LONGEST_TEXT || isOneOf(["pdf", "xml", ...imageKinds], bytes)) return false;
  return !/[^\P{Cc}\t\r\n]|\ufffd/u.test(new TextDecoder().decode(bytes.view(0, bytes.length)));
}
