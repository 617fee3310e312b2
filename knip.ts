import type { KnipConfig } from "knip";

/** What others import of the client; all other entries come from package.json's scripts, wrangler.toml and vitest.config.ts. */
const config: KnipConfig = {
  entry: ["client/src/index.ts"],
  project: ["src/**/*.ts", "scripts/**/*.ts", "bench/**/*.ts", "client/**/*.ts", "test/**/*.ts", "wasm/*.ts"],
  // A type of a function's parameter or result is exported with it, whether somebody names it yet or not.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Files that wasm/prepare.ts copies.
  ignoreDependencies: [/^@expo-google-fonts\//],
  // Debian's package, compared with by `npm run bench` where it is installed.
  ignoreBinaries: ["qpdf"],
};

export default config;
