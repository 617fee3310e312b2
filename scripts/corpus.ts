/**
 * `npm run corpus -- [folders] [--update] [--only text] [--case text] [--thorough]`: sends every file of folders of real documents through every
 * operation. It compares outputs and sources with other engines, looks at pages that two of them draw, and compares the status of each call with
 * test/corpus/expectations.json. The special rules for looking at a file, known faults among them, are in test/corpus/looks.json. The first case of
 * each operation is sent; with `--thorough` and `--update`, every case. `--only` takes the files, `--case` the calls whose names hold a text. The
 * folder is `$CORPUS_DIR` where none is given; MANIFEST.json in it may list the files, and their passwords. A server is started, unless `$BASE_URL`
 * and `$API_KEY` name one. Exit code 1 when anything differs.
 */
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Service } from "../test/harness/requests/client.ts";
import { readManifest } from "../test/harness/compare/manifest.ts";
import { withService } from "../test/harness/requests/service.ts";
import type { CorpusFile, LookExpectation, Result, ThreadData } from "./corpus-thread.ts";

/** Case name to `200` or `<status> <code>`; `*` stands for all cases that are not named. */
type Expectation = Record<string, string>;

const EXPECTATIONS = join(import.meta.dirname, "../test/corpus/expectations.json");
const LOOKS = join(import.meta.dirname, "../test/corpus/looks.json");
/** One thread for each, which compares for most of its time: with three, two cores were idle for a sixth of theirs. */
const FILES_AT_ONCE = 4;
const PROBLEMS_SHOWN = 4;
const DEAREST_SHOWN = 3;

async function filesOf(
  folder: string,
  looks: Readonly<Record<string, LookExpectation>>,
  only: string | undefined,
): Promise<CorpusFile[]> {
  const manifest = await readManifest(folder);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !["MANIFEST.json", "README.md"].includes(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => manifest?.has(file) !== false && (only === undefined || file.includes(only)))
    .toSorted()
    .map((file) => ({
      path: join(folder, file),
      file,
      password: manifest?.get(file) ?? looks[file]?.password,
      look: looks[file],
    }));
}

