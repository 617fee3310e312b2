#!/usr/bin/env node
import { readFileSync, rmSync } from "node:fs";
import { commands } from "../generated-commands.ts";
import type { Job } from "../generated-job.ts";
import type { Result } from "../result.ts";
import { printJson, runAccountCommand } from "./account.ts";
import { accountCommands } from "./account-commands.ts";
import { completions, completionScript } from "./completion.ts";
import { exitCodes, type ExitCode, Failure, usageFailure } from "./failure.ts";
import { accountHelp, commandHelp, generalHelp } from "./help.ts";
import { Inputs } from "./input-files.ts";
import { commandNamed, commonOptions, readSteps, requestsOf, type TypedStep } from "./operation.ts";
import { type Given, kebab, readWords } from "./options.ts";
import { nearest } from "../nearest.ts";
import { Closed, unfinished, writeResult, writeStandardOutput } from "./output-files.ts";
import { Progress } from "./progress.ts";
import { reportOf } from "./report.ts";
import { type AsJob, CommandService, type Finished, type FormRequest } from "./service.ts";
import { readSettings, type Settings } from "./settings.ts";

/** The values of the options, by their names. */
class Options {
  readonly values: ReadonlyMap<string, string>;

  constructor(given: readonly Given[]) {
    const values = new Map<string, string>();
    for (const { option, typed, value } of given) {
      if (!option) continue;
      if (option.values && !option.values.includes(value)) {
        throw usageFailure(`${typed} is one of ${option.values.join(", ")}, not "${value}".`);
      }
      values.set(option.name, value);
    }
    this.values = values;
  }

  has(flag: string): boolean {
    return this.values.get(flag) === "true";
  }

  get(name: string): string | undefined {
    return this.values.get(name);
  }

  seconds(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!/^\d+$/.test(value)) throw usageFailure(`--${name} is a number of seconds, not "${value}".`);
    return Number(value);
  }
}

type Outcome = ExitCode | 0;

/** One run of the program. */
class Run {
  readonly #ended = new AbortController();
  readonly #inputs = new Inputs();
  #options = new Options([]);
  #progress = new Progress(true);
  #settings: Settings = { apiKey: undefined, url: "" };
  #steps: readonly TypedStep[] = [];
  #request: FormRequest | undefined;
  #isInterrupted: Outcome = 0;

