import type { KnipConfig } from "knip";

/** What others import of the client; most other entries come from package.json's scripts, wrangler.toml and vitest.config.ts. */
const config: KnipConfig = {
  entry: [
    "client/src/index.ts",
    "client/src/cli/main.ts",
    "client/test/types.ts",
    // scripts/build-server.ts bundles them.
    "src/serve/{main,migrate}.ts",
    "src/remote/{state,worker}.ts",
    // vitest.config.ts names them in slow mode only.
    "test/serve/{build,temporary-folder}.ts",
    // package.json runs it with `exec`.
    "scripts/serve.ts",
    "src/site/browser/*.{page,script}.{ts,tsx}",
  ],
  project: ["src/**/*.{ts,tsx}", "scripts/**/*.ts", "bench/**/*.ts", "client/**/*.ts", "test/**/*.ts", "wasm/*.ts"],
  // A type of a function's parameter or result is exported with it, whether somebody names it yet or not.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Files that wasm/prepare.ts copies, and a package that a program of docs/buckets.md imports.
  ignoreDependencies: [/^@expo-google-fonts\//, /^@tesseract.js-data\//, "tesseract.js-core", "aws4fetch"],
  // Debian's packages, compared with by `npm run measure -- bench` where they are installed.
  ignoreBinaries: ["ocrmypdf", "pdftoppm", "tesseract", "unshare"],
};

export default config;
