import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** More than cores on a small machine: much of the time, tests wait. */
const maxWorkers = Math.max(3, availableParallelism() - 1);
const migrations = await readD1Migrations("migrations");

/** Tests of what the whole database and the queue hold. */
const ofStorage = ["test/webhooks/**/*.test.ts", "test/events/**/*.test.ts", "test/billing/{growth,sweep}.test.ts"];

/** Tests inside workerd, with the bindings of wrangler.toml's local default. */
const worker = (test: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration => ({
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
    setupFiles: ["test/migrate.ts"],
    // Nothing here is a measurement: a busy machine may take its time.
    testTimeout: 60_000,
    provide: { migrations },
    maxWorkers,
    ...test,
  },
});

export default defineConfig({
  test: {
    projects: [
      // The service is loaded once for all files of a worker, and not once for each, which takes longer than most files. They share the
      // database, too: each makes accounts of its own.
      worker({
        name: "worker",
        include: ["test/**/*.test.ts"],
        exclude: ["test/documents/**", "test/e2e/**", "test/servers/**", "test/wasm/**", ...ofStorage],
        isolate: false,
        globalSetup: ["test/http/document-server.ts"],
      }),
      worker({ name: "storage", include: ofStorage }),
      {
        // In Node: the install's own code, for workerd compiles no wasm at run time, and the documents.
        test: { name: "node", include: ["test/{wasm,documents}/**/*.test.ts"], maxWorkers },
      },
      {
        // In Node, over HTTP, against what `npm start` starts: each worker has a server to itself, and the tests in servers/ start more.
        // After the others, which leave the cores to them.
        test: {
          name: "e2e",
          include: ["test/{e2e,servers}/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          maxWorkers,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
