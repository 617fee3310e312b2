/** What the commands for files, jobs, and the account do. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { PdfServiceError } from "../errors.ts";
import { exitCodes, type ExitCode, Failure, usageFailure } from "./failure.ts";
import type { Inputs } from "./input-files.ts";
import type { Progress } from "./progress.ts";
import type { CommandService } from "./service.ts";
import { writeStandardOutput } from "./output-files.ts";
import { filesTable, jobsTable, usageTable } from "./account-tables.ts";
import { removeConfig, type Settings, writeConfig } from "./settings.ts";
import type { Finished } from "./service.ts";

export interface AccountRequest {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  readonly inputs: Inputs;
  readonly progress: Progress;
  readonly settings: Settings;
  readonly service: (settings?: Settings) => CommandService;
  readonly write: (finished: Finished) => Promise<ExitCode | 0>;
}

export async function printJson(value: unknown): Promise<void> {
  await writeStandardOutput([new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`)]);
}

/** Prints a table for people, or, with `--json`, the response for programs. */
async function print<T>({ options }: AccountRequest, value: T, table: (value: T) => string): Promise<void> {
  if (options.get("json") === "true") await printJson(value);
  else await writeStandardOutput([new TextEncoder().encode(table(value))]);
}

export async function runAccountCommand(name: string, request: AccountRequest): Promise<ExitCode | 0> {
  const { words, service } = request;
  switch (name) {
    case "files":
      return files(request);
    case "jobs":
      return jobs(request);
    case "usage":
      none(words);
      await print(request, await service().getUsage(), usageTable);
      return 0;
    case "login":
      none(words);
      return login(request);
    default: {
      none(words);
      const path = await removeConfig();
      process.stderr.write(`Removed ${path}.\n`);
      return 0;
    }
  }
}

async function files(request: AccountRequest): Promise<ExitCode | 0> {
  const { words, options, inputs, service } = request;
  const [verb = "list", ...rest] = words;
  switch (verb) {
    case "list":
      none(rest);
      await print(request, await service().listFiles(pageOf(options)), filesTable);
      return 0;
    case "upload": {
      const own = service();
      for (const file of await inputs.files(some(rest, "the paths of files"))) {
        const expiresIn = options.get("expires-in");
        await printJson(await own.upload(file, expiresIn === undefined ? undefined : Number(expiresIn)));
      }
      return 0;
    }
    case "get":
    case "delete":
      for (const id of some(rest, "the IDs of files")) {
        await printJson(await (verb === "get" ? service().getFile(id) : service().deleteFile(id)));
      }
      return 0;
    case "download": {
      let worst: ExitCode | 0 = 0;
      for (const id of some(rest, "the IDs of files")) {
        const result = await service().getFileContent(id);
        const outcome = await request.write({ result, cleanUp: async () => {} });
        worst ||= outcome;
      }
      return worst;
    }
    default:
      throw usageFailure("files needs one of upload, list, get, download, and delete.");
  }
}

async function jobs(request: AccountRequest): Promise<ExitCode | 0> {
  const { words, options, service, write } = request;
  const [verb = "list", ...rest] = words;
  const status = options.get("status") as "queued" | undefined;
  switch (verb) {
    case "list":
      none(rest);
      await print(request, await service().listJobs({ ...pageOf(options), status }), jobsTable);
      return 0;
    case "get":
      for (const id of some(rest, "the IDs of jobs")) await printJson(await service().getJob(id));
      return 0;
    case "cancel":
      for (const id of some(rest, "the IDs of jobs")) await printJson(await service().cancelJob(id));
      return 0;
    case "delete":
      for (const id of some(rest, "the IDs of jobs")) await printJson(await service().deleteJob(id));
      return 0;
    case "wait": {
      let worst: ExitCode | 0 = 0;
      for (const id of some(rest, "the IDs of jobs")) {
        const own = service();
        const outcome = await write(await own.finish(await own.openJob(id), false));
        worst ||= outcome;
      }
      return worst;
    }
    default:
      throw usageFailure("jobs needs one of list, get, wait, cancel, and delete.");
  }
}

function pageOf(options: ReadonlyMap<string, string>): { limit?: number; cursor?: string } {
  const [limit, cursor] = [options.get("limit"), options.get("cursor")];
  return { ...(limit !== undefined && { limit: Number(limit) }), ...(cursor !== undefined && { cursor }) };
}

function some(words: readonly string[], what: string): readonly string[] {
  if (words.length === 0) throw usageFailure(`Name ${what}.`);
  return words;
}

function none([word]: readonly string[]): void {
  if (word !== undefined) throw usageFailure(`Unexpected argument: ${word}.`);
}

/** Stores a key, once the service has recognized it. */
async function login({ settings: { url }, service }: AccountRequest): Promise<0> {
  const apiKey = (await readKey()).trim();
  if (apiKey === "") throw usageFailure("There is no key. Type it, or send it to standard input.");
  try {
    await service({ apiKey, url }).getUsage();
  } catch (error) {
    // A key that may do other things is a key.
    if (!(error instanceof PdfServiceError && error.code === "forbidden")) throw error;
  }
  const path = await writeConfig({ apiKey, url });
  process.stderr.write(`Stored the key for ${url} in ${path}.\n`);
  return 0;
}

/** Reads a line without showing the input. */
async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) {
    let text = "";
    for await (const chunk of process.stdin) text += String(chunk);
    return text;
  }
  process.stderr.write("API key: ");
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true });
  try {
    return await new Promise<string>((done, fail) => {
      lines.once("line", done);
      lines.once("SIGINT", () => fail(new Failure(exitCodes.interrupted, "Interrupted.")));
      lines.once("close", () => done(""));
    });
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
