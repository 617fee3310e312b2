/** Writes image XObjects with everything they reference (ISO 32000-2, 8.9.5). */
import { Deflated } from "./deflated.ts";
import type { ColorSpace, EmbeddedImage } from "./embedded-image.ts";
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
    const { width, height, bits, space, data, softMask, colorKey } = image;
    const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height}`;
    const entries = [`${size} /BitsPerComponent ${bits} /ColorSpace ${await this.#colorSpace(space)}`];
    if (image.coding === "jpeg") {
      entries.push("/Filter /DCTDecode");
      if (image.untransformedRgb) entries.push("/DecodeParms << /ColorTransform 0 >>");
    } else entries.push(filtered(width, bits, space.palette ? 1 : space.components));
    if (image.inverted) entries.push(`/Decode [${"1 0 ".repeat(space.components).trim()}]`);
    if (colorKey) entries.push(`/Mask [${colorKey.join(" ")}]`);
    if (softMask) {
      const filter = softMask.coding === "filtered" ? filtered(width, softMask.bits, 1) : "/Filter /FlateDecode";
      const mask = `${size} /BitsPerComponent ${softMask.bits} /ColorSpace /DeviceGray ${filter}`;
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

/** Parameters for rows with PNG filters (7.4.4.4). */
function filtered(columns: number, bits: number, colors: number): string {
  const parameters = `/Predictor 15 /Colors ${colors} /BitsPerComponent ${bits} /Columns ${columns}`;
  return `/Filter /FlateDecode /DecodeParms << ${parameters} >>`;
}
