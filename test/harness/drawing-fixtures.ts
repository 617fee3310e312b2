import { latin1, pdf, type PdfObject } from "./pdf-writer.ts";

/** A page that draws. */
export interface DrawnPage {
  /** Points. */
  readonly width: number;
  readonly height: number;
  readonly content: string;
  /** More entries of its dictionary. */
  readonly entries?: string;
  /** Entries of its resources. */
  readonly resources?: string;
  /** Objects of which `resources` and `entries` speak as `$0`, `$1`, ... */
  readonly objects?: readonly PdfObject[];
}

/** A PDF of pages that draw what their contents say, with Helvetica as `F1`. */
export function drawing(...pages: readonly DrawnPage[]): Uint8Array {
  const objects: PdfObject[] = ["<< /Type /Catalog /Pages 2 0 R >>", ""];
  const add = (object: PdfObject): string => `${objects.push(object)} 0 R`;
  const helvetica = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  const kids = pages.map((page) => {
    const { width, height, content, entries = "", resources = "" } = page;
    const own = (page.objects ?? []).map(add);
    const named = (text: string): string =>
      text.replaceAll(/\$(\d)/g, (_, index: string) => own[Number(index)] ?? "null");
    const stream = add({ entries: "", data: latin1(content) });
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${stream}` +
        ` /Resources << /Font << /F1 ${helvetica} >> ${named(resources)} >> ${named(entries)} >>`,
    );
  });
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`;
  return pdf(objects, "/Root 1 0 R");
}

/** 120 x 80 points: red at the top left, green at the top right, blue at the bottom left, white elsewhere. */
export const corners: DrawnPage = {
  width: 120,
  height: 80,
  content: "1 0 0 rg 0 60 20 20 re f 0 1 0 rg 100 60 20 20 re f 0 0 1 rg 0 0 20 20 re f",
};

/** Lines of text from top to bottom, black, and where `color` is true a colored square on each. */
export function textPage({
  width,
  height,
  color = false,
}: {
  width: number;
  height: number;
  color?: boolean;
}): DrawnPage {
  const lines: string[] = [];
  for (let y = height - 30; y > 20; y -= 14) {
    lines.push(
      `BT /F1 11 Tf 0 g 30 ${y} Td (Line at ${y}: the quick brown fox jumps over the lazy dog, 0123456789) Tj ET`,
    );
    if (color) lines.push(`${(y % 100) / 100} 0.4 ${1 - (y % 70) / 70} rg 5 ${y} 20 10 re f`);
  }
  return { width, height, content: lines.join("\n") };
}
