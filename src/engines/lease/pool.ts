import module from "../../../wasm/generated/mupdf.wasm";
import tick from "../../../wasm/generated/tick.wasm";
import { limits } from "../../limits.ts";
import type { Engines, WebpService } from "./engines.ts";
import type { LoadFont } from "../fonts.ts";
import { dropModels, keptModelBytes, type LoadModel } from "../ocr/models.ts";
import { TextRecognizer } from "../ocr/tesseract.ts";
import { PdfEncryption } from "../pdf/encryption/encryption.ts";
import type { AllowHeap } from "../bytes/heap.ts";
import { PdfEngine, snapshotBytes } from "../pdf/mupdf/mupdf.ts";
import { ImageCodecs } from "../image/codecs.ts";
import { FuelGauge } from "../fuel-gauge.ts";
import { unlimitedWork, type Work } from "../work.ts";

/** The engines that one request has to itself, until `release`. */
export interface EngineLease {
  readonly engines: Engines;
  /** Bytes of wasm memory that the engines hold now. */
  heapBytes(): number;
  /** What an error that came out of the work means: a `Refusal` where the document is at fault, else the error itself. */
  explain(error: unknown): unknown;
  /**
   * Gives the engines back; nothing in their heap can be used any more. `clean: false` (a trap, an abort, anything
   * unexpected) throws them away instead of keeping them for the next request. Calling it again does nothing.
   */
  release(clean: boolean): void;
}

/** What a lease is given beside its memory. */
export interface LeaseOptions {
  /** About how many bytes of heap the request needs: the smallest engine that has them is taken, or else the largest. */
  readonly expected?: number;
  /** Bytes of heap that a kept engine may have to be taken. */
  readonly most?: number;
  /** Bytes of memory that a request may have at most. */
  readonly memoryBytes?: number;
  readonly webpService?: WebpService | undefined;
  /** Reads a font; without it none can be had. */
  readonly loadFont?: LoadFont;
  /** Reads a model of text recognition; without it none can be had. */
  readonly loadModel?: LoadModel;
  /** What the request may do; without it there is no limit. */
  readonly work?: Work;
}

/** Tesseract's loops multiply, mostly: a unit of their fuel takes 1 ns, where MuPDF's take 2 to 8. */
const RECOGNITION_PRICE = 0.1;

/** Holds nothing of a request, so one is enough. */
const encryption = new PdfEncryption(crypto);

const noFonts: LoadFont = async (name) => {
  throw new Error(`nobody has said where the font ${name} is`);
};

const noModels: LoadModel = async (code) => {
  throw new Error(`nobody has said where the model ${code} is`);
};

/**
 * Instances that wait for the next requests, at most as many as admission lets in at once. Also grown ones are kept: wasm
 * memory never shrinks, and one that is thrown away stays until the garbage collector comes by, beside its successor.
 */
const spares: PdfEngine[] = [];
/** Those that still hold what a request left. */
const used = new Set<PdfEngine>();

/**
 * Leases engines: those kept from an earlier request, or new ones (4 to 6 ms). `allowHeap` is asked with the size in
 * bytes that heap and codecs together want to grow to; `false` makes the engine give up what it can and then refuse
 * (`limit_exceeded`), `"busy"` makes it refuse with `overloaded`.
 */
export async function leaseEngines(allowHeap: AllowHeap, options: LeaseOptions = {}): Promise<EngineLease> {
  const { expected = 0, most = Infinity, memoryBytes = Infinity, webpService } = options;
  const { loadFont = noFonts, loadModel = noModels, work = unlimitedWork() } = options;
  const pdf = takeSpare(expected, Math.max(most, expected)) ?? (await PdfEngine.create(module, tick));
  // Each sees its own memory grow; the request answers for all of it.
  const gauge = (): FuelGauge => new FuelGauge(tick, work);
  const codecs = new ImageCodecs((bytes) => allowHeap(pdf.heapBytes + recognizer.heapBytes + bytes), gauge);
  const recognizer = new TextRecognizer(
    (bytes) => allowHeap(pdf.heapBytes + codecs.heapBytes + bytes),
    loadModel,
    new FuelGauge(tick, work, RECOGNITION_PRICE),
  );
  pdf.begin((bytes) => allowHeap(bytes + codecs.heapBytes + recognizer.heapBytes), work);
  let released = false;
  return {
    engines: {
      pdf,
      work,
      encryption,
      codecs,
      recognizer,
      loadFont,
      webpService,
      memoryBytes: memoryBytes - snapshotBytes(),
    },
    heapBytes: () => pdf.heapBytes + codecs.heapBytes + recognizer.heapBytes,
    explain: (error) => pdf.explain(error),
    release(clean) {
      if (released) return;
      released = true;
      pdf.settle();
      codecs.drop();
      recognizer.drop();
      if (!clean || pdf.failed || spares.length >= limits.admission.requests) return;
      used.add(pdf);
      spares.push(pdf);
    },
  };
}

/** Bytes of wasm memory, heap snapshot and models that stay between requests. */
export function keptBytes(): number {
  return spares.reduce((sum, pdf) => sum + pdf.heapBytes, snapshotBytes() + keptModelBytes());
}

/** Throws away what waits, for a request that needs the room. */
export function dropSpares(): void {
  spares.length = 0;
  used.clear();
  dropModels();
}

/**
 * Throws away what waits and has more than `bytes` of heap, for a request that will need that room: the sooner, the more the
 * request allocates until then, and the likelier the garbage collector comes by.
 */
export function dropLarger(bytes: number): void {
  for (const pdf of spares.filter(({ heapBytes }) => heapBytes > bytes)) {
    spares.splice(spares.indexOf(pdf), 1);
    used.delete(pdf);
  }
}

/** Clears what requests left in the engines that wait. It takes a few ms, so it is done when the answer is on its way. */
export function clearSpares(): void {
  for (const pdf of used) pdf.reset();
  used.clear();
}

function takeSpare(expected: number, most: number): PdfEngine | undefined {
  const fit = spares.filter(({ heapBytes }) => heapBytes <= most).sort((a, b) => a.heapBytes - b.heapBytes);
  const pdf = fit.find(({ heapBytes }) => heapBytes >= expected) ?? fit.at(-1);
  if (pdf) spares.splice(spares.indexOf(pdf), 1);
  if (pdf && used.delete(pdf)) pdf.reset();
  return pdf;
}
