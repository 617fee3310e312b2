/**
 * Part of `npm run check`: what would be deployed to staging and production is complete and within Cloudflare's limits.
 * Named environments inherit no bindings, so one that is forgotten there is otherwise noticed only after the deployment.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";
import { unstable_readConfig } from "wrangler";
import { root } from "./root.ts";
import { bundleWorker } from "./worker-bundle.ts";

const MiB = 1024 * 1024;
/** Cloudflare's limit for a worker's modules, uncompressed. */
const MAX_BUNDLE_BYTES = 64 * MiB;
/** It is set by `wrangler secret put`, and locally by `npm start`. */
const SECRET = "SERVER_SECRET";
const environments = ["staging", "production"] as const;

type Config = ReturnType<typeof unstable_readConfig>;

function readConfig(env?: string): Config {
  const config = join(root, "wrangler.toml");
  return unstable_readConfig(env === undefined ? { config } : { config, env }, { hideWarnings: true });
}

/** Everything under a key that names a binding, whatever its kind: `d1_databases DB`, `queues.consumers ...`. */
function bindings(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => bindings(entry, path));
  if (typeof value !== "object" || value === null) return [];
  const entry = value as Record<string, unknown>;
  const name = entry.binding ?? entry.name;
  if (path !== "" && typeof name === "string") return [`${path} ${name}`];
  return Object.entries(entry).flatMap(([key, inner]) => bindings(inner, path === "" ? key : `${path}.${key}`));
}

/** A queue's consumer, as wrangler.toml names its settings. */
interface Consumer extends Readonly<Record<string, unknown>> {
  readonly queue: string;
  readonly dead_letter_queue?: string;
}

/** The consumers of queues, their own queue's name left out: each environment has its own. */
function consumers({ queues }: Config): unknown[] {
  const all = (queues.consumers ?? []) as readonly Consumer[];
  return all.map((consumer) => ({
    ...consumer,
    queue: undefined,
    // Whether there is one, and somebody reads it.
    dead_letter_queue: consumer.dead_letter_queue && all.some(({ queue }) => queue === consumer.dead_letter_queue),
  }));
}

/** The dead-letter queue of the queue that has this binding. */
function deadLetterQueueOf({ queues }: Config, binding: string): string | undefined {
  const producers = (queues.producers ?? []) as readonly { readonly binding: string; readonly queue: string }[];
  const name = producers.find((producer) => producer.binding === binding)?.queue;
  return ((queues.consumers ?? []) as readonly Consumer[]).find(({ queue }) => queue === name)?.dead_letter_queue;
}

/** What differs in a named environment that must not. */
function problemsOf(local: Config, config: Config): string[] {
  const problems: string[] = [];
  const present = new Set(bindings(config));
  for (const binding of bindings(local)) {
    if (!present.has(binding)) problems.push(`the binding "${binding}" is missing`);
  }
  for (const name of Object.keys(local.vars)) {
    if (!(name in config.vars)) problems.push(`the variable ${name} is missing`);
  }
  if (SECRET in local.vars || SECRET in config.vars)
    problems.push(`${SECRET} is a variable, so everybody who reads wrangler.toml knows it`);
  // The same everywhere: otherwise, tests of the local default would not cover deployments.
  for (const key of ["limits", "compatibility_date", "compatibility_flags", "observability"] as const) {
    if (!isDeepStrictEqual(local[key], config[key])) {
      problems.push(`${key} is ${JSON.stringify(config[key])}, locally ${JSON.stringify(local[key])}`);
    }
  }
  if (!isDeepStrictEqual(consumers(local), consumers(config))) problems.push("the consumers of queues differ");
  if (config.vars.WEBHOOKS_DEAD_LETTER_QUEUE !== deadLetterQueueOf(config, "WEBHOOKS")) {
    problems.push("WEBHOOKS_DEAD_LETTER_QUEUE is not the dead_letter_queue of WEBHOOKS");
  }
  if (config.limits?.cpu_ms === undefined) problems.push("limits.cpu_ms is missing");
  if (!isDeepStrictEqual(config.triggers.crons, ["* * * * *"])) problems.push("the sweep does not run every minute");
  return problems;
}

/** The modules' bytes of a bundle. */
function bundle(env: string): Buffer[] {
  const folder = mkdtempSync(join(tmpdir(), "pdf-service-bundle-"));
  try {
    bundleWorker(env, folder);
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !file.name.endsWith(".map") && file.name !== "README.md")
      .map((file) => readFileSync(join(file.parentPath, file.name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function inMiB(bytes: number): string {
  return `${(bytes / MiB).toFixed(1)} MiB`;
}

/** What the version before could not run with, so that neither a deployment nor a rollback would be safe (docs/operating.md). */
for (const name of readdirSync(join(root, "migrations")).filter((one) => one.endsWith(".sql"))) {
  if (/\b(?:DROP|RENAME)\b/i.test(readFileSync(join(root, "migrations", name), "utf8"))) {
    console.error(`migrations/${name} drops or renames something`);
    process.exitCode = 1;
  }
}

const local = readConfig();
for (const env of environments) {
  const problems = problemsOf(local, readConfig(env));
  try {
    const modules = bundle(env);
    const bytes = modules.reduce((sum, module) => sum + module.length, 0);
    const gzip = modules.reduce((sum, module) => sum + gzipSync(module).length, 0);
    if (bytes >= MAX_BUNDLE_BYTES) problems.push(`the bundle is ${inMiB(bytes)}, the limit ${inMiB(MAX_BUNDLE_BYTES)}`);
    console.log(`${env}: ${modules.length} modules, ${inMiB(bytes)} (gzip ${inMiB(gzip)})`);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  for (const problem of problems) console.error(`${env}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
