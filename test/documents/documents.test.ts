import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { generatedParts } from "../../scripts/generated-parts.ts";
import { root } from "../../scripts/root.ts";
import { measurements } from "../../bench/measurements.ts";

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

  test("names only files, npm scripts, and their parts that exist", () => {
    const paths = Array.from(text.matchAll(/`((?:src|test|scripts|bench|docs|client|migrations)\/[\w./-]*)`/g));
    expect(paths.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const scripts = Array.from(read(document).matchAll(/\bnpm (?:--\S+ )*run (?:--\S+ )*([a-z:]+)/g));
    expect(scripts.map(([, script = ""]) => script).filter((script) => !npmScripts.has(script))).toEqual([]);
    const parts = Array.from(read(document).matchAll(/\bnpm run (generate|measure) -- ([a-z]+)/g));
    const known = { generate: [...Object.keys(generatedParts), "migration"], measure: Object.keys(measurements) };
    const unknown = parts.filter(([, script = "", part = ""]) => !known[script as keyof typeof known].includes(part));
    expect(unknown.map(([command]) => command)).toEqual([]);
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
