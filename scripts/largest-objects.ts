/**
 * `npm run measure -- largest <folders>`: the largest of what `limits.syntax` limits in the PDFs of folders, and how long it takes to measure them.
 * Object streams of encrypted files are left out.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { requireFolder } from "./outside-folders.ts";
import { measureFile } from "../src/engines/pdf/objects/object-streams.ts";
import type { Measures } from "../src/engines/pdf/objects/measures.ts";
import { unlimitedWork } from "../src/engines/work.ts";
import type { InputBytes } from "../src/engines/memory/heap.ts";

const MOST_SHOWN = 3;

const found: { name: string; largest: Measures }[] = [];
const sum = { bytes: 0, milliseconds: 0 };
const folders = process.argv.slice(2);
if (folders.length === 0) console.log("Name folders of PDFs: npm run measure -- largest <folders>");
folders.forEach(requireFolder);
for (const folder of folders) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.toLowerCase().endsWith(".pdf")) continue;
    const bytes = new Uint8Array(await readFile(join(entry.parentPath, entry.name)));
    const view: InputBytes["view"] = (start, end) => bytes.subarray(start, end);
    const file: InputBytes = { pointer: 0, length: bytes.length, view, free: () => {} };
    const start = performance.now();
    const { largest } = await measureFile(unlimitedWork(), file);
    sum.milliseconds += performance.now() - start;
    sum.bytes += bytes.length;
    found.push({ name: entry.name, largest });
  }
}
for (const name of Object.keys(found[0]?.largest ?? {}) as (keyof Measures)[]) {
  const sorted = found.toSorted((a, b) => b.largest[name] - a.largest[name]);
  const shown = sorted.slice(0, MOST_SHOWN).map((file) => `${Math.ceil(file.largest[name])} (${file.name})`);
  console.log(`${name.padEnd(18)} ${shown.join(", ")}`);
}
console.log(
  `${found.length} files, ${(sum.bytes / 1e6).toFixed(1)} MB, measured in ${Math.round(sum.milliseconds)} ms`,
);
