import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BrowserOptions, KeptBrowser } from "./browser.ts";
import { LOCAL_SECRET } from "./local-secret.ts";
import { PLACES, REFUSED } from "./bundle.ts";
import { killProcess, processesBelow } from "./processes.ts";
import { openDataFolder } from "./data-folder.ts";
import { keptText } from "./kept-text.ts";
import { createFront } from "./front.ts";
import { newWorker, Pool } from "./pool.ts";
import { lockState } from "./state-lock.ts";
import { Supervisor } from "./supervisor.ts";
import { planWorkers, type WorkerPlan } from "./worker-count.ts";
import { readOwnFonts } from "./own-fonts.ts";
import type { OwnFont } from "../engines/fonts.ts";
import { shardOfToken } from "../accounts/token.ts";
import { variableProblem } from "../variables.ts";

const usage = `Usage: npm run serve -- [options]

  --data <folder>  where accounts, files, and jobs are kept (DATA_DIR; required)
  --port <port>    the port to listen on (PORT; default: 8787; 0: any free port)
  --host <host>    the address to listen on (HOST; default: 127.0.0.1; 0.0.0.0: all)
  --browser <path> a Chromium that prints HTML, best a chromium-headless-shell (BROWSER_PROGRAM)
  --single-tenant  one account with one key, without credits and plans (AUTH=single)
  --new-secret     give up what a lost SERVER_SECRET has encrypted
  --help           show this text

Set by environment variables: SERVER_SECRET (32 characters or more; default: one that the first start makes), BASE_URL (the URL of the service for its
clients), API_KEY (with --single-tenant; default: one that the first start makes), and those that docs/self-hosting.md lists.`;

const MINUTE = 60_000;
/** How long requests may take to end after SIGTERM, in ms. Docker waits 10 seconds by default before it kills. */
const GRACE = 9_000;
const LEAST_SECRET = 32;

/** Variables of the worker that the environment may set (docs/operating.md). */
const VARIABLES = [
  "SERVER_SECRET",
  "SERVER_SECRET_PREVIOUS",
  "BASE_URL",
  "AUTH",
  "REQUESTS_PER_MINUTE",
  "MEMORY_BUDGET_MIB",
  "SOURCE_URL",
  "ISSUER_HOSTS",
  "TSA_HOSTS",
  "TSA_URL",
  "WEBHOOK_ALLOW_LOCAL",
  "FETCH_ALLOW_LOCAL",
  "WEBHOOK_RETRY_SECONDS",
  "BROWSER_URL",
  "OFFICE_URL",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_PROTOCOL",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_RESOURCE_ATTRIBUTES",
  "OTEL_BSP_SCHEDULE_DELAY",
  "OTEL_METRIC_EXPORT_INTERVAL",
] as const;

/** The request by which the supervisor and the container look whether the service is there. */
const HEALTHY = /"route":"\/api\/v1\/(?:health|ready)","status":200/;

const say = (level: "info" | "error", message: string, more: Readonly<Record<string, unknown>> = {}): void =>
  console.log(JSON.stringify({ level, message, ...more }));

function fail(message: string, code = 1): never {
  console.error(message);
  process.exit(code);
}

/** The messages of Node, and of the programs that build a bundle, for a full disk. */
const NO_SPACE = /ENOSPC|no space left on device/;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Settings {
  readonly data: string;
  readonly port: number;
  readonly host: string;
  readonly proxies: number;
  readonly workers: WorkerPlan;
  readonly fonts: string | undefined;
  /** Undefined if the service has no browser of its own. */
  readonly browser: Omit<BrowserOptions, "folder" | "say"> | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the data is to be that of another SERVER_SECRET. */
  readonly newSecret: boolean;
}

