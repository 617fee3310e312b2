/**
 * Removes glyphs that no page shows from embedded fonts, and writes Type 1 fonts in the Compact Font Format. Keeps everything
 * that readers use to find a glyph, so that each reader finds the same glyphs as before. A font that is not fully understood
 * is left unchanged.
 */
import type { PDFObject } from "mupdf";
import { deflate } from "../../flate/deflate.ts";
import { appearances } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { type EmbeddedFont, fontOf, nameIn, type NewProgram, smallerProgram } from "../fonts/embedded-font.ts";
import { eachObject } from "../objects/each-object.ts";
import { entries, isNamed, objectNumber } from "../objects/objects.ts";
import { decodedSize, largestSize } from "../objects/stream-size.ts";
import { withSubsetTag } from "../fonts/subset-tag.ts";
import { findShownCodes, type ShownCodes } from "./shown-codes.ts";

/** Largest font file in bytes that is processed. */
const MOST_FONT_BYTES = 24 * 1024 * 1024;
/** Maximum relative size of a font that is rewritten. */
const WORTH_IT = 0.95;
/** Fonts that must lose glyphs, whether that makes the file smaller or not. */
interface Chosen {
  /** Object numbers. */
  readonly fonts: ReadonlySet<number>;
  /** The codes shown in all fonts. */
  readonly shown: ShownCodes;
}

/**
 * Reduces fonts to the glyphs that pages show. Keeps fonts of a form complete, since filling it in may need any glyph. Returns the object
 * numbers of the fonts that have lost glyphs.
 */
export async function subsetFonts(open: OpenPdf, chosen?: Chosen): Promise<ReadonlySet<number>> {
  const { document, engine } = open;
  const reduced = new Set<number>();
  const programs = await findPrograms(open, await findFormFonts(open));
  for (const [number, users] of programs) {
    if (chosen && !users.some(({ font }) => chosen.fonts.has(font))) programs.delete(number);
  }
  const fonts = [...programs.values()].flat();
  if (fonts.length === 0) return reduced;
  const codeBytes = new Map(fonts.map(({ font, codeBytes }) => [font, codeBytes]));
  const shown = chosen?.shown ?? (await findShownCodes(open, codeBytes));
  for (const [number, users] of programs) {
    try {
      await engine.work.pause();
      const most = MOST_FONT_BYTES;
      const file = document.newIndirect(number);
      if (largestSize(file) > most && (await decodedSize(engine, file, most)) > most) continue;
      // The heap does not move while a program is read.
      const read = (stream: number): Uint8Array => document.newIndirect(stream).readStream().asUint8Array();
      const program = engine.scope(() => smallerProgram(number, users, { shown, read, work: engine.work }));
      if (!program || (chosen && !program.isSubset)) continue;
      const bytes = await deflate(program.data);
      engine.scope(() => {
        const stream = document.newIndirect(number);
        if (!chosen && bytes.length > stream.get("Length").asNumber() * WORTH_IT) return;
        write(open, stream, users, program, bytes);
        if (program.isSubset) for (const { font } of users) reduced.add(font);
      });
    } catch (error) {
      if (!engine.outlives(error)) throw error;
    }
  }
  return reduced;
}

function write(
  { document }: OpenPdf,
  stream: PDFObject,
  users: readonly EmbeddedFont[],
  { data, isSubset, subtype }: NewProgram,
  bytes: Uint8Array,
): void {
  stream.writeRawStream(bytes);
  stream.put("Filter", document.newName("FlateDecode"));
  stream.delete("DecodeParms");
  if (subtype !== undefined) {
    for (const key of ["Length1", "Length2", "Length3"]) stream.delete(key);
    stream.put("Subtype", document.newName(subtype));
  } else if (!stream.get("Length1").isNull()) stream.put("Length1", data.length);
  for (const { font: number } of users) {
    const font = document.newIndirect(number);
    const descendant = font.get("DescendantFonts", 0);
    const descriptor = (descendant.isDictionary() ? descendant : font).get("FontDescriptor");
    if (isSubset) for (const named of [font, descendant, descriptor]) addTag(named, stream.asIndirect());
    if (subtype === undefined) continue;
    descriptor.delete("FontFile");
    descriptor.put("FontFile3", stream);
  }
}

/** Object numbers of the fonts that values of form fields may be shown in, or `all`. */
export async function findFormFonts(open: OpenPdf): Promise<ReadonlySet<number> | "all"> {
  const root = open.document.getTrailer().get("Root");
  const form = root.get("AcroForm");
  // Hidden template pages contain text as well (12.7.8), and XFA finds fonts by their names.
  if (!form.get("XFA").isNull() || !root.get("Names", "Templates").isNull()) return "all";
  const fonts = new Set<number>();
  const add = (resources: PDFObject): void => {
    for (const { value } of entries(open.engine, resources.get("Font"))) fonts.add(objectNumber(value));
  };
  add(form.get("DR"));
  await eachObject(open, (object) => {
    if (!isNamed(object.get("Subtype"), "Widget")) return;
    for (const appearance of appearances(open.engine, object)) add(appearance.get("Resources"));
  });
  return fonts;
}

/** The fonts that use each font file, by its object number. Includes only files whose fonts are all understood. */
async function findPrograms(
  open: OpenPdf,
  formFonts: ReadonlySet<number> | "all",
): Promise<Map<number, EmbeddedFont[]>> {
  const programs = new Map<number, EmbeddedFont[]>();
  const others = new Set<number>();
  await eachObject(open, (font) => {
    const isComposite = isNamed(font.get("Subtype"), "Type0");
    // A CIDFont is reached through its Type 0 font.
    if (!font.isDictionary() || nameIn(font, "Subtype").startsWith("CIDFont")) return;
    const descriptor = (isComposite ? font.get("DescendantFonts", 0) : font).get("FontDescriptor");
    const isOfForm = formFonts === "all" || formFonts.has(objectNumber(font));
    for (const key of ["FontFile", "FontFile2", "FontFile3"]) {
      const program = objectNumber(descriptor.get(key));
      if (program === 0) continue;
      const used = fontOf(font, key);
      if (used) {
        const users = programs.get(program) ?? [];
        users.push({ ...used, mayLose: used.mayLose && !isOfForm });
        programs.set(program, users);
      } else others.add(program);
    }
  });
  for (const number of others) programs.delete(number);
  return programs;
}

/** Adds a subset tag to the name of a font. */
function addTag(object: PDFObject, number: number): void {
  if (!object.isDictionary()) return;
  for (const key of ["BaseFont", "FontName"]) {
    const name = nameIn(object, key);
    if (name !== "") object.put(key, object._doc.newName(withSubsetTag(name, number)));
  }
}
