import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";

/** Hidden files that are source; others, such as .dev.vars, may hold secrets. */
const HIDDEN = new Set([".ci", ".gitignore", ".oxfmtrc.json", ".oxlintrc.json"]);
const NOT_SOURCE = new Set(["node_modules", "generated", "dist", "coverage"]);
const FOLDER = "pdf-service/";

/** The project's files, sorted: those that git knows, or, in a copy without git, all that are neither hidden nor made. */
function sourceFiles(root: string): string[] {
  try {
    const listed = execFileSync("git", ["ls-files", "-z"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const present = new Set(walk(root, root));
    const known = listed.split("\0").filter((name) => present.has(name));
    if (known.includes("package.json")) return known.toSorted();
  } catch {
    // There is no git, or this is no checkout.
  }
  return walk(root, root).toSorted();
}

function walk(root: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    if (NOT_SOURCE.has(name) || (name.startsWith(".") && !HIDDEN.has(name))) return [];
    const path = join(folder, name);
    if (entry.isDirectory()) return walk(root, path);
    return entry.isFile() ? [relative(root, path).split(sep).join("/")] : [];
  });
}

const BLOCK = 512;

/** One file in the ustar format (POSIX.1-1988), without dates and owners: the same source makes the same archive. */
function tarEntry(name: string, bytes: Uint8Array): Uint8Array[] {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: the path is too long for an archive`);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    ),
    148,
  );
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}

/** The source as a .tar.gz, for whoever uses the service over a network (AGPL, section 13). */
export function sourceArchive(root: string): Uint8Array {
  return tarArchive(sourceFiles(root).map((name) => [`${FOLDER}${name}`, readFileSync(join(root, name))]));
}

/** Files by their names as a .tar.gz. */
export function tarArchive(files: readonly (readonly [name: string, bytes: Uint8Array])[]): Uint8Array {
  const entries = files.flatMap(([name, bytes]) => tarEntry(name, bytes));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}
