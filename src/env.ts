import type { D1Database, Fetcher, ImagesBinding, Queue, R2Bucket } from "@cloudflare/workers-types";
import { z } from "zod";
import type { ServerSecrets } from "./accounts/sealed-secret.ts";
import { MAX_SHARDS } from "./accounts/token.ts";
import type { LateReversal } from "./billing/late-reversal.ts";
import type { BrowserPlace } from "./browser/connect.ts";
import { type Database, openDatabase } from "./db/client.ts";
import type { FontFace, LoadFont } from "./engines/fonts.ts";
import type { LoadModel } from "./engines/ocr/models.ts";
import { ConfigurationError } from "./faults.ts";
import type { FileStore } from "./files/file.ts";
import type { JobMessage } from "./jobs/message.ts";
import { type MemorySizes, MiB, sizesWith } from "./limits.ts";
import type { UrlPolicy } from "./public-url.ts";
import type { DeliveryMessage } from "./webhooks/message.ts";
import { retrySeconds } from "./outbound/retry-schedule.ts";
import type { TelemetrySettings } from "./telemetry/telemetry.ts";
import { conflictOf, isLocal, variables } from "./variables.ts";
import { version } from "./version.ts";
import type { WebhookSettings } from "./webhooks/webhook.ts";

/** The time-stamp services. `hosts`: those that requests may name; undefined for all public ones. */
export interface TimestampSettings {
  readonly urls: UrlPolicy;
  readonly hosts: readonly string[] | undefined;
  /** The operator's own. */
  readonly defaultUrl: string | undefined;
}

/** The issuers of certificates. `hosts`: those that are asked; undefined for all public ones. */
export type IssuerSettings = Pick<TimestampSettings, "urls" | "hosts">;

/** The office converter: a server with the forms of Gotenberg 8. */
export interface OfficePlace {
  /** May have a user name and a password, and ends without a slash. */
  readonly url: string;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
}

/** The service's configuration: the bindings and variables of wrangler.toml, parsed and validated. */
export interface Env {
  /**
   * The databases that accounts are spread over: `DB`, then `DB_1`, `DB_2`, ... An account's ID determines its database
   * permanently.
   */
  readonly databases: readonly [Database, ...Database[]];
  /** The first signs the stored traces of requests with an Idempotency-Key. */
  readonly serverSecrets: ServerSecrets;
  /** Rate limiters in front of the databases, per Cloudflare location and not exact: by key, and by network for bad keys. */
  readonly keyShield: Shield;
  readonly addressShield: Shield;
  /** Memory in bytes that one isolate may hold, and what follows from it. */
  readonly memoryBudgetBytes: number;
  readonly sizes: MemorySizes;
  /** The URL at which clients reach the service, without a trailing slash: `servers` of the API description. */
  readonly baseUrl: string;
  /** Whether the service has one account, which its start has made. */
  readonly isSingleTenant: boolean;
  /** The requests per minute of accounts whose plan has no limit; null for none. */
  readonly requestsPerMinute: number | null;
  /** Where uploaded files are kept. */
  readonly files: FileStore;
  /** Cloudflare Images, if bound. The local version has a quality of its own. */
  readonly images: { readonly binding: ImagesBinding; readonly ignoresQuality: boolean } | undefined;
  /** Carries wake-ups for deliveries, and reversals that could not reach their database. */
  readonly webhookQueue: Queue<DeliveryMessage | LateReversal>;
  /** The name of the queue that gets messages of `webhookQueue` after their last retry. */
  readonly deadLetterQueue: string;
  readonly webhooks: WebhookSettings;
  /** Carries wake-ups for jobs. */
  readonly jobQueue: Queue<JobMessage>;
  /** The name of this process among those of one machine, if it is one of them. */
  readonly consumerName: string | undefined;
  /** The URLs from which documents are fetched. */
  readonly documentUrls: UrlPolicy;
  /** The time-stamp services that requests may name, and the one for those that name none. */
  readonly timestamps: TimestampSettings;
  /** The issuers of certificates that are asked. */
  readonly issuers: IssuerSettings;
  /** Where documents are printed; undefined if there is no browser. */
  readonly browser: BrowserPlace | undefined;
  /** Where documents of office programs are converted; undefined if there is no converter. */
  readonly office: OfficePlace | undefined;
  /** Where traces and metrics are sent, if anywhere. */
  readonly telemetry: TelemetrySettings | undefined;
  /** Reads a font from the static assets, or one of the operator. */
  readonly loadFont: LoadFont;
  /** Reads a text recognition model from the static assets. */
  readonly loadModel: LoadModel;
  /** Where the source of this deployment is offered, as the AGPL requires: linked on every page. */
  readonly sourceUrl: string;
  /**
   * Reads a file of the pages, such as `/playground.js`. Responds with 304 if its ETag is `known`; undefined if there is no
   * such file.
   */
  readonly siteAsset: (path: string, known: string | undefined) => Promise<Response | undefined>;
}

