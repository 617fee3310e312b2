import { checkContents } from "../engines/pdf/content/size.ts";
import { type OpenPdf, openPdf } from "../engines/pdf/document/document.ts";
import { storeTrimmer } from "../engines/pdf/mupdf/store.ts";
import type { Engines } from "../engines/lease/engines.ts";
import { jpegOf } from "../engines/render/jpeg.ts";
import { checkPixels, PageRaster } from "../engines/render/page-raster.ts";
import { pngOf } from "../engines/render/png.ts";
import { webpOf } from "../engines/render/webp.ts";
import { allowPage } from "../engines/pdf/content/page-work.ts";
import { defineOperation, type ImageFormat, imageExtensions, type OutputFile } from "./define.ts";
import { pdfFile, text } from "./fields.ts";
import { resultHeadersOf } from "./result-headers.ts";
import { formChoice, formInteger, pageRange } from "./values.ts";

interface Wanted {
  readonly format: ImageFormat;
  readonly dpi: number;
  readonly quality: number;
}

export const toImages = defineOperation({
  name: "to-images",
  summary: "Convert pages to images",
  description: `Returns one image for a single page, otherwise a ZIP archive with one image per page, named \`<file>-<page number>.png\` (or \`.jpg\`, \`.webp\`).
Pages are drawn on white as a viewer shows them, with annotations and form fields. Overprint is not simulated. Pages
without color become grayscale PNG or JPEG images. PNG and JPEG images contain their resolution.

A page can have up to 100 megapixels, and all pages together up to 5 gigapixels. WebP images of more than about 8 megapixels may not fit into
memory; the request then fails with \`raster_too_large\`, and \`maxDpi\` is the highest resolution that works.`,
  credits: 2,
  scope: "pdf:read",
  fields: {
    file: pdfFile(),
    format: text(formChoice("png", "jpeg", "webp"), "The image format.", { default: "png" }),
    dpi: text(formInteger(36, 600), "Resolution in pixels per inch.", { default: 150 }),
    quality: text(formInteger(1, 100), "Compression quality.", { default: 90, when: { format: ["jpeg", "webp"] } }),
    pages: text(pageRange(), "The pages to draw, in document order.", { default: "all" }),
  },
  example: { file: "letter.pdf", pages: "1" },
  readsRanges: true,
  produces: ["image/png", "image/jpeg", "image/webp", "application/zip"],
  errors: ["raster_too_large"],
  headers: ["X-Input-Repaired"],
  needsHeadroom: true,

  async run({ file, format, dpi, quality, pages }, engines) {
    using stack = new DisposableStack();
    const open = stack.use(await openPdf(engines.pdf, file, { validateFor: "render" }));
    const { pageCount } = open;
    const chosen = pages.resolveSet("pages", pageCount);
    await checkPixels(open, chosen, dpi);
    await checkContents(open, chosen);
    const headers = resultHeadersOf([open], { signed: false });
    const wanted = { format, dpi, quality };
    // The document stays open until the last image is produced.
    const owned = stack.move();
    const [only] = chosen;
    if (chosen.length === 1 && only !== undefined) {
      return { kind: "image", format, bytes: imageOf(open, only, engines, wanted), headers };
    }
    return { kind: "zip", entries: images(open, chosen, engines, { ...wanted, stem: file.stem, owned }), headers };
  },
});

function* images(
  open: OpenPdf,
  pages: readonly number[],
  engines: Engines,
  { stem, owned, ...wanted }: Wanted & { stem: string; owned: DisposableStack },
): Generator<OutputFile> {
  using _ = owned;
  const trim = storeTrimmer(open.engine);
  const digits = String(open.pageCount).length;
  for (const page of pages) {
    const number = String(page + 1).padStart(digits, "0");
    yield {
      name: `${stem}-${number}.${imageExtensions[wanted.format]}`,
      bytes: imageOf(open, page, engines, wanted),
    };
    trim();
  }
}

/** One page (0-based). */
async function* imageOf(
  open: OpenPdf,
  page: number,
  engines: Engines,
  wanted: Wanted,
): AsyncGenerator<Uint8Array, void> {
  const { format, dpi } = wanted;
  await allowPage(open, page);
  if (format === "webp") {
    yield* webpOf(open, page, engines, wanted);
    return;
  }
  using raster = await PageRaster.of(open, page, { dpi, alpha: format === "jpeg" });
  yield* format === "png" ? pngOf(raster, dpi) : jpegOf(raster, wanted);
}
