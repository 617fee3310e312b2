import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "./root.ts";

/**
 * Bundles the worker into a folder as for a deployment. `env`: an environment of wrangler.toml, empty for the top level.
 * Throws where wrangler refuses or warns: a warning gives advice to whoever deploys.
 */
export function bundleWorker(env: string, folder: string, { minify = false } = {}): void {
  const wrangler = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/wrangler/bin/wrangler.js"),
      "deploy",
      "--dry-run",
      `--env=${env}`,
      `--outdir=${folder}`,
      ...(minify ? ["--minify"] : []),
    ],
    {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false" },
    },
  );
  const printed = `${wrangler.stdout}${wrangler.stderr}`;
  if (wrangler.status !== 0) throw new Error(`wrangler refuses:\n${printed}`);
  if (stripVTControlCharacters(printed).includes("[WARNING]")) throw new Error(`wrangler warns:\n${printed}`);
}
