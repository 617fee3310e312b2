/**
 * `npm run engine -- <version>`: tries another published version of MuPDF in a copy of this checkout, and prints the mismatches. First the edits of its
 * binary and its JavaScript, then the offsets and messages that src/engines/pdf/mupdf/ relies on, then `npm test`. `--quick`: without the last.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyTree } from "./copy-tree.ts";
import { root } from "./root.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: "boolean" } } });
const [version] = positionals;
if (version === undefined || !/^[\w.-]+$/.test(version)) {
  console.error("Usage: npm run engine -- <version> [--quick]\n\nnpm view mupdf versions lists the versions.");
  process.exit(2);
}

const copy = await mkdtemp(join(tmpdir(), "engine-"));
/** Lines to change in this checkout for the version. */
const changes: string[] = [];

/** Runs a program in the copy. Prints and returns its output. */
async function run(
  command: string,
  args: readonly string[],
): Promise<{ readonly ok: boolean; readonly output: string }> {
  const child = spawn(command, [...args], { cwd: copy, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += String(chunk);
      process.stdout.write(chunk);
    });
  }
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return { ok: code === 0, output };
}

/** Changes text that is once in a file of the copy. */
async function change(file: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(join(copy, file), "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not have ${String(from)} once`);
  await writeFile(join(copy, file), text.replace(from, to));
  changes.push(`${file}: ${to}`);
}

/** The packages, with MuPDF's in the other version. */
async function putPackages(): Promise<void> {
  const packages = join(copy, "node_modules");
  await mkdir(join(packages, "mupdf"), { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== "mupdf") await symlink(join(root, "node_modules", name), join(packages, name));
  }
  const archive = execFileSync("npm", ["pack", `mupdf@${version}`, "--silent"], { cwd: copy, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", archive, "--strip-components=1", "-C", join(packages, "mupdf")], { cwd: copy });
}

/** The sha256 in wasm/prepare.ts, which follows the name of the binary. */
async function putHash(): Promise<void> {
  const binary = await readFile(join(copy, "node_modules/mupdf/dist/mupdf-wasm.wasm"));
  const hash = createHash("sha256").update(binary).digest("hex");
  await change("wasm/prepare.ts", /(?<="mupdf\.wasm", ")[0-9a-f]{64}/, hash);
}

const inNode = ["node_modules/vitest/vitest.mjs", "run", "--project", "node", "test/wasm"];
async function tryVersion(): Promise<string | undefined> {
  await copyTree(copy);
  await putPackages();
  await putHash();
  if (!(await run(process.execPath, ["wasm/prepare.ts"])).ok) return "wasm/prepare.ts does not fit";
  let offsets = await run(process.execPath, inNode);
  const end = /\(SBRK_END\) elsewhere than .*: found (\d+)/.exec(offsets.output)?.[1];
  if (end !== undefined) {
    // It is behind the static data, whose size differs in each version.
    await change("src/engines/pdf/mupdf/abi.ts", /(?<=SBRK_END = )[\d_]+/, end);
    offsets = await run(process.execPath, inNode);
  }
  if (!offsets.ok) return "offsets or messages in src/engines/pdf/mupdf/ do not fit";
  if (values.quick === true) return undefined;
  return (await run(process.execPath, ["node_modules/vitest/vitest.mjs", "run"])).ok ? undefined : "tests fail";
}

try {
  const problem = await tryVersion();
  console.log(`\nmupdf ${version}: ${problem ?? "fits"}`);
  if (changes.length > 0) console.log(`Changed for it:\n${changes.map((line) => `  ${line}`).join("\n")}`);
  if (problem !== undefined) process.exitCode = 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}
