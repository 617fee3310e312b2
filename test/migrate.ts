import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";

// Files that share a worker share its storage: each makes accounts of its own.
await applyD1Migrations(env.DB, inject("migrations"));
