/** Reads the parts of an ICC profile that decide whether it fits an image (ICC.1:2022, 7.2; ISO 32000-2, 8.6.5.5). */
import { tag, uint32 } from "./facts.ts";

const HEADER_BYTES = 128;
/** Larger profiles do not occur; a compressed one could claim to be larger. */
export const MOST_PROFILE_BYTES = 16 * 1024 * 1024;

const COMPONENTS: Readonly<Record<string, number>> = { GRAY: 1, "RGB ": 3, CMYK: 4 };
/** Input, display, output and color space profiles: the classes PDF accepts. */
const CLASSES = new Set(["scnr", "mntr", "prtr", "spac"]);
/** The newest version PDF readers support; version 5 is another format. */
const NEWEST_VERSION = 4;

/** Whether a profile is complete and has as many components as the image. */
export function fitsComponents(profile: Uint8Array, components: number): boolean {
  return (
    profile.length > HEADER_BYTES &&
    uint32(profile, 0) <= profile.length &&
    tag(profile, 36, 4) === "acsp" &&
    (profile[8] ?? 0) <= NEWEST_VERSION &&
    CLASSES.has(tag(profile, 12, 4)) &&
    COMPONENTS[tag(profile, 16, 4)] === components
  );
}
