import { latin1, noise, pdf, type PdfObject } from "../fixtures/pdf-writer.ts";

export interface HeavyDocument {
  readonly pages: number;
  /** Square annotations on each page, with an appearance that all of them share. */
  readonly annotations: number;
  /** Images on each page, and the bytes of each, which do not compress. */
  readonly images: number;
  readonly imageBytes: number;
}

const CATALOG = 1;
const ROOT = 2;
const FONT = 3;
const APPEARANCE = 4;

/** A document with many objects, each outside of object streams. The page `n` says "Heavy n". */
export function heavyDocument({ pages, annotations, images, imageBytes }: HeavyDocument): Uint8Array {
  const objects: PdfObject[] = [];
  const add = (object: PdfObject): number => objects.push(object) + APPEARANCE;
  const kids: number[] = [];
  for (let page = 1; page <= pages; page++) {
    const names = Array.from({ length: images }, (_, index) => {
      const size = `/Width ${imageBytes} /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8`;
      const image = add({
        entries: `/Type /XObject /Subtype /Image ${size}`,
        data: noise(imageBytes, page * 1000 + index),
      });
      return `/I${index} ${image} 0 R`;
    });
    const shown = names.map(
      (_, index) => `q 400 0 0 ${300 / images} 100 ${60 + (index * 300) / images} cm /I${index} Do Q`,
    );
    const content = `BT /F1 18 Tf 72 720 Td (Heavy ${page}) Tj ET\n${shown.join("\n")}`;
    const contents = add({ entries: "", data: latin1(content) });
    const squares = Array.from({ length: annotations }, (_, index) => {
      const [x, y] = [(index % 50) * 12, 10 + Math.floor(index / 50) * 12];
      return add(
        `<< /Type /Annot /Subtype /Square /Rect [${x}.125 ${y}.0625 ${x + 10} ${y + 10}] /F 4 /NM (${page}.${index}) /AP << /N ${APPEARANCE} 0 R >> >>`,
      );
    });
    const resources = `<< /Font << /F1 ${FONT} 0 R >> /XObject << ${names.join(" ")} >> >>`;
    const list = squares.map((number) => `${number} 0 R`).join(" ");
    kids.push(
      add(
        `<< /Type /Page /Parent ${ROOT} 0 R /MediaBox [0 0 612 792] /Contents ${contents} 0 R /Resources ${resources} /Annots [${list}] >>`,
      ),
    );
  }
  const first: PdfObject[] = [
    `<< /Type /Catalog /Pages ${ROOT} 0 R >>`,
    `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] /Count ${pages} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    { entries: "/Type /XObject /Subtype /Form /BBox [0 0 10 10]", data: latin1("1 0 0 RG 1 1 8 8 re S") },
  ];
  return pdf([...first, ...objects], `/Root ${CATALOG} 0 R`);
}
