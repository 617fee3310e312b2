import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import "./scripts/compile-cache.ts";
import { engineBindings, engineModules } from "./test/engine-modules.ts";

/** More than cores on a small machine: for a third of their time, tests wait. */
const maxWorkers = Math.max(4, availableParallelism() - 1);
const migrations = await readD1Migrations("migrations");

/**
 * The files that take longest. First those that mostly wait: others compute beside them. Then those in Node: where another project's
 * file is next, a worker ends, and with it what it has loaded.
 */
const longest = [
  "servers/webhooks-fair",
  "servers/webhooks-killed",
  "servers/webhooks",
  "servers/jobs-killed",
  "servers/killed",
  "documents/documents",
  "wasm/fuel",
  "faults/engines",
  "jobs/faults",
  "operations/ocr",
  "http/operations/payment",
  "operations/drawing-bombs",
  "operations/wording",
  "faults/logs",
  "e2e/survival",
  "e2e/command-line",
  "e2e/account",
  "e2e/compress",
  "e2e/start",
  "e2e/protect",
  "e2e/playground",
  "e2e/bombs",
  "e2e/playground-pages",
  "e2e/fuzz",
  "e2e/python-client",
  "e2e/aborted",
  "e2e/broken-documents",
].map((name) => `/test/${name}.test.ts`);

/** Starts the longest files first, so that no core is idle in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Inside workerd, with the bindings of wrangler.toml's local default. The service is loaded once for all files of a worker, and not
        // once for each, which takes longer than most files. Each file finds the database empty, but for accounts.
        plugins: [
          engineModules,
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            remoteBindings: false,
            miniflare: {
              dataBlobBindings: engineBindings,
              // For the test of accounts that are spread over several databases.
              d1Databases: { SECOND_DB: "second" },
              // Messages wait longer than any test: what is delivered is tested over HTTP, to receivers that are there.
              queueProducers: {
                WEBHOOKS: { queueName: "pdf-service-webhooks", deliveryDelay: 43_200 },
                JOBS: { queueName: "pdf-service-jobs", deliveryDelay: 43_200 },
              },
            },
          }),
        ],
        test: {
          name: "worker",
          include: ["test/**/*.test.ts"],
          exclude: ["test/documents/**", "test/e2e/**", "test/servers/**", "test/wasm/**"],
          isolate: false,
          globalSetup: ["test/http/document-server.ts"],
          setupFiles: ["test/empty-database.ts"],
          // Nothing here is a measurement: a busy machine may take its time.
          testTimeout: 60_000,
          provide: { migrations },
          maxWorkers,
        },
      },
      {
        // In Node: the install's own code, for workerd compiles no wasm at run time, and the documents.
        test: { name: "node", include: ["test/{wasm,documents}/**/*.test.ts"], maxWorkers, testTimeout: 60_000 },
      },
      {
        // In Node, over HTTP, against servers that the tests start, kill, and start again.
        test: {
          name: "servers",
          include: ["test/servers/**/*.test.ts"],
          isolate: false,
          maxWorkers,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        // In Node, over HTTP, against what `npm start` starts: each worker has a server to itself.
        // After the others, which leave the cores to them. The engines that look at outputs are loaded once for all files of a worker.
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          isolate: false,
          globalSetup: ["test/e2e/global-setup.ts"],
          // One fewer: each has a server to warm up.
          maxWorkers: maxWorkers - 1,
          sequence: { groupOrder: 1 },
          // Longer than anything takes on a busy machine.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
