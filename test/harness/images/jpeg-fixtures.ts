import * as mupdf from "mupdf";

/** Value of a component, 0 to 255. */
export type Component = (x: number, y: number, component: number) => number;

const spaces = {
  1: mupdf.ColorSpace.DeviceGray,
  3: mupdf.ColorSpace.DeviceRGB,
  4: mupdf.ColorSpace.DeviceCMYK,
} as const;

function pixmap(width: number, height: number, components: 1 | 3 | 4, value: Component): mupdf.Pixmap {
  const result = new mupdf.Pixmap(spaces[components], [0, 0, width, height], false);
  const pixels = result.getPixels();
  for (let index = 0; index < pixels.length; index++) {
    const pixel = Math.floor(index / components);
    pixels[index] = value(pixel % width, Math.floor(pixel / width), index % components);
  }
  return result;
}

export interface JpegOptions {
  readonly width: number;
  readonly height: number;
  readonly components: 1 | 3 | 4;
  /** CMYK as Adobe's programs write it: 0 is full ink. */
  readonly inverted?: boolean;
}

/**
 * A progressive JPEG by libjpeg. Of four components it has Adobe's marker, otherwise no marker of an application, and so no
 * resolution.
 */
export function makeJpeg({ width, height, components, inverted = false }: JpegOptions, value: Component): Uint8Array {
  const image = pixmap(width, height, components, value);
  const bytes = image.asJPEG(95, inverted).slice();
  image.destroy();
  return components === 4 ? bytes : withoutApplications(bytes);
}

/** A JPEG whose three components are called R, G and B, and nothing else says that they are. */
export function namedRgb(jpeg: Uint8Array): Uint8Array {
  const bytes = Buffer.from(withoutApplications(jpeg));
  const rename = (id: number): number => "\0RGB".charCodeAt(id);
  for (let at = bytes.indexOf(0xff, 2); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1];
    const [first, count, step] = marker === 0xda ? [at + 5, bytes[at + 4] ?? 0, 2] : [at + 10, 3, 3];
    if (marker !== 0xda && marker !== 0xc2) continue;
    for (let index = 0; index < count; index++) bytes[first + index * step] = rename(bytes[first + index * step] ?? 0);
  }
  return new Uint8Array(bytes);
}

/** A JPEG with a segment put in right behind its first marker. */
export function withSegment(jpeg: Uint8Array, marker: number, content: Uint8Array | string): Uint8Array {
  const bytes = Buffer.from(typeof content === "string" ? Buffer.from(content, "latin1") : content);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(0xff00 | marker);
  head.writeUInt16BE(bytes.length + 2, 2);
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), head, bytes, jpeg.subarray(2)]));
}

/** A JPEG of a few colors with these segments, by their markers. */
export function jpegWith(options: JpegOptions, segments: Readonly<Record<number, string>>): Uint8Array {
  const plain = makeJpeg(options, (x, y, component) => (x * 3 + y * component) & 255);
  return Object.entries(segments).reduce(
    (jpeg, [marker, content]) => withSegment(jpeg, Number(marker), content),
    plain,
  );
}

/** A JPEG without its APP segments: JFIF's and Adobe's markers are gone. */
export function withoutApplications(jpeg: Uint8Array): Uint8Array {
  const bytes = Buffer.from(jpeg);
  const parts = [bytes.subarray(0, 2)];
  for (let at = 2; ;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xda) return new Uint8Array(Buffer.concat([...parts, bytes.subarray(at)]));
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (marker < 0xe0 || marker > 0xef) parts.push(bytes.subarray(at, end));
    at = end;
  }
}

export interface ExifFacts {
  readonly orientation?: number;
  /** Pixels in a unit, as a fraction of two numbers. */
  readonly resolution?: readonly [number, number];
  /** 1 none, 2 inch, 3 centimetre. */
  readonly unit?: number;
}

/** A TIFF structure with one directory, in either byte order. */
export function exif({ orientation, resolution, unit }: ExifFacts, littleEndian = false): Buffer {
  const entries: [number, number, number][] = [];
  if (orientation !== undefined) entries.push([0x0112, 3, orientation]);
  if (resolution) entries.push([0x011a, 5, 0], [0x011b, 5, 0]);
  if (unit !== undefined) entries.push([0x0128, 3, unit]);
  const bytes = Buffer.alloc(8 + 2 + entries.length * 12 + 4 + 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  bytes.write(littleEndian ? "II" : "MM", "latin1");
  view.setUint16(2, 42, littleEndian);
  view.setUint32(4, 8, littleEndian);
  view.setUint16(8, entries.length, littleEndian);
  const fraction = bytes.length - 8;
  entries.forEach(([tag, type, value], index) => {
    const at = 10 + index * 12;
    view.setUint16(at, tag, littleEndian);
    view.setUint16(at + 2, type, littleEndian);
    view.setUint32(at + 4, 1, littleEndian);
    if (type === 3) view.setUint16(at + 8, value, littleEndian);
    else view.setUint32(at + 8, fraction, littleEndian);
  });
  view.setUint32(fraction, resolution?.[0] ?? 0, littleEndian);
  view.setUint32(fraction + 4, resolution?.[1] ?? 1, littleEndian);
  return bytes;
}

/** The APP1 segment of EXIF. */
export const withExif = (jpeg: Uint8Array, facts: ExifFacts, littleEndian = false): Uint8Array =>
  withSegment(jpeg, 0xe1, Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif(facts, littleEndian)]));

/** A JPEG of about so many bytes, of noise on a ramp; each `seed` gives another. */
export function largeJpeg(bytes: number, seed: number): Uint8Array {
  const width = 2_000;
  let state = seed;
  const noise: Component = (x) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (x * 200) / width + (state >>> 27);
  };
  const strip = 200;
  const bytesOfRow = makeJpeg({ width, height: strip, components: 3 }, noise).length / strip;
  return makeJpeg({ width, height: Math.round(bytes / bytesOfRow), components: 3 }, noise);
}
