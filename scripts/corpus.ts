/**
 * `npm run corpus -- [folder] [--update] [--only text] [--case text]`: sends every file of a folder of real documents
 * through every operation, compares outputs and sources with other engines, and the status of each call with
 * test/corpus/expectations.json. `--only` takes the files, `--case` the calls whose names hold a text. The folder is
 * `$CORPUS_DIR` where none is given; MANIFEST.json in it may name passwords. A server is started, unless `$BASE_URL` and
 * `$API_KEY` name one. Exit code 1 when anything differs.
 */
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { checkAnswer, readInput, survivalCases, type Case, type Input } from "../test/harness/cases.ts";
import { patiently, post, type Service } from "../test/harness/client.ts";
import { document } from "../test/harness/fixtures.ts";
import { readPasswords } from "../test/harness/manifest.ts";
import { withService } from "../test/harness/service.ts";

/** Case name to `200` or `<status> <code>`; `*` stands for all cases that are not named. */
type Expectation = Record<string, string>;

interface Result {
  readonly file: string;
  readonly name: string;
  readonly status: string;
  readonly problems: readonly string[];
  readonly requestId?: string;
}

const EXPECTATIONS = join(import.meta.dirname, "../test/corpus/expectations.json");
/** ms for one call. */
const CALL_TIMEOUT = 60_000;
/** The server works on one file while this process compares another. */
const FILES_AT_ONCE = 2;
const PROBLEMS_SHOWN = 4;
const DEAREST_SHOWN = 3;

async function run(
  folder: string,
  options: { update: boolean; only: string | undefined; case: string },
): Promise<number> {
  const passwords = await readPasswords(folder);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile() && entry.name !== "MANIFEST.json")
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => options.only === undefined || file.includes(options.only))
    .toSorted();
  const companion = await readInput(
    document({ name: "companion", pages: 2, features: ["outline", "form", "tagged"] }),
    "companion.pdf",
  );
  const expectations = JSON.parse(await readFile(EXPECTATIONS, "utf8").catch(() => "{}")) as Record<
    string,
    Expectation
  >;

  const results = await withService(async (service) => {
    const done: Result[][] = [];
    const waiting = files.entries();
    const worker = async (): Promise<void> => {
      for (const [index, file] of waiting) {
        const start = performance.now();
        const bytes = new Uint8Array(await readFile(join(folder, file)));
        done[index] = await runFile(
          service,
          file,
          await readInput(bytes, "document.pdf", passwords.get(file)),
          companion,
          options.case,
        );
        print(file, done[index], expectations[file], performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, worker));
    printDearest(done.flat(), service.work);
    return done.flat();
  });

  if (options.update) {
    for (const file of files) {
      const own = results.filter((result) => result.file === file);
      expectations[file] = options.case === "" ? summarise(own) : updated(expectations[file], own);
    }
    const sorted = Object.entries(expectations).toSorted(([a], [b]) => (a < b ? -1 : 1));
    await writeFile(EXPECTATIONS, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
  const failed = results.filter((result) => faults(result, expectations[result.file]).length > 0).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** The files that cost the most work, by operation: the budgets in src/limits.ts have to leave room above them. */
function printDearest(results: readonly Result[], work: Service["work"]): void {
  if (work === undefined) return;
  const operation = ({ name }: Result): string => name.split(" ")[0] ?? name;
  for (const [name, group = []] of Object.entries(Object.groupBy(results, operation))) {
    const costs = group.map((result) => ({ ...result, cost: work.get(result.requestId ?? "") ?? 0 }));
    const dearest = costs.toSorted((a, b) => b.cost - a.cost).slice(0, DEAREST_SHOWN);
    const list = dearest.map(({ file, cost }) => `${file} ${(cost / 1e6).toFixed(1)} M`);
    console.log(`work   ${name}: ${list.join(", ")}`);
  }
}

async function runFile(
  service: Service,
  file: string,
  input: Input,
  companion: Input,
  cases: string,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of survivalCases(input, companion).filter(({ name }) => name.includes(cases)))
    results.push({ file, name: one.name, ...(await runCase(service, one)) });
  return results;
}

async function runCase(service: Service, one: Case): Promise<Omit<Result, "file" | "name">> {
  try {
    // Two files are under way, and both may be large.
    const answer = await patiently(() => post(service, one.operation, one.parts, CALL_TIMEOUT));
    const requestId = answer.headers.get("X-Request-Id") ?? "";
    if (answer.status !== 200) {
      return { status: `${answer.status} ${answer.code ?? "without a code"}`, problems: [], requestId };
    }
    // pdf.js and qpdf may choke on an output: that is a fault of the output.
    const problems = await checkAnswer(answer, one).catch((error: unknown) => [
      `the answer cannot be read: ${String(error)}`,
    ]);
    return { status: "200", problems, requestId };
  } catch (error) {
    return { status: "no answer", problems: [String(error)] };
  }
}

/** What counts as a failure: a wrong output, a status that is not the listed one, and a refusal that is not listed at all. */
function faults({ name, status, problems }: Result, expectation: Expectation | undefined): string[] {
  const expected = expectation?.[name] ?? expectation?.["*"] ?? "200";
  const wrong = status === expected ? [] : [`${expected} expected, got ${status}`];
  // Never a silent way out: neither may be listed.
  const never = status.startsWith("5") || status === "no answer" ? [`${status} is never acceptable`] : [];
  return [...wrong, ...never, ...problems];
}

function print(file: string, results: readonly Result[], expectation: Expectation | undefined, time: number): void {
  const bad = results.filter((result) => faults(result, expectation).length > 0);
  const statuses = Object.entries(Object.groupBy(results, ({ status }) => status));
  const summary = statuses.map(([status, group]) => `${status} x${group?.length ?? 0}`).join(", ");
  console.log(
    `${bad.length === 0 ? "ok  " : "FAIL"} ${file.padEnd(60)} ${(time / 1000).toFixed(1).padStart(5)} s  ${summary}`,
  );
  for (const result of bad) {
    const found = faults(result, expectation);
    for (const fault of found.slice(0, PROBLEMS_SHOWN)) console.log(`       ${result.name}: ${fault}`);
    if (found.length > PROBLEMS_SHOWN) console.log(`       ${result.name}: and ${found.length - PROBLEMS_SHOWN} more`);
  }
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

/** What is expected of some cases, the others left as they are. */
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
  },
});
const folder = (positionals[0] ?? process.env["CORPUS_DIR"] ?? "").replace(/\/+$/, "");
if (folder === "" || !existsSync(folder)) {
  console.log(
    `There is no corpus${folder === "" ? ": name a folder, or set CORPUS_DIR" : ` at ${folder}`}; nothing was run.`,
  );
  console.log("0 passed, 0 failed");
} else {
  process.exitCode = await run(folder, { update: values.update, only: values.only, case: values.case });
}