/** Ends the process where the settings are not valid. */
function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const number = (name: string, text: string, most: number): number =>
    /^\d{1,5}$/.test(text) && Number(text) <= most ? Number(text) : fail(`${name} must be a number up to ${most}.`, 2);
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        data: { type: "string" },
        port: { type: "string" },
        host: { type: "string" },
        browser: { type: "string" },
        "single-tenant": { type: "boolean" },
        "new-secret": { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    if (values.help === true) {
      console.log(usage);
      process.exit(0);
    }
    const data = values.data ?? env["DATA_DIR"];
    if (data === undefined || data === "") fail(`--data is required.\n\n${usage}`, 2);
    const port = number(values.port === undefined ? "PORT" : "--port", (values.port ?? env["PORT"]) || "8787", 65_535);
    const secret = env["SERVER_SECRET"] ?? "";
    if (secret === LOCAL_SECRET || secret.startsWith("local-"))
      fail("SERVER_SECRET is the one for development, which everybody knows. Set another: openssl rand -hex 32", 2);
    if (secret !== "" && secret.length < LEAST_SECRET)
      fail(`SERVER_SECRET must have ${LEAST_SECRET} characters or more. Make one: openssl rand -hex 32`, 2);
    const given: Record<string, string> = Object.fromEntries(
      VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
    );
    if (values["single-tenant"] === true) given["AUTH"] = "single";
    const problem = variableProblem({ BASE_URL: "http://localhost", ...given });
    if (problem !== undefined) fail(problem, 2);
    const key = env["API_KEY"];
    if (key && given["AUTH"] !== "single") fail("API_KEY is only for --single-tenant (AUTH=single).", 2);
    if (key && (shardOfToken(key) !== 0 || !key.startsWith("sk_live_")))
      fail(
        "API_KEY must be sk_live_ and 49 letters and digits, with a checksum. Make one: npm run account -- new-key",
        2,
      );
    const program = (values.browser ?? env["BROWSER_PROGRAM"]) || undefined;
    if (program !== undefined && given["BROWSER_URL"] !== undefined)
      fail("BROWSER_URL is another browser than that of --browser (BROWSER_PROGRAM). Set one of them.", 2);
    const workers = planWorkers(env, availableParallelism());
    const { memoryMiB } = workers;
    return {
      data: resolve(data),
      port,
      // An empty one would be all addresses.
      host: (values.host ?? env["HOST"]) || "127.0.0.1",
      proxies: number("TRUSTED_PROXIES", env["TRUSTED_PROXIES"] || "0", 10),
      workers,
      fonts: env["FONTS_DIR"] ? resolve(env["FONTS_DIR"]) : undefined,
      browser:
        program === undefined
          ? undefined
          : {
              program,
              flags: (env["BROWSER_FLAGS"] ?? "").split(/\s+/).filter((flag) => flag !== ""),
              documents: number("BROWSER_DOCUMENTS", env["BROWSER_DOCUMENTS"] || "1000", 99_999) || 1,
              memoryMiB: number("BROWSER_MEMORY_MIB", env["BROWSER_MEMORY_MIB"] || "1024", 99_999),
            },
      variables: memoryMiB === undefined ? given : { ...given, MEMORY_BUDGET_MIB: String(memoryMiB) },
      newSecret: values["new-secret"] === true,
    };
  } catch (error) {
    return fail(`${reasonOf(error)}\n\n${usage}`, 2);
  }
}

/** `SERVER_SECRET` of a server that is given none: the first start makes one. `forget` removes it again if it was made just now. */
async function secretIn(data: string): Promise<{ readonly secret: string; forget(): Promise<void> }> {
  const file = join(data, "server-secret");
  const { text: secret, isMade } = await keptText(file, () => randomBytes(32).toString("hex")).catch((error: unknown) =>
    fail(`${file} cannot be read or written, and SERVER_SECRET is not set: ${reasonOf(error)}.`),
  );
  if (secret.length < LEAST_SECRET)
    fail(`${file} does not contain a secret. Restore it from a backup of the folder, or set SERVER_SECRET.`);
  if (isMade) say("info", "server secret made: the backups of the folder need it", { file });
  return { secret, forget: async () => void (isMade && (await rm(file, { force: true }))) };
}

/** Opens the data folder and keeps others from it. Returns the server that uses it already, and ends the process if nobody can. */
async function holdFolder(data: string, url: string): Promise<ReturnType<typeof lockState>> {
  try {
    if (!(await openDataFolder(data)))
      say("error", "the data folder belongs to another user: restrict it to the one that runs this", { data });
    const holder = lockState(data, { pid: process.pid, url });
    if (holder === undefined) await rm(join(data, "tmp"), { recursive: true, force: true });
    return holder;
  } catch (error) {
    return fail(
      `The data folder ${data} (--data, DATA_DIR) must be a folder that this user can write to: ${reasonOf(error)}.`,
    );
  }
}

/**
 * The service on one machine, without Cloudflare and without the tools that `npm start` has for development. Logs JSON, one object a line, and ends the
 * process where it cannot start. `findApp`: returns the folder of the bundle, given that of the data. docs/self-hosting.md describes it.
 */
