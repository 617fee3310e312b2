import type { D1Database, ImagesBinding } from "@cloudflare/workers-types";
import { z } from "zod";
import { openDatabase, type Database } from "./db/client.ts";
import { MiB } from "./limits.ts";

/** The service's configuration: wrangler.toml's bindings and variables, read and checked. */
export interface Env {
  readonly db: Database;
  /** What one isolate may hold for its requests and between them, in bytes. */
  readonly memoryBudgetBytes: number;
  /** Where callers reach the service, without a slash at the end: `servers` of the API description. */
  readonly baseUrl: string;
  /** Cloudflare Images, where it is bound. */
  readonly images: ImagesBinding | undefined;
}

const bindingsSchema = z.object({
  DB: z.custom<D1Database>(
    (value) => typeof value === "object" && value !== null && "prepare" in value && "batch" in value,
    "must be a D1 database binding",
  ),
  IMAGES: z
    .custom<ImagesBinding>(
      (value) => typeof value === "object" && value !== null && "input" in value,
      "must be an Images binding",
    )
    .optional(),
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
  const { DB, MEMORY_BUDGET_MIB, BASE_URL, IMAGES } = result.data;
  const env: Env = {
    db: openDatabase(DB),
    memoryBudgetBytes: MEMORY_BUDGET_MIB * MiB,
    baseUrl: BASE_URL,
    images: IMAGES,
  };
  parsed.set(bindings, env);
  return env;
}