async function run(
  folders: readonly string[],
  options: { update: boolean; only: string | undefined; case: string; thorough: boolean },
): Promise<number> {
  const looks = JSON.parse(await readFile(LOOKS, "utf8")) as Record<string, LookExpectation>;
  const files = (await Promise.all(folders.map((folder) => filesOf(folder, looks, options.only)))).flat();
  const expectations = JSON.parse(await readFile(EXPECTATIONS, "utf8").catch(() => "{}")) as Record<
    string,
    Expectation
  >;

  const results = await withService(async (service) => {
    const done: Result[][] = [];
    // The largest first, so that no core is idle in the end.
    const waiting = [...files.entries()]
      .toSorted(([, a], [, b]) => statSync(b.path).size - statSync(a.path).size)
      .values();
    const { baseUrl, key } = service;
    const workerData: ThreadData = {
      service: { baseUrl, key },
      cases: options.case,
      thorough: options.thorough || options.update,
    };
    const runFiles = async (): Promise<void> => {
      const thread = new Worker(new URL("./corpus-thread.ts", import.meta.url), { workerData });
      try {
        for (const [index, file] of waiting) {
          const start = performance.now();
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
          thread.postMessage(file);
          const [own] = (await once(thread, "message")) as [Result[]];
          done[index] = own;
          print(own, expectations[file.file], file.look, performance.now() - start);
        }
      } finally {
        await thread.terminate();
      }
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, runFiles));
    printDearest(done.flat(), service.work);
    return done.flat();
  });

  if (options.update) {
    for (const { file } of files) {
      const own = results.filter((result) => result.file === file);
      expectations[file] = options.case === "" ? summarise(own) : updated(expectations[file], own);
    }
    const sorted = Object.entries(expectations).toSorted(([a], [b]) => (a < b ? -1 : 1));
    await writeFile(EXPECTATIONS, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
  const failed = results.filter(
    (result) => faults(result, expectations[result.file], looks[result.file]).length > 0,
  ).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** The files that come nearest to their budgets of work (src/limits.ts), by operation. */
function printDearest(results: readonly Result[], work: Service["work"]): void {
  if (work === undefined) return;
  const operation = ({ name }: Result): string => name.split(" ")[0] ?? name;
  for (const [name, group = []] of Object.entries(Object.groupBy(results, operation))) {
    const costs = group.map((result) => ({ ...result, cost: work.get(result.requestId ?? "") }));
    const dearest = costs.toSorted((a, b) => (b.cost?.share ?? 0) - (a.cost?.share ?? 0)).slice(0, DEAREST_SHOWN);
    const list = dearest.map(
      ({ file, cost }) =>
        `${file} ${((cost?.fuel ?? 0) / 1e6).toFixed(1)} M, ${((cost?.share ?? 0) * 100).toFixed(1)} %`,
    );
    console.log(`work   ${name}: ${list.join("; ")}`);
  }
}

/**
 * What counts as a failure: a wrong output, a status that is not the listed one, a refusal that is not listed at all, and
 * a known fault that is not found anymore.
 */
function faults(
  { name, status, problems, lost }: Result,
  expectation: Expectation | undefined,
  look: LookExpectation | undefined,
): string[] {
  const expected = expectation?.[name] ?? expectation?.["*"] ?? "200";
  const wrong = status === expected ? [] : [`${expected} expected, got ${status}`];
  // Never a silent way out: neither may be listed.
  const never = status.startsWith("5") || status === "no response" ? [`${status} is never acceptable`] : [];
  const lists = Object.entries(look?.known ?? {}).filter(([names]) => names.split(" ").includes(name));
  const known = lists.flatMap(([, reasons]) => Object.entries(reasons));
  const unknown = problems.filter((problem) => !known.some(([part]) => problem.includes(part)));
  // Without a look, nothing is found.
  const gone = lost === undefined ? [] : known.filter(([part]) => !problems.some((problem) => problem.includes(part)));
  const fixed = gone.map(([part, reason]) => `is listed as known and was not found: "${part}" (${reason})`);
  return [...wrong, ...never, ...unknown, ...fixed];
}

function print(
  results: readonly Result[],
  expectation: Expectation | undefined,
  look: LookExpectation | undefined,
  time: number,
): void {
  const bad = results.filter((result) => faults(result, expectation, look).length > 0);
  const statuses = Object.entries(Object.groupBy(results, ({ status }) => status));
  const summary = statuses.map(([status, group]) => `${status} x${group?.length ?? 0}`);
  const count = (key: "lost" | "won"): number => results.reduce((sum, result) => sum + (result[key] ?? 0), 0);
  if (results.some(({ lost }) => lost !== undefined)) summary.push(`words -${count("lost")} +${count("won")}`);
  const file = results[0]?.file ?? "no calls";
  console.log(
    `${bad.length === 0 ? "ok  " : "FAIL"} ${file.padEnd(60)} ${(time / 1000).toFixed(1).padStart(5)} s  ${summary.join(", ")}`,
  );
  for (const result of bad) {
    const found = faults(result, expectation, look);
    for (const fault of found.slice(0, PROBLEMS_SHOWN)) console.log(`       ${result.name}: ${fault}`);
    if (found.length > PROBLEMS_SHOWN) console.log(`       ${result.name}: and ${found.length - PROBLEMS_SHOWN} more`);
  }
  if (bad.length > 0 && look?.must !== undefined) console.log(`       must hold: ${look.must}`);
}

/** The commonest status as `*`, the others by their names. */
function summarise(results: readonly Result[]): Expectation {
  const counts = Object.entries(Object.groupBy(results, ({ status }) => status)).toSorted(
    ([, a], [, b]) => (b?.length ?? 0) - (a?.length ?? 0),
  );
  const common = counts[0]?.[0] ?? "200";
  const others = results.filter(({ status }) => status !== common).map(({ name, status }) => [name, status] as const);
  return { "*": common, ...Object.fromEntries(others) };
}

/** Updates the expectations of some cases. */
function updated(expectation: Expectation | undefined, results: readonly Result[]): Expectation {
  const { "*": common = "200", ...others } = expectation ?? {};
  for (const { name, status } of results) {
    if (status === common) delete others[name];
    else others[name] = status;
  }
  return { "*": common, ...others };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    update: { type: "boolean", default: false },
    only: { type: "string" },
    case: { type: "string", default: "" },
    thorough: { type: "boolean", default: false },
  },
});
const named = positionals.length > 0 ? positionals : [process.env["CORPUS_DIR"] ?? ""];
const folders = named.map((folder) => folder.replace(/\/+$/, ""));
const missing = folders.find((folder) => folder === "" || !existsSync(folder));
if (missing !== undefined) {
  console.log(
    `There is no corpus${missing === "" ? ": name a folder, or set CORPUS_DIR" : ` at ${missing}`}; nothing was run.`,
  );
  console.log("0 passed, 0 failed");
} else {
  process.exitCode = await run(folders, { ...values, only: values.only });
}
