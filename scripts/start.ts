/**
 * `npm start`: everything that the service needs on this machine, then `wrangler dev`. Arguments go to wrangler.
 */
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { ensureDevelopmentAccount, developmentAccountFile, type DevelopmentAccount } from "./development-account.ts";
import { putEnginesInPlace } from "./engines-in-place.ts";
import { defaultPersistTo, root, withLocalDatabases } from "./local-database.ts";

const DEFAULT_PORT = "8787";
const MINUTE = 60_000;
/** How long wrangler may take to end after a signal, in ms. */
const GRACE = 5_000;

// For wrangler here and in the child: no statistics, no reports, no look-up of this machine's place on the network.
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // As deployed: an answer given before the body was read is sent at once, however much is still to come.
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

function wranglerArguments(given: readonly string[], persistTo: string): string[] {
  const args = ["dev", ...given, "--show-interactive-dev-session=false"];
  if (option(given, "persist-to") === undefined) args.push("--persist-to", persistTo);
  const port = option(given, "port") ?? DEFAULT_PORT;
  // Given explicitly, so that a port in use is an error instead of another port.
  if (option(given, "port") === undefined) args.push("--port", port);
  const baseUrlGiven = given.some((arg) => /^(?:--var=)?BASE_URL:/.test(arg));
  // Port 0 is any free one, which is not known yet.
  if (!baseUrlGiven && port !== DEFAULT_PORT && port !== "0") args.push("--var", `BASE_URL:http://localhost:${port}`);
  return args;
}

/** The playground's link brings the test key along: a fragment is not sent, and the page takes it out of the address bar. */
function announce(url: string, account: DevelopmentAccount): void {
  console.log(`
  PDF service   ${url}
  Playground    ${url}/#key=${account.testKey}
  Account       ${account.account} (plan ${account.plan})
  Live key      ${account.liveKey}
  Test key      ${account.testKey}
`);
}

/** Calls the scheduled handler at each full minute, as Cloudflare does; wrangler does not do it by itself. */
function callScheduled(url: string): void {
  const next = () => setTimeout(call, MINUTE - (Date.now() % MINUTE)).unref();
  const call = async () => {
    try {
      const answer = await fetch(`${url}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`, {
        signal: AbortSignal.timeout(MINUTE),
      });
      if (!answer.ok) console.error(`The scheduled handler failed: ${answer.status} ${await answer.text()}`);
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

function runWrangler(args: readonly string[], account: DevelopmentAccount): void {
  const wrangler = spawn(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let ready = false;
  createInterface({ input: wrangler.stdout }).on("line", (line) => {
    console.log(line);
    const url = /Ready on (https?:\/\/\S+)/.exec(line)?.[1];
    if (url === undefined || ready) return;
    ready = true;
    announce(url, account);
    callScheduled(url);
  });
  const end = (signal: "SIGINT" | "SIGTERM") => {
    wrangler.kill(signal);
    setTimeout(() => wrangler.kill("SIGKILL"), GRACE).unref();
  };
  process.on("SIGINT", () => end("SIGINT"));
  process.on("SIGTERM", () => end("SIGTERM"));
  process.on("SIGHUP", () => end("SIGTERM"));
  process.on("exit", () => wrangler.kill("SIGTERM"));
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => end("SIGTERM"));
  wrangler.on("error", (error) => {
    console.error("Starting wrangler failed:", error);
    process.exit(1);
  });
  wrangler.on("exit", (code) => process.exit(code ?? 1));
}

const given = process.argv.slice(2);
const persistOption = option(given, "persist-to");
const persistTo = persistOption === undefined ? defaultPersistTo : resolve(root, persistOption);

await putEnginesInPlace();
const account = await withLocalDatabases(persistTo, ([db]) =>
  ensureDevelopmentAccount(db, developmentAccountFile(persistTo), new Date()),
);
runWrangler(wranglerArguments(given, persistTo), account);
