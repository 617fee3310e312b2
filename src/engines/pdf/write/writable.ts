/** Fixes what MuPDF cannot write, or would write incorrectly. */
import type { PDFDocument, PDFObject } from "mupdf";
import { keepsNamedFilters, mixed, namesCryptFilter, refuseMixedFilters } from "../document/crypt-filters.ts";
import { eachPointer } from "../objects/each-object.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { objectNumber } from "../objects/objects.ts";

type Pointer = PDFObject["pointer"];

/** MuPDF represents the names and constants it knows as numbers below this instead of pointers. */
const FIRST_POINTER = 4096;

/** Maximum size in bytes of an encrypted empty stream: an initialization vector and a block of padding. */
const SHORT = 32;

/** Empty data, deflated (RFC 1950). */
const NOTHING = Uint8Array.of(0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01);

/**
 * Makes all objects safe to write. Returns whether any has an empty name, which MuPDF writes without a separator (`/15 0 R`
 * for `/ 15 0 R`) unless the output is pretty-printed and without object streams.
 * @throws Refusal `unsupported_encryption` if the document's encryption cannot be kept
 */
export async function makeWritable(
  engine: PdfEngine,
  document: PDFDocument,
  { decrypt, field }: { decrypt: boolean; field: string | undefined },
): Promise<boolean> {
  const { lib } = engine;
  const encrypt = document.getTrailer().get("Encrypt");
  const staysEncrypted = encrypt.isDictionary() && !decrypt;
  const metadata = objectNumber(document.getTrailer().get("Root", "Metadata"));
  if (staysEncrypted) refuseMixedFilters(document, field);
  const refusesNamed = staysEncrypted && !keepsNamedFilters(engine, document);
  const filterKey = document.newName("Filter");
  let hasEmptyName = false;
  const visit = (value: Pointer): void => {
    if (value < FIRST_POINTER || lib._wasm_pdf_is_indirect(value) !== 0) return;
    if (lib._wasm_pdf_is_name(value) === 0) look(value);
    else hasEmptyName ||= lib.HEAPU8[lib._wasm_pdf_to_name(value)] === 0;
  };
  const look = (object: Pointer): void => {
    if (lib._wasm_pdf_is_dict(object) !== 0) {
      for (let index = lib._wasm_pdf_dict_len(object) - 1; index >= 0; index--) {
        visit(lib._wasm_pdf_dict_get_key(object, index));
        visit(lib._wasm_pdf_dict_get_val(object, index));
      }
    } else if (lib._wasm_pdf_is_array(object) !== 0) {
      for (let index = lib._wasm_pdf_array_len(object) - 1; index >= 0; index--) {
        visit(lib._wasm_pdf_array_get(object, index));
      }
    }
  };
  const prepare = (object: PDFObject, number: number): void => {
    if (refusesNamed && number !== metadata && namesCryptFilter(object)) throw mixed(field);
    completeParameters(document, object);
    if (staysEncrypted && object.get("Length").asNumber() <= SHORT) deflateNothing(engine, object);
  };
  await eachPointer({ document, engine }, (reference, number) => {
    look(reference);
    if (lib._wasm_pdf_is_stream(reference) === 0) return;
    const hasFilters = lib._wasm_pdf_is_array(lib._wasm_pdf_dict_get(reference, filterKey.pointer)) !== 0;
    if (hasFilters || staysEncrypted) engine.scope(() => prepare(document.newIndirect(number), number));
  });
  return hasEmptyName;
}

/** For an empty stream MuPDF writes the length it would have encrypted, but no data. Makes it hold deflated empty data. */
function deflateNothing(engine: PdfEngine, stream: PDFObject): void {
  const data = stream.readRawStream();
  const isEmpty = data.getLength() === 0;
  data.destroy();
  if (!isEmpty) return;
  const deflated = new engine.mupdf.Buffer(NOTHING);
  stream.writeRawStream(deflated);
  deflated.destroy();
  stream.put("Filter", stream._doc.newName("FlateDecode"));
  stream.delete("DecodeParms");
}

/** `DecodeParms` must have an entry for each filter (ISO 32000-2, table 5). MuPDF relies on it when it removes filters. */
function completeParameters(document: PDFDocument, stream: PDFObject): void {
  const filters = stream.get("Filter");
  const parameters = stream.get("DecodeParms");
  if (!filters.isArray() || !parameters.isArray() || parameters.length >= filters.length) return;
  const complete = document.newArray();
  for (let index = 0; index < filters.length; index++) {
    complete.push(index < parameters.length ? parameters.get(index) : document.newNull());
  }
  stream.put("DecodeParms", complete);
}
