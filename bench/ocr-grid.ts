/**
 * ocr on pictures of one text in each language, in letters of 8 to 36 points at 100 to 600 dpi: as files that state their resolution, and as
 * files that do not. The service sets the text and draws the pictures itself.
 */
import { characterErrorRate } from "../test/harness/compare/edit-distance.ts";
import { drawing } from "../test/harness/fixtures/drawing-fixtures.ts";
import { pdfPart, type Service } from "../test/harness/requests/client.ts";
import { texts } from "../test/operations/ocr-texts.ts";
import { prepareCall, timedCall } from "./call.ts";

const SIZES = [8, 10, 12, 14, 18, 24, 36];
const RESOLUTIONS = [100, 150, 200, 300, 400, 600];
/** The errors that a picture may be read with at most. */
const AT_MOST = 0.1;

export interface GridCell {
  readonly language: string;
  /** Points. */
  readonly size: number;
  readonly dpi: number;
  /** Whether the file states its resolution. */
  readonly measured: boolean;
  readonly errors: number;
  /** ms. */
  readonly time: number;
}

/** Reads every `step`th picture. */
export async function benchOcrGrid(service: Service, step: number): Promise<GridCell[]> {
  const cells: GridCell[] = [];
  let index = 0;
  for (const [language, text] of Object.entries(texts)) {
    for (const size of SIZES) {
      const page = await call(service, "watermark", {
        file: pdfPart(drawing({ width: size * 34, height: size * 11, content: "" })),
        kind: "text",
        text,
        fontSize: String(size),
        color: "#000",
        opacity: "1",
      });
      for (const dpi of RESOLUTIONS) {
        if (index++ % step !== 0) continue;
        const { body: png } = await call(service, "to-images", { file: pdfPart(page.body), dpi: String(dpi) });
        for (const measured of [true, false]) {
          const file = pdfPart(measured ? png : withoutResolution(png), "text.png");
          const { body, time } = await call(service, "ocr", { file, languages: language });
          const read = (JSON.parse(new TextDecoder().decode(body)) as { text: string }).text;
          const errors = characterErrorRate(comparable(read), comparable(text));
          cells.push({ language, size, dpi, measured, errors, time });
        }
      }
    }
  }
  return cells;
}

async function call(service: Service, operation: string, parts: Parameters<typeof prepareCall>[1]) {
  return timedCall(service, await prepareCall(operation, parts));
}

/** A PNG without its pHYs chunk. */
function withoutResolution(png: Uint8Array): Uint8Array {
  const at = Buffer.from(png.buffer, png.byteOffset, png.length).indexOf("pHYs");
  // Length, name, nine bytes, checksum.
  return at < 0 ? png : Buffer.concat([png.subarray(0, at - 4), png.subarray(at + 17)]);
}

/** Width of characters and presentation forms do not matter. */
const comparable = (text: string): string => text.normalize("NFKC").replaceAll(/\s/gu, "");

const meanOf = (cells: readonly GridCell[]): number =>
  cells.reduce((sum, { errors }) => sum + errors, 0) / Math.max(1, cells.length);

export function printOcrGrid(cells: readonly GridCell[]): void {
  const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
  const bad = cells.filter(({ errors }) => errors > AT_MOST);
  console.log(
    `ocr-grid: ${cells.length} pictures, ${percent(meanOf(cells))} errors in the mean, ${bad.length} over ${percent(AT_MOST)}`,
  );
  for (const name of ["language", "size", "dpi"] as const) {
    const groups = Object.entries(Object.groupBy(cells, (cell) => String(cell[name])));
    const means = groups.map(([value, group = []]) => `${value} ${percent(meanOf(group))}`);
    console.log(`  by ${name}: ${means.join(", ")}`);
  }
  for (const { language, size, dpi, measured, errors } of bad) {
    console.log(`  ${language}, ${size} pt at ${dpi} dpi${measured ? "" : " (not said)"}: ${percent(errors)}`);
  }
}
