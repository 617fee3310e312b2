/** Writes image XObjects with everything they reference (ISO 32000-2, 8.9.5). */
import { Deflated } from "./deflated.ts";
import type { ColorSpace, EmbeddedImage } from "./embedded-image.ts";
import { entriesSyntax, imageEntries, softMaskEntries } from "./image-entries.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { PdfWriter } from "../write/pdf-writer.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { hex } from "../../../bytes/hex.ts";

const DEVICE = { 1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK" } as const;

/** The image objects of one file. Profiles shared by several images are written once. */
export class ImageObjects {
  readonly #engine: PdfEngine;
  readonly #file: PdfWriter;
  readonly #profiles = new Map<string, number>();

  constructor(engine: PdfEngine, file: PdfWriter) {
    this.#engine = engine;
    this.#file = file;
  }

  /** Writes an image and returns its object number. */
  async add(image: EmbeddedImage): Promise<number> {
    const { data, softMask } = image;
    const entries = [entriesSyntax(imageEntries(image)), `/ColorSpace ${await this.#colorSpace(image.space)}`];
    if (softMask) {
      const mask = entriesSyntax(softMaskEntries(image, softMask));
      entries.push(`/SMask ${await this.#file.addStream(mask, softMask.data)} 0 R`);
    }
    return this.#file.addStream(entries.join(" "), data);
  }

  async #colorSpace({ components, palette, profile }: ColorSpace): Promise<string> {
    const base = profile ? `[/ICCBased ${await this.#profile(profile, components)} 0 R]` : DEVICE[components];
    if (!palette) return base;
    return `[/Indexed ${base} ${palette.length / 3 - 1} <${hex(palette)}>]`;
  }

  async #profile(profile: Uint8Array, components: ColorSpace["components"]): Promise<number> {
    const key = latin1(new Uint8Array(await crypto.subtle.digest("SHA-256", profile)));
    const known = this.#profiles.get(key);
    if (known !== undefined) return known;
    const entries = `/N ${components} /Alternate ${DEVICE[components]} /Filter /FlateDecode`;
    const number = await this.#file.addStream(entries, await deflated(this.#engine, profile));
    this.#profiles.set(key, number);
    return number;
  }
}

async function deflated(engine: PdfEngine, bytes: Uint8Array): Promise<EngineBytes> {
  using stream = new Deflated(engine);
  await stream.write(bytes);
  return await stream.end();
}
