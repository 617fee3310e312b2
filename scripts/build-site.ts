/**
 * Bundles the pages' browser part and puts it, with pdf.js, the example files, the clients as packages, and an archive of the source, into the static
 * assets. Runs at install, and by wrangler.toml's [build] before `wrangler dev` and `wrangler deploy`. It writes only changed files, because each
 * write makes every running `wrangler dev` reload.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { clientArchives } from "./client-archives.ts";
import { sourceArchive } from "./source-archive.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const browser = join(root, "src/site/browser");
const target = join(root, "wasm/generated/assets/site");
const pdfjs = join(root, "node_modules/pdfjs-dist");

/** pdf.js: the build for recent browsers, and the files that it loads on demand. */
const PDFJS_FOLDERS = [
  ["legacy/build", /^pdf(\.worker)?\.min\.mjs$/],
  ["cmaps", /\.bcmap$/],
  ["standard_fonts", /\.(pfb|ttf)$/],
  ["wasm", /^(jbig2|openjpeg|qcms_bg)\.wasm$/],
  ["iccs", /\.icc$/],
] as const;

/** What knows light-dark(), of spring 2024. */
const BROWSERS = ["es2023", "chrome123", "firefox120", "safari17.5"];

async function filesOf(folder: string, wanted: RegExp): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => wanted.test(name)).map((name) => join(folder, name));
}

/** Where each file goes, below the target. */
async function contents(): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  const { version } = JSON.parse(await readFile(join(pdfjs, "package.json"), "utf8")) as { version: string };
  const pages = await filesOf(browser, /\.page\.tsx?$/);
  const examples = await filesOf(join(root, "examples"), /\.(pdf|png|jpg|webp|md|p12|xml)$/);
  // The two that most calls are tried with first.
  const samples = [...new Set(["letter.pdf", "enclosure.pdf", ...examples.map((file) => basename(file)).toSorted()])];
  const bundle = await build({
    entryPoints: pages.map((page) => ({ in: page, out: basename(page).replace(/\.page\.tsx?$/, "") })),
    bundle: true,
    splitting: true,
    format: "esm",
    target: BROWSERS,
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    define: {
      PDFJS: JSON.stringify(`/assets/pdfjs-${version}/`),
      SAMPLES: JSON.stringify(samples),
    },
    external: ["/assets/*"],
    outdir: target,
    write: false,
    logLevel: "warning",
  });
  // Run while the page is read, so they are no modules.
  const scripts = await build({
    entryPoints: (await filesOf(browser, /\.script\.ts$/)).map((file) => ({
      in: file,
      out: basename(file, ".script.ts"),
    })),
    bundle: true,
    format: "iife",
    target: BROWSERS,
    minify: true,
    outdir: target,
    write: false,
    logLevel: "warning",
  });
  for (const { path, contents } of [...bundle.outputFiles, ...scripts.outputFiles])
    found.set(relative(target, path), contents);
  for (const [folder, wanted] of PDFJS_FOLDERS) {
    for (const file of await filesOf(join(pdfjs, folder), wanted)) {
      const place = folder === "legacy/build" ? "" : `${folder}/`;
      found.set(`pdfjs-${version}/${place}${basename(file)}`, await readFile(file));
    }
  }
  for (const file of examples) found.set(`examples/${basename(file)}`, await readFile(file));
  found.set("guides.json", Buffer.from(JSON.stringify(await guides())));
  // For the preview of a typed signature.
  found.set("GreatVibes.ttf", await readFile(join(root, "wasm/generated/assets/fonts/GreatVibes.ttf")));
  found.set("icon.svg", await readFile(join(browser, "icon.svg")));
  found.set("source.tar.gz", sourceArchive(root));
  for (const [name, bytes] of await clientArchives(root)) found.set(name, bytes);
  return found;
}

/** Documents for developers of the service; all others are guides of `/docs`. */
const NOT_GUIDES = ["architecture.md", "benchmarks.md"];

/** The texts of the guides by their paths. docs/api.md comes first: it begins with the quickstart. */
async function guides(): Promise<Record<string, string>> {
  const documents = (await readdir(join(root, "docs"))).filter(
    (name) => name.endsWith(".md") && name !== "api.md" && !NOT_GUIDES.includes(name),
  );
  const paths = [
    "docs/api.md",
    ...documents.toSorted().map((name) => `docs/${name}`),
    "client/README.md",
    "clients/python/README.md",
  ];
  const texts = await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), "utf8")] as const));
  return Object.fromEntries(texts);
}

const wanted = await contents();
await mkdir(target, { recursive: true });
for (const [name, bytes] of wanted) {
  const file = join(target, name);
  const present = await readFile(file).catch(() => undefined);
  if (present?.equals(bytes)) continue;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}
for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (entry.isFile() && !wanted.has(relative(target, file))) await rm(file);
}
