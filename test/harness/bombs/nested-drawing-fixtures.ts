/** Pages that are small and draw much: what they draw stands in form XObjects, patterns, masks, glyphs and annotations. */
import { flate, pdf, type PdfObject } from "../fixtures/pdf-writer.ts";

export interface Drawing {
  /** Content of the one page. */
  readonly content: string;
  /** Further entries of the page's resources, and of the page, in PDF syntax. */
  readonly resources?: string;
  /** Further fonts. */
  readonly font?: string;
  readonly entries?: string;
  /** Objects from number 6 on that they may refer to. */
  readonly objects?: readonly PdfObject[];
}

/** Object number of the first of `objects`. */
const FIRST = 6;

/** One page of 400 by 400 points with Helvetica as `F1`: 3 the page, 4 the font, 5 its content. */
export function drawing({ content, resources = "", font = "", entries = "", objects = [] }: Drawing): Uint8Array {
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 5 0 R ${entries}` +
        ` /Resources << /Font << /F1 4 0 R ${font} >> ${resources} >> >>`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      flate(content),
      ...objects,
    ],
    "/Root 1 0 R",
  );
}

/** A form XObject; `resources` are its own where they are given. */
export const form = (content: string, resources?: string, entries = ""): PdfObject =>
  flate(
    content,
    `/Type /XObject /Subtype /Form /BBox [0 0 400 400] ${resources === undefined ? "" : `/Resources << ${resources} >>`} ${entries}`,
  );

/** Text at a place, as content. */
export const write = (text: string, x = 20, y = 200): string => `BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET\n`;

/** `levels` forms, each of which draws the next `times` times; the last writes "laugh". `named`: whose resources name them. */
export function laughs(levels: number, times: number, named: "own" | "page" | "empty"): Uint8Array {
  const names = Array.from({ length: levels }, (_, level) => `/X${level} ${FIRST + level} 0 R`).join(" ");
  const all = `/Font << /F1 4 0 R >> /XObject << ${names} >>`;
  const objects = Array.from({ length: levels }, (_, level) => {
    const content = level === levels - 1 ? write("laugh") : `/X${level + 1} Do `.repeat(times);
    return form(content, named === "own" ? all : named === "empty" ? "" : undefined);
  });
  return drawing({ content: "/X0 Do", resources: `/XObject << ${names} >>`, objects });
}
