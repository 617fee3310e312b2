const MAX_STEM = 150;

/**
 * A file name without directory and extension, fit for the name of a response or of a ZIP entry: without characters that are invisible,
 * reverse the direction of text, or mean something to a file system. `document` if nothing is left.
 */
export function stemOf(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
  const stem = name
    .replace(/\.[A-Za-z0-9]{1,10}$/, "")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_");
  const short = Array.from(stem).slice(0, MAX_STEM).join("");
  return short.replace(/^[.\s]+|[.\s]+$/g, "") || "document";
}
