import { deflateSync } from "node:zlib";
import { deflatedRun } from "./deflated-run.ts";
import { concatenate, latin1, pdf, type PdfObject } from "./pdf-writer.ts";

/** A page tree whose node is its own grandchild, beside one real page. */
export function pageTreeLoop(): Uint8Array {
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 3 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
      "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 2 >>",
    ],
    "/Root 1 0 R",
  );
}

/** A document without any page. */
export function noPages(): Uint8Array {
  return pdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"], "/Root 1 0 R");
}

/** The first half of a file, as an aborted download leaves it. */
export function cutInHalf(bytes: Uint8Array): Uint8Array {
  return bytes.slice(0, bytes.length >> 1);
}

/** The same document without its cross-reference table: a reader finds everything again by looking for objects. */
export function withoutXref(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder("latin1").decode(bytes);
  const at = text.lastIndexOf("\nxref\n");
  const trailer = text.lastIndexOf("trailer\n");
  if (at < 0 || trailer < at) throw new Error("the file has no classic cross-reference table");
  const end = text.slice(trailer).replace(/startxref\n\d+/, "startxref\n0");
  return concatenate([bytes.slice(0, at + 1), latin1(end)]);
}

const MIB = 1024 * 1024;

/**
 * A zip bomb: the page lies at the end of an object stream that inflates to more than 1 GiB, so that nobody finds it
 * without reading all of it. `filters: 1` makes a file of about 1 MiB; 2 (a Flate stream in a Flate stream) one of a few KiB.
 */
export function zipBomb(filters: 1 | 2 = 1, mebibytes = 1025): Uint8Array {
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>";
  const header = `3 ${mebibytes * MIB}`;
  const inner = deflatedRun(mebibytes * MIB, " ", `${header} `, page);
  const data = filters === 1 ? inner : new Uint8Array(deflateSync(inner, { level: 9 }));
  const filter = filters === 1 ? "/FlateDecode" : "[/FlateDecode /FlateDecode]";
  const stream = { entries: `/Type /ObjStm /N 1 /First ${header.length + 1} /Filter ${filter}`, data };
  return withXrefStream(
    ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "null", stream],
    {
      compressed: 3,
      container: 4,
    },
  );
}

/** A zip bomb in a page's content: the structure is small, what the page draws inflates to more than 1 GiB. */
export function contentBomb(mebibytes = 1025): Uint8Array {
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>",
      { entries: "/Filter /FlateDecode", data: deflatedRun(mebibytes * MIB, " ", "q ", " Q") },
    ],
    "/Root 1 0 R",
  );
}

/** Writes objects with a cross-reference stream, which object streams need; `compressed` lies in `container`. */
function withXrefStream(objects: readonly PdfObject[], place: { compressed: number; container: number }): Uint8Array {
  const plain = pdf(objects, "/Root 1 0 R", { withoutXref: true });
  const text = new TextDecoder("latin1").decode(plain.subarray(0, 4096));
  const end = new TextDecoder("latin1").decode(plain.subarray(-200)).lastIndexOf("trailer");
  const body = plain.subarray(0, Math.max(0, plain.length - 200) + end);
  const size = objects.length + 2;
  const rows = new Uint8Array(size * 6);
  for (let number = 1; number < size; number++) {
    const at = number === size - 1 ? body.length : text.indexOf(`\n${number} 0 obj`) + 1;
    const fields = number === place.compressed ? [2, place.container, 0] : [1, at, 0];
    const [type = 0, offset = 0] = fields;
    rows.set([type, offset >>> 24, (offset >>> 16) & 255, (offset >>> 8) & 255, offset & 255, 0], number * 6);
  }
  const head = `${size - 1} 0 obj\n<< /Type /XRef /Size ${size} /W [1 4 1] /Root 1 0 R /Length ${rows.length} >>\nstream\n`;
  const tail = `\nendstream\nendobj\nstartxref\n${body.length}\n%%EOF\n`;
  return concatenate([body, latin1(head), rows, latin1(tail)]);
}

/** The same document with one object that cannot be read where the cross-references say, nor found by looking for it. */
export function withLostObject(bytes: Uint8Array, number: number): Uint8Array {
  const text = new TextDecoder("latin1").decode(bytes);
  const head = `\n${number} 0 obj\n`;
  if (!text.includes(head)) throw new Error(`there is no object ${number}`);
  return latin1(text.replace(head, head.replace("obj", "xyz")));
}
