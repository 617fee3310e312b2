import { encode } from "jpeg-js";
import { ColorSpace, Pixmap } from "mupdf";
import { type ImageFixture, imageDocument, photograph } from "./image-fixtures.ts";
import { flate, pdf, type PdfObject, type PdfStream } from "../fixtures/pdf-writer.ts";

const SPACES = { 1: ColorSpace.DeviceGray, 3: ColorSpace.DeviceRGB, 4: ColorSpace.DeviceCMYK } as const;

/** Samples as a JPEG of high quality: a progressive one. */
function jpegOf(samples: Uint8Array, width: number, height: number, components: 1 | 3 | 4): Uint8Array {
  const pixmap = new Pixmap(SPACES[components], [0, 0, width, height], false);
  pixmap.getPixels().set(samples);
  const jpeg = pixmap.asJPEG(95, false);
  pixmap.destroy();
  return Uint8Array.from(jpeg);
}

const name = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" } as const;

/** The same page as the other fixtures', with a JPEG. */
export function jpegDocument(components: 1 | 3 | 4, entries = ""): Uint8Array {
  const fixture: ImageFixture = {
    name: `jpeg-${components}`,
    entries: `/ColorSpace /${name[components]} /BitsPerComponent 8 ${entries}`,
    data: jpegOf(photograph(480, 480, components), 480, 480, components),
    filter: "DCTDecode",
    width: 480,
    height: 480,
  };
  return imageDocument(fixture);
}

/** A drawing of more colors than a palette has, and of more samples than the encoder for photographs takes. */
export function shadedDrawing(): ImageFixture {
  const [width, height] = [1800, 1400];
  const data = new Uint8Array(width * height * 3);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      data[at++] = (y >> 2) & 255;
      data[at++] = (Math.floor(x / 90) * 12) & 255;
      data[at++] = (x + y) % 300 < 4 ? 0 : 200;
    }
  }
  return { name: "shaded-drawing", entries: `/ColorSpace /DeviceRGB /BitsPerComponent 8`, data, width, height };
}

/** Pages full of photographs at 300 to the inch, as a camera and a layout program leave them; no two are the same. */
export function brochure(pages: number, width = 1650, height = 2200): Uint8Array {
  return pagesOf(pages, width, height, jpegOf(photograph(width, height, 3), width, height, 3));
}

/** The same as baseline JPEGs of a low quality, as scanners write them. */
export function scans(pages: number, width: number, height: number): Uint8Array {
  return pagesOf(pages, width, height, scanned(width, height, 35));
}

function scanned(width: number, height: number, quality: number): Uint8Array {
  const samples = photograph(width, height, 3);
  const data = new Uint8Array(width * height * 4);
  for (let from = 0, to = 0; to < data.length; from += 3, to += 4) {
    for (let part = 0; part < 3; part++) data[to + part] = samples[from + part] ?? 0;
  }
  return Uint8Array.from(encode({ data, width, height }, quality).data);
}

/** Pages in A4, scanned at 300 dpi, of at least so many bytes together, with text behind each picture: `page 7`. */
export function scanOf(bytes: number): Uint8Array {
  const [width, height] = [2480, 3508];
  const page = scanned(width, height, 80);
  return pagesOf(Math.ceil(bytes / page.length), width, height, page);
}

function pagesOf(pages: number, width: number, height: number, photo: Uint8Array): Uint8Array {
  const objects: PdfObject[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  const kids: string[] = [];
  for (let page = 0; page < pages; page++) {
    const number = objects.length + 1;
    const image: PdfStream = {
      entries: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`,
      data: requantized(photo, page + 1),
    };
    const box = `/MediaBox [0 0 ${(width * 72) / 300} ${(height * 72) / 300}]`;
    const resources = `<< /XObject << /I ${number + 2} 0 R >> /Font << /F 3 0 R >> >>`;
    const text = `BT 3 Tr /F 12 Tf 72 72 Td (page ${page + 1}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R ${box} /Contents ${number + 1} 0 R /Resources ${resources} >>`,
      flate(`${text} ${(width * 72) / 300} 0 0 ${(height * 72) / 300} 0 0 cm /I Do`),
      image,
    );
    kids.push(`${number} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages} >>`;
  return pdf(objects, "/Root 1 0 R");
}

/**
 * The JPEG with another number in its first quantization table (ITU-T T.81, B.2.4.1): another picture, though to the eye
 * the same, in a moment where encoding one takes seconds. `coefficient` is from 1 to 63, in zigzag order.
 */
function requantized(jpeg: Uint8Array, coefficient: number): Uint8Array {
  const table = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xdb) + 5;
  const changed = jpeg.slice();
  changed[table + coefficient] = (jpeg[table + coefficient] ?? 0) + 1;
  return changed;
}
