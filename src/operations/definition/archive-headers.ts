/** The headers about a document that became PDF/A. */
import type { ArchiveReport } from "../../engines/pdf/archive/archive.ts";
import type { WrittenArchive } from "../../engines/pdf/archive/prove.ts";
import { listOf, type ResultHeaders } from "./define.ts";

/** Those of a document that conforms. */
export const ARCHIVE_HEADERS = [
  "X-Conformance",
  "X-Changes",
  "X-Pages-Changed",
  "X-Fonts-Substituted",
  "X-Removed",
] as const;

export function archiveHeaders(
  { changes }: ArchiveReport,
  { report, changedPages }: Pick<WrittenArchive, "report" | "changedPages">,
): ResultHeaders {
  const { conforms, profile, failures } = report;
  const fonts = [...changes.substitutedFonts].map((name) => encodeURIComponent(name.toWellFormed()));
  const broken = failures.map(({ clause, test }) => `${clause}-${test}`);
  return {
    "X-Conformance": conforms === true ? `PDF/A-${profile}` : "none",
    "X-Changes": listOf([...changes.counts].map(([kind, count]) => `${kind}=${count}`)),
    ...(changedPages.length > 0 && { "X-Pages-Changed": listOf(changedPages.map(String)) }),
    ...(fonts.length > 0 && { "X-Fonts-Substituted": listOf(fonts) }),
    ...(changes.removed.size > 0 && { "X-Removed": listOf([...changes.removed]) }),
    ...(conforms !== true && { "X-Rules-Broken": listOf(broken) }),
  };
}
