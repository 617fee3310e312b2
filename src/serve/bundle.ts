/** What `npm run serve` runs: the bundled worker, its assets and migrations, and the settings of wrangler.toml, in a folder of its own. */
import { z } from "zod";

/** The settings of wrangler.toml that Miniflare needs, for nothing in the folder reads wrangler.toml. */
export const bundleSchema = z.object({
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  /** By the names of their bindings. */
  databases: z.record(z.string(), z.string()),
  buckets: z.record(z.string(), z.string()),
  producers: z.record(z.string(), z.string()),
  consumers: z.record(
    z.string(),
    z.object({
      maxBatchSize: z.number(),
      maxBatchTimeout: z.number(),
      maxRetries: z.number(),
      deadLetterQueue: z.string().exactOptional(),
    }),
  ),
  rateLimits: z.record(z.string(), z.object({ namespace: z.string(), limit: z.number(), period: z.number() })),
  variables: z.record(z.string(), z.string()),
});

export type Bundle = z.infer<typeof bundleSchema>;

/** Places in the folder. */
export const PLACES = {
  settings: "settings.json",
  worker: "worker",
  /** The modules of `src/remote`: the one in the worker's folder that starts first, and that of the storage. */
  entry: "entry.js",
  state: "state/state.js",
  assets: "assets",
  migrations: "migrations",
  /** The program that prepares the data. */
  migrate: "bin/migrate.js",
} as const;

/** The exit code of the program that prepares the data, after a line with the reason. */
export const REFUSED = 3;
