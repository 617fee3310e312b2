/** The models of text recognition: where they lie, and the list of them that the service knows. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MiB = 1024 * 1024;
/** Cloudflare's limit for one file of the static assets. */
const MAX_BYTES = 25 * MiB;
const ENDING = ".traineddata.gz";

/** Puts a model in place under its code, such as `rus`. `gzipped`: the file as it is served. Throws where it is too large. */
export function putModel(generated: string, code: string, gzipped: Uint8Array): void {
  if (!/^[A-Za-z][A-Za-z0-9_]{1,31}$/.test(code)) throw new Error(`${code} is not a name that a model can have`);
  if (gzipped.length >= MAX_BYTES) {
    throw new Error(`${code} has ${(gzipped.length / MiB).toFixed(1)} MiB gzipped; a static asset may have 25`);
  }
  const folder = join(generated, "assets/models");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${code}${ENDING}`);
  // Each write makes every running `wrangler dev` build again.
  if (!existing(path)?.equals(gzipped)) writeFileSync(path, gzipped);
}

/** Writes the list of the models that are in place, whoever put them there. */
export function listModels(generated: string): readonly string[] {
  const codes = readdirSync(join(generated, "assets/models"))
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .toSorted();
  const path = join(generated, "models.js");
  const text = `export const models = ${JSON.stringify(codes)};\n`;
  if (existing(path)?.toString() !== text) writeFileSync(path, text);
  return codes;
}

function existing(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
