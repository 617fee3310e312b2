import { getDocument, type PDFPageProxy, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
import { pdfjsFolders } from "./pdfjs.ts";
import { type Picture, pictureOf } from "../images/images.ts";

type Rendering = Parameters<PDFPageProxy["render"]>[0];

interface Canvas {
  readonly canvas: Rendering["canvas"];
  readonly context: NonNullable<Rendering["canvasContext"]>;
}

/** A page (1-based) as pdf.js draws it at `dpi`, with annotations and form fields, on white. */
export async function renderPage(bytes: Uint8Array, pageNumber: number, dpi: number): Promise<Picture> {
  const task = getDocument({ data: bytes.slice(), ...pdfjsFolders, verbosity: VerbosityLevel.ERRORS });
  try {
    const document = await task.promise;
    const page = await document.getPage(pageNumber);
    const viewport = page.getViewport({ scale: dpi / 72 });
    const [width, height] = [Math.ceil(viewport.width - 0.001), Math.ceil(viewport.height - 0.001)];
    const factory = document.canvasFactory as { create(width: number, height: number): Canvas };
    const { canvas, context } = factory.create(width, height);
    await page.render({ canvas, canvasContext: context, viewport }).promise;
    const { data } = context.getImageData(0, 0, width, height);
    return pictureOf({ data, width, height });
  } finally {
    await task.destroy();
  }
}
