import type { LoadFont } from "../fonts.ts";
import type { Work } from "../work.ts";
import type { TextRecognizer } from "../ocr/tesseract.ts";
import type { PdfEncryption } from "../pdf/encryption/encryption.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import type { ImageCodecs } from "../image/codecs.ts";

/** Encodes a PNG of up to 100 megapixels, of which memory here would not hold the pixels, as WebP. `quality`: 1 to 100. */
export type WebpService = (png: ReadableStream<Uint8Array>, quality: number) => Promise<ReadableStream<Uint8Array>>;

/** The engines that one call has to itself. */
export interface Engines {
  readonly pdf: PdfEngine;
  /** What the call may do, and a place to let others have their turn. */
  readonly work: Work;
  readonly encryption: PdfEncryption;
  readonly loadFont: LoadFont;
  readonly codecs: ImageCodecs;
  readonly recognizer: TextRecognizer;
  /** Where there is one. */
  readonly webpService: WebpService | undefined;
  /** Bytes of memory that the call may have at most, while no other call has any. */
  readonly memoryBytes: number;
}
