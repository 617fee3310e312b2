/** The colors that a PNG's samples represent (ISO/IEC 15948, 11.3.3). */
import { inflateWhole } from "../flate/inflate.ts";
import type { Work } from "../work.ts";
import { type Chromaticities, type Chromaticity, gammaProfile } from "./gamma-profile.ts";
import { fitsComponents, MOST_PROFILE_BYTES } from "./icc.ts";
import { uint32 } from "./facts.ts";

/** The value that means 1 in gAMA and cHRM. */
const UNIT = 100_000;
const SRGB_GAMMA = 2.2;
const SRGB: Chromaticities = [
  [0.3127, 0.329],
  [0.64, 0.33],
  [0.3, 0.6],
  [0.15, 0.06],
];
/** Differences up to these are rounding errors. */
const SAME_GAMMA = 0.05;
const SAME_CHROMATICITY = 0.005;
/** The range of exponents of displays and cameras; others are mistakes. */
const LOWEST_GAMMA = 0.2;
const HIGHEST_GAMMA = 5;
/** Maximum length of a profile name with its terminator and the method byte (11.3.3.3). */
const MOST_NAME_BYTES = 81;

/** Collects the chunks iCCP, sRGB, gAMA and cHRM. */
export class PngColor {
  /** The contents of iCCP, which occurs once. */
  #profile: Uint8Array | undefined;
  #isSrgb = false;
  #gamma: number | undefined;
  #chromaticities: Chromaticities | undefined;

  take(type: string, content: Uint8Array): void {
    if (type === "iCCP") this.#profile ??= content;
    else if (type === "sRGB") this.#isSrgb = true;
    else if (type === "gAMA" && content.length === 4) this.#gamma ??= UNIT / uint32(content, 0);
    else if (type === "cHRM" && content.length === 32) this.#chromaticities ??= chromaticitiesOf(content);
  }

  /**
   * The ICC profile of the samples. Undefined if they are in the color space of screens. In order of precedence: a profile, sRGB, then gamma and
   * chromaticities.
   */
  async profile(work: Work, components: 1 | 3): Promise<Uint8Array | undefined> {
    const profile = this.#profile && (await profileOf(work, this.#profile));
    if (profile && fitsComponents(profile, components)) return profile;
    const gamma = this.#gamma ?? 0;
    if (this.#isSrgb || gamma < LOWEST_GAMMA || gamma > HIGHEST_GAMMA) return undefined;
    const chromaticities = this.#chromaticities ?? SRGB;
    const same = components === 1 || chromaticities.every((point, index) => isNear(point, SRGB[index]));
    if (same && Math.abs(gamma - SRGB_GAMMA) < SAME_GAMMA) return undefined;
    return gammaProfile(components, gamma, chromaticities);
  }
}

async function profileOf(work: Work, content: Uint8Array): Promise<Uint8Array | undefined> {
  const name = content.subarray(0, MOST_NAME_BYTES).indexOf(0);
  if (name < 0 || content[name + 1] !== 0) return undefined;
  return inflateWhole(work, content.subarray(name + 2), MOST_PROFILE_BYTES);
}

function chromaticitiesOf(content: Uint8Array): Chromaticities | undefined {
  const point = (index: number): Chromaticity => [
    uint32(content, index * 8) / UNIT,
    uint32(content, index * 8 + 4) / UNIT,
  ];
  const points: Chromaticities = [point(0), point(1), point(2), point(3)];
  return points.every(([x, y]) => x >= 0 && y > 0 && x + y <= 1) ? points : undefined;
}

function isNear([x, y]: Chromaticity, [otherX, otherY]: Chromaticity = [0, 0]): boolean {
  return Math.abs(x - otherX) < SAME_CHROMATICITY && Math.abs(y - otherY) < SAME_CHROMATICITY;
}
