import { ColorSpace, Pixmap } from "mupdf";
import { type ImageFixture, imageDocument, photograph } from "./image-fixtures.ts";
import { flate, pdf, type PdfObject, type PdfStream } from "./pdf-writer.ts";

const SPACES = { 1: ColorSpace.DeviceGray, 3: ColorSpace.DeviceRGB, 4: ColorSpace.DeviceCMYK } as const;

/** A photograph as a JPEG of 1, 3 or 4 components. */
export function jpegPhotograph(
  width: number,
  height: number,
  components: 1 | 3 | 4,
  quality = 95,
  seed = 0,
): Uint8Array {
  const pixmap = new Pixmap(SPACES[components], [0, 0, width, height], false);
  const samples = photograph(width, height, components, seed);
  pixmap.getPixels().set(samples);
  const jpeg = pixmap.asJPEG(quality, false);
  pixmap.destroy();
  return Uint8Array.from(jpeg);
}

const name = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" } as const;

/** The same page as the other fixtures', with a JPEG. */
export function jpegDocument(components: 1 | 3 | 4, entries = ""): Uint8Array {
  const fixture: ImageFixture = {
    name: `jpeg-${components}`,
    entries: `/ColorSpace /${name[components]} /BitsPerComponent 8 ${entries}`,
    data: jpegPhotograph(480, 480, components),
    filter: "DCTDecode",
    width: 480,
    height: 480,
  };
  return imageDocument(fixture);
}

/** Pages full of photographs at 300 to the inch, as a camera and a layout program leave them. */
export function brochure(pages: number, width = 1650, height = 2200): Uint8Array {
  const objects: PdfObject[] = ["<< /Type /Catalog /Pages 2 0 R >>", ""];
  const kids: string[] = [];
  for (let page = 0; page < pages; page++) {
    const number = objects.length + 1;
    const image: PdfStream = {
      entries: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`,
      data: jpegPhotograph(width, height, 3, 95, page),
    };
    const box = `/MediaBox [0 0 ${(width * 72) / 300} ${(height * 72) / 300}]`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R ${box} /Contents ${number + 1} 0 R /Resources << /XObject << /I ${number + 2} 0 R >> >> >>`,
      flate(`${(width * 72) / 300} 0 0 ${(height * 72) / 300} 0 0 cm /I Do`),
      image,
    );
    kids.push(`${number} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages} >>`;
  return pdf(objects, "/Root 1 0 R");
}