export async function serve(findApp: (data: string) => Promise<string>): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env);
  const { data, host, port } = settings;
  const holder = await holdFolder(data, `http://${host}:${port}`);
  if (holder !== undefined)
    fail(`Another server${holder.pid === undefined ? "" : ` (process ${holder.pid})`} uses the data in ${data}.`);
  const kept = settings.variables["SERVER_SECRET"] === undefined ? await secretIn(data) : undefined;

  const pool = new Pool(Array.from({ length: settings.workers.count }, (_, at) => newWorker(`worker-${at + 1}`)));
  // Until the databases are up to date.
  let isMigrated = false;
  const front = createFront({
    proxies: settings.proxies,
    pool,
    isStarting: () => !isMigrated,
    refused: (error) => say("info", "refused", { ...error }),
  });
  const supervisor = new Supervisor({ data, pool, say });
  const browser = settings.browser && new KeptBrowser({ ...settings.browser, folder: join(data, "tmp"), say });

  let isReady = false;
  let isEnding = false;
  async function end(): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    // Before it is ready there is nothing to wait for.
    if (!isReady) {
      for (const { pid } of await processesBelow(process.pid)) killProcess(pid);
      process.exit(0);
    }
    say("info", "stopping");
    await front.close(GRACE);
    await supervisor.stop();
    await browser?.stop();
    say("info", "stopped");
    process.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void end());
  // For whoever wants the scheduled work done at once.
  process.on("SIGUSR2", () => void supervisor.sweep());

  if (browser !== undefined) await startBrowser(browser, join(data, "tmp"));
  const own = settings.fonts === undefined ? undefined : await readFonts(settings.fonts);

  front.server.listen(port, host);
  try {
    await once(front.server, "listening");
  } catch (error) {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: "the port is in use; choose another with --port (PORT)",
      EACCES: "this user may not use the port; choose one above 1023 with --port (PORT)",
      EADDRNOTAVAIL: "this machine does not have the address; choose one with --host (HOST)",
      ENOTFOUND: "there is no such address; choose one with --host (HOST)",
    };
    fail(
      `Cannot listen on ${host}:${port}: ${reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? reasonOf(error)}.`,
    );
  }
  const app = await findApp(data).catch((error: unknown) => {
    if (!NO_SPACE.test(reasonOf(error))) throw error;
    return fail(
      `The disk of ${data} (--data, DATA_DIR) has no space left for the program, which takes 50 MB beside the data.`,
    );
  });
  const { port: listening } = front.server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${listening}`;
  const variables: Readonly<Record<string, string>> = {
    BASE_URL: `http://localhost:${listening}`,
    ...settings.variables,
    ...(kept && { SERVER_SECRET: kept.secret }),
    ...(own && { OWN_FONTS: JSON.stringify(own) }),
  };
  const allowPrivate = [variables["WEBHOOK_ALLOW_LOCAL"], variables["FETCH_ALLOW_LOCAL"]].includes("true");

  const options = settings.newSecret ? ["--new-secret"] : [];
  const migration = spawn(process.execPath, [join(app, PLACES.migrate), app, data, ...options], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...variables },
  });
  const [[code]] = await Promise.all([
    once(migration, "exit"),
    supervisor
      .start({
        app,
        variables,
        fonts: settings.fonts,
        findBrowser: browser && (() => browser.find()),
        allowPrivate,
        log: print,
      })
      .catch((error: unknown) => fail(`workerd cannot start: ${reasonOf(error)}.`)),
  ]);
  if (code !== 0) {
    await supervisor.stop();
    if (code === REFUSED) {
      // The data has another secret.
      await kept?.forget();
      process.exit(1);
    }
    fail("The databases cannot be brought up to date. The lines above say why.");
  }
  isMigrated = true;
  // Settings that the worker does not accept, too. Its log has the problem.
  const statuses = await Promise.all(
    pool.ready().map(async ({ url: worker }) => (await fetch(new URL("/api/v1/ready", worker))).status),
  );
  if (statuses.length === 0 || statuses.some((status) => status !== 200))
    fail("The service is not ready. The lines above say why.");
  await supervisor.recover();
  isReady = true;
  say("info", "ready", { url, workers: settings.workers.count });
  // A start leaves 40 MB that nothing needs, and little is allocated from now on (`node --expose-gc`, as in the container).
  globalThis.gc?.();

  const minutely = (): void => {
    setTimeout(
      async () => {
        await supervisor.sweep();
        minutely();
      },
      MINUTE - (Date.now() % MINUTE),
    ).unref();
  };
  minutely();
}

/** Ends the process if the browser does not start. */
async function startBrowser(browser: KeptBrowser, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await browser
    .start()
    .catch((error: unknown) =>
      fail(
        `--browser (BROWSER_PROGRAM) does not start: ${reasonOf(error)}. As root, Chromium needs BROWSER_FLAGS=--no-sandbox.`,
        2,
      ),
    );
}

/** Reads the fonts of the operator. Those that cannot be used are logged, one line each. Ends the process if there is no such folder. */
async function readFonts(folder: string): Promise<readonly OwnFont[]> {
  const read = await readOwnFonts(folder).catch((error: unknown) =>
    fail(`FONTS_DIR: ${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`, 2),
  );
  for (const { file, problem } of read.problems) say("error", "font not used", { file, problem });
  say("info", "fonts", { families: [...new Set(read.fonts.map(({ family }) => family))] });
  return read.fonts;
}

/** What the service logs is JSON already. `process`: the name of the one that has logged it, if there are several. */
function print(level: string, message: string, process?: string): void {
  if (HEALTHY.test(message)) return;
  const origin = process !== undefined && { process };
  if (message.startsWith('{"')) console.log(origin ? `{"process":"${process}",${message.slice(1)}` : message);
  else say(level === "error" ? "error" : "info", "runtime", { ...origin, text: message });
}
