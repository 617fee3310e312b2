/** Descriptors of fonts that are embedded (ISO 32000-2, 9.8). */
import type { PDFDocument, PDFObject } from "mupdf";

/** Entries that have a program (9.9). */
const PROGRAM_KEYS = ["FontFile", "FontFile2", "FontFile3"] as const;
/** Entries about a program. */
const OF_PROGRAM = new Set<string>([...PROGRAM_KEYS, "CharSet", "CIDSet"]);
const [SYMBOLIC, NONSYMBOLIC] = [4, 32];

interface Described {
  readonly name: string;
  readonly bbox: readonly [number, number, number, number];
  readonly isSymbolic: boolean;
}

/** A new descriptor with the entries of the old one, which other fonts may have, and without its program. */
export function newDescriptor(document: PDFDocument, old: PDFObject, { name, bbox, isSymbolic }: Described): PDFObject {
  const descriptor = document.addObject({
    Type: "FontDescriptor",
    FontName: name,
    Flags: isSymbolic ? SYMBOLIC : NONSYMBOLIC,
    FontBBox: [...bbox],
    ItalicAngle: 0,
    Ascent: bbox[3],
    Descent: bbox[1],
    CapHeight: bbox[3],
    StemV: 80,
  });
  old.forEach((value, key) => {
    const own = String(key);
    if (!OF_PROGRAM.has(own) && own !== "FontName" && own !== "Type") descriptor.put(own, value);
  });
  return descriptor;
}
