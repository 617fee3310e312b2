import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { unstable_readConfig } from "wrangler";
import { putEnginesInPlace } from "./engines-in-place.ts";
import { root } from "./root.ts";
import { version } from "../src/version.ts";
import { bundleWorker } from "./worker-bundle.ts";
import { type Bundle, PLACES } from "../src/serve/bundle.ts";

/** The values read from wrangler.toml, by their names there. */
interface Config {
  readonly compatibility_date?: string | undefined;
  readonly compatibility_flags: string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly d1_databases: readonly { binding: string; database_id?: string }[];
  readonly r2_buckets: readonly { binding: string; bucket_name?: string }[];
  readonly queues: {
    readonly producers?: readonly { binding: string; queue: string }[];
    readonly consumers?: readonly {
      queue: string;
      max_batch_size?: number;
      max_batch_timeout?: number;
      max_retries?: number;
      dead_letter_queue?: string;
    }[];
  };
  readonly ratelimits: readonly { name: string; namespace_id: string; simple: { limit: number; period: number } }[];
}

/** More requests a minute than a machine can handle. */
const NO_LIMIT = 1_000_000_000;

function settingsOf({ d1_databases, r2_buckets, queues, ratelimits, ...config }: Config): Bundle {
  return {
    compatibilityDate: config.compatibility_date ?? "",
    compatibilityFlags: config.compatibility_flags,
    databases: Object.fromEntries(d1_databases.map(({ binding, database_id }) => [binding, database_id ?? binding])),
    buckets: Object.fromEntries(r2_buckets.map(({ binding, bucket_name }) => [binding, bucket_name ?? binding])),
    producers: Object.fromEntries((queues.producers ?? []).map(({ binding, queue }) => [binding, queue])),
    consumers: Object.fromEntries(
      (queues.consumers ?? []).map(({ queue, max_batch_size, max_batch_timeout, max_retries, dead_letter_queue }) => [
        queue,
        {
          maxBatchSize: max_batch_size ?? 1,
          maxBatchTimeout: max_batch_timeout ?? 0,
          maxRetries: max_retries ?? 0,
          ...(dead_letter_queue !== undefined && { deadLetterQueue: dead_letter_queue }),
        },
      ]),
    ),
    rateLimits: Object.fromEntries(
      ratelimits.map(({ name, namespace_id, simple }) => [
        name,
        // No key is too fast for a database on the same machine, and some accounts have no limit.
        { namespace: namespace_id, ...simple, ...(name === "KEY_SHIELD" && { limit: NO_LIMIT }) },
      ]),
    ),
    variables: Object.fromEntries(Object.entries(config.vars).map(([name, value]) => [name, String(value)])),
  };
}

/** The programs of a bundle: the server, the one that it runs before it starts, and `npm run account`. */
const PROGRAMS = { serve: "src/serve/main.ts", migrate: "src/serve/migrate.ts", account: "scripts/account.ts" };

/**
 * Builds what `npm run serve` runs into a folder, which is emptied before. `movable`: with copies in place of links to this checkout, without source maps.
 */
export async function buildServer(folder: string, { movable = false } = {}): Promise<void> {
  await putEnginesInPlace();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  bundleWorker("", join(folder, PLACES.worker), { minify: movable });
  if (movable) await rm(join(folder, PLACES.worker, "worker.js.map"));
  await build({
    entryPoints: [
      { in: join(root, "src/remote/worker.ts"), out: join(PLACES.worker, "entry") },
      { in: join(root, "src/remote/state.ts"), out: "state/state" },
    ],
    outdir: folder,
    bundle: true,
    minify: movable,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*"],
    // The service is a module of its own, that of `worker-bundle.ts`.
    plugins: [
      {
        name: "service",
        setup: (plugins) =>
          plugins.onResolve({ filter: /\/worker\.ts$/ }, ({ kind }) =>
            kind === "entry-point" ? undefined : { path: "./worker.js", external: true },
          ),
      },
    ],
    logLevel: "error",
  });
  await build({
    entryPoints: Object.entries(PROGRAMS).map(([out, path]) => ({ in: join(root, path), out })),
    outdir: join(folder, "bin"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    // Only a checkout builds, and only it knows wrangler.
    external: ["miniflare", "wrangler", "*/build-server.ts"],
    logLevel: "error",
  });
  await writeFile(
    join(folder, "package.json"),
    `${JSON.stringify({ name: "pdf-service", version, type: "module" })}\n`,
  );
  const config: Config = unstable_readConfig({ config: join(root, "wrangler.toml") }, { hideWarnings: true });
  await writeFile(join(folder, PLACES.settings), `${JSON.stringify(settingsOf(config), undefined, 2)}\n`);
  for (const [from, place] of [
    ["wasm/generated/assets", PLACES.assets],
    ["migrations", PLACES.migrations],
  ] as const) {
    if (movable) await cp(join(root, from), join(folder, place), { recursive: true, dereference: true });
    else await symlink(join(root, from), join(folder, place));
  }
  if (movable) await copyPackages(["miniflare"], join(folder, "node_modules"));
  else await symlink(join(root, "node_modules"), join(folder, "node_modules"));
}

/** Only pictures need it, which Miniflare's version of Cloudflare Images makes: 20 MB. */
const LEFT_OUT = new Set(["sharp"]);
/** Source maps, and a second copy of workerd's program, 100 MB, which its own command line starts. */
const UNUSED_FILES = /\.map$|\/node_modules\/workerd\/bin$/;

/** Copies packages with those that they depend on. */
async function copyPackages(names: readonly string[], target: string): Promise<void> {
  const copied = new Set<string>();
  const copy = async (name: string, from: string): Promise<void> => {
    // Where Node looks: in the package itself, then beside it.
    const nested = join(from, "node_modules", name);
    const source = existsSync(nested) ? nested : join(root, "node_modules", name);
    if (LEFT_OUT.has(name) || copied.has(source) || !existsSync(source)) return;
    copied.add(source);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      await readFile(join(source, "package.json"), "utf8"),
    ) as Record<string, Record<string, string> | undefined>;
    await cp(source, join(target, relative(join(root, "node_modules"), source)), {
      recursive: true,
      filter: (path) => !UNUSED_FILES.test(path),
    });
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies })) await copy(one, source);
  };
  for (const name of names) await copy(name, root);
}
