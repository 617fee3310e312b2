/**
 * A thread of corpus.ts: sends its files through every operation one by one, and reports its findings. Comparing takes more time than the server's
 * work, so there are several.
 */
import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { checkResponse, readInput, survivalCases, type Case, type Input } from "../test/harness/compare/cases.ts";
import { patiently, post, type Service } from "../test/harness/requests/client.ts";
import { document } from "../test/harness/fixtures/fixtures.ts";
import { lookAt } from "../test/harness/compare/looks.ts";

/** Exceptions in looking at the pages of a file. */
export interface LookExpectation {
  /** What must hold of the file, for people who read that it does not. */
  readonly must?: string;
  /** The password of the file, if no MANIFEST.json has it. */
  readonly password?: string;
  /** Words that the response of extract-text must hold. */
  readonly words?: readonly string[];
  /** Names of the only cases that are sent, for a file that takes long to compare. */
  readonly cases?: readonly string[];
  /** Names of the only cases whose pages are drawn, for a file that takes long to draw. */
  readonly looks?: readonly string[];
  /**
   * Known defects: names of cases, separated by spaces, to a part of the message, and the reason why it passes. Each has to be found in each of the cases.
   */
  readonly known?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Result {
  readonly file: string;
  readonly name: string;
  readonly status: string;
  readonly problems: readonly string[];
  /** Words that pages of the output have not, or have in addition; undefined where they were not drawn. */
  readonly lost?: number;
  readonly won?: number;
  readonly requestId?: string;
}

/** A file of a folder. */
export interface CorpusFile {
  readonly path: string;
  /** Its path within the folder, by which it is expected. */
  readonly file: string;
  readonly password: string | undefined;
  readonly look: LookExpectation | undefined;
}

/** What a thread is started with. */
export interface ThreadData {
  readonly service: Pick<Service, "baseUrl" | "key">;
  /** A part of the names of the cases that are sent. */
  readonly cases: string;
  /** Whether every case is sent and its pages drawn, not only the first case of each operation. */
  readonly thorough: boolean;
}

/** Milliseconds after which a call counts as lost, however busy the machine is. */
const CALL_TIMEOUT = 240_000;

async function runFile(
  service: ThreadData["service"],
  file: string,
  input: Input,
  companion: Input,
  { cases, thorough, look }: Pick<ThreadData, "cases" | "thorough"> & { look: LookExpectation | undefined },
): Promise<Result[]> {
  const results: Result[] = [];
  const all = survivalCases(input, companion);
  const isFirstOf = (one: Case): boolean => all.find(({ operation }) => operation === one.operation) === one;
  const sendsAll = thorough || cases !== "";
  const isSent = (one: Case): boolean =>
    one.name.includes(cases) && look?.cases?.includes(one.name) !== false && (sendsAll || isFirstOf(one));
  for (const one of all.filter(isSent)) {
    const isFirst = isFirstOf(one);
    const isNamed = look?.looks?.includes(one.name) ?? (isFirst || thorough);
    const looks = !isNamed ? "none" : isFirst ? "thorough" : "quick";
    results.push({ file, name: one.name, ...(await runCase(service, one, looks, look?.words)) });
  }
  return results;
}

async function runCase(
  service: ThreadData["service"],
  one: Case,
  looks: "none" | "quick" | "thorough",
  words: readonly string[] = [],
): Promise<Omit<Result, "file" | "name">> {
  try {
    // Several files are under way, and all may be large.
    const response = await patiently(() => post(service, one.operation, one.parts, CALL_TIMEOUT));
    const requestId = response.headers.get("X-Request-Id") ?? "";
    if (response.status !== 200) {
      return { status: `${response.status} ${response.code ?? "without a code"}`, problems: [], requestId };
    }
    // pdf.js, PDFium and qpdf may choke on an output: that is a fault of the output.
    const unreadable = (error: unknown): string[] => [`the response cannot be read: ${String(error)}`];
    const problems = await checkResponse(response, one).catch(unreadable);
    if (one.operation === "extract-text") problems.push(...missingWords(response.body, words));
    if (looks === "none") return { status: "200", problems, requestId };
    const look = await lookAt(response, one, looks === "thorough").catch((error: unknown) => ({
      problems: unreadable(error),
      lost: 0,
      won: 0,
    }));
    return { status: "200", requestId, ...look, problems: [...problems, ...look.problems] };
  } catch (error) {
    return { status: "no response", problems: [String(error)] };
  }
}

function missingWords(body: Uint8Array, words: readonly string[]): string[] {
  const { text } = JSON.parse(new TextDecoder().decode(body)) as { text: string };
  return words.filter((word) => !text.includes(word)).map((word) => `"${word}" is not in the text`);
}

const { service, cases, thorough } = workerData as ThreadData;
const companion = await readInput(
  document({ name: "companion", pages: 2, features: ["outline", "form", "tagged"] }),
  "companion.pdf",
);

async function response({ path, file, password, look }: CorpusFile): Promise<void> {
  const input = await readInput(new Uint8Array(await readFile(path)), "document.pdf", password);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(await runFile(service, file, input, companion, { cases, thorough, look }));
}

// A rejection ends the thread, and with it the run.
parentPort?.on("message", (file: CorpusFile) => void response(file));
