import type { OpenPdf } from "../pdf/document/document.ts";
import type { RawPage } from "../pdf/layout/document.ts";
import { recognizedBlocks } from "../pdf/layout/recognized.ts";
import { inTurns } from "../steps.ts";
import { PagePicture } from "./page-picture.ts";
import { type PageReading, recognizePage } from "./recognize-page.ts";
import { RecognitionFailure, type TextRecognizer } from "./tesseract.ts";
import { recognitionFailed } from "../result-errors.ts";

/**
 * Recognizes a page (0-based) of a document. The languages of `recognizer` must be open.
 * @throws Refusal `ocr_failed`, and the errors of `recognizePage`
 */
export async function readPicture(open: OpenPdf, page: number, recognizer: TextRecognizer): Promise<PageReading> {
  using picture = await PagePicture.of(open, page);
  return await read(picture, page, recognizer);
}

/** The same, with the blocks of the page. */
export async function readPictureWithLayout(
  open: OpenPdf,
  page: number,
  recognizer: TextRecognizer,
): Promise<PageReading & { readonly layout: RawPage }> {
  using picture = await PagePicture.of(open, page);
  const reading = await read(picture, page, recognizer);
  const blocks = await inTurns(open.engine.work, recognizedBlocks(reading, [0, 0, picture.width, picture.height]));
  return { ...reading, layout: { pageNumber: page + 1, blocks } };
}

async function read(picture: PagePicture, page: number, recognizer: TextRecognizer): Promise<PageReading> {
  try {
    return await recognizePage(picture, recognizer);
  } catch (error) {
    if (!(error instanceof RecognitionFailure)) throw error;
    throw recognitionFailed(page + 1, error);
  }
}
