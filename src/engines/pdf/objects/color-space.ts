/** Color spaces, as far as they determine how samples are stored (ISO 32000-2, 8.6). */
import type { PDFObject } from "mupdf";

/** The number of components per sample, as in the device spaces, regardless of the colors they represent. */
export type Components = 1 | 3 | 4;

export interface ColorSpaceFacts {
  /** The family, or undefined if unknown. */
  readonly space: string | undefined;
  /** Components per sample; for an Indexed space, those of its base. Undefined if unknown or stored otherwise. */
  readonly components: Components | undefined;
  readonly isIndexed: boolean;
}

const DEVICE_COMPONENTS: ReadonlyMap<string, Components> = new Map(
  Object.entries<Components>({
    DeviceGray: 1,
    G: 1,
    CalGray: 1,
    DeviceRGB: 3,
    RGB: 3,
    CalRGB: 3,
    DeviceCMYK: 4,
    CMYK: 4,
    Separation: 1,
  }),
);

export function readSpace(space: PDFObject): ColorSpaceFacts {
  if (space.isName()) {
    return { space: space.asName(), components: DEVICE_COMPONENTS.get(space.asName()), isIndexed: false };
  }
  const family = space.get(0);
  if (!space.isArray() || !family.isName()) return { space: undefined, components: undefined, isIndexed: false };
  const name = family.asName();
  if (name === "Indexed" || name === "I") {
    const base = readSpace(space.get(1));
    return { space: base.space, components: base.isIndexed ? undefined : base.components, isIndexed: true };
  }
  if (name === "ICCBased") {
    const n = space.get(1, "N").asNumber();
    return { space: name, components: n === 1 || n === 3 || n === 4 ? n : undefined, isIndexed: false };
  }
  return { space: name, components: DEVICE_COMPONENTS.get(name), isIndexed: false };
}

/** Luminance from 0 (black) to 1 (white), with the NTSC weights that PDF defines for the device spaces. */
export function grayOfDevice(values: readonly number[]): number {
  const [a = 0, b = 0, c = 0, d = 0] = values.map((value) => Math.min(1, Math.max(0, value)));
  if (values.length === 1) return a;
  if (values.length === 4) return 1 - Math.min(1, 0.3 * a + 0.59 * b + 0.11 * c + d);
  return 0.3 * a + 0.59 * b + 0.11 * c;
}
