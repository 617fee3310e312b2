/** The worker in workerd, through Miniflare: the databases, files, and queues of a folder, and no other server of Cloudflare's. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { type Bundle, bundleSchema, PLACES } from "./bundle.ts";

export interface RuntimeOptions {
  /** The folder of the bundle. */
  readonly app: string;
  /** Where databases and files are kept. */
  readonly data: string;
  /** The bindings that are texts: variables and secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the worker may reach private addresses. */
  readonly allowPrivate: boolean;
  /** Called when workerd had died and runs again: it may listen elsewhere. */
  restarted(url: URL): Promise<void>;
  /** Takes what the worker logs. */
  log(level: string, message: string): void;
}

export interface Runtime {
  /** Where it listens, on this machine only. */
  readonly url: URL;
  /** Runs the scheduled work. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export const WORKER = "pdf-service";

/** Cloudflare never lets a worker reach private addresses (`global_fetch_strictly_public`); workerd's own network would. */
const OUTBOUND = "export default { fetch: (request, env) => env.NETWORK.fetch(request) };";

/** Signals at which Miniflare would end the process at once, in the middle of requests. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const readBundle = async (app: string): Promise<Bundle> =>
  bundleSchema.parse(JSON.parse(await readFile(join(app, PLACES.settings), "utf8")));

/** Where Miniflare keeps the data of a folder, as `npm start` does. */
export const persistenceIn = (data: string): string => join(data, "v3");

/** Where systems keep the root certificates that they trust. */
const ROOTS = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/** Sets what Miniflare and workerd take from the environment, before they start. */
export async function prepareEnvironment(data: string): Promise<void> {
  // Nothing is written beside the data, so that a container needs no other place.
  const temporary = join(data, "tmp");
  await mkdir(temporary, { recursive: true });
  process.env["TMPDIR"] = temporary;
  if (process.platform !== "linux" || process.env["SSL_CERT_FILE"] !== undefined || ROOTS.some(existsSync)) return;
  // workerd does not start where the system has no root certificates, as in small images: it gets those of Node.
  const roots = join(temporary, "roots.pem");
  await writeFile(roots, rootCertificates.join("\n"));
  process.env["SSL_CERT_FILE"] = roots;
}

/** Options of every Miniflare here: nothing of it listens but what is asked for, and it asks nobody about this machine. */
export const QUIET = {
  host: "127.0.0.1",
  port: 0,
  cf: false,
  telemetry: { enabled: false },
  unsafeTriggerHandlers: false,
  unsafeLocalExplorer: false,
} as const;

export async function startRuntime({
  app,
  data,
  variables,
  allowPrivate,
  restarted,
  log,
}: RuntimeOptions): Promise<Runtime> {
  const bundle = await readBundle(app);
  const folder = join(app, PLACES.worker);
  const names = await readdir(folder);
  const wasm = names.filter((name) => name.endsWith(".wasm"));
  const workers: V4WorkerOptions[] = [
    {
      name: WORKER,
      modulesRoot: folder,
      modules: [
        {
          type: "ESModule",
          path: join(folder, "worker.js"),
          contents: await readFile(join(folder, "worker.js"), "utf8"),
        },
        ...(await Promise.all(
          wasm.map(async (name) => ({
            type: "CompiledWasm" as const,
            path: join(folder, name),
            contents: await readFile(join(folder, name)),
          })),
        )),
      ],
      compatibilityDate: bundle.compatibilityDate,
      compatibilityFlags: bundle.compatibilityFlags,
      bindings: { ...bundle.variables, ...variables },
      d1Databases: bundle.databases,
      r2Buckets: bundle.buckets,
      queueProducers: bundle.producers,
      queueConsumers: bundle.consumers,
      ratelimits: Object.fromEntries(
        Object.entries(bundle.rateLimits).map(([name, { namespace, limit, period }]) => [
          name,
          { namespace_id: namespace, simple: { limit, period: period === 10 ? 10 : 60 } },
        ]),
      ),
      assets: {
        directory: join(app, PLACES.assets),
        binding: "ASSETS",
        run_worker_first: true,
        routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
      },
      outboundService: "outbound",
      // Past Miniflare's own worker, which has paths for development and answers errors with pages.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    },
    {
      name: "outbound",
      modules: true,
      script: OUTBOUND,
      compatibilityDate: bundle.compatibilityDate,
      serviceBindings: {
        NETWORK: {
          network: {
            allow: allowPrivate ? ["public", "private"] : ["public"],
            tlsOptions: { trustBrowserCas: true },
          },
        },
      },
    },
  ];
  const others = new Map(SIGNALS.map((signal) => [signal, new Set(process.listeners(signal))]));
  const miniflare: Miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...QUIET,
      resourcePersistencePath: persistenceIn(data),
      unsafeHandleRuntimeRestart: async () => restarted(await miniflare.unsafeGetDirectURL(WORKER)),
      handleStructuredLogs: ({ level, message }) => log(level, message),
      workers,
    }),
  );
  for (const [signal, known] of others)
    for (const listener of process.listeners(signal))
      if (!known.has(listener)) process.removeListener(signal, listener);
  await miniflare.ready;
  const url = await miniflare.unsafeGetDirectURL(WORKER);
  return {
    url,
    sweep: async () => {
      const worker = await miniflare.getWorker(WORKER);
      const { outcome } = await worker.scheduled({ cron: "* * * * *", scheduledTime: new Date() });
      if (outcome !== "ok") throw new Error(`the scheduled work ended with: ${outcome}`);
    },
    stop: () => miniflare.dispose(),
  };
}
