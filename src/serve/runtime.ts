/** The processes of workerd, through Miniflare: the worker, and the storage of a folder, and no other server of Cloudflare's. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Miniflare, V4WorkerOptions } from "miniflare";
import type { Broker, Delivered, QueueOutcome } from "./broker.ts";
import { type Bundle, bundleSchema, PLACES } from "./bundle.ts";
import { miniflareModule, openMiniflare } from "./miniflare.ts";
import { NAME } from "./processes.ts";
import type { RemoteBindings } from "../remote/storage.ts";
import { REST_CRON } from "../rest-cron.ts";
import { FLUSH_CRON } from "../telemetry/flush-cron.ts";
import { STORED } from "./data-folder.ts";

export interface ProcessOptions {
  /** The folder of the bundle. */
  readonly app: string;
  /** Where databases and files are kept. */
  readonly data: string;
  /** The name of the process. */
  readonly name: string;
  /** Called when workerd had died and runs again. */
  restarted(): Promise<void>;
  /** Takes what the process logs, and its name if there are several. */
  log(level: string, message: string, process?: string): void;
}

export interface WorkerOptions extends ProcessOptions {
  /** The bindings that are texts: variables and secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** The folder with the operator's fonts, if any. */
  readonly fonts?: string | undefined;
  /** Whether it has a browser: at the URL that this returns, or, without a function, at `BROWSER_URL`. */
  readonly findBrowser?: (() => Promise<string | undefined>) | undefined;
  /** Whether the worker may reach private addresses. */
  readonly allowPrivate: boolean;
  /** Undefined where the worker has the storage and the queues in its own process. */
  readonly remote: Remote | undefined;
}

/** What a worker needs that has its storage in another process, and its queues in this one. */
export interface Remote {
  readonly state: URL;
  readonly token: string;
  readonly broker: Broker;
}

export interface StateOptions extends ProcessOptions {
  readonly token: string;
  /** Where it listens; 0: any free port. */
  readonly port: number;
}

/**
 * Nothing here may block Node while it waits for workerd. So Miniflare's proxies of workers and bindings are not used: each property or call is a
 * request that blocks Node's main thread (`Atomics.wait`), and workerd's log is not read meanwhile.
 */
