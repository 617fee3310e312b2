import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Plugin } from "vitest/config";

const FOLDER = "wasm/generated";
/** Of the modules that stand for the files. A name that ends in `.wasm` would be loaded as usual. */
const PREFIX = "\0engine:";

const names = readdirSync(FOLDER).filter((name) => name.endsWith(".wasm"));

/** The engines' bytes, as bindings. */
export const engineBindings = Object.fromEntries(names.map((name) => [name, join(FOLDER, name)]));

/**
 * Compiles the engines from these bindings. Imported as files, each byte reaches workerd as a number in JSON: half of all that a worker computes
 * until its first test (`perf stat npm test -- --project worker test/http/refusals.test.ts`). The end-to-end tests run them as deployed.
 */
export const engineModules: Plugin = {
  name: "engine-modules",
  enforce: "pre",
  resolveId: (source) =>
    source.includes(`${FOLDER}/`) && source.endsWith(".wasm") ? PREFIX + basename(source, ".wasm") : undefined,
  load(id) {
    if (!id.startsWith(PREFIX)) return undefined;
    const name = JSON.stringify(`${id.slice(PREFIX.length)}.wasm`);
    return `import { env } from "cloudflare:workers";
      export default env.__VITEST_POOL_WORKERS_UNSAFE_EVAL.newWasmModule(env[${name}]);`;
  },
};
