import module from "../../../wasm/generated/tesseract.wasm";
import createTesseract, { type TessBaseAPI, type Tesseract } from "../../../wasm/generated/tesseract.js";
import { Refusal } from "../errors.ts";
import type { FuelGauge } from "../fuel-gauge.ts";
import type { AllowHeap } from "../memory/heap.ts";
import { CodecInstance } from "../image/codec-instance.ts";
import { Ink } from "./ink.ts";
import { intsIn, LEVEL, linesOf, type PixelBox, type ReadLine } from "./tesseract-results.ts";
import type { Accuracy } from "./languages.ts";
import { type LoadModel, readModel } from "./models.ts";

/** An image of a page, 8-bit gray. */
export interface GrayRaster {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixels per inch. */
  readonly dpi: number;
  /** Writes the rows from the top without padding: `width * height` bytes. */
  writeTo(target: Pixels): Promise<void>;
}

/** Where the pixels of a page are written. */
interface Pixels {
  set(bytes: Uint8Array, at: number): void;
}

/** Facts about a page that are known before it is read. */
export interface KnownLayout {
  /** Degrees clockwise by which to rotate the page to make its lines level, apart from quarter turns. */
  readonly skew: number;
  readonly lines: readonly LineSize[];
  readonly ink: Ink;
}

/** Size of the ink of a line in pixels, including vertical lines. */
export interface LineSize {
  readonly height: number;
  readonly length: number;
}

/** Tesseract failed: a trap, or an error it reported itself. */
export class RecognitionFailure extends Error {
  override readonly name = "RecognitionFailure";
}

/** Tesseract's page segmentation modes. With `page`, it finds columns and blocks itself, but does not detect the orientation. */
const PAGE_MODES = { page: 3, block: 6, line: 7 } as const;
const NEURAL_ENGINE = 1;
/** Fuel per pixel for finding the ink. */
const INK_WORK = 0.5;
/** Tesseract treats lower values as invalid and guesses instead. */
const LEAST_DPI = 70;
/**
 * Number of pixels above which Tesseract is given at least the second resolution. It projects the lines of a page at about
 * 100 dpi, which takes six bytes per pixel below 150 dpi, and a quarter of that above.
 */
const MANY_PIXELS = 3_000_000;
const LEAST_DPI_OF_MANY = 150;

interface Reader {
  readonly api: TessBaseAPI;
  readonly languages: string;
  readonly accuracy: Accuracy;
  /** Width and height in pixels of the page that was loaded last. */
  size: readonly [number, number];
}

/**
 * Tesseract for one request: instantiated on first use, dropped with the request or after any failure. Its memory would retain
 * the client's page.
 */
export class TextRecognizer {
  readonly #instance: CodecInstance<Tesseract>;
  readonly #load: LoadModel;
  readonly #gauge: FuelGauge;
  #reader: Reader | undefined;

  /** `allowHeap` is called with the bytes that its memory needs. */
  constructor(allowHeap: AllowHeap, load: LoadModel, gauge: FuelGauge) {
    const allowGrowth: AllowHeap = (bytes) => allowHeap(this.heapBytes + bytes);
    this.#instance = new CodecInstance(createTesseract, module, { allowGrowth, gauge });
    this.#load = load;
    this.#gauge = gauge;
  }

  /** Bytes of wasm memory held. */
  get heapBytes(): number {
    return this.#instance.heapBytes;
  }

  /** The languages that are open. */
  get languages(): readonly string[] {
    return this.#reader?.languages.split("+") ?? [];
  }

