/** Names of files as clients and documents spell them, made safe for naming a response or a ZIP entry. */

const MAX_STEM = 150;

const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

/**
 * A file name without directory and extension, without characters that are invisible, reverse the direction of text, or have a
 * meaning to a file system. `document` if nothing is left.
 */
export function stemOf(fileName: string): string {
  return safeName(baseName(fileName).replace(EXTENSION, "")) || "document";
}

/** The same with its extension. */
export function safeFileName(fileName: string): string {
  const [extension = ""] = EXTENSION.exec(baseName(fileName)) ?? [];
  return `${stemOf(fileName)}${extension}`;
}

/** Such names for the entries of an archive, each once: a number follows where there are several. */
export function entryNames(fileNames: readonly string[]): string[] {
  const used = new Set<string>();
  const next = new Map<string, number>();
  return fileNames.map((fileName) => {
    const name = safeFileName(fileName);
    const [extension = ""] = EXTENSION.exec(name) ?? [];
    const stem = name.slice(0, name.length - extension.length);
    let free = name;
    let number = next.get(key(name)) ?? 2;
    for (; used.has(key(free)); number++) free = `${stem}-${number}${extension}`;
    next.set(key(name), number);
    used.add(key(free));
    return free;
  });
}

/** Many file systems take names that differ in case for the same. */
const key = (name: string): string => name.toLowerCase();

const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

function safeName(name: string): string {
  const visible = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_");
  const short = Array.from(visible).slice(0, MAX_STEM).join("");
  return short.replace(/^[.\s]+|[.\s]+$/g, "");
}
