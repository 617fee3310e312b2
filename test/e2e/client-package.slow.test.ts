import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestHarness } from "wrangler";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const run = promisify(execFile);
/** The examples of the README are for `npm start`. */
const here = (code: string): string => code.replaceAll("http://localhost:8787", baseUrl);

let folder: string;
let installed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-client-"));
  installed = join(folder, "node_modules/pdf-service-client");
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await run("npm", ["install", "--no-audit", "--no-fund", here(await installCommand())], { cwd: folder });
  await mkdir(join(folder, "node_modules/@types"));
  await cp(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"), { recursive: true });
  await cp(join(root, "node_modules/undici-types"), join(folder, "node_modules/undici-types"), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What its README says to install. */
async function installCommand(): Promise<string> {
  const readme = await readFile(join(root, "client/README.md"), "utf8");
  return /^npm install (.*)$/m.exec(readme)?.[1] ?? "";
}

test("the package contains its code with types, a README, and a license of its own", async () => {
  expect((await readdir(installed)).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  expect(await readFile(join(installed, "LICENSE"), "utf8")).toMatch(/^MIT License\n/);
  expect(await readFile(join(installed, "README.md"), "utf8")).toMatch(/^# pdf-service-client$/m);
  const code = (await readdir(join(installed, "dist"), { recursive: true })).filter((name) => name.includes("."));
  expect(code.filter((name) => !/\.(?:js|d\.ts)$/.test(name))).toEqual([]);
});

describe("a strict TypeScript compiler", () => {
  const compilers = {
    "5.4": "node_modules/@tsd/typescript/typescript/bin/tsc",
    "of today": "node_modules/typescript/bin/tsc",
  };
  const libraries = { Node: [["es2022"], ["node"]], "a browser": [["es2022", "dom"], []] } as const;
  const cases = Object.entries(compilers).flatMap(([version, compiler]) =>
    Object.entries(libraries).map(([place, [lib, types]]) => ({ version, compiler, place, lib, types })),
  );

  test.for(cases)(
    "the client compiles with TypeScript $version for $place",
    async ({ compiler, place, lib, types }) => {
      const calls = await readFile(join(root, "client/test/types.ts"), "utf8");
      await writeFile(join(folder, "calls.ts"), calls.replace("../src/index.ts", "pdf-service-client"));
      const files = ["calls.ts"];
      if (place === "Node") {
        await writeFile(join(folder, "example.ts"), here(await firstExample()));
        files.push("example.ts");
      }
      const module = { target: "es2022", module: "nodenext", lib };
      const compilerOptions = {
        ...module,
        types,
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      const compiled = await run(process.execPath, [join(root, compiler)], { cwd: folder }).catch(
        (error: unknown) => error,
      );
      expect(compiled).toMatchObject({ stdout: "" });
    },
  );
});

async function firstExample(): Promise<string> {
  const readme = await readFile(join(installed, "README.md"), "utf8");
  return /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "";
}

test("the README's first example runs as pasted", async () => {
  for (const name of ["letter.pdf", "enclosure.pdf"]) await cp(join(root, "examples", name), join(folder, name));
  await writeFile(join(folder, "example.ts"), here(await firstExample()));
  const env = { ...process.env, PDF_SERVICE_KEY: liveKey };
  const { stdout } = await run(process.execPath, ["example.ts"], { cwd: folder, env });
  expect(stdout).toMatch(/^3 \d+\n$/);
  const merged = await PDFDocument.load(await readFile(join(folder, "letter-merge.pdf")));
  expect([merged.getPageCount(), merged.getTitle()]).toEqual([3, "Letter with enclosure"]);
});

test("the package's command runs", async () => {
  const command = join(folder, "node_modules/.bin/pdf-service");
  const env = { ...process.env, PDF_SERVICE_KEY: liveKey, PDF_SERVICE_URL: baseUrl };
  const { stdout } = await run(command, ["extract-text", join(root, "examples/letter.pdf")], { env });
  expect((JSON.parse(stdout) as { pages: unknown[] }).pages).toHaveLength(2);
});

test("the command line is installed, and runs without being installed, as the README has it", async () => {
  const readme = here(await readFile(join(root, "client/README.md"), "utf8"));
  const [, install = ""] = /^npm (install --global .*)$/m.exec(readme) ?? [];
  const [, once = ""] = /^npx (.*)$/m.exec(readme) ?? [];
  const prefix = join(folder, "global");
  const env = { ...process.env, npm_config_prefix: prefix, npm_config_cache: join(folder, "cache") };
  await run("npm", install.split(" "), { cwd: folder, env });
  const installed = await run(join(prefix, "bin/pdf-service"), ["--help"], { env });
  expect(installed.stdout).toContain("pdf-service");
  expect(await run("npx", once.split(" "), { cwd: prefix, env })).toMatchObject({ stdout: installed.stdout });
});

/** What a bundler for browsers makes of a module. */
async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    format: "esm",
  });
  return outputFiles[0]?.text ?? "";
}

test("a browser bundle needs no modules of Node, and contains only the used code", async () => {
  const client = await bundled('export { PdfService } from "pdf-service-client";');
  expect(client).toContain("/api/v1/merge");
  expect(client).not.toMatch(/node:|--help/);
  expect(await bundled('export { verifyWebhook } from "pdf-service-client";')).not.toContain("/api/v1/");
});

test("the client runs in a Worker, and streams the file and the result", async () => {
  const worker = `
    import { PdfService } from "pdf-service-client";
    export default {
      async fetch(request, { BASE_URL, KEY }) {
        const pdf = new PdfService({ baseUrl: BASE_URL, apiKey: KEY });
        const numbered = await pdf.addPageNumbers({ file: request.body, template: "Sheet {n}" });
        return new Response(numbered.stream(), { headers: { pages: String(numbered.pageCount) } });
      },
    };`;
  await writeFile(join(folder, "worker.js"), worker);
  const config = { name: "caller", main: "worker.js", compatibility_date: "2026-01-01" };
  const vars = { BASE_URL: baseUrl, KEY: liveKey };
  await writeFile(join(folder, "wrangler.json"), JSON.stringify({ ...config, vars }));
  const harness = createTestHarness({ root: folder, workers: [{ configPath: "wrangler.json" }] });
  try {
    await harness.listen();
    const body = await readFile(join(root, "examples/letter.pdf"));
    const response = await harness.fetch("/", { method: "POST", body });
    expect([response.status, response.headers.get("pages")]).toEqual([200, "2"]);
    const { text } = await readPage(new Uint8Array(await response.arrayBuffer()), 2);
    expect(text).toContain("Sheet 2");
  } finally {
    await harness.close();
  }
});
