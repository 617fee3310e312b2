/** The models of text recognition: where they lie, and the list of them that the service knows. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MiB = 1024 * 1024;
/** Cloudflare's limit for one file of the static assets. */
const MAX_BYTES = 25 * MiB;
const ENDING = ".traineddata.gz";

/** Tesseract has two kinds of models for a language: `fast` ones are smaller and read less accurately. */
export type Accuracy = "best" | "fast";

const folders = { best: "assets/models", fast: "assets/models/fast" } as const satisfies Record<Accuracy, string>;

/** Puts a model in place under its code, such as `rus`. `gzipped`: the served file. Throws if it is too large. */
export function putModel(generated: string, code: string, gzipped: Uint8Array, accuracy: Accuracy = "best"): void {
  if (!/^[A-Za-z][A-Za-z0-9_]{1,31}$/.test(code)) throw new Error(`${code} is not a name that a model can have`);
  if (gzipped.length >= MAX_BYTES) {
    throw new Error(`${code} has ${(gzipped.length / MiB).toFixed(1)} MiB gzipped; a static asset may have 25`);
  }
  const folder = join(generated, folders[accuracy]);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${code}${ENDING}`);
  // Each write makes every running `wrangler dev` build again.
  if (!existing(path)?.equals(gzipped)) writeFileSync(path, gzipped);
}

/** Writes the list of the models that are in place, whoever put them there. */
export function listModels(generated: string): Record<Accuracy, readonly string[]> {
  const codesIn = (folder: string): readonly string[] => {
    mkdirSync(join(generated, folder), { recursive: true });
    return readdirSync(join(generated, folder))
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length))
      .toSorted();
  };
  const models = { best: codesIn(folders.best), fast: codesIn(folders.fast) };
  const path = join(generated, "models.js");
  const text = `export const models = ${JSON.stringify(models)};\n`;
  if (existing(path)?.toString() !== text) writeFileSync(path, text);
  return models;
}

function existing(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