/** A rate-limit binding: counts a key and reports whether it is still below the limit set in wrangler.toml. */
export interface Shield {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === "object" && value !== null && names.every((name) => name in value);

const d1 = z.custom<D1Database>((value) => hasMethods(value, "prepare", "batch"), "must be a D1 database binding");
const shield = z.custom<Shield>((value) => hasMethods(value, "limit"), "must be a rate-limit binding");

const bindingsSchema = z.object({
  DB: d1,
  KEY_SHIELD: shield,
  ADDRESS_SHIELD: shield,
  ...variables,
  ASSETS: z.custom<Fetcher>((value) => hasMethods(value, "fetch"), "must be the static assets' binding"),
  WEBHOOKS: z.custom<Queue<DeliveryMessage>>(
    (value) => hasMethods(value, "send", "sendBatch"),
    "must be a queue producer's binding",
  ),
  WEBHOOKS_DEAD_LETTER_QUEUE: z.string({ error: "must be the name of the dead-letter queue of WEBHOOKS" }).min(1),
  JOBS: z.custom<Queue<JobMessage>>(
    (value) => hasMethods(value, "send", "sendBatch"),
    "must be a queue producer's binding",
  ),
  CONSUMER_NAME: z
    .string()
    .regex(/^[a-z\d-]{1,50}$/, "must be lowercase letters, digits, and hyphens")
    .optional(),
  FILES: z.custom<R2Bucket>((value) => hasMethods(value, "get", "put"), "must be an R2 bucket binding"),
  IMAGES: z.custom<ImagesBinding>((value) => hasMethods(value, "input"), "must be an Images binding").optional(),
  OWN_FONTS: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(z.array(z.object({ file: z.string(), family: z.string(), bold: z.boolean(), italic: z.boolean() })))
    .optional(),
  OWN_FONT_FILES: z.custom<Fetcher>((value) => hasMethods(value, "fetch"), "must be a fetcher").optional(),
  COLLECTOR: z.custom<Fetcher>((value) => hasMethods(value, "fetch"), "must be a fetcher").optional(),
  BROWSER: z.custom<Fetcher>((value) => hasMethods(value, "fetch"), "must be a browser binding").optional(),
  BROWSER_NETWORK: z.custom<Fetcher>((value) => hasMethods(value, "fetch"), "must be a fetcher").optional(),
  BROWSER_FINDER: z.custom<Fetcher>((value) => hasMethods(value, "fetch"), "must be a fetcher").optional(),
  OFFICE_NETWORK: z.custom<Fetcher>((value) => hasMethods(value, "fetch"), "must be a fetcher").optional(),
});

/** The archive built by scripts/build-site.ts: a modified version offers its own source without further setup. */
const OWN_SOURCE = "/assets/source.tar.gz";

const parsed = new WeakMap<object, Env>();

/**
 * Reads the bindings passed to the worker, once per set of bindings. Throws a `ConfigurationError` that names every missing or
 * invalid binding, but never a value.
 */
export function readEnv(bindings: object): Env {
  const known = parsed.get(bindings);
  if (known !== undefined) return known;
  const result = bindingsSchema.safeParse(bindings);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigurationError(`The configuration is incomplete (see wrangler.toml). ${problems.join("; ")}`);
  }
  const {
    DB,
    KEY_SHIELD,
    ADDRESS_SHIELD,
    SERVER_SECRET,
    SERVER_SECRET_PREVIOUS,
    MEMORY_BUDGET_MIB,
    BASE_URL,
    ASSETS,
    FILES,
    IMAGES,
    JOBS,
    WEBHOOKS,
  } = result.data;
  const conflict = conflictOf(result.data);
  if (conflict !== undefined) throw new ConfigurationError(conflict);
  const serverSecrets: ServerSecrets =
    SERVER_SECRET_PREVIOUS === undefined ? [SERVER_SECRET] : [SERVER_SECRET, SERVER_SECRET_PREVIOUS];
  const urlPolicy = (name: "WEBHOOK_ALLOW_LOCAL" | "FETCH_ALLOW_LOCAL"): UrlPolicy => ({
    baseUrl: BASE_URL,
    allowLocal: result.data[name] === "true",
  });
  const env: Env = {
    databases: [openDatabase(DB), ...furtherDatabases(bindings).map((binding) => openDatabase(binding))],
    serverSecrets,
    keyShield: KEY_SHIELD,
    addressShield: ADDRESS_SHIELD,
    memoryBudgetBytes: MEMORY_BUDGET_MIB * MiB,
    sizes: sizesWith(MEMORY_BUDGET_MIB * MiB),
    baseUrl: BASE_URL,
    isSingleTenant: result.data.AUTH === "single",
    requestsPerMinute: result.data.REQUESTS_PER_MINUTE ?? null,
    files: { bucket: FILES, serverSecrets },
    images: IMAGES && { binding: IMAGES, ignoresQuality: isLocal(BASE_URL) },
    webhookQueue: WEBHOOKS,
    deadLetterQueue: result.data.WEBHOOKS_DEAD_LETTER_QUEUE,
    jobQueue: JOBS,
    consumerName: result.data.CONSUMER_NAME,
    webhooks: {
      serverSecrets,
      endpoints: urlPolicy("WEBHOOK_ALLOW_LOCAL"),
      retrySeconds: result.data.WEBHOOK_RETRY_SECONDS ?? retrySeconds,
    },
    documentUrls: urlPolicy("FETCH_ALLOW_LOCAL"),
    timestamps: {
      urls: urlPolicy("FETCH_ALLOW_LOCAL"),
      hosts: result.data.TSA_HOSTS,
      defaultUrl: result.data.TSA_URL,
    },
    issuers: { urls: { ...urlPolicy("FETCH_ALLOW_LOCAL"), allowHttp: true }, hosts: result.data.ISSUER_HOSTS },
    telemetry: telemetryIn(result.data),
    browser: browserIn(result.data),
    office: officeIn(result.data),
    loadFont: fontsIn(ASSETS, result.data),
    loadModel: (name) => readAsset(ASSETS, `models/${name}.traineddata.gz`),
    sourceUrl: result.data.SOURCE_URL ?? OWN_SOURCE,
    siteAsset: siteIn(ASSETS),
  };
  parsed.set(bindings, env);
  return env;
}

