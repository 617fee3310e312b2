/**
 * `npm start`: everything that the service needs on this machine, then `wrangler dev`. Of its output, only what the service logs
 * and errors are passed on.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { styleText } from "node:util";
import { ensureDevelopmentAccount, developmentAccountFile, type EnsuredAccount } from "./development-account.ts";
import { putEnginesInPlace } from "./engines-in-place.ts";
import { defaultPersistTo, withLocalDatabases } from "./local-database.ts";
import { root } from "./root.ts";
import { LOCAL_SECRET } from "../src/serve/local-secret.ts";
import { lineForPeople, logLineIn } from "./log-lines.ts";
import { isRunning, processesBelow } from "../src/serve/processes.ts";
import { lockState } from "../src/serve/state-lock.ts";

const DEFAULT_PORT = "8787";
const MINUTE = 60_000;
/** How long wrangler may take to end after a signal, in ms. */
const GRACE = 5_000;
/** Lines of wrangler's output that are shown if it ends before the service is ready. */
const LAST_WORDS = 40;

const usage = `Usage: npm start -- [options]

  --port <port>          the port to listen on (default: ${DEFAULT_PORT}; 0: any free port)
  --log pretty|json      what is printed: a line of text for each request and the links (the default in a terminal), or everything
                         that the service logs, as JSON (the default elsewhere)
  --persist-to <folder>  where accounts, files, and jobs are kept (default: ${relative(root, defaultPersistTo)})
  --var <name>:<value>   a variable, such as MEMORY_BUDGET_MIB:256; see docs/operating.md
  --help                 show this text

All other options are those of wrangler dev: npx wrangler dev --help`;

const logs = ["pretty", "json"] as const;
type Log = (typeof logs)[number];

// For wrangler here and in the child: no statistics, no reports, no look-up of this machine's place on the network.
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // As deployed: a response given before the body was read is sent at once, however much is still to come.
  WRANGLER_DISABLE_REQUEST_BODY_DRAINING: "true",
});

/** The value of `--name value` or `--name=value`, the last one given. */
function option(args: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  args.forEach((arg, index) => {
    if (arg === `--${name}`) value = args[index + 1];
    else if (arg.startsWith(`--${name}=`)) value = arg.slice(name.length + 3);
  });
  return value;
}

/** The arguments with another port: the one that was found, if any free one was asked for. */
const withPort = (args: readonly string[], port: string): string[] => [
  ...args.filter((arg, at) => !/^--port(?:=|$)/.test(arg) && args[at - 1] !== "--port"),
  "--port",
  port,
];

function wranglerArguments(given: readonly string[], persistTo: string): string[] {
  const args = ["dev", ...given, "--show-interactive-dev-session=false"];
  if (option(given, "persist-to") === undefined) args.push("--persist-to", persistTo);
  const port = option(given, "port") ?? DEFAULT_PORT;
  // Given explicitly, so that a port in use is an error instead of another port.
  if (option(given, "port") === undefined) args.push("--port", port);
  const isGiven = (name: string): boolean => given.some((arg) => arg.replace(/^--var=/, "").startsWith(`${name}:`));
  // Port 0 is any free one, which is not known yet.
  if (!isGiven("BASE_URL") && port !== DEFAULT_PORT && port !== "0") {
    args.push("--var", `BASE_URL:http://localhost:${port}`);
  }
  if (!isGiven("SERVER_SECRET")) args.push("--var", `SERVER_SECRET:${LOCAL_SECRET}`);
  return args;
}

/** The options that are not wrangler's are taken out. Ends the process where there is nothing to start. */
function readArguments(args: readonly string[]): { given: readonly string[]; log: Log } {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    process.exit(0);
  }
  const asked = option(args, "log") ?? (process.stdout.isTTY ? "pretty" : "json");
  const log = logs.find((one) => one === asked);
  if (log === undefined) fail(`--log must be ${logs.join(" or ")}.\n\n${usage}`, 2);
  const at = args.indexOf("--log");
  const given = args.filter(
    (arg, index) => !arg.startsWith("--log=") && (at < 0 || (index !== at && index !== at + 1)),
  );
  return { given, log };
}

function fail(message: string, code = 1): never {
  console.error(message);
  process.exit(code);
}

/** wrangler notices a port in use too, but only after it has bundled everything. */
async function refusePortInUse(port: string): Promise<void> {
  const probe = createServer();
  probe.listen(Number(port), "localhost");
  try {
    await once(probe, "listening");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    fail(`Port ${port} is in use. Choose another one: npm start -- --port ${Number(port) + 1}`);
  }
  probe.close();
  await once(probe, "close");
}

/** The playground's link brings the test key along: a fragment is not sent, and the page takes it out of the address bar. */
function announce(url: string, { account, reason }: EnsuredAccount, log: Log): void {
  const file = relative(root, developmentAccountFile(persistTo));
  const playground = `${url}/#key=${account.testKey}`;
  if (log === "json") {
    console.log(JSON.stringify({ level: "info", message: "ready", url, playground, accountFile: file, reason }));
    return;
  }
  const words = {
    "first start": `A new account was created. Its keys are in ${file}.`,
    "no file": `${file} is missing, so a new account was created. The old one still exists: npm run account -- list`,
    "unknown keys": `The keys in ${file} are not valid in this database, so a new account was created.`,
  };
  console.log(`
${reason === undefined ? "" : `  ${words[reason]}\n\n`}  API key      ${account.liveKey}
  Reference    ${url}/docs
  Playground   ${styleText(["bold", "underline"], playground)}
`);
}

