import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "./root.ts";

/** What Git ignores, but the tests need. */
const GENERATED = "wasm/generated";

/** Copies the tree, including uncommitted changes, without `node_modules`, so that an interrupted run leaves nothing behind in the checkout. */
export async function copyTree(to: string): Promise<void> {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const files = list
    .toString()
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)));
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(root, file), join(to, file));
  }
  await cp(join(root, GENERATED), join(to, GENERATED), { recursive: true });
}
