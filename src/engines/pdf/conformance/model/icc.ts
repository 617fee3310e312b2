/** The header of an ICC profile (ICC.1:2010, 7.2). */
import type { IccFacts } from "./elements.ts";
import { latin1 } from "../../../../bytes/latin1.ts";

const HEADER_BYTES = 128;

export function readIcc(profile: Uint8Array | undefined): IccFacts {
  const isReadable = profile !== undefined && profile.length >= HEADER_BYTES;
  const tag = (at: number): string => (profile ? latin1(profile.subarray(at, at + 4)) : "");
  return {
    isReadable,
    major: profile?.[8] ?? 0,
    minor: (profile?.[9] ?? 0) >> 4,
    deviceClass: tag(12),
    space: tag(16),
  };
}
