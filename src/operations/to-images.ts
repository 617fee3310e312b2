import { checkContents } from "../engines/pdf/content-size.ts";
import { type OpenPdf, openPdf } from "../engines/pdf/document.ts";
import { storeTrimmer } from "../engines/pdf/store.ts";
import type { Engines } from "../engines/engines.ts";
import { jpegOf } from "../engines/raster/jpeg.ts";
import { checkPixels, PageRaster } from "../engines/raster/page-raster.ts";
import { pngOf } from "../engines/raster/png.ts";
import { webpOf } from "../engines/raster/webp.ts";
import { defineOperation, type ImageFormat, imageExtensions, type OutputFile } from "./define.ts";
import { pdfFile, text } from "./fields.ts";
import { notes } from "./notes.ts";
import { formChoice, formInteger, pageRange } from "./values.ts";

interface Wanted {
  readonly format: ImageFormat;
  readonly dpi: number;
  readonly quality: number;
}

export const toImages = defineOperation({
  name: "to-images",
  summary: "Rasterize PDF pages as PNG, JPEG or WebP",
  description: `One page comes back as an image, several as a ZIP with the entries \`<file>-<page number>.png\` (or \`.jpg\`,
\`.webp\`), in order; the numbers have as many digits as the document's last page. A page is drawn as a viewer shows it, on white: its
CropBox, turned, with annotations and form fields, also those that have no appearance of their own. Overprint is not
simulated, and spot colours are drawn by their alternates, as viewers do unless they are told to preview a print. Pages
without colour become greyscale PNG and JPEG. PNG and JPEG carry the resolution.

A page has at most 100 megapixels, all pages of a call 5 gigapixels (413 \`limit_exceeded\`). PNG and JPEG work at every
resolution up to that. WebP of a page that does not fit into memory (from about 8 megapixels on, A4 at 280 dpi) is encoded
by Cloudflare Images where the service has it, else refused with 422 \`raster_too_large\`, whose \`maxDpi\` works. A service run
locally ignores \`quality\` for such pages.`,
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
  produces: ["image/png", "image/jpeg", "image/webp", "application/zip"],
  headers: ["X-Input-Repaired"],
  memoryBeside: true,

  async run({ file, format, dpi, quality, pages }, engines) {
    using stack = new DisposableStack();
    const open = stack.use(await openPdf(engines.pdf, file, { whole: "drawn" }));
    const { pageCount } = open;
    const chosen = pages.resolveSet("pages", pageCount);
    await checkPixels(open, chosen, dpi);
    await checkContents(open, chosen);
    const headers = notes([open], { signed: false });
    const wanted = { format, dpi, quality };
    // The document stays open until the last image is made.
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
  if (format === "webp") {
    yield* webpOf(open, page, engines, wanted);
    return;
  }
  using raster = await PageRaster.of(open, page, { dpi, alpha: format === "jpeg" });
  yield* format === "png" ? pngOf(raster, dpi) : jpegOf(raster, wanted);
}
