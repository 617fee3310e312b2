import module from "../../../wasm/generated/mupdf.wasm";
import callback from "../../../wasm/generated/callback.wasm";
import jpx from "../../../wasm/generated/jpx.wasm";
import tick from "../../../wasm/generated/tick.wasm";
import { defaultSizes, limits, type MemorySizes } from "../../limits.ts";
import type { Engines, Outside, WebpService } from "./engines.ts";
import type { LoadFont } from "../fonts.ts";
import { dropModels, keptModelBytes, type LoadModel } from "../ocr/models.ts";
import { TextRecognizer } from "../ocr/tesseract.ts";
import { PdfEncryption } from "../pdf/encryption/encryption.ts";
import type { AllowHeap } from "../memory/heap.ts";
import { type Parked, PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { ImageCodecs } from "../image/codecs.ts";
import { FuelGauge } from "../fuel-gauge.ts";
import { unlimitedWork, type Work } from "../work.ts";
import { ofIsolate } from "../../isolate.ts";

/** The engines leased to one request, until `release`. */
export interface EngineLease {
  readonly engines: Engines;
  /** Bytes of wasm memory that the engines hold now. While the request is parked, those of the data that it kept. */
  heapBytes(): number;
  /**
   * Returns the engines; nothing in their heap can be used afterwards. `clean: false` (a trap, an abort, anything unexpected)
   * discards them instead of keeping them for the next request. The owner calls it once.
   */
  release(clean: boolean): void;
}

/** The actions of the owner of a lease while the request is parked. */
export interface Parking {
  /** The engines were returned, and the request holds only `bytes`. Throws if it may not wait without them. */
  parked(bytes: number, outside: Outside): void;
  /** Asks what the request is parked for. */
  outside<T extends { readonly length: number }>(ask: () => Promise<T>): Promise<T>;
  /** Waits until the request may have engines again. Returns the most bytes of heap that a kept one may have. */
  turn(): Promise<number>;
  /** It has them. */
  resumed(): void;
}

/** Options for a lease other than its memory. */
export interface LeaseOptions {
  /** Expected heap in bytes: picks the smallest kept engine that has it, or else the largest. */
  readonly expected?: number;
  /** Maximum heap in bytes of a kept engine that may be reused. */
  readonly most?: number;
  /** What the request can hold in memory. */
  readonly sizes?: MemorySizes;
  readonly webpService?: WebpService | undefined;
  /** Reads a font; without it, none are available. */
  readonly loadFont?: LoadFont;
  /** Reads a text recognition model; without it, none are available. */
  readonly loadModel?: LoadModel;
  /** The request's work budget; without it there is no limit. */
  readonly work?: Work;
  /** Without it, nothing but the request is awaited. */
  readonly parking?: Parking;
}

const freely: Parking = { parked: () => {}, outside: (ask) => ask(), turn: async () => Infinity, resumed: () => {} };

/** Tesseract's loops are mostly multiplications: a unit of their fuel takes 1 ns, where MuPDF's take 2 to 8. */
const RECOGNITION_PRICE = 0.1;
/** Work between two turns while text is recognized, 2.5 ms: a small request has some ten turns, and would wait 10 ms in each of them for a whole slice. */
export const RECOGNITION_SLICE = 250_000;

/** Holds no request state, so one instance is enough. */
const encryption = new PdfEncryption(crypto);

const noFonts: LoadFont = async (name) => {
  throw new Error(`no font loader was given for ${name}`);
};

const noModels: LoadModel = async (code) => {
  throw new Error(`no model loader was given for ${code}`);
};

/**
 * Instances kept for the next requests, at most as many as admission lets in at once. Grown ones are kept too: wasm memory
 * never shrinks, and a discarded one stays in memory until it is garbage collected, next to its successor.
 */
const spares = ofIsolate((): PdfEngine[] => []);
/** Engines that were made, and those that could not be used again. */
const counts = ofIsolate(() => ({ started: 0, failed: 0 }));

export const engineCounts = (): { readonly started: number; readonly failed: number } => counts.value;

/** Leases that began and ended, and those that had begun when `dropIdle` last looked. */
const leases = ofIsolate(() => ({ begun: 0, ended: 0, seen: 0 }));

/** Those that still contain data of a request. */
const used = ofIsolate(() => new Set<PdfEngine>());

/**
 * Leases engines: kept ones, or new ones (4 to 6 ms). `allowHeap` is called with the size in bytes that heap and codecs together need. `false` makes
 * the engine free as much as it can and then reject with `limit_exceeded`; `"busy"` makes it reject with `overloaded`.
 */
export async function leaseEngines(allowHeap: AllowHeap, options: LeaseOptions = {}): Promise<EngineLease> {
  const { expected = 0, most = Infinity, sizes = defaultSizes, webpService, parking = freely } = options;
  const { loadFont = noFonts, loadModel = noModels, work = unlimitedWork() } = options;
  let pdf: PdfEngine | undefined = takeSpare(expected, most) ?? (await startEngine());
  let parked: Parked | undefined;
  let released = false;
  leases.value.begun += 1;
  // Each instance sees only its own memory grow; the request is accountable for the sum.
  const heap = (): number => pdf?.heapBytes ?? 0;
  const gauge = (): FuelGauge => new FuelGauge(tick, work);
  const codecs = new ImageCodecs((bytes) => allowHeap(heap() + recognizer.heapBytes + bytes), gauge);
  const recognizer = new TextRecognizer(
    (bytes) => allowHeap(heap() + codecs.heapBytes + bytes),
    loadModel,
    new FuelGauge(tick, work, { price: RECOGNITION_PRICE, slice: RECOGNITION_SLICE }),
  );
  const begin = (engine: PdfEngine): void =>
    engine.begin((bytes) => allowHeap(bytes + codecs.heapBytes + recognizer.heapBytes), work);
  begin(pdf);
  const giveBack = (clean: boolean): void => {
    const engine = pdf;
    pdf = undefined;
    engine?.settle();
    codecs.drop();
    recognizer.drop();
    if (engine === undefined) return;
    if (!clean || engine.failed) counts.value.failed += 1;
    if (!clean || engine.failed || spares.value.length > limits.admission.requests) return;
    used.value.add(engine);
    spares.value.push(engine);
  };
  const engines: Engines = {
    get pdf() {
      if (pdf === undefined) throw new Error("the request has no engines now");
      return pdf;
    },
    get isParked() {
      return parked !== undefined;
    },
    park(outside) {
      if (parked !== undefined) return;
      parked = engines.pdf.park();
      giveBack(true);
      parking.parked(parked.claimed, outside);
    },
    async resume() {
      if (parked === undefined) return;
      const { claimed } = parked;
      const mostHeap = await parking.turn();
      const engine = takeSpare(claimed, mostHeap) ?? (await startEngine());
      // Its owner may have ended it meanwhile.
      if (released) throw new Error("the request has ended");
      pdf = engine;
      begin(engine);
      engine.unpark(parked);
      parked = undefined;
      parking.resumed();
    },
    outside(ask) {
      if (parked === undefined) throw new Error("a request asks something outside while it holds engines");
      return parking.outside(ask);
    },
    explain: (error) => pdf?.explain(error) ?? error,
    work,
    encryption,
    codecs,
    recognizer,
    loadFont,
    webpService,
    sizes,
  };
  return {
    engines,
    heapBytes: () => (parked?.claimed ?? 0) + heap() + codecs.heapBytes + recognizer.heapBytes,
    release(clean) {
      if (released) throw new Error("the engines were returned before");
      released = true;
      leases.value.ended += 1;
      giveBack(clean);
    },
  };
}

function startEngine(): Promise<PdfEngine> {
  counts.value.started += 1;
  return PdfEngine.create({ module, tick, callback, jpx });
}

/** Bytes of wasm memory and models kept between requests. */
export function keptBytes(): number {
  return spares.value.reduce((sum, pdf) => sum + pdf.heapBytes, keptModelBytes());
}

/** Discards the kept engines, for a request that needs the room. */
export function dropSpares(): void {
  spares.value = [];
  used.value.clear();
  dropModels();
}

/**
 * Discards the kept engines and models if no request holds engines now, or has held any since the last call. Returns whether there were any. Their memory
 * is free after the next garbage collection.
 */
export function dropIdle(): boolean {
  const { begun, ended, seen } = leases.value;
  leases.value.seen = begun;
  if (ended < begun || seen < begun || keptBytes() === 0) return false;
  dropSpares();
  return true;
}

/**
 * Discards kept engines with more than `bytes` of heap, for a request that will need the room. The earlier this happens, the
 * more the request allocates until then, and the likelier a garbage collection.
 */
export function dropLarger(bytes: number): void {
  for (const pdf of spares.value.filter(({ heapBytes }) => heapBytes > bytes)) forget(pdf);
}

/** Clears the data that requests left in the kept engines. It takes a few ms, so it runs once the response is on its way. */
export function clearSpares(): void {
  for (const pdf of used.value) pdf.reset();
  used.value.clear();
}

function takeSpare(expected: number, most: number): PdfEngine | undefined {
  const fit = spares.value.filter(({ heapBytes }) => heapBytes <= most).sort((a, b) => a.heapBytes - b.heapBytes);
  const pdf = fit.find(({ heapBytes }) => heapBytes >= expected) ?? fit.at(-1);
  if (pdf && forget(pdf)) pdf.reset();
  return pdf;
}

/** Takes an engine from the kept ones; returns whether it still contains data of a request. */
function forget(pdf: PdfEngine): boolean {
  spares.value.splice(spares.value.indexOf(pdf), 1);
  return used.value.delete(pdf);
}
