/** Completes the PDF of a converted document: links, outline, metadata, and fonts with only the glyphs that are used. */
import type { PDFObject } from "mupdf";
import type { EngineBytes } from "../memory/heap.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { type OpenPdf, openPdf } from "../pdf/document/document.ts";
import { changeMetadata } from "../pdf/metadata/metadata.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { byteString } from "../pdf/objects/objects.ts";
import { textString } from "../pdf/objects/text-string.ts";
import { setOutline } from "../pdf/outline/outline.ts";
import { savePdf } from "../pdf/write/save.ts";
import type { ConversionEngine } from "../services.ts";
import { writeTexts } from "./write-texts.ts";
import type { LaidOut, PageLink, PagePoint } from "./lay-out.ts";

export interface Converted {
  readonly engine: ConversionEngine;
  readonly bytes: EngineBytes;
  readonly format: string;
  readonly pageCount: number;
  /** Characters that have no glyph in any font; undefined for `office`, whose PDF does not tell. */
  readonly missingGlyphs: number | undefined;
  readonly notConverted: readonly string[];
}

export interface Description {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly language?: string | undefined;
}

/** Fuel per link, in addition to its handles. */
const LINK_WORK = 1_000;

/** The finished file. */
export async function finish(engine: PdfEngine, laidOut: LaidOut, description: Description): Promise<EngineBytes> {
  const bytes = engine.bytesOf(laidOut.buffer);
  using open = await openPdf(engine, { field: "file", bytes, passwordIsOwn: false });
  await addLinks(open, laidOut);
  if (laidOut.outline.length > 0) await setOutline(open, laidOut.outline);
  await describe(open, description);
  await writeTexts(open, laidOut.texts);
  await engine.long.subsetFonts(open.document);
  return await savePdf(engine, open.document, { large: true });
}

async function addLinks(open: OpenPdf, { links, targets, pageCount }: LaidOut): Promise<void> {
  const { engine, document } = open;
  const pages = Array.from({ length: links.length > 0 ? pageCount : 0 }, (_, index) => document.findPage(index));
  const onPages = Map.groupBy(links, ({ page }) => page);
  for (const [page, list] of onPages) {
    const annotations = document.newArray();
    for (const link of list) {
      engine.work.spend(LINK_WORK);
      await engine.work.pause();
      const annotation = linkOf(open, link, pages, targets);
      if (annotation) annotations.push(document.addObject(annotation));
    }
    if (annotations.length > 0) pages[page]?.put("Annots", annotations);
  }
}

/** A link annotation (ISO 32000-2, 12.5.6.5). */
function linkOf(
  { document }: OpenPdf,
  { box, to }: PageLink,
  pages: readonly PDFObject[],
  targets: ReadonlyMap<string, PagePoint>,
): PDFObject | undefined {
  const annotation = document.newDictionary();
  annotation.put("Type", document.newName("Annot"));
  annotation.put("Subtype", document.newName("Link"));
  annotation.put(
    "Rect",
    box.map((value) => document.newReal(value)),
  );
  annotation.put("Border", [0, 0, 0]);
  if ("uri" in to) {
    const address = byteString(document, latin1(new TextEncoder().encode(to.uri)));
    annotation.put("A", { S: document.newName("URI"), URI: address });
    return annotation;
  }
  const place = "place" in to ? to.place : targets.get(to.target);
  const page = place && pages[place.page];
  if (!place || !page) return undefined;
  const destination = annotation.put("Dest", document.newArray()) as PDFObject;
  destination.push(page);
  destination.push(document.newName("XYZ"));
  for (const value of [document.newReal(place.x), document.newReal(place.y), document.newNull()])
    destination.push(value);
  return annotation;
}

/** Sets the metadata, in place of all that was there. */
export async function describe({ engine, document }: OpenPdf, { title, author, language }: Description): Promise<void> {
  const root = document.getTrailer().get("Root");
  const entries = new Map<string, string | null>([
    ["Title", title ?? null],
    ["Author", author ?? null],
  ]);
  await changeMetadata(engine, document, { entries, clears: "all" });
  if (language !== undefined) root.put("Lang", textString(root, language));
  if (title !== undefined) root.put("ViewerPreferences", { DisplayDocTitle: true });
}
