/** The worker in workerd, through Miniflare: the databases, files, and queues of a folder, and no other server of Cloudflare's. */
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Miniflare, V4WorkerOptions } from "miniflare";
import { type Bundle, bundleSchema, PLACES } from "./bundle.ts";
import { openMiniflare } from "./miniflare.ts";

export interface RuntimeOptions {
  /** The folder of the bundle. */
  readonly app: string;
  /** Where databases and files are kept. */
  readonly data: string;
  /** The bindings that are texts: variables and secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the worker may reach private addresses. */
  readonly allowPrivate: boolean;
  /** Called when workerd had died and runs again. */
  restarted(): Promise<void>;
  /** Takes what the worker logs. */
  log(level: string, message: string): void;
}

/**
 * Nothing here may block Node while it waits for workerd. So Miniflare's proxies of workers and bindings are not used: each property or call is a
 * request that blocks Node's main thread (`Atomics.wait`), and workerd's log is not read meanwhile.
 */
export interface Runtime {
  /** Where it listens, on this machine only: pending until it does, and elsewhere after a restart. */
  address(): Promise<URL>;
  /** Runs the scheduled work. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const WORKER = "pdf-service";
const SWEEPER = "sweeper";

/** How long the scheduled work may take, in ms. */
const SWEEP_PATIENCE = 290_000;

/** Runs the scheduled work on request. It has a socket of its own, of which clients cannot know, and other users of this machine do not know the token. */
const SWEEP = `
export default {
  async fetch(request, env) {
    const encode = (text) => new TextEncoder().encode(text);
    const [given, token] = [encode(request.headers.get("Authorization") ?? ""), encode("Bearer " + env.TOKEN)];
    if (given.length !== token.length || !crypto.subtle.timingSafeEqual(given, token)) return new Response(null, { status: 401 });
    const { outcome } = await env.SERVICE.scheduled({ cron: "* * * * *", scheduledTime: new Date() });
    return new Response(outcome);
  },
};`;

/** Cloudflare never lets a worker reach private addresses (`global_fetch_strictly_public`); workerd's own network would. */
const OUTBOUND = "export default { fetch: (request, env) => env.NETWORK.fetch(request) };";

export const readBundle = async (app: string): Promise<Bundle> =>
  bundleSchema.parse(JSON.parse(await readFile(join(app, PLACES.settings), "utf8")));

/** Starts it, and does not wait until it runs. */
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
  const token = randomBytes(32).toString("hex");
  const wasm = names.filter((name) => name.endsWith(".wasm"));
  const workers: V4WorkerOptions[] = [
    {
      name: WORKER,
      modulesRoot: folder,
      modules: [
        { type: "ESModule", path: join(folder, "worker.js") },
        ...wasm.map((name) => ({ type: "CompiledWasm" as const, path: join(folder, name) })),
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
      // The operator chose its address.
      serviceBindings: {
        COLLECTOR: { network: { allow: ["public", "private"], tlsOptions: { trustBrowserCas: true } } },
      },
      // Past Miniflare's own worker, which has paths for development and responds to errors with pages.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    },
    {
      name: SWEEPER,
      modules: true,
      script: SWEEP,
      compatibilityDate: bundle.compatibilityDate,
      compatibilityFlags: ["service_binding_extra_handlers"],
      bindings: { TOKEN: token },
      serviceBindings: { SERVICE: WORKER },
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
  const miniflare: Miniflare = await openMiniflare(data, workers, {
    unsafeHandleRuntimeRestart: restarted,
    handleStructuredLogs: ({ level, message }) => log(level, message),
  });
  return {
    address: () => miniflare.unsafeGetDirectURL(WORKER),
    sweep: async () => {
      const response = await fetch(await miniflare.unsafeGetDirectURL(SWEEPER), {
        headers: { Authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(SWEEP_PATIENCE),
      });
      const outcome = await response.text();
      if (outcome !== "ok") throw new Error(`the scheduled work ended with: ${outcome || response.status}`);
    },
    stop: () => miniflare.dispose(),
  };
}
