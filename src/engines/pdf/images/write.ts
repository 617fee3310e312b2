/** Writes the new encoding of an image to its object (ISO 32000-2, 8.9.5). */
import type { PDFObject } from "mupdf";
import { parseValue } from "../content/values.ts";
import { grayOfDevice } from "../objects/color-space.ts";
import type { NewImage } from "./choice.ts";
import type { ImageFacts } from "./facts.ts";
import { items } from "../objects/objects.ts";

/** Writes the data and the matching entries. Mask, Decode array, color space, and everything else stay. */
export function writeImage(
  object: PDFObject,
  image: ImageFacts,
  { size, encoded, isGray = false, softMask }: NewImage,
): void {
  const document = object._doc;
  const space = object.get("ColorSpace");
  object.writeRawStream(encoded.bytes);
  object.put("Filter", document.newName(encoded.filter));
  if (encoded.decodeParms === undefined) object.delete("DecodeParms");
  else object.put("DecodeParms", parseValue(object._doc, encoded.decodeParms));
  object.put("Width", size.width);
  object.put("Height", size.height);
  if (!image.isStencil) object.put("BitsPerComponent", encoded.bits);
  const plain = isGray ? document.newName("DeviceGray") : image.isIndexed && image.bits !== 1 ? space.get(1) : space;
  if (encoded.palette) {
    const indexed = document.newArray();
    indexed.push(document.newName("Indexed"));
    indexed.push(plain);
    indexed.push(encoded.palette.length / (isGray ? 1 : (image.components ?? 1)) - 1);
    indexed.push(document.newByteString(encoded.palette));
    object.put("ColorSpace", indexed);
  } else if (plain !== space) object.put("ColorSpace", plain);
  if (isGray) grayRest(object, softMask);
}

/** Converts the other entries of an image that refer to colors. */
function grayRest(object: PDFObject, softMask: NewImage["softMask"]): void {
  const document = object._doc;
  object.delete("Decode");
  const matte = items(object.get("SMask", "Matte")).map((item) => item.asNumber());
  if (matte.length > 1) {
    const gray = document.newArray();
    gray.push(grayOfDevice(matte));
    object.get("SMask").put("Matte", gray);
  }
  object.delete("SMaskInData");
  if (!softMask) return;
  const { size, data, isMatte } = softMask;
  const dictionary = document.newDictionary();
  dictionary.put("Type", document.newName("XObject"));
  dictionary.put("Subtype", document.newName("Image"));
  dictionary.put("ColorSpace", document.newName("DeviceGray"));
  dictionary.put("BitsPerComponent", 8);
  dictionary.put("Width", size.width);
  dictionary.put("Height", size.height);
  if (isMatte) {
    const black = document.newArray();
    black.push(0);
    dictionary.put("Matte", black);
  }
  object.delete("Mask");
  object.put("SMask", document.addStream(data, dictionary));
}
