/** Embeds what MuPDF shows for a simple font that is not embedded: the glyphs of one of its own fonts, as a font in the Compact Font Format. */
import type { PDFObject } from "mupdf";
import { bytesOf } from "../../../../bytes/latin1.ts";
import { ParseMeter } from "../../../parse-meter.ts";
import type { OpenPdf } from "../../document/document.ts";
import { CffFont, FONT_BBOX, FONT_MATRIX } from "../../fonts/cff.ts";
import { CffGlyphs } from "../../fonts/cff-glyphs.ts";
import { nameIn } from "../../fonts/embedded-font.ts";
import { baseName, differencesOf, STANDARD_ENCODING } from "../../fonts/encoding.ts";
import { tagged } from "../../fonts/subset-tag.ts";
import { toUnicodeOf, utf16 } from "../../fonts/to-unicode.ts";
import type { Outline } from "../../fonts/type1-outlines.ts";
import { USUAL_MATRIX, writeNamedCff } from "../../fonts/type1-to-cff.ts";
import { ifUnderstood } from "../../fonts/unknown-font.ts";
import { decimalOf, items } from "../../objects/objects.ts";
import { drawCodes, type DrawnCode } from "./drawn-codes.ts";
import { newDescriptor } from "./descriptors.ts";
import { addCompressed } from "./streams.ts";

/** Relative difference of widths that comes from rounding. */
const SAME_SCALE = 0.01;
const ALL_CODES = Array.from({ length: 256 }, (_, code) => code);

export interface Embedded {
  /** Whether the font is another one than the document names, and not one with the same metrics. */
  readonly isSubstitute: boolean;
}

interface CodedGlyph {
  readonly code: number;
  readonly name: string;
  readonly width: number;
  readonly text: string;
}

/**
 * Undefined if the font cannot be embedded.
 * @param codes that are shown
 * @param isOfForm whether other codes may be shown later
 */
export async function embedSimpleFont(
  open: OpenPdf,
  font: PDFObject,
  codes: readonly number[],
  isOfForm: boolean,
): Promise<Embedded | undefined> {
  const { document, engine } = open;
  const wanted = (isOfForm ? ALL_CODES : codes.toSorted((a, b) => a - b)).map((code) => Uint8Array.of(code));
  const drawn = await drawCodes(open, font, wanted);
  if (!drawn) return undefined;
  const meter = new ParseMeter(engine.work, "font");
  const { bytes, isSubstitute } = drawn.program;
  meter.bytes(bytes.length);
  const shown = new Set(codes);
  const list = wanted.flatMap(([code = 0], index) => {
    const found = drawn.codes[index];
    return found && (shown.has(code) || found.glyph > 0) ? [{ code, drawn: found }] : [];
  });
  const name = tagged(nameIn(font, "BaseFont") || "Unnamed", font.asIndirect());
  const made = ifUnderstood(() => build(font, new CffFont(bytes), { list, name, meter }));
  if (!made) return undefined;
  const meanings = made.glyphs.flatMap(({ code, text }) =>
    text === "" ? [] : [[code.toString(16).padStart(2, "0"), utf16(text)] as const],
  );
  await engine.scope(async () => {
    const descriptor = newDescriptor(document, font.get("FontDescriptor"), {
      name,
      bbox: made.bbox,
      isSymbolic: /^(?:Symbol|ZapfDingbats)/.test(nameIn(font, "BaseFont")),
    });
    descriptor.put("FontFile3", await addCompressed(open, made.program, { Subtype: "Type1C" }));
    font.put("Type", "Font");
    font.put("Subtype", "Type1");
    font.put("BaseFont", name);
    font.put("FontDescriptor", descriptor);
    writeWidths(font, made.glyphs);
    writeEncoding(font, made.glyphs);
    if (!font.get("ToUnicode").isStream() && meanings.length > 0)
      font.put("ToUnicode", await addCompressed(open, bytesOf(toUnicodeOf(meanings))));
  });
  return { isSubstitute };
}

interface Sources {
  readonly list: readonly { readonly code: number; readonly drawn: DrawnCode }[];
  readonly name: string;
  readonly meter: ParseMeter;
}

function build(font: PDFObject, source: CffFont, { list, name, meter }: Sources) {
  const { outlines: numbers } = source.namedGlyphs(meter);
  const names = [...numbers.keys()];
  const glyphs = new CffGlyphs(source, meter);
  const explicit = explicitNames(font);
  const widths = declaredWidths(font);
  const outlines = new Map<string, Outline>([[".notdef", { width: 0, steps: [] }]]);
  /** Names by glyph, width, and stretching. */
  const known = new Map<string, string>();
  const coded: CodedGlyph[] = [];
  for (const { code, drawn } of list) {
    meter.element();
    const own = explicit(code);
    const wanted =
      own !== undefined && own !== ".notdef" ? own : drawn.glyph > 0 ? (names[drawn.glyph] ?? "") : `g${code}`;
    const width = widths(code) ?? drawn.advance;
    const outline = scaled(
      glyphs.outlineOf(drawn.glyph, (part) => numbers.get(part)),
      drawn,
      width,
    );
    const key = `${drawn.glyph} ${width} ${wanted}`;
    let chosen = known.get(key) ?? wanted;
    // The same name for another glyph: a suffix does not change its meaning.
    for (let variant = 1; !known.has(key) && outlines.has(chosen); variant++) chosen = `${wanted}.${variant}`;
    known.set(key, chosen);
    outlines.set(chosen, outline);
    coded.push({ code, name: chosen, width, text: drawn.text });
  }
  const bbox = boundsOf(outlines.values(), source.numbersOf(FONT_BBOX));
  const matrix = source.numbersOf(FONT_MATRIX);
  const program = writeNamedCff({
    name,
    bbox,
    fontMatrix: matrix.length === 6 ? matrix : USUAL_MATRIX,
    outlines,
    encoding: STANDARD_ENCODING,
    hints: source.hintEntries,
  });
  return { program, bbox, glyphs: coded };
}

