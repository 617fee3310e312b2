import mozjpegModule from "../../../wasm/generated/mozjpeg-encoder.wasm";
import createMozjpeg from "../../../wasm/generated/mozjpeg-encoder.js";
import webpDecoderModule from "../../../wasm/generated/webp-decoder.wasm";
import createWebpDecoder from "../../../wasm/generated/webp-decoder.js";
import webpEncoderModule from "../../../wasm/generated/webp-encoder.wasm";
import createWebpEncoder from "../../../wasm/generated/webp-encoder.js";
import { MiB } from "../../limits.ts";
import type { FuelGauge } from "../fuel-gauge.ts";
import type { AllowHeap } from "../memory/heap.ts";
import { CodecInstance } from "./codec-instance.ts";
import { readWebpHeader } from "./webp-header.ts";

/** An image with 8 bits per sample, four samples per pixel, rows from the top without padding. */
export interface Rgba {
  /** Red, green, blue, alpha (not premultiplied). May be a view of an engine's heap: it is read before any other code runs. */
  readonly data: Uint8Array;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Writes all pixels of an image into the encoder's buffer. */
export type FillPixels = (target: ReservedBytes) => Promise<void>;

export interface JpegOptions {
  /**
   * 1 to 100, on libjpeg's scale. Color is stored at full resolution from 90 on, at half from 80 on, and at a quarter below.
   */
  readonly quality: number;
  /** One component instead of three; the pixels are converted to luminance. */
  readonly gray?: boolean;
  /** Smaller by a tenth, at more than twice the time. Default: baseline, in one scan. */
  readonly progressive?: boolean;
}

/** The codecs of one request, which convert pixels to files and back within the request's memory. */
export class ImageCodecs {
  readonly #jpegEncoder;
  readonly #webpEncoder;
  readonly #webpDecoder;
  /** Receives the decoder's pixels. */
  #take: (pixels: Rgba) => void = () => {};

