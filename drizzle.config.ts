import { defineConfig } from "drizzle-kit";

/** `npx drizzle-kit generate` writes the SQL for what changed in the schema; `npm start` and wrangler apply it. */
export default defineConfig({ dialect: "sqlite", schema: "./src/db/schema.ts", out: "./migrations" });
