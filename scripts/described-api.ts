/** The OpenAPI description of this source, without a started service. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./root.ts";
import type { OpenApi } from "../client/generate.ts";

/** What the registries are written with: everything but the engines' binaries and the platform, which no description needs. */
const ENTRY = `
  import { describeApi } from "./src/http/openapi/openapi.ts";
  import { endpoints } from "./src/http/endpoints/index.ts";
  import { operations } from "./src/operations/index.ts";
  import { pipelineOf } from "./src/operations/pipeline.ts";
  export default describeApi([...operations, pipelineOf(operations)], endpoints, "http://localhost:8787");
`;

/** As a service on the port of `npm start` describes itself in `/api/v1/openapi.json`. */
export async function describedApi(): Promise<OpenApi> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-description-"));
  try {
    const outfile = join(folder, "description.mjs");
    await build({
      stdin: { contents: ENTRY, resolveDir: root, loader: "ts" },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      logLevel: "error",
      loader: { ".wasm": "empty", ".txt": "text" },
      plugins: [
        {
          name: "platform",
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "platform" }));
            onLoad({ filter: /.*/, namespace: "platform" }, () => ({ contents: "module.exports = {};" }));
          },
        },
      ],
    });
    const { default: description } = (await import(pathToFileURL(outfile).href)) as { default: OpenApi };
    return JSON.parse(JSON.stringify(description)) as OpenApi;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