/** Calls the scheduled handler at each full minute, as Cloudflare does; wrangler does not do it by itself. */
function callScheduled(url: string): void {
  const next = () => setTimeout(call, MINUTE - (Date.now() % MINUTE)).unref();
  const call = async () => {
    try {
      const response = await fetch(`${url}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`, {
        signal: AbortSignal.timeout(MINUTE),
      });
      if (!response.ok) console.error(`The scheduled handler failed: ${response.status} ${await response.text()}`);
    } catch (error) {
      console.error("Calling the scheduled handler failed:", error);
    }
    next();
  };
  next();
}

/** npm passes a signal to its shell, and the shell ends without passing it on: the only sign of it is a new parent. */
function whenOrphaned(act: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, 250).unref();
}

/** The process that listens on the port of a URL. wrangler starts it again if it ends, but then it never responds. */
async function listenerOf(wrangler: number, url: string): Promise<number | undefined> {
  const { port } = new URL(url);
  const address = new RegExp(`/workerd serve .*--socket-addr=entry=\\S+:${port}(?: |$)`);
  return (await processesBelow(wrangler)).find(({ command }) => address.test(command))?.pid;
}

/** Calls `act` once a process has ended. */
function whenEnded(pid: number, act: () => void): NodeJS.Timeout {
  const watch = setInterval(() => {
    if (isRunning(pid)) return;
    clearInterval(watch);
    act();
  }, 500).unref();
  return watch;
}

/** Runs wrangler until it ends or this process does, and starts it again if the process that listens dies. */
function runWrangler(args: readonly string[], account: EnsuredAccount, log: Log): void {
  let wrangler: ChildProcess;
  let url: string | undefined;
  let isEnding = false;
  let mustRestart = false;
  const lastWords: string[] = [];

  const ready = async (given: string): Promise<void> => {
    if (url === undefined) {
      announce(given, account, log);
      callScheduled(given);
    } else tell("info", "The service is ready again.");
    url = given;
    const started = wrangler;
    const listener = await listenerOf(started.pid ?? 0, given);
    if (listener === undefined) return;
    const watch = whenEnded(listener, () => {
      tell("error", "The process that listens has died. Starting it again ...");
      mustRestart = true;
      kill("SIGTERM");
    });
    started.once("close", () => clearInterval(watch));
  };
  const tell = (level: "info" | "error", message: string): void =>
    console.log(log === "json" ? JSON.stringify({ level, message }) : message);
  const kill = (signal: "SIGINT" | "SIGTERM"): void => {
    const ended = wrangler;
    ended.kill(signal);
    const timer = setTimeout(() => ended.kill("SIGKILL"), GRACE).unref();
    ended.once("close", () => clearTimeout(timer));
  };
  const start = (): void => {
    const same = url === undefined ? args : withPort(args, new URL(url).port);
    const words = [join(root, "node_modules/wrangler/bin/wrangler.js"), ...same];
    wrangler = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    let isReady = false;
    createInterface({ input: wrangler.stdout ?? Readable.from([]) }).on("line", (line) => {
      const logged = logLineIn(line);
      const shown = logged && (log === "json" ? line : lineForPeople(logged, new Date()));
      if (shown !== undefined) console.log(shown);
      if (logged !== undefined) return;
      lastWords.push(line);
      lastWords.splice(0, lastWords.length - LAST_WORDS);
      const given = /Ready on (https?:\/\/\S+)/.exec(line)?.[1];
      if (given === undefined || isReady) return;
      isReady = true;
      void ready(given);
    });
    wrangler.on("error", (error) => {
      console.error("Starting wrangler failed:", error);
      process.exit(1);
    });
    wrangler.on("close", (code) => {
      if (mustRestart && !isEnding) {
        mustRestart = false;
        start();
        return;
      }
      if (!isReady && code !== 0) console.error(lastWords.join("\n"));
      process.exit(code ?? 1);
    });
  };

  const end = (signal: "SIGINT" | "SIGTERM"): void => {
    isEnding = true;
    kill(signal);
  };
  process.on("SIGINT", () => end("SIGINT"));
  process.on("SIGTERM", () => end("SIGTERM"));
  process.on("SIGHUP", () => end("SIGTERM"));
  process.on("exit", () => wrangler.kill("SIGTERM"));
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => end("SIGTERM"));
  start();
}

/** Ends this process if another server uses the same data. */
function refuseStateInUse(persistTo: string, port: string): void {
  const holder = lockState(persistTo, { pid: process.pid, url: `http://localhost:${port}` });
  if (holder === undefined) return;
  const { pid, url } = holder;
  const who = pid === undefined ? "" : ` (process ${pid}${url === undefined || url.endsWith(":0") ? "" : `, ${url}`})`;
  fail(`Another server${who} uses the data in ${relative(root, persistTo) || persistTo}.
Stop it, or give this one data of its own: npm start -- --persist-to <folder>`);
}

const { given, log } = readArguments(process.argv.slice(2));
const persistOption = option(given, "persist-to");
const persistTo = persistOption === undefined ? defaultPersistTo : resolve(root, persistOption);

const port = option(given, "port") ?? DEFAULT_PORT;
if (port !== "0") await refusePortInUse(port);
refuseStateInUse(persistTo, port);

if (log === "pretty") console.log("Starting the service …");
await putEnginesInPlace();
const account = await withLocalDatabases(persistTo, ([db]) =>
  ensureDevelopmentAccount(db, developmentAccountFile(persistTo), new Date()),
);
runWrangler(wranglerArguments(given, persistTo), account, log);
