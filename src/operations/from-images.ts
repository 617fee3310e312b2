import type { EngineBytes } from "../engines/memory/heap.ts";
import { ImageObjects } from "../engines/pdf/embed/image-object.ts";
import { addImagePage, endDocument, newImageDocument, pixelCounter } from "../engines/pdf/embed/image-document.ts";
import { largestMargin, type PageOptions } from "../engines/pdf/embed/image-page.ts";
import { verify } from "../engines/pdf/write/verify.ts";
import { embedImages, type ImageInput } from "../engines/pdf/embed/embed.ts";
import type { ImageFileFacts } from "../engines/image/facts.ts";
import { limits } from "../limits.ts";
import { defineOperation } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { imageFiles, text } from "./definition/fields.ts";
import { formChoice, formInteger } from "./definition/values.ts";
import { madeTooManyPages } from "../engines/limit-errors.ts";

const NAMED_SIZES = ["a4", "letter", "legal"] as const;

export const fromImages = defineOperation({
  name: "from-images",
  summary: "Create a PDF from images",
  group: "Convert",
  keywords:
    "convert png jpg jpeg webp tiff tif gif bmp fax photos scans pictures image to pdf jpg to pdf png to pdf tiff to pdf",
  guidance: "For photos or scans that become one PDF, a page each. For searchable text, use `ocr` on the result.",
  description: `Puts each image on a page of its own, in the order of their numbers. JPEG data is embedded without re-encoding. PNG images keep their
colors, bit depth, and transparency; WebP, GIF, and BMP images are stored losslessly. Each page of a TIFF becomes a page, without previews and masks:
fax (CCITT) and JPEG data are embedded without re-encoding where PDF can hold them, and other data is stored losslessly with up to 16 bits per sample.
ICC profiles and PNG gamma are kept, and the orientation is applied. An image that is sent more than once is stored once. Animated WebP images and
lossless, arithmetic-coded, or 12-bit JPEG images are not supported, nor are BigTIFF and TIFF images with floating-point samples or CIELab colors. For
animated PNG and GIF images, the default image and the first frame are used. An image can have up to ${limits.images.pixels / 1e6} megapixels.

With \`pageSize=auto\`, each page has the size of its image at the resolution stored in the image (72 dpi if there is none), plus
the margin. The sides of a page are between 3 and 14,400 points.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    images: imageFiles(
      "image",
      { min: 1, max: limits.files },
      "The images, in page order: PNG, JPEG, WebP, TIFF, GIF, or BMP.",
    ),
    pageSize: text(
      formChoice("auto", ...NAMED_SIZES),
      "The size of all pages. `auto`: each page has the size of its image.",
      { brief: "`auto`: as each image.", default: "auto" },
    ),
    orientation: text(
      formChoice("portrait", "landscape", "auto"),
      "The orientation of the pages. `auto`: landscape for images that are wider than they are high.",
      { brief: "", default: "portrait", when: { pageSize: NAMED_SIZES } },
    ),
    marginPt: text(
      formInteger(0, largestMargin("auto")),
      "Space around the image, in points. Must be less than half of the shorter side of the page.",
      { brief: "In points.", default: 0 },
    ),
    fit: text(
      formChoice("contain", "cover", "stretch"),
      `How the image fills the space inside the margins. \`contain\`: the whole image is visible. \`cover\`: the image fills
the space and is cropped. \`stretch\`: the image fills the space and is distorted.`,
      { brief: "", default: "contain", when: { pageSize: NAMED_SIZES } },
    ),
  },
  example: { image0: "receipt.png", pageSize: "a4", orientation: "landscape", marginPt: "36" },
  furtherExamples: [{ image0: "photo.jpg", image1: "photo.jpg" }],
  headers: ["X-Page-Count"],

  checks: [
    ({ pageSize, marginPt }) => {
      const most = largestMargin(pageSize);
      const issue = `must be less than half the page: at most ${most} when \`pageSize\` is ${pageSize}`;
      return marginPt > most ? [{ name: "marginPt", issue }] : [];
    },
  ],

  async run({ images, pageSize, orientation, marginPt, fit }, engines) {
    const options: PageOptions = { size: pageSize, orientation, margin: marginPt, fit };
    const file = newImageDocument(engines.pdf);
    const [catalog, tree] = [file.reserve(), file.reserve()];
    const objects = new ImageObjects(engines.pdf, file);
    const countPixels = pixelCounter();
    const known: Known[] = [];
    const pages: number[] = [];
    const addPage = async (image: EmbeddedObject): Promise<void> => {
      if (pages.length === limits.pages) throw madeTooManyPages(pages.length + 1);
      pages.push(await addImagePage(file, tree, image, options));
    };
    for (const input of images) {
      const same = known.find(({ bytes }) => areEqual(bytes, input.bytes));
      if (same) {
        for (const image of same.images) await addPage(image);
        continue;
      }
      const own: EmbeddedObject[] = [];
      for await (const { facts, image } of embedImages(engines, input, countPixels)) {
        const embedded = { facts, number: await objects.add(image) };
        own.push(embedded);
        await addPage(embedded);
      }
      known.push({ bytes: input.bytes, images: own });
    }
    const pageCount = pages.length;
    const bytes = await endDocument(file, { catalog, tree, pages });
    const facts = new Map([1, pageCount].map((page) => [`the resources of page ${page}`, "Im0"]));
    await verify(engines.pdf, bytes, { pageCount, pages: [0, pageCount - 1], facts });
    return { kind: "pdf", bytes, headers: { "X-Page-Count": String(pageCount) } };
  },
});

/** An image that is already in the PDF. */
interface EmbeddedObject {
  readonly facts: ImageFileFacts;
  readonly number: number;
}

/** A file whose images are already in the PDF. */
interface Known extends Pick<ImageInput, "bytes"> {
  readonly images: readonly EmbeddedObject[];
}

function areEqual(a: EngineBytes, b: EngineBytes): boolean {
  if (a.length !== b.length) return false;
  const [left, right] = [a.view(0, a.length), b.view(0, b.length)];
  return left.every((byte, index) => byte === right[index]);
}
