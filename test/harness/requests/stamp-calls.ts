import { createCanvas } from "@napi-rs/canvas";
import { expect } from "vitest";
import { ownServer } from "../../e2e/own-server.ts";
import { pdfPart, post, type ApiResponse, type Part } from "./client.ts";
import { areaOf, type Area, readPage, type Picture } from "../engines/render.ts";
import { check } from "../engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();

/** Calls a stamp's operation; the response is a PDF that qpdf finds nothing wrong with. */
export async function stamp(
  operation: string,
  bytes: Uint8Array,
  fields: Readonly<Record<string, Part>> = {},
): Promise<ApiResponse> {
  const response = await post({ baseUrl, key: liveKey }, operation, { file: pdfPart(bytes), ...fields });
  expect(response.status, new TextDecoder().decode(response.body.subarray(0, 500))).toBe(200);
  const { password } = fields;
  const report = await check(response.body, typeof password === "string" ? password : undefined);
  expect(report.errors).toEqual([]);
  return response;
}

/** Status, code and details of a refusal. */
export async function refusal(
  operation: string,
  bytes: Uint8Array,
  fields: Readonly<Record<string, Part>>,
): Promise<[number, string | undefined, unknown]> {
  const response = await post({ baseUrl, key: liveKey }, operation, { file: pdfPart(bytes), ...fields });
  const { error } = JSON.parse(new TextDecoder().decode(response.body)) as { error: { details?: unknown } };
  return [response.status, response.code, error.details];
}

export const isRed = (red: number, green: number, blue: number): boolean => red > 150 && green < 120 && blue < 120;

/** The area of what is red; fails where nothing is. */
export function redArea(picture: Picture): Area {
  const area = areaOf(picture, isRed);
  expect(area, "nothing red is shown").toBeDefined();
  return area ?? [0, 0, 0, 0];
}

/** Pages with something about them that a stamp must get right: entries of a page of 600 x 800 units, and how it is shown. */
export const GEOMETRIES: readonly [name: string, entries: string, width: number, height: number][] = [
  ["as it is", "", 600, 800],
  ["cut", "/CropBox [150 300 450 500]", 300, 200],
  ["turned, cut", "/Rotate 90 /CropBox [150 300 450 500]", 200, 300],
  ["turned, cut, enlarged", "/Rotate 90 /CropBox [150 300 450 500] /UserUnit 2", 400, 600],
  ["upside down, cut", "/Rotate 180 /CropBox [150 300 450 500]", 300, 200],
  ["turned the other way, cut, enlarged", "/Rotate 270 /CropBox [150 300 450 500] /UserUnit 2", 400, 600],
];

/** Content that leaves the graphics state as no stamp wants to find it. */
export const LEFTOVERS: readonly [name: string, content: string | readonly string[]][] = [
  ["a matrix", "0.1 0 0 0.1 300 300 cm 0 0 1 rg 0 0 100 100 re f"],
  ["saved states", "q q 2 0 0 2 50 60 cm 0 0 1 rg 0 0 50 50 re f"],
  ["restores of nothing", "0 0 1 rg Q Q 2 0 0 2 5 6 cm 20 20 50 50 re f"],
  ["a clip", "100 100 50 50 re W n 0 0 1 rg 0 0 600 800 re f"],
  ["a text object and its state", "0 0 1 rg BT /F1 40 Tf 3 Tr 20 Ts 9 Tc 200 Tz 100 100 Td (open) Tj"],
  ["hidden marked content", "0 0 1 rg 30 30 50 50 re f /OC << >> BDC"],
  ["a string that does not end", "0 0 1 rg 30 30 50 50 re f BT (never ends"],
  ["an array that does not end", "0 0 1 rg 30 30 50 50 re f [1 2 (q) 3"],
  ["words in strings, comments, names", "q 0 0 1 rg % q q q\n30 30 50 50 re f /q gs (\\) q Q) pop <71> pop Q"],
  [
    "an inline image with words in it",
    "q 40 0 0 40 30 30 cm BI /W 4 /H 4 /BPC 8 /CS /G ID q Q q BT EI_q Q BT \nEI Q q",
  ],
  ["a comment that does not end", "0 0 1 rg 30 30 50 50 re f % the end"],
  ["a string in an array in a dictionary that do not end", "0 0 1 rg 30 30 50 50 re f /OC << /A [ (never ends \\"],
  ["an inline image without data", "0 0 1 rg 30 30 50 50 re f q 40 0 0 40 30 30 cm BI /W 4 /H 4 /BPC 8 /CS /G"],
  ["an inline image without its end", ["0 0 1 rg 30 30 50 50 re f BI /W 9 /H 9 /BPC 8", "/CS /G ID aaaa", "bbb"]],
  ["an array in two streams", ["0 0 1 rg BT /F1 40 Tf 50 50 Td [(one)", "-500 (two)] TJ ET 30 30 9 9 re f"]],
  ["an array in three streams", ["0 0 1 RG 9 w [ 20", "5 10 ", "] 0 d 30 30 m 500 500 l S"]],
  ["a dictionary in three streams", ["/OC << /A", "[ 1 2", "] >> BDC 0 0 1 rg 30 30 50 50 re f"]],
  ["a hexadecimal string in two streams", ["0 0 1 rg BT /F1 40 Tf 50 50 Td <48", "49484948> Tj ET"]],
  ["a string in three streams", ["0 0 1 rg BT /F1 40 Tf 50 50 Td (Q (", ") Q", " BT q) Tj ET q"]],
  ["a text object in three streams", ["0 0 1 rg BT /F1 40 Tf 50 50 Td", "(one) Tj", "(two) Tj"]],
  [
    "an inline image in three streams",
    ["q 40 0 0 40 30 30 cm BI /W 4 /H 4 /BPC 8", "/CS /G ID q Q q BT", "ET Q BT \nEI Q 90 90 50 50 re f"],
  ],
];

/** Whether two pictures differ outside an area, by more than a rounding error, or in their sizes. */
export function differsOutside(one: Picture, other: Picture, [left, top, right, bottom]: Area): boolean {
  if (one.stride !== other.stride || one.pixels.length !== other.pixels.length) return true;
  const { stride, scale } = one;
  // Nearly all pixels are equal: they are compared whole, and only those that are not, by their colors.
  const [pixels, others] = [wholePixels(one), wholePixels(other)];
  for (let at = 0; at < pixels.length; at++) {
    if (pixels[at] === others[at]) continue;
    const x = (at % stride) / scale;
    const y = Math.floor(at / stride) / scale;
    if (x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1) continue;
    for (let part = at * 4; part < at * 4 + 3; part++) {
      if (Math.abs((one.pixels[part] ?? 0) - (other.pixels[part] ?? 0)) > 8) return true;
    }
  }
  return false;
}

const wholePixels = ({ pixels }: Picture): Uint32Array =>
  new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);

export const picture = async (bytes: Uint8Array, page = 1): Promise<Picture> => (await readPage(bytes, page)).picture;

/** How often something stands in a text. */
export const occurrences = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** A red image, its right half transparent. */
export function halfRed(type: "image/png" | "image/jpeg" = "image/png"): Uint8Array {
  const canvas = createCanvas(80, 40);
  const context = canvas.getContext("2d");
  context.fillStyle = "#f00";
  context.fillRect(0, 0, 40, 40);
  return new Uint8Array(type === "image/png" ? canvas.toBuffer(type) : canvas.toBuffer(type));
}
