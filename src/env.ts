import type { D1Database, Fetcher } from "@cloudflare/workers-types";
import { z } from "zod";
import { openDatabase, type Database } from "./db/client.ts";
import type { LoadFont } from "./engines/fonts.ts";
import { MiB } from "./limits.ts";

/** The service's configuration: wrangler.toml's bindings and variables, read and checked. */
export interface Env {
  readonly db: Database;
  /** What one isolate may hold for its requests and between them, in bytes. */
  readonly memoryBudgetBytes: number;
  /** Where callers reach the service, without a slash at the end: `servers` of the API description. */
  readonly baseUrl: string;
  /** Reads one of the fonts that lie in the static assets. */
  readonly loadFont: LoadFont;
}

const bindingsSchema = z.object({
  DB: z.custom<D1Database>(
    (value) => typeof value === "object" && value !== null && "prepare" in value && "batch" in value,
    "must be a D1 database binding",
  ),
  ASSETS: z.custom<Fetcher>(
    (value) => typeof value === "object" && value !== null && "fetch" in value,
    "must be the static assets' binding",
  ),
  MEMORY_BUDGET_MIB: z
    .string({ error: 'must be a string such as "128"' })
    .regex(/^\d{1,6}$/, "must be a whole number of MiB")
    .transform(Number)
    .refine((value) => value >= 64, "must be at least 64: one engine takes 22 MiB before it opens anything"),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .transform((value) => value.replace(/\/+$/, "")),
});

const parsed = new WeakMap<object, Env>();

/**
 * Reads the bindings that the runtime hands to the worker, once for each set of bindings.
 * Throws an `Error` that names every binding that is missing or wrong, and never a value.
 */
export function readEnv(bindings: object): Env {
  const known = parsed.get(bindings);
  if (known !== undefined) return known;
  const result = bindingsSchema.safeParse(bindings);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The configuration is incomplete (see wrangler.toml). ${problems.join("; ")}`);
  }
  const { DB, ASSETS, MEMORY_BUDGET_MIB, BASE_URL } = result.data;
  const env: Env = {
    db: openDatabase(DB),
    memoryBudgetBytes: MEMORY_BUDGET_MIB * MiB,
    baseUrl: BASE_URL,
    loadFont: fontsIn(ASSETS),
  };
  parsed.set(bindings, env);
  return env;
}

function fontsIn(assets: Fetcher): LoadFont {
  return async (name) => {
    // The host is not looked at.
    const answer = await assets.fetch(`http://assets/fonts/${name}.ttf`);
    if (!answer.ok) throw new Error(`the static assets have no font ${name}: ${answer.status}`);
    return answer.arrayBuffer();
  };
}
