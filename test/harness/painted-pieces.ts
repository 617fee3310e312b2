import { latin1, pdf } from "./pdf-writer.ts";
import type { Random } from "./random.ts";

/** A text, and where its baseline begins, in points from the lower left corner. */
export interface PaintedPiece {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** Size of the text in points, and how wide each glyph is: it is in Courier. */
const [PAINTED_SIZE, PAINTED_WIDTH] = [10, 6];

const PAGE = { width: 600, height: 400 };

const shown = ({ text, x, y }: PaintedPiece): string =>
  `BT /F1 ${PAINTED_SIZE} Tf 1 0 0 1 ${x} ${y} Tm (${text.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj ET`;

/** A page of 600 by 400 points on which these pieces are painted in this order; those of `form` in a form that is drawn first. */
export function paintedDocument(pieces: readonly PaintedPiece[], form: readonly PaintedPiece[] = []): Uint8Array {
  const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>";
  const resources = `/Resources << /Font << /F1 ${font} >> /XObject << /X1 5 0 R >> >>`;
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents 4 0 R ${resources} >>`,
      { entries: "", data: latin1(`/X1 Do ${pieces.map(shown).join("\n")}`) },
      {
        entries: `/Type /XObject /Subtype /Form /BBox [0 0 ${PAGE.width} ${PAGE.height}] /Resources << /Font << /F1 ${font} >> >>`,
        data: latin1(form.map(shown).join("\n")),
      },
    ],
    "/Root 1 0 R",
  );
}

/** A line cut at random places into pieces that stand where they stood. */
export function cutLine({ text, x, y }: PaintedPiece, random: Random): PaintedPiece[] {
  const pieces: PaintedPiece[] = [];
  for (let from = 0; from < text.length;) {
    const to = Math.min(text.length, from + 1 + random.below(12));
    const part = text.slice(from, to);
    if (part.trim() !== "") pieces.push({ text: part, x: x + from * PAINTED_WIDTH, y });
    from = to;
  }
  return pieces;
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let at = result.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [result[at], result[other]] = [result[other] as T, result[at] as T];
  }
  return result;
}
