import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.ts";

/** The folder of real PDFs. It is not a part of the repository, and neither are those beside it. */
const CORPUS = process.env["CORPUS_DIR"] ?? join(root, "../shared/corpus");

/** The path of a folder of documents that is not a part of the repository: of `CORPUS_DIR`, or of one beside it. */
export const outsideFolder = (name: "corpus" | "convert" | "text-truth" | "signed" | "found-4"): string =>
  name === "corpus" ? CORPUS : join(dirname(CORPUS), name);

/** The folder, if it is there. Otherwise prints the part that is left out. */
export function folderOrNote(path: string | undefined, leftOut: string, needs: string): string | undefined {
  if (path !== undefined && existsSync(path)) return path;
  console.log(
    `Left out: ${leftOut}. ${path === undefined ? "It needs" : `There is no ${path}, but it needs`} ${needs}.`,
  );
  return undefined;
}

/** Ends the process with a message if a folder that somebody named is not there. */
export function requireFolder(path: string): void {
  if (existsSync(path)) return;
  console.error(`There is no folder ${path}; nothing was measured.`);
  process.exit(1);
}
