/**
 * Builds ICC profiles of the simplest kind, a curve and three primaries (ICC.1:2001-04, version 2.4), for PNGs that define their colors by numbers, and sRGB.
 * PDF's CalGray and CalRGB would mean the same, but readers disagree on them: one shows gray as pink.
 */
import { latin1, bytesOf } from "../../bytes/latin1.ts";

export type Chromaticity = readonly [number, number];
/** White and full red, green and blue as CIE 1931 x and y, in this order. */
export type Chromaticities = readonly [Chromaticity, Chromaticity, Chromaticity, Chromaticity];

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** The white point of all profiles (6.1.3). CIE XYZ, Y of 1. */
const D50: Triple = [0.9642, 1, 0.8249];
/** The cone responses of the Bradford adaptation (annex E). */
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
const HEADER_BYTES = 128;
const TAG_BYTES = 12;
const DESCRIPTION_REST = 78;

/** `gamma`: the exponent that makes samples linear. Undefined if the chromaticities do not describe colors. */
export function gammaProfile(components: 1 | 3, gamma: number, chromaticities: Chromaticities): Uint8Array | undefined {
  const curve = `curv${number32(0)}${number32(1)}${number16(Math.round(gamma * 256))}`;
  const common: [string, string][] = [
    ["desc", description("gAMA and cHRM of a PNG")],
    ["cprt", `text${number32(0)}No copyright\0`],
    ["wtpt", xyz(D50)],
  ];
  if (components === 1) return profile("GRAY", [...common, ["kTRC", curve]]);
  const columns = adaptedPrimaries(chromaticities);
  if (!columns) return undefined;
  const [red, green, blue] = columns.map(xyz);
  const matrix: [string, string][] = [
    ["rXYZ", red ?? ""],
    ["gXYZ", green ?? ""],
    ["bXYZ", blue ?? ""],
  ];
  return profile("RGB ", [...common, ...matrix, ["rTRC", curve], ["gTRC", curve], ["bTRC", curve]]);
}

/** Samples of the curve of sRGB, and the largest value of one. */
const [CURVE_SAMPLES, MOST] = [1024, 0xffff];
/** Full red, green, and blue of sRGB as its published profiles have them, so that readers do not convert colors of the same values. */
const SRGB: readonly Triple[] = [
  [0.43607, 0.22249, 0.01392],
  [0.38515, 0.71687, 0.09708],
  [0.14307, 0.06061, 0.7141],
];

/** A profile of sRGB (IEC 61966-2-1), or of its grays, for documents whose colors have no profile. */
export function srgbProfile(components: 1 | 3 = 3): Uint8Array {
  const samples = Array.from({ length: CURVE_SAMPLES }, (_, index) => {
    const value = index / (CURVE_SAMPLES - 1);
    const linear = value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    return number16(Math.round(linear * MOST));
  });
  const curve = `curv${number32(0)}${number32(CURVE_SAMPLES)}${samples.join("")}`;
  const common: [string, string][] = [
    ["desc", description(components === 3 ? "sRGB" : "Gray of sRGB")],
    ["cprt", `text${number32(0)}No copyright\0`],
    ["wtpt", xyz(D50)],
  ];
  if (components === 1) return profile("GRAY", [...common, ["kTRC", curve]]);
  const [red, green, blue] = SRGB.map(xyz);
  return profile("RGB ", [
    ...common,
    ["rXYZ", red ?? ""],
    ["gXYZ", green ?? ""],
    ["bXYZ", blue ?? ""],
    ["rTRC", curve],
    ["gTRC", curve],
    ["bTRC", curve],
  ]);
}

/** Header, tag table, tags (6.1, 6.2), as one character per byte until the end. */
function profile(space: string, tags: readonly (readonly [string, string])[]): Uint8Array {
  let at = HEADER_BYTES + 4 + tags.length * TAG_BYTES;
  let table = number32(tags.length);
  let data = "";
  /** Tags may share their data. */
  const places = new Map<string, number>();
  for (const [name, value] of tags) {
    const shared = places.get(value);
    table += name + number32(shared ?? at) + number32(value.length);
    if (shared !== undefined) continue;
    places.set(value, at);
    const padded = value + "\0".repeat(-value.length & 3);
    data += padded;
    at += padded.length;
  }
  const version = number32(0x0240_0000);
  const date = `${number16(2001)}${number16(4)}${number16(1)}${"\0".repeat(6)}`;
  const head = `${number32(at)}\0\0\0\0${version}mntr${space}XYZ ${date}acsp${"\0".repeat(28)}`;
  const header = head + D50.map(fixed).join("");
  const text = header.padEnd(HEADER_BYTES, "\0") + table + data;
  return bytesOf(text);
}

const bytes = (values: readonly number[]): string => latin1(Uint8Array.from(values));
const number16 = (value: number): string => bytes([value >> 8, value]);
const number32 = (value: number): string => bytes([value >> 24, value >> 16, value >> 8, value]);
const fixed = (value: number): string => number32(Math.round(value * 0x1_0000));
const xyz = (value: Triple): string => `XYZ ${number32(0)}${value.map(fixed).join("")}`;

/** In ASCII; the other two languages are empty. */
function description(text: string): string {
  return `desc${number32(0)}${number32(text.length + 1)}${text}\0${"\0".repeat(DESCRIPTION_REST)}`;
}

/** XYZ of full red, green and blue relative to a white of D50. */
function adaptedPrimaries(chromaticities: Chromaticities): Triple[] | undefined {
  const [white, ...primaries] = chromaticities.map(([x, y]): Triple => [x / y, 1, (1 - x - y) / y]);
  const [red, green, blue] = primaries;
  if (!white || !red || !green || !blue) return undefined;
  // The amount of each primary that makes white together.
  const amounts = solved(transposed([red, green, blue]), white);
  const [from, to] = [times(BRADFORD, white), times(BRADFORD, D50)];
  if (!amounts || from.some((response) => response <= 0)) return undefined;
  const columns = primaries.map((primary, index) => {
    const [a, b, c] = times(BRADFORD, primary);
    const amount = amounts[index] ?? 0;
    const cones: Triple = [(a * to[0]) / from[0], (b * to[1]) / from[1], (c * to[2]) / from[2]];
    const result = solved(BRADFORD, cones);
    return result?.map((value) => value * amount) as Triple | undefined;
  });
  return columns.every((column) => column?.every((value) => Math.abs(value) < 2)) ? (columns as Triple[]) : undefined;
}

const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const times = ([a, b, c]: Matrix, vector: Triple): Triple => [dot(a, vector), dot(b, vector), dot(c, vector)];

function transposed([a, b, c]: Matrix): Matrix {
  return [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ];
}

const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The vector that the matrix maps to `result` (Cramer's rule); undefined if there is not exactly one. */
function solved(matrix: Matrix, result: Triple): Triple | undefined {
  const [a, b, c] = transposed(matrix);
  const whole = dot(a, cross(b, c));
  if (Math.abs(whole) < 1e-9) return undefined;
  return [dot(result, cross(b, c)) / whole, dot(a, cross(result, c)) / whole, dot(a, cross(b, result)) / whole];
}