/** The names that the encoding of a font gives its codes. */
function explicitNames(font: PDFObject): (code: number) => string | undefined {
  const differences = new Map(Array.from(differencesOf(font), ([code, name]) => [code, name.asName()]));
  const base = nameIn(font, "Encoding") || nameIn(font, "Encoding", "BaseEncoding");
  const isNamed = /^(?:WinAnsi|MacRoman|Standard)Encoding$/.test(base);
  return (code) => differences.get(code) ?? (isNamed ? baseName(base, code) : undefined);
}

/** The widths that a font declares. Undefined for codes that have none. */
function declaredWidths(font: PDFObject): (code: number) => number | undefined {
  const first = font.get("FirstChar").asNumber();
  const widths = items(font.get("Widths")).map((width) => (width.isNumber() ? decimalOf(width) : undefined));
  return (code) => widths[code - first];
}

/** The outline as MuPDF draws it, which stretches a substitute to the width of the original, with another width. */
function scaled(outline: Outline, { ink: [left, right], advance }: DrawnCode, width: number): Outline {
  const { steps } = outline;
  let [from, to] = [Infinity, -Infinity];
  for (const step of steps) {
    if (step.kind === "stems") continue;
    for (let at = 0; at < step.points.length; at += 2) {
      from = Math.min(from, step.points[at] ?? 0);
      to = Math.max(to, step.points[at] ?? 0);
    }
  }
  const measured = to > from && right > left ? (right - left) / (to - from) : 1;
  const exact = [1, advance / outline.width].find((ratio) => Math.abs(ratio - measured) < SAME_SCALE * measured);
  const scale = exact ?? measured;
  if (scale === 1) return { width, steps };
  return {
    width,
    // Stems are hints for the original shape.
    steps: steps.flatMap((step) =>
      step.kind === "stems"
        ? []
        : [{ kind: step.kind, points: step.points.map((value, at) => (at % 2 === 0 ? value * scale : value)) }],
    ),
  };
}

function boundsOf(outlines: Iterable<Outline>, own: readonly number[]): [number, number, number, number] {
  let [left = 0, bottom = 0, right = 0, top = 0] = own;
  for (const { steps } of outlines) {
    for (const step of steps) {
      if (step.kind === "stems") continue;
      for (let at = 0; at < step.points.length; at += 2) {
        const [x = 0, y = 0] = [step.points[at], step.points[at + 1]];
        [left, bottom] = [Math.min(left, Math.floor(x)), Math.min(bottom, Math.floor(y))];
        [right, top] = [Math.max(right, Math.ceil(x)), Math.max(top, Math.ceil(y))];
      }
    }
  }
  return [left, bottom, right, top];
}

/** Keeps widths that cover all codes. */
function writeWidths(font: PDFObject, glyphs: readonly CodedGlyph[]): void {
  const codes = glyphs.map(({ code }) => code);
  const [first, last] = [font.get("FirstChar"), font.get("LastChar")];
  const declared = items(font.get("Widths"));
  const isWhole = first.isNumber() && last.isNumber() && declared.length === last.asNumber() - first.asNumber() + 1;
  if (isWhole && codes.every((code) => declared[code - first.asNumber()]?.isNumber())) return;
  const [from, to] = [Math.min(...codes), Math.max(...codes)];
  const widths = Array.from({ length: to - from + 1 }, () => 0);
  for (const { code, width } of glyphs) widths[code - from] = width;
  font.put("FirstChar", from);
  font.put("LastChar", to);
  font.put("Widths", widths);
}

/** Keeps an encoding that gives each code its name, together with that of the program, which is StandardEncoding. */
function writeEncoding(font: PDFObject, glyphs: readonly CodedGlyph[]): void {
  const explicit = explicitNames(font);
  const hasBase = font.get("Encoding").isName() || !font.get("Encoding", "BaseEncoding").isNull();
  const nameOf = (code: number): string | undefined =>
    explicit(code) ?? (hasBase ? undefined : STANDARD_ENCODING.get(code));
  if (glyphs.every(({ code, name }) => nameOf(code) === name)) return;
  const differences: (number | string)[] = [];
  let next = -1;
  for (const { code, name } of glyphs) {
    if (code !== next) differences.push(code);
    differences.push(name);
    next = code + 1;
  }
  font.put("Encoding", { Type: "Encoding", Differences: differences });
}
