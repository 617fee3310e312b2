/**
 * Breaks the service on purpose, one change at a time, and runs the tests that should notice: a mutant that survives is a promise that
 * no test holds. `npm run measure -- mutants` runs all of `mutant-list.ts`, `npm run measure -- mutants rotate ocr` those whose names contain a word,
 * and `--check` only looks whether each can be made.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyTree } from "./copy-tree.ts";
import { root } from "./root.ts";
import { type Mutant, mutants } from "./mutant-list.ts";

/** The source with its mutation. Throws if it is not there exactly once: then the list is out of date. */
async function mutated({ name, file, find, replace }: Mutant): Promise<string> {
  const source = await readFile(join(root, file), "utf8");
  const count = source.split(find).length - 1;
  if (count !== 1) throw new Error(`${name}: found ${count} times in ${file}: ${find}`);
  return source.replace(find, () => replace);
}

/** Throws with all that is wrong with the list. */
async function checkList(): Promise<void> {
  const problems: string[] = [];
  for (const mutant of mutants) {
    await mutated(mutant).catch((error: Error) => problems.push(error.message));
    for (const test of mutant.tests) {
      const isFast = test.endsWith(".test.ts") && !test.endsWith(".slow.test.ts");
      if (!isFast || !existsSync(join(root, test))) problems.push(`${mutant.name}: ${test} is not a test of npm test`);
    }
  }
  const names = mutants.map(({ name }) => name);
  for (const name of names.filter((one, at) => names.indexOf(one) !== at)) problems.push(`${name}: is listed twice`);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

interface Result {
  /** The first test that failed; undefined if all passed. */
  readonly failed: string | undefined;
  readonly seconds: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { status: string; fullName: string }[] }[];
}

/** Runs tests in the copy until one fails. Throws if they did not run, which proves nothing. */
async function runTests(copy: string, tests: readonly string[], bail: number): Promise<Result> {
  const started = Date.now();
  const reportFile = join(copy, "report.json");
  await rm(reportFile, { force: true });
  const args = ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", `--outputFile=${reportFile}`];
  const vitest = spawn(process.execPath, [...args, `--bail=${bail}`, ...tests], {
    cwd: copy,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [vitest.stdout, vitest.stderr]) stream.on("data", (chunk: Buffer) => (printed += String(chunk)));
  const code = await new Promise<number | null>((done) => vitest.on("close", done));
  const text = await readFile(reportFile, "utf8").catch(() => "");
  const report = text === "" ? undefined : (JSON.parse(text) as Report);
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  const failed = results.find(({ status }) => status === "failed")?.fullName;
  const ran = failed !== undefined || (code === 0 && (report?.numPassedTests ?? 0) > 0);
  if (!ran) throw new Error(`the tests did not run:\n${printed.slice(-4000)}`);
  return { failed, seconds: Math.round((Date.now() - started) / 1000) };
}

const words = process.argv.slice(2);
await checkList();
// For `npm run check`: a change of the source may have taken a mutant's place away.
if (words.includes("--check")) process.exit();
const chosen = mutants.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const copy = await mkdtemp(join(tmpdir(), "mutants-"));
let interrupted = false;
// Vitest, which gets the signal too, stops its servers first.
process.on("SIGINT", () => (interrupted = true));
const alive: string[] = [];
try {
  await copyTree(copy);
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  const unchanged = await runTests(copy, [...new Set(chosen.flatMap(({ tests }) => tests))], 0);
  if (unchanged.failed !== undefined) throw new Error(`fails without any mutation: ${unchanged.failed}`);
  console.log(`all tests pass without a mutation (${unchanged.seconds} s)`);
  for (const mutant of chosen) {
    if (interrupted) break;
    const path = join(copy, mutant.file);
    const source = await readFile(path, "utf8");
    await writeFile(path, await mutated(mutant));
    const result = await runTests(copy, mutant.tests, 1).catch((error: Error) => error);
    await writeFile(path, source);
    if (result instanceof Error) console.log(`ERROR    ${mutant.name}: ${result.message}`);
    else if (result.failed === undefined) console.log(`SURVIVED ${mutant.name} (${result.seconds} s)`);
    else console.log(`killed   ${mutant.name} (${result.seconds} s) by: ${result.failed}`);
    if (result instanceof Error || result.failed === undefined) alive.push(mutant.name);
  }
} finally {
  await rm(copy, { recursive: true, force: true });
}
console.log(alive.length === 0 ? "no mutant survived" : `not killed: ${alive.join(", ")}`);
process.exitCode = alive.length === 0 && !interrupted ? 0 : 1;
