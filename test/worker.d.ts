/** What a test inside workerd finds in `cloudflare:workers` and gets from vitest.config.ts. */
declare namespace Cloudflare {
  interface Env {
    readonly DB: D1Database;
    readonly SECOND_DB: D1Database;
    readonly MEMORY_BUDGET_MIB: string;
    readonly WEBHOOKS_DEAD_LETTER_QUEUE: string;
    readonly BASE_URL: string;
    readonly SERVER_SECRET: string;
    readonly KEY_SHIELD: RateLimit;
    readonly ADDRESS_SHIELD: RateLimit;
    readonly FILES: R2Bucket;
    readonly WEBHOOKS: Queue<import("../src/webhooks/message.ts").DeliveryMessage>;
  }
  interface GlobalProps {
    mainModule: typeof import("../src/worker.ts");
  }
}