/** `DB_1`, `DB_2`, ... up to the first gap. Throws on one after the gap, which would never be used. */
function furtherDatabases(bindings: object): D1Database[] {
  const named = new Map(Object.entries(bindings).filter(([name]) => /^DB_\d+$/.test(name)));
  const found: D1Database[] = [];
  for (;;) {
    const name = `DB_${found.length + 1}`;
    if (!named.has(name)) break;
    found.push(d1.parse(named.get(name)));
    named.delete(name);
  }
  const [stray] = named.keys();
  if (stray !== undefined)
    throw new ConfigurationError(`The configuration has ${stray}, but not DB_${found.length + 1}.`);
  if (found.length >= MAX_SHARDS)
    throw new ConfigurationError(`The configuration has more than ${MAX_SHARDS} databases.`);
  return found;
}

/** The database with this number, as used in keys and account IDs. Throws if the configuration has no such database. */
export function databaseAt({ databases }: Env, shard: number): Database {
  const db = databases[shard];
  if (db === undefined)
    throw new ConfigurationError(`DB_${shard} is not bound, but a key or an account belongs to it.`);
  return db;
}

/** `COLLECTOR` reaches a collector at a private address, where the global `fetch` does not. */
function telemetryIn(given: z.infer<typeof bindingsSchema>): TelemetrySettings | undefined {
  const { COLLECTOR: collector, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = given;
  if (endpoint === undefined) return undefined;
  const own = { "service.name": "pdf-service", "service.version": version };
  const name = given.OTEL_SERVICE_NAME;
  return {
    endpoint,
    headers: given.OTEL_EXPORTER_OTLP_HEADERS,
    resource: { ...own, ...given.OTEL_RESOURCE_ATTRIBUTES, ...(name !== undefined && { "service.name": name }) },
    spanDelay: given.OTEL_BSP_SCHEDULE_DELAY,
    metricInterval: given.OTEL_METRIC_EXPORT_INTERVAL,
    fetch: by(collector),
  };
}

/** Through a binding, or else by the global `fetch`. */
const by =
  (fetcher: Fetcher | undefined): OfficePlace["fetch"] =>
  (url, init) =>
    fetcher === undefined ? fetch(url, init) : (fetcher.fetch(url, init as never) as unknown as Promise<Response>);

/** `OFFICE_NETWORK` reaches a converter at a private address, where the global `fetch` does not. Only `npm run serve` has it. */
const officeIn = ({
  OFFICE_URL: url,
  OFFICE_NETWORK: network,
}: z.infer<typeof bindingsSchema>): OfficePlace | undefined =>
  url === undefined ? undefined : { url, fetch: by(network) };

/**
 * `BROWSER` is Cloudflare's. `BROWSER_NETWORK` reaches a browser at a private address, where the global `fetch` does not, and `BROWSER_FINDER` knows
 * where the browser of `npm run serve` is. Only `npm run serve` has these two.
 */
function browserIn(given: z.infer<typeof bindingsSchema>): BrowserPlace | undefined {
  const { BROWSER: bound, BROWSER_NETWORK: network, BROWSER_FINDER: finder, BROWSER_URL: url } = given;
  if (finder !== undefined && network !== undefined)
    return { kind: "url", url: "http://browser", fetch: by(network), find: by(finder) };
  if (url !== undefined) return { kind: "url", url, fetch: by(network) };
  return bound && { kind: "binding", fetch: by(bound) };
}

/** `OWN_FONTS` describes the files of `OWN_FONT_FILES`. Only `npm run serve` has them. */
function fontsIn(assets: Fetcher, { OWN_FONTS: own, OWN_FONT_FILES: files }: z.infer<typeof bindingsSchema>): LoadFont {
  const load = async (face: FontFace): Promise<ArrayBuffer> => {
    if (typeof face === "string") return readAsset(assets, `fonts/${face}.ttf`);
    if (files === undefined) throw new ConfigurationError("OWN_FONTS needs OWN_FONT_FILES.");
    return readAsset(files, encodeURIComponent(face.file));
  };
  return Object.assign(load, { own });
}

async function readAsset(assets: Fetcher, path: string): Promise<ArrayBuffer> {
  // The host is ignored.
  const response = await assets.fetch(`http://assets/${path}`);
  if (!response.ok) throw new Error(`the static assets have no ${path}: ${response.status}`);
  return response.arrayBuffer();
}

function siteIn(assets: Fetcher): Env["siteAsset"] {
  return async (path, known) => {
    const headers = known === undefined ? {} : { "If-None-Match": known };
    const response = await assets.fetch(`http://assets/site${path}`, { headers });
    if (response.ok || response.status === 304) return response as unknown as Response;
    await response.body?.cancel();
    return undefined;
  };
}
