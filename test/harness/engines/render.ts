import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { getDocument, type PDFPageProxy, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
import { createCanvas } from "@napi-rs/canvas";

/** A page as pdf.js draws it, on white. Places are points from the top left of what is shown. */
export interface Picture {
  /** Points. */
  readonly width: number;
  readonly height: number;
  /** Pixels in a point. */
  readonly scale: number;
  /** RGBA rows. */
  readonly pixels: Uint8ClampedArray;
  /** Pixels in a row. */
  readonly stride: number;
  /** The same pixels as a PNG file, encoded when it is read. */
  readonly png: Buffer;
}

/** A line of text as pdf.js reads it. */
export interface TextRun {
  readonly text: string;
  /** The left end of its baseline, points from the top left of what is shown. */
  readonly x: number;
  readonly y: number;
}

type RenderCanvas = Parameters<PDFPageProxy["render"]>[0]["canvas"];

const packageRoot = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
const folder = (name: string): string => `${join(packageRoot, name)}/`;

/** A form field's widget as pdf.js reads it. */
export interface ShownWidget {
  readonly name: string;
  readonly value: unknown;
  /** Where it is, on the page as it is shown. */
  readonly area: Area;
}

export interface ReadPage {
  readonly picture: Picture;
  readonly widgets: readonly ShownWidget[];
  readonly runs: readonly TextRun[];
  /** All text, run after run. */
  readonly text: string;
}

/**
 * Draws and reads a page (from 1). Points are those of the person who looks: pdf.js applies UserUnit. `turn` rotates the
 * page clockwise, in degrees, beyond its own rotation.
 */
export async function readPage(
  bytes: Uint8Array,
  number = 1,
  options: { password?: string | undefined; scale?: number; turn?: number } = {},
): Promise<ReadPage> {
  const { password, scale = 2, turn = 0 } = options;
  const task = getDocument({
    data: bytes.slice(),
    verbosity: VerbosityLevel.ERRORS,
    cMapUrl: folder("cmaps"),
    standardFontDataUrl: folder("standard_fonts"),
    wasmUrl: folder("wasm"),
    iccUrl: folder("iccs"),
    useSystemFonts: false,
    disableFontFace: true,
    ...(password === undefined ? {} : { password }),
  });
  try {
    const page = await (await task.promise).getPage(number);
    const viewport = page.getViewport({ scale, rotation: (page.rotate + turn + 360) % 360 });
    const [width, height] = [Math.round(viewport.width), Math.round(viewport.height)];
    const canvas = createCanvas(width, height);
    const context = canvas.getContext("2d");
    // The canvas is one as pdf.js needs it, though not a browser's.
    await page.render({ canvas: canvas as unknown as RenderCanvas, viewport }).promise;
    const { items } = await page.getTextContent();
    const runs = items.flatMap((item) => {
      if (!("str" in item) || item.str === "") return [];
      const [, , , , x = 0, y = 0] = item.transform as number[];
      const [left = 0, top = 0] = viewport.convertToViewportPoint(x, y) as number[];
      return [{ text: item.str, x: left / scale, y: top / scale }];
    });
    const widgets = ((await page.getAnnotations()) as Record<string, unknown>[]).flatMap((annotation) => {
      if (annotation["subtype"] !== "Widget") return [];
      const [left = 0, bottom = 0, right = 0, top = 0] = annotation["rect"] as number[];
      const place = (x: number, y: number): number[] =>
        (viewport.convertToViewportPoint(x, y) as number[]).map((value) => value / scale);
      const [[x0 = 0, y0 = 0], [x1 = 0, y1 = 0]] = [place(left, bottom), place(right, top)] as const;
      const area = [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)] as const;
      return [{ name: String(annotation["fieldName"]), value: annotation["fieldValue"], area }];
    });
    return {
      widgets,
      picture: {
        width: width / scale,
        height: height / scale,
        scale,
        pixels: context.getImageData(0, 0, width, height).data,
        stride: width,
        get png() {
          return canvas.toBuffer("image/png");
        },
      },
      runs,
      text: items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""),
    };
  } finally {
    await task.destroy();
  }
}

/** Left, top, right and bottom in points. */
export type Area = readonly [number, number, number, number];

/** The smallest area that holds every pixel that `is` true of; undefined where there is none. */
export function areaOf(
  { pixels, stride, scale }: Picture,
  is: (red: number, green: number, blue: number) => boolean,
): Area | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let y = 0, at = 0; at < pixels.length; y++) {
    for (let x = 0; x < stride; x++, at += 4) {
      if (!is(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0)) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  return right < 0 ? undefined : [left / scale, top / scale, (right + 1) / scale, (bottom + 1) / scale];
}

/** How many pixels of an area are of a color, or differ from another picture of the page. */
export function countPixels(
  picture: Picture,
  [left, top, right, bottom]: Area,
  is: (red: number, green: number, blue: number, at: number) => boolean,
): number {
  const { pixels, stride, scale } = picture;
  let count = 0;
  for (let y = Math.ceil(top * scale); y < Math.floor(bottom * scale); y++) {
    for (let x = Math.ceil(left * scale); x < Math.floor(right * scale); x++) {
      const at = (y * stride + x) * 4;
      if (is(pixels[at] ?? 255, pixels[at + 1] ?? 255, pixels[at + 2] ?? 255, at)) count++;
    }
  }
  return count;
}

/** Pixels of an area in which two pictures clearly differ. */
export function differingPixels(one: Picture, other: Picture, area: Area): number {
  return countPixels(one, area, (red, green, blue, at) => {
    const { pixels } = other;
    return (
      Math.abs(red - (pixels[at] ?? 255)) > 60 ||
      Math.abs(green - (pixels[at + 1] ?? 255)) > 60 ||
      Math.abs(blue - (pixels[at + 2] ?? 255)) > 60
    );
  });
}
