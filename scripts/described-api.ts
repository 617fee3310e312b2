/** The registry of operations of this source and its OpenAPI description, without a started service. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./root.ts";
import type { OpenApi } from "../client/generate.ts";
import type { Example, Operation } from "../src/operations/definition/define.ts";

/** What the registries are written with: everything but the engines' binaries and the platform, which no description needs. */
const ENTRY = `
  import { describeApi } from "./src/http/openapi/openapi.ts";
  import { endpoints } from "./src/http/endpoints/index.ts";
  import { operations } from "./src/operations/index.ts";
  import { pipelineOf } from "./src/operations/pipeline.ts";
  import { hintsOf } from "./src/operations/definition/fields.ts";
  const all = [...operations, pipelineOf(operations)];
  const triesOf = (fields) => Object.entries(fields).map(([name, field]) => [name, hintsOf(field).tries]);
  export default {
    description: describeApi(all, endpoints, "http://localhost:8787"),
    operations: all.map(({ name, group, aside, example, furtherExamples = [], fields }) => (
      { name, group, aside, example, furtherExamples, tries: Object.fromEntries(triesOf(fields)) }
    )),
  };
`;

/** The facts about an operation that the registry has and openapi.json does not have, or does not have alone. */
export interface OperationFacts extends Pick<Operation, "name" | "group" | "aside" | "example"> {
  readonly furtherExamples: readonly Example[];
  /** By the name of a field: what the fuzzer sends. */
  readonly tries: Readonly<Record<string, readonly string[]>>;
}

interface Described {
  readonly description: OpenApi;
  readonly operations: readonly OperationFacts[];
}

/** As a service on the port of `npm start` describes itself in `/api/v1/openapi.json`. */
export const describedApi = async (): Promise<OpenApi> => (await described()).description;

export const describedOperations = async (): Promise<readonly OperationFacts[]> => (await described()).operations;

let kept: Promise<Described> | undefined;

/** Reads the registry once. */
const described = (): Promise<Described> => (kept ??= readRegistry());

async function readRegistry(): Promise<Described> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-description-"));
  try {
    const outfile = join(folder, "description.mjs");
    await build({
      stdin: { contents: ENTRY, resolveDir: root, loader: "ts" },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node22",
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
    const registry = (await import(pathToFileURL(outfile).href)) as { default: Described };
    return JSON.parse(JSON.stringify(registry.default)) as Described;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
