/** The searchable layer of recognized pages: invisible text at the position of the visible words (ISO 32000-2, 9.3.6). */
import { inverse, type Matrix, multiply } from "../geometry.ts";
import { items } from "../pdf/objects/objects.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { ResourceNames } from "../pdf/content/resource-names.ts";
import { HiddenFont } from "./hidden-font.ts";
import { layOutLine, type HiddenRow, textDirections } from "./hidden-layout.ts";
import type { RecognizedPage } from "./words.ts";

/**
 * Adds invisible text to pages of a document. Existing content stays unchanged, byte for byte: the text is a content stream
 * before it, so graphics state that the content leaves open does not affect it. In a tagged document the text is not marked
 * as an artifact: artifacts are not part of the document's text (14.8.2.2), and this is all the text of a scan.
 */
export class HiddenText {
  readonly #open: OpenPdf;
  readonly #font: HiddenFont;
  readonly #names: ResourceNames;

  /** Requires a document with a sound page tree. */
  constructor(open: OpenPdf) {
    this.#open = open;
    this.#font = new HiddenFont(open.document);
    this.#names = new ResourceNames(open, "HiddenText");
  }

  /** Adds the words of a page (0-based); call it once per page. Engine handles created here are destroyed with it. */
  add(index: number, { lines, rotation }: RecognizedPage): void {
    const rows = lines.flatMap((line) => layOutLine(line, rotation) ?? []);
    if (rows.length === 0) return;
    const { document, engine } = this.#open;
    engine.scope(() => {
      const page = document.findPage(index);
      // Before any change, which makes MuPDF forget where the pages are.
      const toPage = multiply(textDirections(rotation), inverse(this.#visibleFromPage(index)));
      const name = this.#names.in(page)("Font", this.#font.reference);
      const matrix = toPage.map((value) => decimal(value, 6)).join(" ");
      const text = `q ${matrix} cm BT 3 Tr\n${operators(rows, name, this.#font)}ET Q\n`;
      const contents = page.get("Contents");
      const parts = document.newArray();
      parts.push(document.addStream(text, {}));
      for (const part of contents.isArray() ? items(contents) : [contents]) if (!part.isNull()) parts.push(part);
      page.put("Contents", parts);
    });
  }

  /** Writes the font of all pages. Nothing can be added afterwards. */
  finish(): void {
    this.#open.engine.scope(() => this.#font.write());
  }

  /** Maps units of the page to points of the visible page, y down, which is how the engine drew it for recognition. */
  #visibleFromPage(index: number): Matrix {
    const page = this.#open.document.loadPage(index);
    const matrix = page.getTransform();
    page.destroy();
    return matrix;
  }
}

/** Rounding to hundredths of a point stays invisible, because each step starts from where the last one ended. */
function operators(rows: readonly HiddenRow[], fontName: string, font: HiddenFont): string {
  let text = "";
  let [fontSize, scale, x, y] = ["", "", 0, 0];
  for (const { size, shows } of rows) {
    const sizeNow = decimal(size, 1);
    if (sizeNow !== fontSize) text += `/${fontName} ${(fontSize = sizeNow)} Tf\n`;
    for (const show of shows) {
      const scaleNow = decimal(show.advance * 100, 1);
      if (scaleNow !== scale) text += `${(scale = scaleNow)} Tz `;
      const [right, up] = [decimal(show.x - x, 2), decimal(show.y - y, 2)];
      [x, y] = [x + Number(right), y + Number(up)];
      text += `${right} ${up} Td ${font.show(show.text)} Tj\n`;
    }
  }
  return text;
}

/** Without exponents, which content streams do not support. */
const decimal = (value: number, digits: number): string => String(Number(value.toFixed(digits)) || 0);
