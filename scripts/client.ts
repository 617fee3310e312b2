/**
 * `npm run client` writes the generated files of the clients anew, from the description of this source. With `--check`, which is part of
 * `npm run check`, it writes nothing, and fails if they differ.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describedApi } from "./described-api.ts";
import { root } from "./root.ts";
import { generate } from "../client/generate.ts";

/** Which languages ocr has is a matter of the machine: `npm run model` adds some. */
const withoutLanguages = (text: string): string => text.replace(/(?<=Languages: )[a-z_, ]+/, "");

const isCheck = process.argv.includes("--check");
for (const [name, text] of generate(await describedApi())) {
  const path = join(root, "client/src", name);
  if (!isCheck) await writeFile(path, text);
  else if (withoutLanguages(await readFile(path, "utf8")) !== withoutLanguages(text)) {
    console.error(`${relative(root, path)} is not up to date. Run: npm run client`);
    process.exitCode = 1;
  }
}
