/**
 * `npm run model -- add <code>.traineddata`: puts a model of Tesseract's in place, so that `languages` of ocr takes its code; with `--fast`,
 * for `accuracy=fast`. It stays there over `npm install`; the service knows it from its next start or deployment on.
 */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Accuracy, listModels, putModel } from "../wasm/models.ts";
import { putEnginesInPlace } from "./engines-in-place.ts";
import { root } from "./root.ts";

const USAGE =
  "Usage: npm run model -- add [--fast] <code>.traineddata   (the file name is the code of the language, such as rus)";
const ENDING = ".traineddata";
/** A model's file begins with how many parts it can have, and where they are (Tesseract's tessdatamanager.h). */
const PARTS = 24;
/** The part that the neural engine reads. */
const NEURAL = 17;

async function add(path: string, accuracy: Accuracy): Promise<string> {
  const file = await readFile(path);
  if (!basename(path).endsWith(ENDING)) throw new Error(`${path} does not end in ${ENDING}`);
  const count = file.length > 4 + PARTS * 8 ? file.readUInt32LE(0) : 0;
  const hasNeural = count > NEURAL && count <= PARTS && file.readBigInt64LE(4 + NEURAL * 8) > 0n;
  if (!hasNeural) throw new Error(`${path} is not a model for Tesseract 4 or later`);
  const code = basename(path, ENDING);
  await putEnginesInPlace();
  const generated = join(root, "wasm/generated");
  putModel(generated, code, gzipSync(file, { level: 9 }), accuracy);
  const { best, fast } = listModels(generated);
  return `Added ${code}. Languages: ${best.join(", ")}${fast.length > 0 ? `. Fast: ${fast.join(", ")}` : ""}`;
}

const args = process.argv.slice(2);
const accuracy = args.includes("--fast") ? "fast" : "best";
const [order, path, ...more] = args.filter((arg) => arg !== "--fast");
if (order !== "add" || path === undefined || more.length > 0) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  try {
    console.log(await add(path, accuracy));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
