/** Measures the advances of codes in fonts without widths: they are those of the program that shows the font. */
import type { PDFObject } from "mupdf";
import { hex } from "../../../bytes/hex.ts";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import { charactersIn } from "../mupdf/structured-text.ts";
import { asPage } from "../document/as-page.ts";

/** Font sizes of the codes, and of the letter after each. */
const [SIZE, MARK] = [100, 5];

const LETTER = "x".charCodeAt(0);

/** In thousandths of the font size, as the metrics of a code. */
export interface Measured {
  readonly advance: number;
  readonly toOrigin: readonly [number, number];
}

const NOTHING: Measured = { advance: 0, toOrigin: [0, 0] };

/** The displacement of each code along the line, and the origin of its glyph. 0 where they cannot be measured. */
export async function measureCodes(
  open: OpenPdf,
  font: PDFObject,
  codes: readonly Uint8Array[],
  vertical: boolean,
): Promise<Measured[]> {
  const { document, engine } = open;
  const shown = codes.map(
    (code) => `1 0 0 1 0 0 Tm /F ${SIZE} Tf <${hex(code)}> Tj /M ${MARK} Tf (${String.fromCharCode(LETTER)}) Tj`,
  );
  const contents = document.addStream(`BT ${shown.join("\n")} ET`, {});
  const resources = document.newDictionary();
  const fonts = document.newDictionary();
  fonts.put("F", font);
  fonts.put("M", {
    Type: document.newName("Font"),
    Subtype: document.newName("Type1"),
    BaseFont: document.newName("Helvetica"),
  });
  resources.put("Font", fonts);
  const found = await asPage(open, { contents, resources }, async () => {
    const page = await engine.long.loadPage(document, 0);
    try {
      const text = await withoutStructure(document, () =>
        engine.long.textOfPage(page, "clip=no,inhibit-spaces,ignore-actualtext"),
      );
      const places: Measured[] = [];
      // The page is 1,000 points high, with its origin at the top.
      const thousandths = (x: number, y: number): [number, number] => [(x / SIZE) * 1000, ((1000 - y) / SIZE) * 1000];
      let toOrigin: readonly [number, number] | undefined;
      for (const { character } of charactersIn(engine, text)) {
        if (character.code !== LETTER || Math.abs(character.size - MARK) > 0.01) {
          // In a column, the last corner is the origin of the glyph.
          if (vertical) toOrigin ??= thousandths(character.corner(6), character.corner(7));
          continue;
        }
        const [x, y] = thousandths(character.x, character.y);
        places.push({ advance: vertical ? y : x, toOrigin: toOrigin ?? [0, 0] });
        toOrigin = undefined;
      }
      text.destroy();
      return places;
    } finally {
      page.destroy();
    }
  });
  document.deleteObject(contents.asIndirect());
  return codes.map((_, at) => (found.length === codes.length ? found[at] : undefined) ?? NOTHING);
}
