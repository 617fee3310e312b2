/** The profiles of PDF/A: parts of ISO 19005 with their levels. */
export const PROFILES = ["1b", "2b", "2u", "2a", "3b", "3u", "3a", "4", "4f"] as const;

export type Profile = (typeof PROFILES)[number];

/** Parts that share their clauses: 2 and 3 do, except for attachments. */
export type PdfaPart = 1 | 2 | 3 | 4;

/** `u`: all text has Unicode values. `a`: also structure. `f`: part 4 with attachments of any kind. */
export type PdfaLevel = "b" | "u" | "a" | "f";

export interface ProfileFacts {
  readonly part: PdfaPart;
  readonly level: PdfaLevel;
}

export function profileFacts(profile: Profile): ProfileFacts {
  const [part, level = "b"] = profile;
  return { part: Number(part) as PdfaPart, level: level as PdfaLevel };
}

/** Whether requirements of a level apply to another: those of `b` always do, and those of `u` also to `a`. */
export function includesLevel(level: PdfaLevel, required: PdfaLevel): boolean {
  return required === "b" || level === required || (required === "u" && level === "a");
}
