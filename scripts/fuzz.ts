/**
 * `npm run measure -- fuzz [folder] [--seed N] [--count N] [--seconds N] [--first N] [--only text]`: sends damaged files through
 * every operation: those of a folder (`$CORPUS_DIR` where none is given; MANIFEST.json in it may name passwords), if there is
 * one, and the project's own. A response must be a 2xx whose document opens, or a documented refusal, and come soon; the next
 * plain request must succeed; and no response may show what another request brought. `--first` is the number of the first
 * call, `--only` takes the operations whose names hold a text. The dearest calls are printed, and kept in test/corpus/dearest-mutants.json if they
 * are among the dearest of all runs on `$CORPUS_DIR`. The longest time that the event loop was blocked is printed, too; it must be below a second.
 * A server is started, unless `$BASE_URL` and `$API_KEY` name one. Exit code 1 when anything failed or blocked; the input is then written to a
 * folder that is named.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { fuzz, isImage, type Source } from "../test/harness/fuzz/fuzz.ts";
import { requireFolder } from "./outside-folders.ts";
import { ownSources } from "../test/harness/fuzz/fuzz-sources.ts";
import { readManifest } from "../test/harness/compare/manifest.ts";
import { withService } from "../test/harness/requests/service.ts";

/** The calls that cost most, over all runs. */
const DEAREST = join(import.meta.dirname, "../test/corpus/dearest-mutants.json");
const MOST_KEPT = 20;

interface KeptCall {
  /** The command that sends it again. */
  readonly again: string;
  readonly operation: string;
  /** Millions of fuel. */
  readonly work: number;
}

/** ms that the event loop may be blocked; on a machine that does nothing else. */
const LONGEST_BLOCK = 1_000;
/** Files of more bytes are left out: a run is many calls. */
const LARGEST = 1024 * 1024;

async function filesOf(folder: string): Promise<Source[]> {
  if (folder === "") return [];
  const passwords = (await readManifest(folder)) ?? new Map<string, string | undefined>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sources: Source[] = [];
  for (const name of entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()) {
    const bytes = new Uint8Array(await readFile(name));
    if (bytes.length > LARGEST || !(isPdf(bytes) || isImage(bytes))) continue;
    const file = relative(folder, name);
    sources.push({ name: file, bytes, password: passwords.get(file) });
  }
  return sources;
}

const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    count: { type: "string" },
    seconds: { type: "string" },
    first: { type: "string", default: "0" },
    only: { type: "string", default: "" },
  },
});
const folder = (positionals[0] ?? process.env["CORPUS_DIR"] ?? "").replace(/\/+$/, "");
if (folder !== "") requireFolder(folder);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const count = Number(values.count ?? (values.seconds === undefined ? 1_000 : Number.MAX_SAFE_INTEGER));
const failures = join(tmpdir(), "pdf-service-fuzz");
const repeat = (call: number): string =>
  [
    "npm run measure -- fuzz",
    folder,
    `--seed ${seed}`,
    values.only && `--only ${values.only}`,
    `--first ${call} --count 1`,
  ]
    .filter((part) => part !== "")
    .join(" ");

const sources = [...(await filesOf(folder)), ...(await ownSources())];
console.log(`seed ${seed}, ${sources.length} files`);
const options = {
  seed,
  first: Number(values.first),
  count,
  milliseconds: values.seconds === undefined ? Number.MAX_SAFE_INTEGER / 2 : Number(values.seconds) * 1000,
  only: values.only,
  folder: failures,
};
const result = await withService((service) =>
  fuzz(service, sources, options, ({ call, operation, faults, folder: kept }) => {
    console.log(`FAIL call ${call}, ${operation}: ${faults.join("; ").slice(0, 1_000)}`);
    console.log(`     what was sent: ${kept}`);
    console.log(`     again: ${repeat(call)}`);
  }),
);
for (const [kind, times] of Object.entries(result.responses).toSorted(([, a], [, b]) => b - a)) {
  console.log(`${String(times).padStart(7)}  ${kind}`);
}
for (const { call, operation, work } of result.dearest) {
  console.log(`${(work / 1e6).toFixed(1).padStart(7)} M of fuel: call ${call}, ${operation}; again: ${repeat(call)}`);
}
if (folder !== "" && folder === process.env["CORPUS_DIR"]) await keepDearest();
console.log(`${Math.round(result.growth / 2 ** 20)} MiB that the server's process grew by`);
console.log(`${Math.round(result.longestBlock)} ms at most until /health responded (limit ${LONGEST_BLOCK})`);
console.log(`${result.calls} calls, ${result.failures.length} failed (seed ${seed})`);
process.exitCode = result.failures.length === 0 && result.longestBlock <= LONGEST_BLOCK ? 0 : 1;

async function keepDearest(): Promise<void> {
  const kept = JSON.parse(await readFile(DEAREST, "utf8")) as KeptCall[];
  const found = result.dearest.map(({ call, operation, work }) => ({
    again: repeat(call).replace(folder, "$CORPUS_DIR"),
    operation,
    work: Math.round(work / 1e6),
  }));
  const byCommand = new Map([...kept, ...found].map((one) => [one.again, one]));
  const dearest = byCommand
    .values()
    .toArray()
    .toSorted((a, b) => b.work - a.work);
  await writeFile(DEAREST, `${JSON.stringify(dearest.slice(0, MOST_KEPT), undefined, 2)}\n`);
}
