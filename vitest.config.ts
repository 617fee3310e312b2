import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import "./scripts/compile-cache.ts";
import { LOCAL_SECRET } from "./src/serve/local-secret.ts";
import { engineBindings, engineModules } from "./test/engine-modules.ts";
import { RetriedTests } from "./test/retried-tests.ts";

/** More than cores on a small machine: for a third of their time, tests wait. */
const maxWorkers = Math.max(4, availableParallelism() - 1);
/** In ms: longer than any test takes where four others use each core. Nothing here is a measurement. */
const FAR_AWAY = 600_000;
const migrations = await readD1Migrations("migrations");

/**
 * The files that take longest. First those that mostly wait: others compute beside them. Then those in Node: if the next file belongs to another
 * project, the worker ends and loses its loaded modules.
 */
const longest = [
  "servers/webhooks-fair.slow",
  "servers/webhooks-killed.slow",
  "servers/webhooks.slow",
  "servers/jobs-killed.slow",
  "servers/killed.slow",
  "documents/documents",
  "wasm/fuel",
  "faults/engines.slow",
  "jobs/faults.slow",
  "accounts/routes.security",
  "http/operations/payment",
  "operations/ocr",
  "operations/revocation",
  "http/operations/references",
  "jobs/jobs",
  "operations/to-images",
  "billing/ledger.property",
  "operations/to-pdf-bounds.slow",
  "operations/parser-constructs.slow",
  "operations/drawing-bombs.slow",
  "operations/wording.slow",
  "faults/logs.slow",
  "e2e/reference.slow",
  "e2e/survival.slow",
  "e2e/command-line.slow",
  "e2e/account.slow",
  "e2e/compress",
  "e2e/start.slow",
  "e2e/verify-signatures",
  "e2e/signature-invalidated",
  "e2e/protect",
  "e2e/to-pdf",
  "e2e/playground.slow",
  "e2e/bombs.slow",
  "e2e/watermark",
  "e2e/add-page-numbers",
].map((name) => `/test/${name}.test.ts`);
/** The tests of accounts, webhooks, and jobs that also run against `npm run serve`, and the bundle that those servers are of. */
const SERVED = ["webhooks.slow", "webhooks-killed.slow", "jobs-killed.slow", "killed.slow", "telemetry.slow"].map(
  (name) => `servers/${name}`,
);
const SERVED_APP = "dist/tested-server";
/** Folders of tests that need neither workerd nor a server. */
const IN_NODE = ["documents", "engines/content", "engines/fonts", "engines/syntax", "engines/write", "wasm"];
const missing = longest.filter((path) => !existsSync(`${import.meta.dirname}${path}`));
if (missing.length > 0) throw new Error(`vitest.config.ts lists files that do not exist: ${missing.join(", ")}`);

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

/**
 * `npm test` runs the files that end in `.test.ts`. `npm run test:slow`, which is `--mode slow`, runs those that end in `.slow.test.ts`:
 * servers that are killed, pages in a browser, clients, sizes at their limits, faults, and all operations combined.
 */
export default defineConfig(({ mode }) => {
  const isSlow = mode === "slow";
  const tests = (folder: string) => ({
    include: [`test/${folder}/**/*${isSlow ? ".slow" : ""}.test.ts`],
    exclude: isSlow ? [] : ["**/*.slow.test.ts"],
  });
  // On a busy machine, a server may stall for longer than a test waits. Retried tests are printed.
  const retry = isSlow ? 1 : 0;
  const worker = tests(".");
  return {
    test: {
      sequence: { sequencer: LongestFirst },
      reporters: ["default", new RetriedTests()],
      projects: [
        {
          // Inside workerd, with the bindings of wrangler.toml's local default. The service is loaded once for all files of a worker, and
          // not once for each, which takes longer than most files. Each file finds the database empty, but for accounts.
          plugins: [
            engineModules,
            cloudflareTest({
              wrangler: { configPath: "./wrangler.toml" },
              remoteBindings: false,
              miniflare: {
                bindings: { SERVER_SECRET: LOCAL_SECRET },
                dataBlobBindings: engineBindings,
                // For the test of accounts that are spread over several databases.
                d1Databases: { SECOND_DB: "second" },
                // Messages wait longer than any test. Deliveries are tested over HTTP, to real receivers.
                queueProducers: {
                  WEBHOOKS: { queueName: "pdf-service-webhooks", deliveryDelay: 43_200 },
                  JOBS: { queueName: "pdf-service-jobs", deliveryDelay: 43_200 },
                },
              },
            }),
          ],
          test: {
            name: "worker",
            include: worker.include,
            exclude: [
              ...worker.exclude,
              "test/e2e/**",
              ...IN_NODE.map((folder) => `test/${folder}/**`),
              "test/serve/**",
              "test/servers/**",
            ],
            isolate: false,
            globalSetup: ["test/http/document-server.ts"],
            setupFiles: ["test/fresh-state.ts"],
            testTimeout: FAR_AWAY,
            provide: { migrations },
            maxWorkers,
          },
        },
        {
          // In Node: the install's own code, for workerd compiles no wasm at run time, the documents, and the rooms of the engines that need no wasm.
          test: { name: "node", ...tests(`{${IN_NODE.join(",")}}`), maxWorkers, testTimeout: FAR_AWAY },
        },
        {
          // In Node, over HTTP, against servers that the tests start, kill, and start again.
          test: {
            name: "servers",
            ...tests("servers"),
            isolate: false,
            maxWorkers,
            retry,
            testTimeout: FAR_AWAY,
            hookTimeout: FAR_AWAY,
          },
        },
        ...(isSlow
          ? [
              {
                // The same against servers of `npm run serve`, and the features that only they have.
                test: {
                  name: "served",
                  include: ["test/serve/**/*.slow.test.ts", ...SERVED.map((name) => `test/${name}.test.ts`)],
                  env: { SERVED_APP },
                  globalSetup: ["test/serve/build.ts"],
                  setupFiles: ["test/serve/temporary-folder.ts"],
                  isolate: false,
                  maxWorkers,
                  retry,
                  testTimeout: FAR_AWAY,
                  hookTimeout: FAR_AWAY,
                  expect: { poll: { timeout: FAR_AWAY / 2 } },
                },
              },
            ]
          : []),
        {
          // In Node, over HTTP, against what `npm start` starts. After the others, which leave the cores to them. The engines that look at
          // outputs are loaded once for all files of a worker.
          test: {
            name: "e2e",
            ...tests("e2e"),
            isolate: false,
            globalSetup: ["test/e2e/global-setup.ts"],
            // Each has a server to itself, which takes as long to warm up as some twenty tests.
            maxWorkers: isSlow ? maxWorkers - 1 : 2,
            retry,
            sequence: { groupOrder: 1 },
            testTimeout: FAR_AWAY,
            hookTimeout: FAR_AWAY,
            expect: { poll: { timeout: FAR_AWAY / 2 } },
          },
        },
      ],
    },
  };
});
