/**
 * Part of `npm run check`: in src/engines, a folder imports only itself and the folders before it in this list, and none has
 * more files than a reader can look over. Types count: a layer that knows only the types of a higher one knows it, too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./local-database.ts";

const MOST_FILES = 25;
const FOLDERS = [
  ".",
  "bytes",
  "image",
  "image/jpeg",
  "pdf/mupdf",
  "pdf/objects",
  "pdf/encryption",
  "pdf/document",
  "pdf/write",
  "pdf/metadata",
  "pdf/content",
  "pdf/text",
  "pdf/typesetting",
  "pdf/forms",
  "pdf/assembly",
  "pdf/images",
  "pdf/grayscale",
  "pdf/optimize",
  "ocr",
  "lease",
  "pdf/embed",
  "pdf/stamps",
  "render",
];
const IMPORT = /(?:\bfrom|\bimport\(?)\s*"(\.[^"]+)"/g;

const engines = join(root, "src/engines");
const folderOf = (path: string): string => relative(engines, dirname(path)) || ".";

const problems: string[] = [];
const files = readdirSync(engines, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
for (const file of files) {
  const place = FOLDERS.indexOf(dirname(file));
  if (place < 0) problems.push(`${file}: its folder is not in the list of scripts/check-layers.ts`);
  for (const [, path = ""] of readFileSync(join(engines, file), "utf8").matchAll(IMPORT)) {
    const imported = folderOf(join(engines, dirname(file), path));
    if (FOLDERS.indexOf(imported) > place)
      problems.push(`${file}: imports ${imported}, which comes after its own folder`);
  }
}
for (const [folder, inside] of Map.groupBy(files, (file) => dirname(file))) {
  if (inside.length > MOST_FILES) problems.push(`${folder}: has ${inside.length} files, more than ${MOST_FILES}`);
}
for (const problem of problems) console.error(`src/engines/${problem}`);
if (problems.length > 0) process.exitCode = 1;
