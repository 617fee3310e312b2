/** Converts shadings to gray: their functions are sampled as MuPDF draws them (ISO 32000-2, 8.7.4.5 and 7.10.2). */
import type { PDFObject } from "mupdf";
import { type GrayColors, isGraySpace } from "./colors.ts";
import { grayMesh } from "./meshes.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { items } from "../objects/objects.ts";

/** Samples of a function of one variable, and per variable of a function of two. MuPDF itself uses 256. */
const SAMPLES = 256;
const GRID = 64;

/** Converts a shading to gray in place. One that cannot be drawn is left unchanged, because it is invisible. */
export function grayShading(engine: PdfEngine, shading: PDFObject, colors: GrayColors): void {
  const space = shading.get("ColorSpace");
  if (space.isNull() || isGraySpace(space)) return;
  const document = shading._doc;
  const type = shading.get("ShadingType").asNumber();
  const background = items(shading.get("Background")).map((item) => item.asNumber());
  const fn = shading.get("Function");
  if (type === 1) shading.put("Function", planeFunction(engine, shading));
  else if (!fn.isNull()) shading.put("Function", lineFunction(engine, shading));
  else if (type >= 4) grayMesh(shading, (values) => colors.of(space, values));
  if (background.length > 0) {
    const gray = document.newArray();
    gray.push(colors.of(space, background));
    shading.put("Background", gray);
  }
  shading.put("ColorSpace", document.newName("DeviceGray"));
}

function domainOf(shading: PDFObject, otherwise: number[]): number[] {
  const fn = shading.get("Function");
  const own = shading.get("ShadingType").asNumber() >= 4 ? (fn.isArray() ? fn.get(0) : fn) : shading;
  const list = items(own.get("Domain")).map((item) => item.asNumber());
  return list.length >= otherwise.length ? list : otherwise;
}

/** The grays of an axial, radial or mesh shading's function, drawn as an axial shading with one pixel per sample. */
function lineFunction(engine: PdfEngine, shading: PDFObject): PDFObject {
  const domain = domainOf(shading, [0, 1]);
  const entries = {
    ShadingType: 2,
    Coords: [0.5, 0, SAMPLES - 0.5, 0],
    Domain: domain.slice(0, 2),
    Extend: [true, true],
  };
  const pixels = drawShading(engine, shading, entries, SAMPLES, 2);
  return sampled(shading, domain.slice(0, 2), [SAMPLES], pixels.slice(0, SAMPLES));
}

/** The grays of a function of two variables, drawn with one pixel per sample. */
function planeFunction(engine: PdfEngine, shading: PDFObject): PDFObject {
  const domain = domainOf(shading, [0, 1, 0, 1]);
  const [x0 = 0, x1 = 1, y0 = 0, y1 = 1] = domain;
  // A quarter of a sample past their centers, so that the outermost pixels are painted.
  const [sx, sy] = [(GRID - 0.5) / (x1 - x0), (GRID - 0.5) / (y1 - y0)];
  const entries = { ShadingType: 1, Domain: domain, Matrix: [sx, 0, 0, sy, 0.25 - x0 * sx, 0.25 - y0 * sy] };
  const pixels = drawShading(engine, shading, entries, GRID, GRID);
  // Pixel rows go down, the function's rows go up.
  const rows = Array.from({ length: GRID }, (_, row) => pixels.slice((GRID - 1 - row) * GRID, (GRID - row) * GRID));
  return sampled(shading, domain, [GRID, GRID], Uint8Array.from(rows.flatMap((row) => [...row])));
}

/** The pixels of a shading with the function and space of `shading` but other entries, on a page of its own. */
function drawShading(
  engine: PdfEngine,
  shading: PDFObject,
  entries: Record<string, number | readonly (number | boolean)[]>,
  width: number,
  height: number,
): Uint8Array {
  const { mupdf } = engine;
  return engine.scope(() => {
    const document = new mupdf.PDFDocument();
    const copy = document.newDictionary();
    for (const key of ["ColorSpace", "Function"]) copy.put(key, document.graftObject(shading.get(key)));
    for (const [key, value] of Object.entries(entries)) {
      if (typeof value === "number") copy.put(key, value);
      else {
        const list = document.newArray();
        for (const item of value) list.push(item);
        copy.put(key, list);
      }
    }
    const shadings = document.newDictionary();
    shadings.put("S", copy);
    const resources = document.newDictionary();
    resources.put("Shading", shadings);
    document.insertPage(-1, document.addPage([0, 0, width, height], 0, resources, "/S sh"));
    const page = document.loadPage(0);
    const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, width, height], false);
    pixmap.clear(255);
    const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
    page.run(device, mupdf.Matrix.identity);
    device.close();
    const pixels = Uint8Array.from(pixmap.getPixels());
    return pixels;
  });
}

function sampled(
  shading: PDFObject,
  domain: readonly number[],
  size: readonly number[],
  samples: Uint8Array,
): PDFObject {
  const document = shading._doc;
  const dictionary = document.newDictionary();
  const put = (key: string, values: readonly number[]): void => {
    const list = document.newArray();
    for (const value of values) list.push(value);
    dictionary.put(key, list);
  };
  dictionary.put("FunctionType", 0);
  dictionary.put("BitsPerSample", 8);
  put("Domain", domain);
  put("Range", [0, 1]);
  put("Size", size);
  return document.addStream(samples, dictionary);
}
