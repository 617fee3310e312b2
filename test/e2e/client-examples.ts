import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./server.ts";

/** Makes the client's source importable in `folder` by the name of its package. */
export async function installClient(folder: string): Promise<void> {
  const place = join(folder, "node_modules/pdf-service-client");
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  // Not a link into the package: Node strips no types below node_modules.
  await writeFile(join(place, "index.js"), `export * from ${JSON.stringify(join(root, "client/src/index.ts"))};\n`);
}

/** Compiles examples that use the client, as a strict project of Node would. Returns what the compiler says. */
export async function compileWithClient(
  folder: string,
  examples: readonly (readonly [name: string, text: string])[],
): Promise<string> {
  for (const [name, text] of examples) await writeFile(join(folder, name), text);
  const config = join(folder, "tsconfig.json");
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    paths: { "pdf-service-client": [join(root, "client/src/index.ts")] },
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    moduleDetection: "force",
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(config, JSON.stringify({ compilerOptions, files: examples.map(([name]) => name) }));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", config], { cwd: folder }).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  await rm(config);
  return stdout;
}