  /** `allowHeap` is called with the bytes that all codec memories together need; `gauge` creates a gauge for each. */
  constructor(allowHeap: AllowHeap, gauge: () => FuelGauge) {
    const allowGrowth: AllowHeap = (bytes) => allowHeap(this.heapBytes + bytes);
    const take = (pixels: Rgba): void => this.#take(pixels);
    this.#jpegEncoder = new CodecInstance(createMozjpeg, mozjpegModule, { allowGrowth, gauge: gauge() });
    this.#webpEncoder = new CodecInstance(createWebpEncoder, webpEncoderModule, { allowGrowth, gauge: gauge() });
    this.#webpDecoder = new CodecInstance(createWebpDecoder, webpDecoderModule, {
      allowGrowth,
      gauge: gauge(),
      globals: decoderGlobals(take),
    });
  }

  /** Bytes of wasm memory that the codecs hold. */
  get heapBytes(): number {
    return this.#jpegEncoder.heapBytes + this.#webpEncoder.heapBytes + this.#webpDecoder.heapBytes;
  }

  /**
   * Encodes a JFIF file with mozjpeg, dropping alpha. Takes about 10 bytes of memory per pixel in baseline color, in addition
   * to the 1 MiB of an instance. `data` can also be a function that writes the pixels into the encoder's memory.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory)
   */
  encodeJpeg(
    { data, width, height }: Omit<Rgba, "data"> & { readonly data: Uint8Array | CodecBytes },
    options: JpegOptions,
  ): Promise<Uint8Array> {
    const { quality, gray = false, progressive = false } = options;
    return this.#jpegEncoder.use((codec) =>
      codec.encode(data, width, height, {
        quality,
        // Also keeps each quantization step within eight bits: some readers accept no more.
        baseline: !progressive,
        arithmetic: false,
        progressive,
        optimize_coding: true,
        smoothing: 0,
        color_space: gray ? GRAYSCALE : YCBCR,
        quant_table: 3,
        trellis_multipass: false,
        trellis_opt_zero: false,
        trellis_opt_table: false,
        trellis_loops: 1,
        auto_subsample: true,
        chroma_subsample: 2,
        separate_chroma_quality: false,
        chroma_quality: quality,
      }),
    );
  }

  /**
   * Encodes a lossy WebP. Alpha is kept losslessly if any pixel has it. At most `WEBP_SIDE` pixels each way. `data` can also be a function that fills
   * the encoder's own memory, so that no second copy of the pixels exists.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory), and the errors of `data`
   */
  encodeWebp(
    { data, width, height }: Omit<Rgba, "data"> & { readonly data: Uint8Array | FillPixels },
    { quality }: { quality: number },
  ): Promise<Uint8Array> {
    return this.#webpEncoder.use(
      async (codec) => {
        let pixels: Uint8Array | ReservedBytes;
        if (data instanceof Uint8Array) pixels = data;
        else await data((pixels = codec.reserve(width * height * 4)));
        const file = await codec.encode(pixels, width, height, { ...WEBP_DEFAULTS, quality });
        if (file === null) throw new Error("libwebp did not encode the image");
        return file;
      },
      webpBytes(width * height).least,
    );
  }

  /**
   * Decodes a WebP, lossy or lossless, and passes its pixels to `use`: they are a view of the codec's heap, valid only until `use` returns. `alpha`:
   * whether the file declares transparency. Undefined if the file is damaged or animated. Takes about 6 bytes per pixel: check `readWebpHeader`
   * first.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory), and the errors of `use`
   */
  decodeWebp<T>(file: Uint8Array, use: (pixels: Rgba, alpha: boolean) => T): Promise<T | undefined> {
    const header = readWebpHeader(file);
    if (header === undefined || header.animated) return Promise.resolve(undefined);
    return this.#webpDecoder.use(async (codec) => {
      let result: T | undefined;
      this.#take = (pixels) => (result = use(pixels, header.alpha));
      await codec.decode(file);
      return result;
    });
  }

  /** Frees all codec memory. The codecs can be used again. */
  drop(): void {
    for (const codec of [this.#jpegEncoder, this.#webpEncoder, this.#webpDecoder]) codec.drop();
    this.#take = () => {};
  }
}

/** mozjpeg's constants for the color space of the file. */
const GRAYSCALE = 1;
const YCBCR = 3;

/** The decoder builds its result with these two; a copy of the pixels would use uncounted memory. */
function decoderGlobals(take: (pixels: Rgba) => void): Readonly<Record<string, unknown>> {
  return {
    Uint8ClampedArray: function (view: Uint8Array) {
      return view;
    },
    ImageData: function (data: Uint8Array, width: number, height: number) {
      take({ data, width, height });
    },
  };
}

/** Maximum width and height of a WebP in pixels. */
export const WEBP_SIDE = 16_383;

/**
 * Memory in bytes that the WebP encoder takes for a number of pixels: the least, for a page of text, and the most, for noise.
 * The pixels are in it twice. Measured: 9.9 and 12.6 per pixel at 2 megapixels, 9.8 at 174.
 */
export function webpBytes(pixels: number): { least: number; most: number } {
  const own = 1.5 * MiB;
  return { least: own + pixels * 9.8, most: own + pixels * 12.7 };
}

/** WebPConfig of libwebp's encode.h. `method` and `low_memory` are set to use the least memory. */
const WEBP_DEFAULTS = {
  target_size: 0,
  target_PSNR: 0,
  method: 2,
  sns_strength: 50,
  filter_strength: 60,
  filter_sharpness: 0,
  filter_type: 1,
  partitions: 0,
  segments: 4,
  pass: 1,
  show_compressed: 0,
  preprocessing: 0,
  autofilter: 0,
  partition_limit: 0,
  alpha_compression: 1,
  alpha_filtering: 1,
  alpha_quality: 100,
  lossless: 0,
  exact: 0,
  image_hint: 0,
  emulate_jpeg_size: 0,
  thread_level: 0,
  low_memory: 1,
  near_lossless: 100,
  use_delta_palette: 0,
  use_sharp_yuv: 0,
};