  async main(words: readonly string[]): Promise<Outcome> {
    for (const [signal, exitCode] of [
      ["SIGINT", exitCodes.interrupted],
      ["SIGTERM", exitCodes.terminated],
    ] as const) {
      process.on(signal, () => this.#end(exitCode));
    }
    // Standard output is written with care; standard error may be closed.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
    try {
      return await this.#command(words);
    } catch (error) {
      this.#progress.clear();
      if (this.#isInterrupted) return this.#isInterrupted;
      if (error instanceof Closed) return exitCodes.closed;
      return this.#report(error);
    }
  }

  /** Cancels the current work. The second time, exits at once. */
  #end(exitCode: ExitCode): void {
    if (this.#isInterrupted) {
      for (const path of unfinished) rmSync(path, { force: true });
      process.exit(exitCode);
    }
    this.#isInterrupted = exitCode;
    this.#ended.abort(new Failure(exitCode, "Interrupted."));
  }

  #report(error: unknown): ExitCode {
    const files = this.#request?.typed ?? new Map();
    const { exitCode, lines, json } = reportOf(error, { steps: this.#steps, files, url: this.#settings.url });
    if (this.#options.has("json")) process.stderr.write(`${JSON.stringify({ error: json })}\n`);
    else process.stderr.write(`pdf-service: ${lines.join("\n  ")}\n`);
    return exitCode;
  }

  async #command([name, ...words]: readonly string[]): Promise<Outcome> {
    if (name === "__complete") return this.#print(completions(words));
    if (name === "--version" || name === "-V") return this.#print(`${versionOfPackage()}\n`);
    if (name === undefined) {
      process.stderr.write(generalHelp());
      return exitCodes.usage;
    }
    if (name === "help" || name === "--help" || name === "-h") {
      const [about] = words;
      return about === undefined || about.startsWith("-")
        ? this.#print(generalHelp())
        : this.#command([about, "--help"]);
    }
    if (name.startsWith("-")) throw usageFailure("The first word is a command. See `pdf-service --help`.");
    const account = accountCommands.find((command) => command.name === name);
    if (account) {
      const given = readWords(words, [...account.options, ...commonOptions], name);
      // What changes the config file does not depend on it.
      await this.#begin(given, { readsConfig: !["login", "logout", "completion"].includes(name) });
      if (this.#options.has("help")) return this.#print(accountHelp(account));
      const rest = given.filter(({ option }) => !option).map(({ value }) => value);
      if (name === "completion") return this.#print(completionScript(rest[0]));
      return this.#account(name, rest);
    }
    if (!commands.some((command) => command.name === name)) throw unknownCommand(name);
    if (words.some((word) => word === "--help" || word === "-h")) return this.#print(commandHelp(commandNamed(name)));
    const { steps, given } = readSteps(commandNamed(name), words);
    this.#steps = steps;
    await this.#begin(given, { readsConfig: true });
    return this.#operations(await requestsOf(steps, this.#inputs));
  }

  async #begin(given: readonly Given[], { readsConfig }: { readonly readsConfig: boolean }): Promise<void> {
    this.#options = new Options(given);
    if (this.#options.has("help")) return;
    this.#settings = await readSettings(this.#options.get("url"), readsConfig);
    this.#progress = new Progress(this.#options.has("quiet"));
  }

  #service(settings = this.#settings): CommandService {
    return new CommandService(settings, { signal: this.#ended.signal, progress: this.#progress });
  }

  async #account(name: string, words: readonly string[]): Promise<Outcome> {
    return runAccountCommand(name, {
      words,
      options: this.#options.values,
      inputs: this.#inputs,
      progress: this.#progress,
      settings: this.#settings,
      service: (settings) => this.#service(settings),
      write: (finished) => this.#write(finished, words.length > 2),
    });
  }

  async #operations(requests: readonly FormRequest[]): Promise<Outcome> {
    const service = this.#service();
    const [expiresIn, onPageError] = [this.#options.seconds("expires-in"), this.#options.get("on-page-error")];
    const deliverTo = this.#options.get("deliver-to");
    const isJob =
      this.#options.has("job") || [expiresIn, deliverTo, onPageError].some((option) => option !== undefined);
    const asJob: AsJob = isJob
      ? {
          ...(expiresIn !== undefined && { expiresIn }),
          ...(deliverTo !== undefined && { deliverTo }),
          ...(onPageError !== undefined && { onPageError: onPageError === "fail" ? "fail" : "continue" }),
        }
      : undefined;
    const several = requests.length > 1;
    let worst: Outcome = 0;
    for (const request of requests) {
      this.#request = request;
      try {
        const outcome = await this.#operation(service, request, { asJob, several });
        worst ||= outcome;
      } catch (error) {
        if (!several || error instanceof Closed || this.#isInterrupted) throw error;
        // The other files do not depend on this one.
        this.#progress.clear();
        const outcome = this.#report(error);
        worst ||= outcome;
      }
    }
    return worst;
  }

  async #operation(
    service: CommandService,
    request: FormRequest,
    { asJob, several }: { readonly asJob: AsJob; readonly several: boolean },
  ): Promise<Outcome> {
    if (!this.#options.has("detach")) return this.#write(await service.run(request, asJob), several);
    const job = await service.start(request, asJob ?? {});
    this.#progress.clear();
    if (this.#options.has("json")) await printJson(job.state);
    else await this.#print(`${job.id}\n`);
    return 0;
  }

  /** Writes a result, and then deletes it from the service. */
  async #write({ result, job, cleanUp }: Finished, several: boolean): Promise<Outcome> {
    const out = this.#options.get("out") ?? (this.#inputs.readsStandardInput || !isBinary(result) ? "-" : undefined);
    const isStandardOutput = out === "-";
    if (isStandardOutput && several && isBinary(result))
      throw usageFailure("Several results need a folder: -o FOLDER/");
    if (isStandardOutput && process.stdout.isTTY && isBinary(result)) {
      throw usageFailure("The result is not text. Send it to a file with -o FILE, or into a pipe.");
    }
    this.#progress.say("Writing the result");
    const force = this.#options.has("force");
    const target = { out, force, several, inputs: this.#inputs.paths };
    const bytes = "data" in result ? [jsonBytes(result.data)] : until(result.stream(), this.#ended.signal);
    const path = await writeResult(bytes, "fileName" in result ? result.fileName : "result.json", target);
    this.#progress.clear();
    await cleanUp();
    await this.#describe(result, path, job);
    if ("data" in result && isNonconforming(result.data)) return exitCodes.nonconforming;
    return job?.status === "partial" ? exitCodes.partial : 0;
  }

  async #describe(result: Result, path: string | undefined, job: Job | undefined): Promise<void> {
    const isJson = this.#options.has("json");
    if (!this.#options.has("quiet") && !isJson) {
      for (const warning of warningsOf(result, job)) process.stderr.write(`pdf-service: ${warning}\n`);
    }
    if (isJson && !(path === undefined && "data" in result)) {
      const { headers: _, ...facts } = result;
      const described = { file: path ?? null, ...facts, ...(job && { job }) };
      // Where the result itself is on standard output, nothing else is.
      if (path === undefined) process.stderr.write(`${JSON.stringify(described)}\n`);
      else await printJson(described);
    } else if (path !== undefined && this.#options.get("out") !== path) {
      await this.#print(`${path}\n`);
    }
  }

  async #print(text: string): Promise<0> {
    await writeStandardOutput([new TextEncoder().encode(text)]);
    return 0;
  }
}

/** Whether a value is the report of `validate` on a document that was not proved to conform. */
const isNonconforming = (data: unknown): boolean =>
  typeof data === "object" && data !== null && "conforms" in data && data.conforms !== true;

function versionOfPackage(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

const jsonBytes = (data: unknown): Uint8Array => new TextEncoder().encode(`${JSON.stringify(data, undefined, 2)}\n`);

const isBinary = (result: Result): boolean => !("data" in result) && !result.contentType.startsWith("text/");

/** The chunks of a stream, until the signal. */
async function* until(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield read.value;
      signal.throwIfAborted();
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", stop);
    await reader.cancel().catch(() => {});
  }
}

/** What the result does not show. */
function warningsOf(result: Result, job: Job | undefined): string[] {
  const { inputRepaired, signatureInvalidated, attachmentsDropped = 0, unknownFields, ignoredParameters } = result;
  const ignored = ignoredParameters.map((name) => {
    const [field = "", step] = name.split(".").reverse();
    return `--${kebab(field)}${step === undefined ? "" : ` (step ${step})`}`;
  });
  return [
    ...(inputRepaired ? ["The input was damaged and has been repaired."] : []),
    ...(signatureInvalidated ? ["A digital signature of the input is no longer valid in the result."] : []),
    ...(attachmentsDropped > 0 ? [`Attachments that are not in the result: ${attachmentsDropped}.`] : []),
    ...(unknownFields.length > 0 ? [`The form has no fields with these names: ${unknownFields.join(", ")}.`] : []),
    ...(ignored.length > 0 ? [`Without an effect here: ${ignored.join(", ")}.`] : []),
    ...(job?.pageErrors ?? []).map(({ page, message }) => `Page ${page} failed: ${message}`),
  ];
}

function unknownCommand(name: string): Failure {
  const names = [...commands, ...accountCommands].map((command) => command.name);
  const near = nearest(name, names);
  return usageFailure(
    `There is no command ${name}.${near === undefined ? " See: pdf-service --help" : ` Did you mean ${near}?`}`,
  );
}

// Node's warnings about its own interfaces are nothing that a user of this program can act on.
process.removeAllListeners("warning");
process.exitCode = await new Run().main(process.argv.slice(2));
// A connection that is kept open for another request would hold the program.
process.exit();
