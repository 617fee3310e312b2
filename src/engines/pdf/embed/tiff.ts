/** Converts the pages of a TIFF to images as stored in a PDF. Fax and JPEG data are passed on where a PDF can hold them. */
import { fitsComponents } from "../../image/icc.ts";
import {
  gridOf,
  partRowBytes,
  partRows,
  samplesInPart,
  TiffParts,
  type TiffPage,
  type TiffPart,
} from "../../image/tiff/pages.ts";
import { isFax, rowsOfPart } from "../../image/tiff/rows.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { HeldRows } from "../mupdf/held-rows.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { ColorSpace, EmbeddedImage } from "./embedded-image.ts";
import { convertRows, FilteredRows } from "./filtered-rows.ts";
import { passedFax } from "./tiff-fax.ts";
import { decodedJpeg, passedJpeg } from "./tiff-jpeg.ts";

/** How much more fuel MuPDF takes for a byte of JPEG data. */
const JPEG_WORK = 4;

/** Decodes and embeds pages of one file. */
export class TiffEmbedder {
  readonly #engine: PdfEngine;
  readonly #file: EngineBytes;
  readonly #parts: TiffParts;

  constructor(engine: PdfEngine, file: EngineBytes) {
    this.#engine = engine;
    this.#file = file;
    this.#parts = new TiffParts(engine.work, file);
  }

  /** @throws BadImage if the data is damaged; Refusal `limit_exceeded` (memory, decompressed bytes, work) */
  async embed(page: TiffPage): Promise<EmbeddedImage> {
    const parts = await this.#parts.of(page);
    const { width, height, bits } = page;
    const image = {
      width,
      height,
      bits,
      space: spaceOf(page, this.#file),
      ...(page.color === "white-is-zero" && { inverted: true }),
    };
    const passed = await this.#passedOn(page, parts);
    if (passed) return { ...image, ...passed, ...(passed.coding === "fax" && { inverted: false }) };
    const bytes = Math.ceil((width * page.samples * bits) / 8) * height;
    this.#engine.countDecoded(bytes, 0);
    const isJpeg = page.compression.startsWith("jpeg");
    return convertRows(this.#engine, bytes * (isJpeg ? JPEG_WORK : 1), async () => ({
      ...image,
      ...(await this.#asRows(page, parts)),
    }));
  }

  async #passedOn(
    page: TiffPage,
    parts: readonly TiffPart[],
  ): Promise<Pick<EmbeddedImage, "coding" | "data" | "fax" | "untransformedRgb"> | undefined> {
    if (isFax(page)) return passedFax(this.#engine, this.#file, page, parts);
    return page.compression.startsWith("jpeg") ? passedJpeg(this.#engine, this.#file, page, parts) : undefined;
  }

  async #asRows(
    page: TiffPage,
    parts: readonly TiffPart[],
  ): Promise<Pick<EmbeddedImage, "coding" | "data" | "softMask">> {
    const { width, bits, samples, components, alpha } = page;
    const bytes = bits >> 3;
    const isPacked = samples === components;
    const rowBytes = Math.ceil((width * components * bits) / 8);
    const [colorRow, alphaRow] = [new Uint8Array(rowBytes), new Uint8Array(width * bytes)];
    using color = new FilteredRows(this.#engine, rowBytes, Math.max(1, components * bytes));
    using opacity = alpha && new FilteredRows(this.#engine, width * bytes, bytes);
    for await (const row of this.#rows(page, parts)) {
      if (!isPacked) copySamples(row, colorRow, { width, samples, from: 0, count: components, bytes });
      if (alpha) copySamples(row, alphaRow, { width, samples, from: alpha.sample, count: 1, bytes });
      await color.write(isPacked ? row : colorRow);
      await opacity?.write(alphaRow);
    }
    const data = await color.end();
    if (!alpha || !opacity || opacity.isOpaque) return { coding: "filtered", data };
    const softMask = { bits: bits === 16 ? 16 : 8, data: await opacity.end(), coding: "filtered" } as const;
    return { coding: "filtered", data, softMask: { ...softMask, isMatte: alpha.isPremultiplied } };
  }

  /** The rows of a page from the top, with all samples of a pixel beside each other. A row is valid until the next. */
  async *#rows(page: TiffPage, parts: readonly TiffPart[]): AsyncGenerator<Uint8Array, void> {
    if (!page.isPlanar) {
      yield* this.#planeRows(page, parts, 0);
      return;
    }
    const { width, height, samples, bits } = page;
    const bytes = bits >> 3;
    const planes = Array.from({ length: samples }, (_, plane) => this.#planeRows(page, parts, plane));
    const row = new Uint8Array(width * samples * bytes);
    for (let y = 0; y < height; y++) {
      for (const [plane, rows] of planes.entries()) {
        const { value } = await rows.next();
        if (!value) throw new Error("a plane has fewer rows than it must");
        for (let x = 0; x < width; x++) {
          for (let byte = 0; byte < bytes; byte++) {
            row[(x * samples + plane) * bytes + byte] = value[x * bytes + byte] ?? 0;
          }
        }
      }
      yield row;
    }
  }

  async *#planeRows(page: TiffPage, parts: readonly TiffPart[], plane: number): AsyncGenerator<Uint8Array, void> {
    const { across, down } = gridOf(page);
    const first = plane * across * down;
    for (let line = 0; line < down; line++) {
      if (across === 1 && !page.part.isTile) {
        yield* this.#partRows(page, parts, first + line);
        continue;
      }
      const count = Math.min(page.part.height, page.height - line * page.part.height);
      const bytes = partRowBytes(page);
      const rowBytes = Math.ceil((page.width * samplesInPart(page) * page.bits) / 8);
      using held = new HeldRows(this.#engine, rowBytes, count);
      for (let column = 0; column < across; column++) {
        let y = 0;
        for await (const row of this.#partRows(page, parts, first + line * across + column)) {
          if (y === count) break;
          held.put(y++, row, column * bytes);
        }
      }
      for (let y = 0; y < count; y++) yield held.row(y);
    }
  }

  #partRows(page: TiffPage, parts: readonly TiffPart[], index: number): AsyncGenerator<Uint8Array, void> {
    const part = parts[index];
    if (!part) throw new Error("a page has fewer strips or tiles than it must");
    return page.compression.startsWith("jpeg")
      ? decodedJpeg(this.#engine, this.#file, page, { part, rows: partRows(page, index) })
      : rowsOfPart(this.#engine.work, this.#file, page, { index, part });
  }
}

/** Copies `count` samples of each pixel, from sample `from` on. */
function copySamples(
  row: Uint8Array,
  to: Uint8Array,
  {
    width,
    samples,
    from,
    count,
    bytes,
  }: {
    readonly width: number;
    readonly samples: number;
    readonly from: number;
    readonly count: number;
    readonly bytes: number;
  },
): void {
  const length = count * bytes;
  for (let x = 0; x < width; x++) {
    const start = (x * samples + from) * bytes;
    for (let byte = 0; byte < length; byte++) to[x * length + byte] = row[start + byte] ?? 0;
  }
}

function spaceOf({ components, color, palette, profileAt }: TiffPage, file: EngineBytes): ColorSpace {
  const profile = profileAt && file.view(profileAt.start, profileAt.end).slice();
  const colors = color === "palette" ? 3 : components;
  return {
    components: colors,
    ...(palette && { palette }),
    ...(profile && fitsComponents(profile, colors) && { profile }),
  };
}