  /** Prepares to read these languages, in order of preference. Each must have a model of this accuracy. */
  async open(languages: readonly string[], accuracy: Accuracy): Promise<void> {
    const name = languages.join("+");
    if (this.#reader?.languages === name && this.#reader.accuracy === accuracy) return;
    const models = await this.#models(languages, accuracy);
    await this.#use(async (core) => {
      this.#close(core);
      const api = await start(core, models, name);
      api.SetPageSegMode(PAGE_MODES.page);
      // Spaces only where the line has one: Tesseract treats Korean syllables as words.
      api.SetVariable("preserve_interword_spaces", "1");
      // The models of Chinese and Japanese set this themselves; without it, whole lines of Korean are missed.
      if (languages.includes("kor")) api.SetVariable("textord_use_cjk_fp_model", "T");
      this.#reader = { api, languages: name, accuracy, size: [0, 0] };
    });
  }

  /** Loads a page and finds its lines. */
  async analyzeLayout(raster: GrayRaster): Promise<KnownLayout> {
    return this.#use(async (core) => {
      const { api } = this.#opened();
      const ink = await this.#show(core, raster);
      this.#gauge.work.stage("recognize");
      const page = await api.AnalyseLayout();
      if (core.getPointer(page) === 0) return { skew: 0, lines: [], ink };
      const lines: LineSize[] = [];
      using memory = intsIn(core);
      do {
        const [left, top, right, bottom] = memory.box(page, LEVEL.line) ?? [0, 0, 0, 0];
        const [width, height] = [right - left, bottom - top];
        if (width * height > 0) lines.push({ height: Math.min(width, height), length: Math.max(width, height) });
      } while (page.Next(LEVEL.line));
      core.destroy(page);
      return { skew: (Math.atan(api.GetGradient()) * 180) / Math.PI, lines, ink };
    });
  }

  /** Reads the page that was loaded last. */
  async read(): Promise<ReadLine[]> {
    return this.#use(async (core) => {
      const lines = await this.#recognize(core);
      if (lines === undefined) throw new Error("Tesseract did not recognize the page");
      return lines;
    });
  }

  /** Loads a page. */
  async load(raster: GrayRaster): Promise<void> {
    await this.#use((core) => this.#show(core, raster));
  }

  /**
   * Reads a part of the page that was loaded last, without looking for columns: as one block of text, or as one line. Boxes are those of a page
   * that is not scaled: `box`, which may be larger than the page, and those of the words.
   */
  async readPart(box: PixelBox, scale: number, mode: "block" | "line"): Promise<ReadLine[]> {
    return this.#use(async (core) => {
      const { api, size } = this.#opened();
      const [left, top, right, bottom] = box.map((at, index) =>
        Math.min(Math.max(0, Math.round(at * scale)), size[index % 2] ?? 0),
      ) as unknown as PixelBox;
      api.SetPageSegMode(PAGE_MODES[mode]);
      api.SetRectangle(left, top, right - left, bottom - top);
      try {
        // A part that is too small is no text.
        const lines = (await this.#recognize(core)) ?? [];
        return lines.map((line) => ({
          ...line,
          words: line.words.map((word) => ({ ...word, box: word.box.map((at) => at / scale) as unknown as PixelBox })),
        }));
      } finally {
        api.SetPageSegMode(PAGE_MODES.page);
      }
    });
  }

  /** Frees all of its memory. It can be used again. */
  drop(): void {
    this.#reader = undefined;
    this.#instance.drop();
  }

  /** Gives Tesseract a page. */
  async #show(core: Tesseract, raster: GrayRaster): Promise<Ink> {
    const reader = this.#opened();
    reader.size = [raster.width, raster.height];
    const ink = new Ink(raster.width, raster.height);
    this.#gauge.work.spend(INK_WORK * raster.width * raster.height);
    await show(core, reader.api, raster, ink);
    return ink;
  }

  /** Undefined if Tesseract reports an error. */
  async #recognize(core: Tesseract): Promise<ReadLine[] | undefined> {
    const { api } = this.#opened();
    this.#gauge.work.stage("recognize");
    if ((await api.Recognize(null)) !== 0) return undefined;
    return linesOf(core, api.GetIterator(), this.#gauge.work);
  }

  async #use<T>(work: (core: Tesseract) => T | Promise<T>): Promise<T> {
    try {
      return await this.#instance.use(work);
    } catch (error) {
      this.drop();
      if (error instanceof Refusal) throw error;
      throw new RecognitionFailure("Tesseract failed", { cause: error });
    }
  }

  async #models(codes: readonly string[], accuracy: Accuracy): Promise<[string, Uint8Array][]> {
    const models: [string, Uint8Array][] = [];
    for (const code of codes)
      models.push([code, await readModel(code, accuracy, this.#load, () => this.#gauge.work.rest())]);
    return models;
  }

  #opened(): Reader {
    if (this.#reader === undefined) throw new Error("no language is open");
    return this.#reader;
  }

  #close(core: Tesseract): void {
    this.#reader?.api.End();
    if (this.#reader) core.destroy(this.#reader.api);
    this.#reader = undefined;
  }
}

async function start(
  core: Tesseract,
  models: readonly (readonly [string, Uint8Array])[],
  languages: string,
): Promise<TessBaseAPI> {
  const path = (code: string): string => `${code}.traineddata`;
  for (const [code, model] of models) core.FS.writeFile(path(code), model);
  const api = new core.TessBaseAPI();
  const result = await api.Init(null, languages, NEURAL_ENGINE);
  for (const [code] of models) core.FS.unlink(path(code));
  if (result !== 0) throw new Error(`Tesseract cannot use the models of ${languages}`);
  return api;
}

async function show(core: Tesseract, api: TessBaseAPI, raster: GrayRaster, ink: Ink): Promise<void> {
  const { width, height, dpi } = raster;
  // The previous page would otherwise stay in memory next to this one.
  api.Clear();
  const pixels = core._malloc(width * height);
  await raster.writeTo({
    set(bytes, at) {
      core.HEAPU8.set(bytes, pixels + at);
      ink.add(bytes, at);
    },
  });
  api.SetImage(pixels, width, height, 1, width);
  core._free(pixels);
  // Must follow the image.
  const least = width * height > MANY_PIXELS ? LEAST_DPI_OF_MANY : LEAST_DPI;
  api.SetVariable("user_defined_dpi", String(Math.max(least, Math.round(dpi))));
}
