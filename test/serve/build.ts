import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { root } from "../../scripts/root.ts";
import { buildServer } from "../../scripts/build-server.ts";

/** Builds the bundle that `SERVED_APP` names, for all tests that run servers of it. */
export default async function setup({ config }: TestProject): Promise<void> {
  const folder = config.env["SERVED_APP"];
  if (folder === undefined) throw new Error("SERVED_APP is not set");
  await buildServer(join(root, folder));
}
