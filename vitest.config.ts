import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        // Inside workerd, with the bindings of wrangler.toml's local default and a fresh database for each file.
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            remoteBindings: false,
            miniflare: {
              // For the test of accounts that are spread over several databases.
              d1Databases: { SECOND_DB: "second" },
              // Messages wait longer than any test: what is delivered is tested over HTTP, to receivers that are there.
              queueProducers: { WEBHOOKS: { queueName: "pdf-service-webhooks", deliveryDelay: 43_200 } },
            },
          }),
        ],
        test: {
          name: "worker",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/wasm/**"],
          setupFiles: ["test/migrate.ts"],
          // The service is loaded once for all files of a worker, not once for each: that takes longer than most files.
          isolate: false,
          // Nothing here is a measurement: a busy machine may take its time.
          testTimeout: 60_000,
          provide: { migrations: await readD1Migrations("migrations") },
        },
      },
      {
        // In Node, as the install runs it: workerd compiles no wasm at run time.
        test: { name: "wasm", include: ["test/wasm/**/*.test.ts"] },
      },
      {
        // In Node, over HTTP, against what `npm start` starts.
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          // The server is one, and so is the machine: files that start servers of their own would only wait for each other.
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
