import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { generatedDocuments } from "../../scripts/generated-documents.ts";
import { root } from "../../scripts/root.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");
const npmScripts = new Set(
  ["package.json", "client/package.json"].flatMap((path) => Object.keys(JSON.parse(read(path)).scripts)),
);
const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```/gms, "");

/** The anchors that a forge gives to the headings of a document. */
function anchorsOf(text: string): Set<string> {
  const headings = withoutCode(text).matchAll(/^#+ (.+)$/gm);
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-");
  return new Set(Array.from(headings, ([, heading = ""]) => slug(heading)));
}

test("what is generated of the documents is up to date: npm run docs", async () => {
  for (const [path, content] of await generatedDocuments())
    expect(readFileSync(path, "latin1"), path).toBe(Buffer.from(content).toString("latin1"));
});

describe.each(documents)("%s", (document) => {
  const text = withoutCode(read(document));

  test("links only to files and headings that exist", () => {
    const targets = Array.from(text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, target = ""]) => target);
    const broken = targets.filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? join(root, document) : join(root, dirname(document), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  test("names only files and npm scripts that exist", () => {
    const paths = Array.from(text.matchAll(/`((?:src|test|scripts|bench|docs|client|migrations)\/[\w./-]*)`/g));
    expect(paths.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const scripts = Array.from(read(document).matchAll(/\bnpm (?:--\S+ )*run (?:--\S+ )*([a-z:]+)/g));
    expect(scripts.map(([, script = ""]) => script).filter((script) => !npmScripts.has(script))).toEqual([]);
  });
});

const operations = readdirSync(join(root, "src/operations")).filter(
  (file) => file.endsWith(".ts") && read(join("src/operations", file)).includes("= defineOperation("),
);

test("every operation has a test file named after it", () => {
  const tests = new Set([...readdirSync(join(root, "test/e2e")), ...readdirSync(join(root, "test/operations"))]);
  const missing = [...operations, "pipeline.ts"].filter((file) => !tests.has(file.replace(/\.ts$/, ".test.ts")));
  expect(missing).toEqual([]);
});

test("the README lists every operation", () => {
  const listed = Array.from(read("README.md").matchAll(/\]\(src\/operations\/([\w-]+\.ts)\)/g), ([, file]) => file);
  expect(listed.toSorted()).toEqual(operations.toSorted());
});
