import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** For the tests inside workerd: `migrations/`, which vitest.config.ts reads in Node. */
    migrations: { name: string; queries: string[] }[];
  }
}
