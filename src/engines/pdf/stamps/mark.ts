/** A stamp: a form XObject of text or of an image, and the box of its ink (ISO 32000-2, 8.10). */
import type { PageBox } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import type { Engines } from "../../lease/engines.ts";
import { type FontFace, type LoadFont, ownFont } from "../../fonts.ts";
import { fontUnknown } from "../../parameter-errors.ts";
import type { EmbeddedImage } from "../embed/embedded-image.ts";
import { embedImage, type ImageInput } from "../embed/embed.ts";
import { imageEntries, softMaskEntries } from "../embed/image-entries.ts";
import type { OpenPdf } from "../document/document.ts";
import { placement } from "../embed/image-page.ts";
import { StampFonts } from "../typesetting/embedded-fonts.ts";
import { inkOf, MARK_SIZE } from "./ink.ts";
import { Typesetter } from "../typesetting/typesetter.ts";
import { showLine } from "../typesetting/show-line.ts";
import { EM, LINE_HEIGHT, type TypesetLine } from "../typesetting/line.ts";
import { OwnColors } from "../conformance/own-colors.ts";
import { type Color, type NameResource, numbers } from "../content/operands.ts";

export interface StampMark {
  readonly form: PDFObject;
  /** The same without text, for all tiles but the first: otherwise search and screen readers would find each one. */
  readonly silent?: PDFObject;
  /** In units of the form, y up. */
  readonly ink: PageBox;
  /** Whether parts of it are transparent. */
  readonly isBlended?: boolean;
}

type Alignment = "left" | "center" | "right";

/**
 * The operator's font of a family; undefined if none is asked for. `field`: the parameter that names it.
 * @throws Refusal `invalid_parameters`
 */
export function namedFont(loadFont: LoadFont, field: string, family: string | undefined): FontFace | undefined {
  if (family === undefined) return undefined;
  const found = ownFont(loadFont, family);
  if (found === undefined) throw fontUnknown(field, [...new Set((loadFont.own ?? []).map((font) => font.family))]);
  return found;
}

/**
 * Lines of text, from top to bottom.
 * @throws Refusal `unsupported_text`
 */
export async function textMark(
  open: OpenPdf,
  { loadFont }: Engines,
  text: string,
  { color, align, face, repeated }: { color: Color; align: Alignment; face?: FontFace | undefined; repeated?: boolean },
): Promise<StampMark> {
  const lines = await new Typesetter(open.engine, loadFont).setLines(text.split("\n"), face);
  const width = Math.max(...lines.map((line) => line.width));
  const factor = MARK_SIZE / EM;
  const placed = lines.map((line, row) => {
    const room = (width - line.width) * factor;
    const x = { left: 0, center: room / 2, right: room }[align];
    return { line, x, y: -row * LINE_HEIGHT * factor };
  });
  const ink = inkOf(open.engine, placed);
  const fonts = new StampFonts(open.engine, open.document);
  const colors = await OwnColors.of(open);
  const formOf = (told: (line: TypesetLine) => TypesetLine): PDFObject =>
    makeForm(open, grown(ink, MARK_SIZE), (name) =>
      [
        colors.fill(color, name),
        ...placed.flatMap(({ line, x, y }) =>
          line.glyphs.length > 0 ? [showLine(told(line), MARK_SIZE, [1, 0, 0, 1, x, y], fonts, name)] : [],
        ),
      ].join(" "),
    );
  const form = formOf((line) => line);
  const silent = repeated ? formOf(withoutText) : form;
  await fonts.write();
  return { form, silent, ink };
}

/** A line whose glyphs have no text. */
const withoutText = ({ glyphs, width }: TypesetLine): TypesetLine => ({
  text: "",
  glyphs: glyphs.map((glyph) => ({ ...glyph, text: " " })),
  width,
});

/**
 * An image as meant to be displayed: rotated by its orientation, with its transparency. Of a TIFF with several pages, the first.
 * @throws Refusal `invalid_file`, `limit_exceeded`
 */
export async function imageMark(open: OpenPdf, engines: Engines, input: ImageInput): Promise<StampMark> {
  const { facts, image } = await embedImage(engines, input);
  const { orientation, width, height, resolution } = facts;
  const turned = orientation >= 5;
  // Pixels need not be square.
  const ratio = (height / width) * ((resolution?.x ?? 1) / (resolution?.y ?? 1));
  const ink: PageBox = [0, 0, MARK_SIZE, MARK_SIZE * (turned ? 1 / ratio : ratio)];
  const isBlended = image.softMask !== undefined;
  const object = addImage(open, image, await OwnColors.of(open));
  const matrix = numbers(...placement(orientation, 0, 0, ink[2], ink[3]));
  return { form: makeForm(open, ink, (name) => `${matrix} cm /${name("XObject", object)} Do`), ink, isBlended };
}

/** Creates a form whose resources have the names that its operators use. */
export function makeForm(
  { document }: OpenPdf,
  box: PageBox,
  draw: (name: NameResource) => string,
  entries = {},
): PDFObject {
  const categories: Record<string, Record<string, PDFObject>> = {};
  const operators = draw((category, object) => {
    const named = (categories[category] ??= {});
    const number = object.asIndirect();
    const known = Object.entries(named).find(([, other]) => other.asIndirect() === number);
    if (known) return known[0];
    const name = `${category[0]}${Object.keys(named).length + 1}`;
    named[name] = object;
    return name;
  });
  const dictionary = { Type: "XObject", Subtype: "Form", BBox: box, Resources: categories, ...entries };
  return document.addStream(operators, dictionary);
}

const grown = ([left, bottom, right, top]: PageBox, by: number): PageBox => [
  left - by,
  bottom - by,
  right + by,
  top + by,
];

function addImage({ document }: OpenPdf, image: EmbeddedImage, colors: OwnColors): PDFObject {
  const { space, softMask } = image;
  const profile = space.profile && document.addStream(space.profile, { N: space.components });
  const base = profile ? ["ICCBased", profile] : colors.space(space.components);
  const { palette } = space;
  const entries: Record<string, unknown> = {
    ...imageEntries(image),
    ColorSpace: palette ? ["Indexed", base, palette.length / 3 - 1, document.newByteString(palette)] : base,
  };
  if (softMask) {
    // A copy, since adding it may move the heap that contains the data.
    const data = softMask.data.view(0, softMask.data.length).slice();
    entries["SMask"] = document.addRawStream(data, softMaskEntries(image, softMask));
    softMask.data.free();
  }
  const object = document.addRawStream(image.data.view(0, image.data.length).slice(), entries);
  image.data.free();
  return object;
}
