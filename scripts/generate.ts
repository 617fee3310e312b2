/**
 * `npm run generate -- [parts]` writes the generated files: the parts of `generated-parts.ts` that are named, or all of them.
 * `npm run generate -- migration <name>` writes the SQL for a change of src/db/schema.ts instead. With `--check`, as in `npm run check`, it writes
 * nothing, and fails if a file differs.
 */
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { generatedParts } from "./generated-parts.ts";
import { root } from "./root.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: "boolean" } } });
const [first, migration] = positionals;

if (first === "migration") {
  if (migration === undefined) throw new Error("Name the migration: npm run generate -- migration what_changes");
  const { status } = spawnSync("drizzle-kit", ["generate", "--name", migration], { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  for (const name of positionals) {
    if (generatedParts[name] === undefined)
      throw new Error(`There is no part ${name}: ${Object.keys(generatedParts).join(", ")}, or migration <name>`);
  }
  for (const [name, part] of Object.entries(generatedParts)) {
    if (values.check ? !part.isChecked : positionals.length > 0 && !positionals.includes(name)) continue;
    const missing = await part.missing?.();
    if (missing !== undefined) {
      console.log(`${name} is left out: it needs ${missing}`);
      continue;
    }
    for (const [path, content] of await part.files()) {
      if (values.check) await compare(name, path, content);
      else {
        await writeFile(path, content);
        console.log(relative(root, path));
      }
    }
  }
}

async function compare(part: string, path: string, content: string | Uint8Array): Promise<void> {
  const known = withoutLanguages(await readFile(path));
  if (known === withoutLanguages(Buffer.from(content))) return;
  console.error(`${relative(root, path)} is not up to date. Run: npm run generate -- ${part}`);
  process.exitCode = 1;
}

/** Which languages `ocr` has depends on the machine: `npm run model` adds some. */
function withoutLanguages(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/(?<=Languages: )[a-z_, ]+/, "");
}
