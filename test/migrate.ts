import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";

// Once a file: its storage is its own.
await reset();
await applyD1Migrations(env.DB, inject("migrations"));
