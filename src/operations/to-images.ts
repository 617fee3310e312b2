import { checkContents } from "../engines/pdf/content/size.ts";
import { type OpenPdf, openPdf } from "../engines/pdf/document/document.ts";
import { storeTrimmer } from "../engines/pdf/mupdf/store.ts";
import type { Engines } from "../engines/lease/engines.ts";
import { jpegOf } from "../engines/render/jpeg.ts";
import { checkPixels, PageRaster } from "../engines/render/page-raster.ts";
import { pngOf } from "../engines/render/png.ts";
import { ignoresQuality, webpOf } from "../engines/render/webp.ts";
import { allowPage } from "../engines/pdf/content/page-work.ts";
import {
  defineOperation,
  ignoredHeader,
  imageExtensions,
  listOf,
  type OutputFile,
  type ResultHeaders,
  resultHeadersOf,
} from "./definition/define.ts";
import type { ImageFormat } from "./definition/modes.ts";
import { pagesWithUndecodable } from "../engines/pdf/images/undecodable.ts";
import { pdfFile, text, type UploadedFile } from "./definition/fields.ts";
import { formChoice, formInteger, pageRange } from "./definition/values.ts";

/** Pixels of a part of a job: some seconds of drawing. */
const PART_PIXELS = 40_000_000;
/** Square inches of a page of Letter size. */
const LETTER_INCHES = 8.5 * 11;

interface Wanted {
  readonly format: ImageFormat;
  readonly dpi: number;
  readonly quality: number;
}

export const toImages = defineOperation({
  name: "to-images",
  summary: "Convert pages to images",
  group: "Convert",
  keywords:
    "convert render rasterize png jpg jpeg webp thumbnail preview screenshot pictures pdf to image pdf to jpg pdf to png",
  guidance:
    "To see pages, or to use them where PDFs cannot be used. To read text, `extract-text` is cheaper and exact.",
  description: `Returns one image for a single page, otherwise a ZIP archive with one image per page, named \`<file>-<page number>.png\` (or \`.jpg\`, \`.webp\`).
Pages are drawn on white as a viewer shows them, with annotations and form fields. Overprint is not simulated. Pages
without color become grayscale PNG or JPEG images. PNG and JPEG images contain their resolution. \`X-Pages-Incomplete\` lists pages with an image in JBIG2 that cannot be decoded.

A page can have up to 100 megapixels, and all pages together up to 5 gigapixels. WebP images of more than about 8 megapixels may not fit into
memory; the request then fails with \`raster_too_large\`, and \`maxDpi\` is the highest resolution that works.`,
  credits: 2,
  modes: {
    by: "format",
    values: {
      png: { scope: "pdf:read", returns: ["image/png", "application/zip"] },
      jpeg: { scope: "pdf:read", returns: ["image/jpeg", "application/zip"] },
      webp: { scope: "pdf:read", returns: ["image/webp", "application/zip"] },
    },
  },
  fields: {
    file: pdfFile(),
    format: text(formChoice("png", "jpeg", "webp"), "The image format.", { brief: "", default: "png" }),
    dpi: text(formInteger(36, 600), "Resolution in pixels per inch.", {
      label: "Resolution (dpi)",
      tries: ["36", "50", "72"],
      default: 150,
    }),
    quality: text(formInteger(1, 100), "Compression quality.", {
      brief: "",
      default: 90,
      when: { format: ["jpeg", "webp"] },
    }),
    pages: text(pageRange(), "The pages to draw, in document order.", {
      brief: "",
      tries: ["1", "last-2", "odd", "99"],
      default: "all",
    }),
  },
  example: { file: "letter.pdf", pages: "1" },
  furtherExamples: [
    { file: "letter.pdf", format: "jpeg" },
    { file: "letter.pdf", dpi: "100", format: "webp" },
  ],
  memory: { readsRanges: true, needsHeadroom: true },
  errors: ["raster_too_large"],
  headers: ["X-Input-Repaired", "X-Pages-Incomplete"],

  pageByPage: {
    async pagesOf({ file, pages }, { pdf }) {
      using open = await openPdf(pdf, file);
      return pages.resolveSet("pages", open.pageCount);
    },
    pagesPerPart: ({ dpi }) => Math.max(1, Math.floor(PART_PIXELS / (LETTER_INCHES * dpi ** 2))),
    async run(input, pages, engines) {
      const { open, headers, owned } = await opened(input, () => pages, engines);
      const entries = images(open, pages, engines, { ...input, stem: input.file.stem, owned });
      return { kind: "zip", entries, headers };
    },
    async join(input, parts, engines) {
      const { format, file, pages } = input;
      using open = await openPdf(engines.pdf, file);
      const chosen = pages.resolveSet("pages", open.pageCount);
      const headers = { ...parts.headers, ...(await ignoredIn(open, chosen, input, engines)) };
      if (chosen.length > 1) return { kind: "zip", entries: parts.files(), headers };
      const { value: only } = await parts.files().next();
      if (only === undefined || "view" in only.bytes) throw new Error("the part has no image");
      return { kind: "image", format, bytes: only.bytes, headers };
    },
  },

  async run(input, engines) {
    const { format, pages } = input;
    const { open, chosen, headers, owned } = await opened(input, (count) => pages.resolveSet("pages", count), engines);
    const [only] = chosen;
    if (chosen.length === 1 && only !== undefined) {
      return { kind: "image", format, bytes: imageOf(open, only, engines, input), headers };
    }
    return { kind: "zip", entries: images(open, chosen, engines, { ...input, stem: input.file.stem, owned }), headers };
  },
});

/** Reports `quality` if it has no effect. */
async function ignoredIn(
  open: OpenPdf,
  pages: readonly number[],
  { format, dpi }: Pick<Wanted, "format" | "dpi">,
  engines: Engines,
) {
  const isIgnored = format === "webp" && (await ignoresQuality(open, pages, engines, dpi));
  return ignoredHeader(isIgnored ? ["quality"] : []);
}

/** Reports pages with images that cannot be drawn. */
async function incompleteIn(open: OpenPdf, pages: readonly number[]): Promise<ResultHeaders> {
  const found = await pagesWithUndecodable(open, pages);
  return found.length === 0 ? {} : { "X-Pages-Incomplete": listOf(found.map((page) => String(page + 1))) };
}

/** Opens the document, checks the pages that are to be drawn, and keeps it open until `owned` is disposed. */
async function opened(
  { file, format, dpi }: { readonly file: UploadedFile } & Pick<Wanted, "format" | "dpi">,
  choose: (pageCount: number) => readonly number[],
  engines: Engines,
) {
  using stack = new DisposableStack();
  const open = stack.use(await openPdf(engines.pdf, file, { validateFor: "render" }));
  const chosen = choose(open.pageCount);
  await checkPixels(open, chosen, dpi);
  await checkContents(open, chosen);
  const ignored = await ignoredIn(open, chosen, { format, dpi }, engines);
  const headers = { ...resultHeadersOf([open]), ...ignored, ...(await incompleteIn(open, chosen)) };
  return { open, chosen, headers, owned: stack.move() };
}

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
