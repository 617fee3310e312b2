import { leaseEngines } from "../../../src/engines/lease/pool.ts";
import { archiveFonts } from "../../../src/engines/pdf/archive/fonts/archive-fonts.ts";
import { findShownFonts } from "../../../src/engines/pdf/archive/fonts/shown-fonts.ts";
import { ArchiveChanges, type ArchiveProfile, type ArchiveTarget } from "../../../src/engines/pdf/archive/target.ts";
import { validate } from "../../../src/engines/pdf/conformance/validate.ts";
import { type OpenPdf, openPdf } from "../../../src/engines/pdf/document/document.ts";

interface Looks {
  /** Of the pages, as samples of RGB at 72 dpi. */
  readonly pixels: readonly Uint8ClampedArray[];
  readonly text: string;
  /** Clauses and tests about fonts that are broken. */
  readonly failures: readonly string[];
}

export interface ArchivedFonts {
  readonly before: Looks;
  readonly after: Looks;
  readonly file: Uint8Array;
  readonly changes: Readonly<Record<string, number>>;
}

/** The file with its fonts repaired, and how it looked before and looks after. */
export async function archivedFonts(file: Uint8Array, profile: ArchiveProfile = "2b"): Promise<ArchivedFonts> {
  const before = await inEngine(file, (open) => looks(open, file, profile));
  const changes = new ArchiveChanges();
  const written = await inEngine(file, async (open) => {
    const target: ArchiveTarget = {
      open,
      profile,
      part: profile.startsWith("3") ? 3 : 2,
      isUnicode: profile.endsWith("u"),
      schemas: [],
      loadFont: () => Promise.reject(new Error("No font is loaded.")),
      changes,
    };
    await archiveFonts(target, await findShownFonts(open, profile));
    return open.document.saveToBuffer("garbage=1").asUint8Array().slice();
  });
  const after = await inEngine(written, (open) => looks(open, written, profile));
  return { before, after, file: written, changes: Object.fromEntries(changes.counts) };
}

export async function inEngine<T>(file: Uint8Array, use: (open: OpenPdf) => Promise<T>): Promise<T> {
  const { engines, release } = await leaseEngines(() => true);
  try {
    const arena = engines.pdf.files.arena(file.length);
    arena.write(file);
    using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
    return await use(open);
  } finally {
    release(true);
  }
}

async function looks(open: OpenPdf, file: Uint8Array, profile: ArchiveProfile): Promise<Looks> {
  const { mupdf, work } = open.engine;
  const report = await validate(open, file, profile, work);
  const pages = Array.from({ length: open.pageCount }, (_, index) => open.document.loadPage(index));
  return {
    pixels: pages.map((page) =>
      page.toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, false, true).getPixels().slice(),
    ),
    text: pages.map((page) => page.toStructuredText("").asText()).join("\f"),
    failures: report.failures
      .filter(({ clause }) => clause.startsWith("6.2.11"))
      .map(({ clause, test, count }) => `${clause}-${test} x${count}`),
  };
}
