/** `npm run docs`: writes docs/limits.md and the table of errors in docs/api.md from the source. */
import { writeFile } from "node:fs/promises";
import { generatedDocuments } from "./generated-documents.ts";

for (const [path, text] of await generatedDocuments()) {
  await writeFile(path, text);
  console.log(path);
}
