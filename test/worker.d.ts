/** What a test inside workerd finds in `cloudflare:workers` and gets from vitest.config.ts. */
declare namespace Cloudflare {
  interface Env {
    readonly DB: D1Database;
    readonly MEMORY_BUDGET_MIB: string;
    readonly BASE_URL: string;
  }
  interface GlobalProps {
    mainModule: typeof import("../src/worker.ts");
  }
}
