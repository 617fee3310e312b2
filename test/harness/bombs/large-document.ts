import { deflateSync } from "node:zlib";
import { concatenate, latin1 } from "../fixtures/pdf-writer.ts";

/** Pages below one node of the page tree; their dictionaries share an object stream. */
const NODE_PAGES = 32;
/** Pixels in a row of a page's picture. */
const ROW = 1024;

export interface LargeDocument {
  readonly pages: number;
  /** Bytes of the picture on each page, which do not compress. */
  readonly pictureBytes: number;
}

const CATALOG = 1;
const ROOT = 2;
const FONT = 3;

/**
 * A document of any size, in parts to be written one after the other: each page has text in a shared font and a picture of its own;
 * page dictionaries lie in object streams, and the cross-references in a stream (ISO 32000-2, 7.5.7 and 7.5.8).
 */
export function* largeDocument({ pages, pictureBytes }: LargeDocument): Generator<Uint8Array> {
  /** By object number: offset, or object stream and index. */
  const places = new Map<number, readonly [type: 1 | 2, where: number, index: number]>();
  let at = 0;
  let next = FONT + 1;
  const rows = Math.max(1, Math.round(pictureBytes / ROW));
  const noise = noiseOf(rows * ROW);
  const put = (bytes: Uint8Array): Uint8Array => {
    at += bytes.length;
    return bytes;
  };
  const stream = (number: number, entries: string, data: Uint8Array): Uint8Array => {
    places.set(number, [1, at, 0]);
    const head = latin1(`${number} 0 obj\n<< ${entries} /Length ${data.length} >>\nstream\n`);
    return put(concatenate([head, data, latin1("\nendstream\nendobj\n")]));
  };
  const objectStream = (objects: readonly (readonly [number, string])[]): Uint8Array => {
    const number = next++;
    let directory = "";
    let body = "";
    for (const [index, [object, text]] of objects.entries()) {
      places.set(object, [2, number, index]);
      directory += `${object} ${body.length} `;
      body += `${text} `;
    }
    const entries = `/Type /ObjStm /N ${objects.length} /First ${directory.length} /Filter /FlateDecode`;
    return stream(number, entries, deflateSync(latin1(directory + body)));
  };

  yield put(latin1("%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n"));
  const nodes: [number, string][] = [];
  for (let first = 0; first < pages; first += NODE_PAGES) {
    const node = next++;
    const objects: [number, string][] = [];
    for (let page = first; page < Math.min(pages, first + NODE_PAGES); page++) {
      const [dictionary, content, picture] = [next++, next++, next++];
      const text = `q 400 0 0 300 100 60 cm /Scan Do Q BT /F1 18 Tf 72 720 Td (Page ${page + 1} of ${pages}) Tj ET\n`;
      yield stream(content, "/Filter /FlateDecode", deflateSync(latin1(text + sentences(page))));
      const size = `/Width ${ROW} /Height ${rows}`;
      noise[page % noise.length] = page & 255;
      yield stream(
        picture,
        `/Type /XObject /Subtype /Image ${size} /ColorSpace /DeviceGray /BitsPerComponent 8`,
        noise,
      );
      const resources = `<< /Font << /F1 ${FONT} 0 R >> /XObject << /Scan ${picture} 0 R >> >>`;
      objects.push([
        dictionary,
        `<< /Type /Page /Parent ${node} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources ${resources} >>`,
      ]);
    }
    const kids = objects.map(([number]) => `${number} 0 R`).join(" ");
    nodes.push([node, `<< /Type /Pages /Parent ${ROOT} 0 R /Kids [${kids}] /Count ${objects.length} >>`]);
    yield objectStream(objects);
  }
  const info = next++;
  yield objectStream([
    ...nodes,
    [CATALOG, `<< /Type /Catalog /Pages ${ROOT} 0 R >>`],
    [ROOT, `<< /Type /Pages /Kids [${nodes.map(([node]) => `${node} 0 R`).join(" ")}] /Count ${pages} >>`],
    [FONT, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"],
    [info, "<< /Title (A large archive) >>"],
  ]);
  const start = at;
  const xref = next++;
  places.set(xref, [1, start, 0]);
  const table = new DataView(new ArrayBuffer(next * 11));
  for (const [number, [type, where, index]] of places) {
    table.setUint8(number * 11, type);
    table.setBigUint64(number * 11 + 1, BigInt(where));
    table.setUint16(number * 11 + 9, index);
  }
  const entries = `/Type /XRef /Size ${next} /W [1 8 2] /Root ${CATALOG} 0 R /Info ${info} 0 R /Filter /FlateDecode`;
  yield stream(xref, entries, deflateSync(new Uint8Array(table.buffer)));
  yield latin1(`startxref\n${start}\n%%EOF\n`);
}

/** Twenty lines, which differ from page to page. */
function sentences(page: number): string {
  const lines = Array.from(
    { length: 20 },
    (_, line) => `(Line ${line + 1} of entry ${page * 20 + line} in the ledger.) Tj T*`,
  );
  return `BT /F1 11 Tf 14 TL 72 690 Td ${lines.join("\n")} ET\n`;
}

/** Bytes that do not compress, the same each time (xorshift). */
function noiseOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 0x9e3779b9;
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state;
  }
  return bytes;
}