export interface RunningProcess {
  /** Where it listens, on this machine only: pending until it does. */
  address(): Promise<URL>;
  /** Sends the telemetry that waits, if the process has any. */
  flush?(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunningWorker extends RunningProcess {
  /** Runs the scheduled work. */
  sweep(): Promise<void>;
  /** Gives back the memory of engines that were idle since the last call. */
  rest(): Promise<void>;
  /** Delivers a batch of messages, and waits for its end. Rejects if the worker is lost. */
  deliver(queue: string, messages: readonly Delivered[]): Promise<QueueOutcome>;
}

const WORKER = "pdf-service";
const EVENTS = "events";
const STATE = "state";
/** The entrypoints in src/remote/worker.ts and state.ts. */
const EVENTS_ENTRYPOINT = "Events";
const STATE_ENTRYPOINT = "State";

/** How long the scheduled work may take, in ms. */
const SWEEP_PATIENCE = 290_000;

/**
 * Passes on events that are no requests of clients. It has a socket of its own, of which clients cannot know, and other users of this machine do not know
 * the token.
 */
const EVENTS_SCRIPT = `
export default {
  async fetch(request, env) {
    const encode = (text) => new TextEncoder().encode(text);
    const [given, token] = [encode(request.headers.get("Authorization") ?? ""), encode("Bearer " + env.TOKEN)];
    if (given.length !== token.length || !crypto.subtle.timingSafeEqual(given, token)) return new Response(null, { status: 401 });
    const [, event, name] = new URL(request.url).pathname.split("/");
    if (event === "scheduled") {
      const cron = await request.text();
      const { outcome } = await env.SERVICE.scheduled({ cron, scheduledTime: new Date() });
      return Response.json({ outcome });
    }
    const messages = await request.json();
    const batch = messages.map((message) => ({ ...message, timestamp: new Date(message.timestamp) }));
    return Response.json(await env.SERVICE.queue(name, batch));
  },
};`;

/**
 * Cloudflare never lets a worker reach private addresses (`global_fetch_strictly_public`); workerd's own network would. Miniflare adds the zone that
 * it invents for the worker, and firewalls refuse requests with that header.
 */
const OUTBOUND = `export default {
  fetch(request, env) {
    const sent = new Request(request);
    sent.headers.delete("CF-Worker");
    return env.NETWORK.fetch(sent);
  },
};`;

/** For services whose addresses the operator has chosen. */
const ANY_ADDRESS = { network: { allow: ["public", "private"], tlsOptions: { trustBrowserCas: true } } };

export const readBundle = async (app: string): Promise<Bundle> =>
  bundleSchema.parse(JSON.parse(await readFile(join(app, PLACES.settings), "utf8")));

const limitersOf = ({ rateLimits }: Bundle): NonNullable<V4WorkerOptions["ratelimits"]> =>
  Object.fromEntries(
    Object.entries(rateLimits).map(([name, { namespace, limit, period }]) => [
      name,
      { namespace_id: namespace, simple: { limit, period: period === 10 ? 10 : 60 } },
    ]),
  );

/** The bindings of databases, files, and limits in the process that owns them. */
const storageOf = (bundle: Bundle) => ({
  d1Databases: bundle.databases,
  r2Buckets: bundle.buckets,
  ratelimits: limitersOf(bundle),
});

/** Names and addresses of what src/remote/bindings.ts makes bindings of. */
function remoteOf(bundle: Bundle, { state, token, broker }: Remote) {
  const remote: RemoteBindings = {
    databases: Object.keys(bundle.databases),
    buckets: Object.keys(bundle.buckets),
    limiters: Object.keys(bundle.rateLimits),
    queues: bundle.producers,
  };
  return {
    bindings: { REMOTE: remote as never, TOKEN: token },
    serviceBindings: {
      STATE: { external: { address: state.host, http: {} } },
      BROKER: async (asked: { readonly url: string; readonly method: string; text(): Promise<string> }) => {
        const queue = new URL(asked.url).pathname.slice(1);
        if (asked.method === "POST") broker.send(queue, JSON.parse(await asked.text()));
        const metrics = { backlogCount: broker.backlog(queue), backlogBytes: 0 };
        return new miniflareModule.Response(JSON.stringify(metrics));
      },
    },
  };
}

/** As Chromium responds to `/json/version`. */
const foundBrowser = (webSocketDebuggerUrl: string | undefined) =>
  new miniflareModule.Response(JSON.stringify({ webSocketDebuggerUrl }), {
    status: webSocketDebuggerUrl === undefined ? 503 : 200,
  });

/** Starts the worker, and does not wait until it runs. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { app, data, name, variables, fonts, findBrowser, allowPrivate, remote } = options;
  const bundle = await readBundle(app);
  const folder = join(app, PLACES.worker);
  const token = randomBytes(32).toString("hex");
  const wasm = (await readdir(folder)).filter((file) => file.endsWith(".wasm"));
  const far = remote && remoteOf(bundle, remote);
  const workers: V4WorkerOptions[] = [
    {
      name: WORKER,
      modulesRoot: folder,
      modules: [
        ...[PLACES.entry, "worker.js"].map((file) => ({ type: "ESModule" as const, path: join(folder, file) })),
        ...wasm.map((file) => ({ type: "CompiledWasm" as const, path: join(folder, file) })),
      ],
      compatibilityDate: bundle.compatibilityDate,
      compatibilityFlags: bundle.compatibilityFlags,
      bindings: { ...bundle.variables, ...variables, CONSUMER_NAME: name, ...far?.bindings },
      ...(far === undefined && {
        ...storageOf(bundle),
        queueProducers: bundle.producers,
        queueConsumers: bundle.consumers,
      }),
      assets: {
        directory: join(app, PLACES.assets),
        binding: "ASSETS",
        run_worker_first: true,
        routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
      },
      outboundService: "outbound",
      serviceBindings: {
        ...(fonts !== undefined && { OWN_FONT_FILES: { disk: { path: fonts, writable: false } } }),
        ...(findBrowser !== undefined && { BROWSER_FINDER: async () => foundBrowser(await findBrowser()) }),
        BROWSER_NETWORK: ANY_ADDRESS,
        OFFICE_NETWORK: ANY_ADDRESS,
        COLLECTOR: ANY_ADDRESS,
        ...far?.serviceBindings,
      },
      // Past Miniflare's own worker, which has paths for development and responds to errors with pages.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    },
    {
      name: EVENTS,
      modules: true,
      script: EVENTS_SCRIPT,
      compatibilityDate: bundle.compatibilityDate,
      compatibilityFlags: ["service_binding_extra_handlers"],
      bindings: { TOKEN: token },
      serviceBindings: { SERVICE: { name: WORKER, entrypoint: EVENTS_ENTRYPOINT } },
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
  const miniflare = await open(options, workers, remote === undefined ? join(data, STORED) : join(data, "tmp", name));
  const send = async (path: string, body: string, patience?: number): Promise<string> => {
    const url = new URL(path, await miniflare.unsafeGetDirectURL(EVENTS));
    // Node's `fetch` waits five minutes for headers at most, and a batch may take longer.
    const sent = request(url.href, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(patience !== undefined && { signal: AbortSignal.timeout(patience) }),
    });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const received = await text(response);
    if (response.statusCode !== 200) throw new Error(`the worker responded with ${response.statusCode}: ${received}`);
    return received;
  };
  const schedule = async (cron: string): Promise<void> => {
    const { outcome } = JSON.parse(await send("/scheduled", cron, SWEEP_PATIENCE)) as { readonly outcome: string };
    if (outcome !== "ok") throw new Error(`the scheduled work ended with: ${outcome}`);
  };
  return {
    address: () => miniflare.unsafeGetDirectURL(WORKER),
    sweep: () => schedule("* * * * *"),
    flush: () => schedule(FLUSH_CRON),
    rest: () => schedule(REST_CRON),
    deliver: async (queue, messages) => JSON.parse(await send(`/queue/${queue}`, JSON.stringify(messages))),
    stop: () => miniflare.dispose(),
  };
}

/** Starts the process that owns the storage, and does not wait until it runs. */
export async function startState(options: StateOptions): Promise<RunningProcess> {
  const { app, data, token, port } = options;
  const bundle = await readBundle(app);
  const worker: V4WorkerOptions = {
    name: STATE,
    modules: [{ type: "ESModule", path: join(app, PLACES.state) }],
    modulesRoot: join(app, PLACES.state, ".."),
    compatibilityDate: bundle.compatibilityDate,
    bindings: { TOKEN: token },
    ...storageOf(bundle),
    unsafeDirectSockets: [{ host: "127.0.0.1", port, entrypoint: STATE_ENTRYPOINT }],
  };
  const miniflare = await open(options, [worker], join(data, STORED));
  return {
    address: () => miniflare.unsafeGetDirectURL(STATE, STATE_ENTRYPOINT),
    stop: () => miniflare.dispose(),
  };
}

const open = (
  { data, name, restarted, log }: ProcessOptions,
  workers: V4WorkerOptions[],
  storage: string,
): Promise<Miniflare> =>
  openMiniflare(data, workers, {
    resourcePersistencePath: storage,
    unsafeRuntimeEnv: { [NAME]: name },
    unsafeHandleRuntimeRestart: restarted,
    handleStructuredLogs: ({ level, message }) => log(level, message),
  });
