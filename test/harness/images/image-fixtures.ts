import { zlibSync } from "fflate";
import { flate, latin1, noise, pdf, type PdfObject, type PdfStream } from "../fixtures/pdf-writer.ts";
import { predicted } from "./png-filter.ts";

/** An image, and how it is drawn. */
export interface ImageFixture {
  readonly name: string;
  /** Entries of its dictionary beside Type, Subtype, Width and Height; `@n` is the n-th of `others`. */
  readonly entries: string;
  readonly data: Uint8Array;
  /** What the data is encoded with; deflated where it is not given. */
  readonly filter?: string;
  readonly width: number;
  readonly height: number;
  readonly others?: readonly PdfObject[];
}

const SIDE = 480;

/** A smooth picture with some grain, `components` samples a pixel: what a photograph is to an encoder. */
export function photograph(width: number, height: number, components: number): Uint8Array {
  const samples = noise(width * height * components, 7);
  const stride = width * components;
  const across = Float64Array.from({ length: stride }, (_, at) =>
    Math.sin(6 * (Math.floor(at / components) / width) + (at % components)),
  );
  for (let y = 0, to = 0; y < height; y++) {
    const down = Math.cos(5 * (y / height));
    for (let at = 0; at < stride; at++, to++) {
      const wave = (across[at] ?? 0) * down * 80 + 120;
      samples[to] = Math.max(0, Math.min(255, wave + ((samples[to] ?? 0) % 24)));
    }
  }
  return samples;
}

/** Lines and boxes in `levels` values a sample. */
function drawing(width: number, height: number, levels: readonly number[]): Uint8Array {
  const samples = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to++) {
      const inside = (x % 60 < 4 || y % 80 < 4 || (x + y) % 97 < 3) && y > 10;
      samples[to] = levels[inside ? 1 + (Math.floor(x / 60) % (levels.length - 1)) : 0] ?? 0;
    }
  }
  return samples;
}

/** Eight samples of one bit a byte, each row filled up. */
function packed(samples: Uint8Array, width: number): Uint8Array {
  const stride = Math.ceil(width / 8);
  const rows = new Uint8Array(stride * (samples.length / width));
  samples.forEach((sample, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    if (sample > 0) rows[y * stride + (x >> 3)] = (rows[y * stride + (x >> 3)] ?? 0) | (128 >> (x & 7));
  });
  return rows;
}

