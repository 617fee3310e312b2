/** The clients as packages that every service offers: what `npm pack` and a wheel builder would make, without their tools. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { zipSync } from "fflate";
import { tarArchive } from "./source-archive.ts";

/** The packages by the names that they are served under. Throws if they are not of the same version. */
export async function clientArchives(root: string): Promise<Map<string, Uint8Array>> {
  const client = await npmPackage(root);
  const { name, version, wheel } = await pythonWheel(root);
  const { version: own } = JSON.parse(await readFile(join(root, "client/package.json"), "utf8")) as { version: string };
  if (own !== version) throw new Error(`client/package.json is of version ${own}, and pyproject.toml of ${version}`);
  return new Map([
    ["client.tgz", client],
    [name, wheel],
  ]);
}

/** The files below a folder by their paths, in order. */
async function filesBelow(folder: string): Promise<Map<string, Uint8Array>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = paths.toSorted().map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const);
  return new Map(await Promise.all(read));
}

/** The TypeScript client as npm packs it. Compiling takes seconds, so its result is kept until its source changes. */
async function npmPackage(root: string): Promise<Uint8Array> {
  const folder = join(root, "client");
  const sources = await filesBelow(join(folder, "src"));
  const names = ["LICENSE", "README.md", "package.json", "tsconfig.build.json", "tsconfig.json", "../tsconfig.json"];
  const others = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const));
  const hash = createHash("sha256");
  for (const [name, bytes] of [...sources, ...others]) hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  const place = join(root, "wasm/generated/client");
  const kept = join(place, `${hash.digest("hex").slice(0, 16)}.tgz`);
  const known = await readFile(kept).catch(() => undefined);
  if (known !== undefined) return known;
  const dist = await mkdtemp(join(tmpdir(), "pdf-service-client-"));
  try {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const args = [compiler, "-p", join(folder, "tsconfig.build.json"), "--outDir", dist];
    await promisify(execFile)(process.execPath, args);
    const packed = others.slice(0, 3).map(([name, bytes]) => [`package/${name}`, bytes] as const);
    const compiled = Array.from(await filesBelow(dist), ([name, bytes]) => [`package/dist/${name}`, bytes] as const);
    const archive = tarArchive([...packed, ...compiled]);
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { recursive: true });
    // In one step: another process may look for it.
    await writeFile(`${kept}.${process.pid}`, archive);
    await rename(`${kept}.${process.pid}`, kept);
    return archive;
  } finally {
    await rm(dist, { recursive: true, force: true });
  }
}

/** The Python client as a wheel (Binary distribution format): its files and the metadata of `pyproject.toml`. */
async function pythonWheel(root: string): Promise<{ name: string; version: string; wheel: Uint8Array }> {
  const folder = join(root, "clients/python");
  const project = await readFile(join(folder, "pyproject.toml"), "utf8");
  const valueOf = (key: string): string => {
    const [, value] = new RegExp(`^${key} = "(.*)"$`, "m").exec(project) ?? [];
    if (value === undefined) throw new Error(`pyproject.toml has no ${key}`);
    return value;
  };
  const [name, version] = [valueOf("name").replaceAll("-", "_"), valueOf("version")];
  const code = Array.from(await filesBelow(join(folder, "pdf_service")), ([path, bytes]) => [path, bytes] as const)
    .filter(([path]) => /^[\w/]+\.py$|^py\.typed$/.test(path))
    .map(([path, bytes]) => [`pdf_service/${path}`, bytes] as const);
  const readme = await readFile(join(folder, "README.md"), "utf8");
  const metadata = `Metadata-Version: 2.1
Name: ${valueOf("name")}
Version: ${version}
Summary: ${valueOf("description")}
License: MIT
Classifier: Typing :: Typed
Requires-Python: ${valueOf("requires-python")}
Description-Content-Type: text/markdown

${readme}`;
  const info = `${name}-${version}.dist-info`;
  const files: (readonly [string, Uint8Array])[] = [
    ...code,
    [`${info}/LICENSE`, await readFile(join(folder, "LICENSE"))],
    [`${info}/METADATA`, Buffer.from(metadata)],
    [
      `${info}/WHEEL`,
      Buffer.from("Wheel-Version: 1.0\nGenerator: pdf-service\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    ],
  ];
  const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64url");
  const record = files.map(([path, bytes]) => `${path},sha256=${digest(bytes)},${bytes.length}\n`).join("");
  const all = [...files, [`${info}/RECORD`, Buffer.from(`${record}${info}/RECORD,,\n`)]];
  // The date is that of the format's beginning, for the same source makes the same archive.
  const wheel = zipSync(Object.fromEntries(all) as Record<string, Uint8Array>, {
    mtime: new Date(1980, 0, 1),
    level: 9,
  });
  return { name: `${name}-${version}-py3-none-any.whl`, version, wheel };
}
