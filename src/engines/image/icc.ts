/** What of an ICC profile decides whether it fits an image (ICC.1:2022, 7.2; ISO 32000-2, 8.6.5.5). */
import { tag, uint32 } from "./facts.ts";

const HEADER_BYTES = 128;
/** Larger ones do not occur; a compressed one could claim to be. */
export const MOST_PROFILE_BYTES = 16 * 1024 * 1024;

const COMPONENTS: Readonly<Record<string, number>> = { GRAY: 1, "RGB ": 3, CMYK: 4 };
/** Input, display, output and color space profiles: what PDF takes. */
const CLASSES = new Set(["scnr", "mntr", "prtr", "spac"]);
/** What PDF readers know; version 5 is another format. */
const NEWEST_VERSION = 4;

/** Whether a profile is whole and describes colors of as many components as the image has. */
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