const size = { width: SIDE, height: SIDE };
const rgb = photograph(SIDE, SIDE, 3);
const gray = photograph(SIDE, SIDE, 1);
const cmyk = photograph(SIDE, SIDE, 4);
const stencil = packed(drawing(SIDE, SIDE, [0, 1]), SIDE);
const palette = [...noise(48, 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const tint = "<< /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0.9 0.8 0.1] /N 1 >>";
const softMask: PdfStream = flate(
  drawing(SIDE, SIDE, [255, 90, 170, 30]),
  `/Type /XObject /Subtype /Image /Width ${SIDE} /Height ${SIDE} /ColorSpace /DeviceGray /BitsPerComponent 8`,
);
const mask: PdfStream = flate(
  stencil,
  `/Type /XObject /Subtype /Image /Width ${SIDE} /Height ${SIDE} /ImageMask true /BitsPerComponent 1`,
);
const profile: PdfStream = flate(noise(400, 9), "/N 3 /Alternate /DeviceRGB");
const bits8 = "/BitsPerComponent 8";

/** A drawing too large to be decoded as a whole, its rows filtered in all of PNG's ways (RFC 2083, 6). */
export function largeDrawing(): ImageFixture {
  const [side, step] = [3600, 3];
  const stride = side * step;
  const lines = drawing(side, side, [255, 0, 90, 180]);
  const rows = new Uint8Array((stride + 1) * side);
  const sample = (x: number, y: number): number => (x < 0 || y < 0 ? 0 : (lines[y * side + Math.floor(x / step)] ?? 0));
  for (let y = 0, to = 0; y < side; y++) {
    const filter = (rows[to++] = y % 5);
    for (let x = 0; x < stride; x++, to++) {
      rows[to] = sample(x, y) - predicted(filter, sample(x - step, y), sample(x, y - 1), sample(x - step, y - 1));
    }
  }
  const parameters = `/DecodeParms << /Predictor 15 /Colors ${step} /Columns ${side} >>`;
  return {
    name: "large-drawing",
    entries: `/ColorSpace /DeviceRGB ${bits8} ${parameters}`,
    data: rows,
    width: side,
    height: side,
  };
}

/** A photograph in a palette of 200 shades of gray. */
export function palettePhotograph(): ImageFixture {
  const [side, colors] = [600, 200];
  const data = photograph(side, side, 1).map((sample) => Math.floor(((sample & 0xf0) * colors) / 256));
  const palette = Array.from({ length: colors }, (_, shade) => shade.toString(16).padStart(2, "0").repeat(3)).join("");
  return {
    name: "palette-photograph",
    entries: `/ColorSpace [/Indexed /DeviceRGB ${colors - 1} <${palette}>] ${bits8}`,
    data,
    width: side,
    height: side,
  };
}

/** A photograph whose soft mask is as smooth as a shadow. */
export function shadow(): ImageFixture {
  const data = photograph(SIDE, SIDE, 1);
  return {
    name: "shadow",
    entries: `/ColorSpace /DeviceRGB ${bits8} /SMask @0`,
    data: rgb,
    ...size,
    others: [
      flate(
        data,
        `/Type /XObject /Subtype /Image /Width ${SIDE} /Height ${SIDE} /ColorSpace /DeviceGray /BitsPerComponent 8`,
      ),
    ],
  };
}

/** One image of each kind that PDF has, but for those that need an encoder of their own. */
export const imageFixtures: readonly ImageFixture[] = [
  { name: "photo-rgb", entries: `/ColorSpace /DeviceRGB ${bits8}`, data: rgb, ...size },
  { name: "photo-gray", entries: `/ColorSpace /DeviceGray ${bits8}`, data: gray, ...size },
  { name: "photo-cmyk", entries: `/ColorSpace /DeviceCMYK ${bits8}`, data: cmyk, ...size },
  { name: "photo-icc", entries: `/ColorSpace [/ICCBased @0] ${bits8}`, data: rgb, ...size, others: [profile] },
  {
    name: "photo-calibrated",
    entries: `/ColorSpace [/CalRGB << /WhitePoint [0.95 1 1.09] /Gamma [2.2 2.2 2.2] >>] ${bits8}`,
    data: rgb,
    ...size,
  },
  {
    name: "photo-lab",
    entries: `/ColorSpace [/Lab << /WhitePoint [0.96 1 0.82] /Range [-100 100 -100 100] >>] ${bits8}`,
    data: rgb,
    ...size,
  },
  {
    name: "photo-spot",
    entries: `/ColorSpace [/Separation /Spot /DeviceCMYK ${tint}] ${bits8}`,
    data: gray,
    ...size,
  },
  { name: "photo-inverted", entries: `/ColorSpace /DeviceRGB ${bits8} /Decode [1 0 1 0 1 0]`, data: rgb, ...size },
  {
    name: "photo-soft-mask",
    entries: `/ColorSpace /DeviceRGB ${bits8} /SMask @0`,
    data: rgb,
    ...size,
    others: [softMask],
  },
  {
    name: "photo-premultiplied",
    entries: `/ColorSpace /DeviceRGB ${bits8} /SMask @0`,
    data: rgb,
    ...size,
    others: [{ ...softMask, entries: `${softMask.entries} /Matte [0 0 0]` }],
  },
  {
    name: "photo-stencil-mask",
    entries: `/ColorSpace /DeviceRGB ${bits8} /Mask @0`,
    data: rgb,
    ...size,
    others: [mask],
  },
  {
    name: "color-key",
    entries: `/ColorSpace /DeviceRGB ${bits8} /Mask [200 255 0 255 0 255]`,
    data: rgb,
    ...size,
  },
  { name: "sixteen-bits", entries: "/ColorSpace /DeviceGray /BitsPerComponent 16", data: doubled(gray), ...size },
  {
    name: "indexed",
    entries: `/ColorSpace [/Indexed /DeviceRGB 15 <${palette}>] ${bits8}`,
    data: drawing(SIDE, SIDE, [0, 3, 7, 11, 15]),
    ...size,
  },
  { name: "line-art", entries: `/ColorSpace /DeviceGray ${bits8}`, data: drawing(SIDE, SIDE, [255, 0]), ...size },
  { name: "bilevel", entries: "/ColorSpace /DeviceGray /BitsPerComponent 1", data: stencil, ...size },
  {
    name: "bilevel-inverted",
    entries: "/ColorSpace /DeviceGray /BitsPerComponent 1 /Decode [1 0]",
    data: stencil,
    ...size,
  },
  { name: "stencil", entries: "/ImageMask true /BitsPerComponent 1", data: stencil, ...size },
  { name: "stencil-inverted", entries: "/ImageMask true /Decode [1 0]", data: stencil, ...size },
];

function doubled(samples: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: samples.length * 2 }, (_, at) => samples[at >> 1] ?? 0);
}

