import type { LoadFont } from "../fonts.ts";
import type { Work } from "../work.ts";
import type { TextRecognizer } from "../ocr/tesseract.ts";
import type { PdfEncryption } from "../pdf/encryption/encryption.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import type { ImageCodecs } from "../image/codecs.ts";
import type { MemorySizes } from "../../limits.ts";

/** Encodes PNGs of up to 100 megapixels as WebP, when their pixels do not fit into memory here. */
export interface WebpService {
  /** Whether it has a quality of its own, so that `quality` has no effect. */
  readonly ignoresQuality: boolean;
  /** `quality`: 1 to 100. */
  encode(png: ReadableStream<Uint8Array>, quality: number): Promise<ReadableStream<Uint8Array>>;
}

/** What a request is parked for: the services of signatures, the browser, or the office converter. */
export type Outside = "services" | "browser" | "office";

/** The engines leased to one request. Between `park` and `resume` it has none. Outside services, which may take any time, are requested only then. */
export interface Engines {
  /** Throws while the request is parked. */
  readonly pdf: PdfEngine;
  readonly isParked: boolean;
  /**
   * Gives the engines back, for others to use. The request's files can still be read; everything else in the engines is gone, so documents
   * must be closed. Nothing happens if the request is parked.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory, or too many requests of the account that are parked)
   */
  park(outside: Outside): void;
  /**
   * Waits for engines, and puts the files into them. Nothing happens if the request has engines.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory)
   */
  resume(): Promise<void>;
  /**
   * Asks something outside, without engines, and makes room for the response.
   * @throws Error unless the request is parked
   */
  outside<T extends { readonly length: number }>(ask: () => Promise<T>): Promise<T>;
  /** Translates an error if the document is at fault; otherwise returns the error itself. */
  explain(error: unknown): unknown;
  /** The request's work budget, and a way to yield to other requests. */
  readonly work: Work;
  readonly encryption: PdfEncryption;
  readonly loadFont: LoadFont;
  readonly codecs: ImageCodecs;
  readonly recognizer: TextRecognizer;
  /** If available. */
  readonly webpService: WebpService | undefined;
  /** What the request can hold in memory when no other request holds any. */
  readonly sizes: MemorySizes;
}
