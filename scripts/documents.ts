/** `npm run docs`: writes docs/limits.md, the generated parts of other documents, and the damaged example. */
import { writeFile } from "node:fs/promises";
import { generatedDocuments } from "./generated-documents.ts";

for (const [path, content] of await generatedDocuments()) {
  await writeFile(path, content);
  console.log(path);
}