/** Where an image is drawn: its matrix, 200 points for 480 samples, which are 173 to the inch. */
const PLACES = { plain: "200 0 0 200 100 400", turned: "120 160 -160 120 300 300", small: "100 0 0 100 50 50" };

/** Fixtures draw the same samples many times. */
const known = new WeakMap<Uint8Array, Uint8Array>();

function deflated(data: Uint8Array): Uint8Array {
  const bytes = known.get(data) ?? zlibSync(data);
  known.set(data, bytes);
  return bytes;
}

/** A page on a colored ground that draws an image, in a place of its own or within a form. */
export function imageDocument(
  fixture: ImageFixture,
  options: { place?: keyof typeof PLACES; inForm?: boolean; copies?: number } = {},
): Uint8Array {
  const { place = "plain", inForm = false, copies = 1 } = options;
  const others = fixture.others ?? [];
  const first = 6;
  const entries = fixture.entries.replaceAll(/@(\d)/g, (_, index: string) => `${first + Number(index)} 0 R`);
  const image: PdfStream = {
    entries: `/Type /XObject /Subtype /Image /Width ${fixture.width} /Height ${fixture.height} ${entries} /Filter /${fixture.filter ?? "FlateDecode"}`,
    data: fixture.filter === undefined ? deflated(fixture.data) : fixture.data,
  };
  const images = Array.from(
    { length: copies },
    (_, index) => `/I${index} ${index === 0 ? 4 : first + others.length + index} 0 R`,
  );
  const draw = images.map((_, index) => `q 1 0 0 1 ${index * 20} 0 cm ${PLACES[place]} cm /I${index} Do Q`).join("\n");
  const resources = `<< /XObject << ${images.join(" ")} >> >>`;
  const ground = "0.2 0.6 0.3 rg 0 0 612 792 re f 0.9 0.4 0.1 rg";
  const form = flate(
    draw,
    `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Matrix [0.5 0 0 0.5 0 0] /Resources ${resources}`,
  );
  const extra = Array.from({ length: copies - 1 }, () => image);
  const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R`;
  const formNumber = first + others.length;
  const objects: PdfObject[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< ${page} /Resources ${inForm ? `<< /XObject << /F ${formNumber} 0 R >> >>` : resources} >>`,
    image,
    flate(inForm ? `${ground} q 2 0 0 2 0 0 cm /F Do Q` : `${ground} ${draw}`),
    ...others,
    form,
    ...extra,
  ];
  return pdf(objects, "/Root 1 0 R");
}

/** A page whose content holds an image of its own, raw or deflated. */
export function inlineImageDocument(): Uint8Array {
  const width = 200;
  const raw = photograph(width, width, 3);
  const content = [
    latin1(`q 60 0 0 60 100 400 cm BI /W ${width} /H ${width} /CS /RGB /BPC 8 ID `),
    raw,
    latin1(` EI Q\nq 60 0 0 60 300 400 cm BI /W ${width} /H ${width} /CS /RGB /BPC 8 /F /Fl ID `),
    zlibSync(raw),
    latin1(" EI Q\n1 0 0 rg 10 10 50 50 re f"),
  ];
  const whole = Uint8Array.from(content.flatMap((part) => [...part]));
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>";
  return pdf(
    ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, flate(whole)],
    "/Root 1 0 R",
  );
}

/** The fixture of a name. */
export function named(name: string): ImageFixture {
  const found = imageFixtures.find((fixture) => fixture.name === name);
  if (!found) throw new Error(name);
  return found;
}
