/**
 * Part of `npm run check`: in src/engines, src/operations, and src/http, a folder imports only itself and the folders before it in its list. No folder of src
 * has more files than a reader can look over, and only pdf/objects walks over the containers of a document without handles. Types count: a layer that knows
 * only the types of a higher one knows it, too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./local-database.ts";

const MOST_FILES = 25;
/** The folders of each layer, ground first. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "src/engines": [
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
    "pdf/attachments",
    "pdf/content",
    "pdf/tags",
    "pdf/text",
    "pdf/layout",
    "pdf/reading",
    "pdf/typesetting",
    "pdf/forms",
    "pdf/assembly",
    "pdf/outline",
    "pdf/images",
    "pdf/grayscale",
    "pdf/optimize",
    "ocr",
    "lease",
    "pdf/embed",
    "pdf/stamps",
    "pdf/erasure",
    "pdf/redaction/proof",
    "pdf/redaction",
    "render",
    "pdf/crop",
    "pdf/n-up",
  ],
  "src/operations": ["definition", "."],
  "src/http": [
    "errors",
    "multipart",
    "fetch",
    "exchange",
    "auth",
    "admission",
    "form",
    "operations",
    "endpoints",
    "openapi",
  ],
};
/** Walks over containers of a document, which may have a million entries, count and pause: `walkValues`, or `items` and `entries`, which refuse too many. */
const WALK = /_wasm_pdf_(?:array_len|array_get|dict_len|dict_get_val)\b/;
const MAY_WALK = /^pdf\/objects\//;

const IMPORT = /(?:\bfrom|\bimport\(?)\s*"(\.[^"]+)"/g;

const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));

const problems: string[] = [];
for (const [layer, folders] of Object.entries(LAYERS)) {
  for (const file of filesOf(layer)) {
    const path = join(root, layer, file);
    const place = folders.indexOf(dirname(file));
    if (place < 0) problems.push(`${layer}/${file}: its folder is not in the list of scripts/check-layers.ts`);
    for (const [, imported = ""] of readFileSync(path, "utf8").matchAll(IMPORT)) {
      const folder = relative(join(root, layer), dirname(join(dirname(path), imported))) || ".";
      if (folders.indexOf(folder) > place)
        problems.push(`${layer}/${file}: imports ${folder}, which comes after its own folder`);
    }
  }
}
for (const file of filesOf("src/engines")) {
  const walks = WALK.test(readFileSync(join(root, "src/engines", file), "utf8"));
  if (walks && !MAY_WALK.test(file))
    problems.push(
      `src/engines/${file}: walks over a container itself, not with src/engines/pdf/objects/walk-values.ts`,
    );
}
for (const [folder, inside] of Map.groupBy(filesOf("src"), (file) => dirname(file))) {
  if (inside.length > MOST_FILES) problems.push(`src/${folder}: has ${inside.length} files, more than ${MOST_FILES}`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
