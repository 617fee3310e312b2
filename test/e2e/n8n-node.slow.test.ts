import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";

const { baseUrl, liveKey } = ownServer();
const cwd = join(root, "clients/n8n");
const run = promisify(execFile);

// n8n's engine takes 900 MB on disk, so it is installed by `npm ci` in its folder, as CI does, and not with everything else.
describe.skipIf(!existsSync(join(cwd, "node_modules/n8n-core")))("the n8n node", () => {
  test("follows n8n's own rules", async () => {
    // With Vitest's `test`, n8n's rules take files for those of their own tests.
    const env = { ...process.env, NODE_ENV: "development" };
    await expect(run("npm", ["run", "lint"], { cwd, env })).resolves.toMatchObject({ stderr: "" });
  });

  test("runs in n8n's engine against the service", async () => {
    const env = { ...process.env, PDF_SERVICE_URL: baseUrl, PDF_SERVICE_KEY: liveKey, NODE_OPTIONS: "" };
    const { stdout } = await run("npm", ["test"], { cwd, env });
    expect(stdout).toMatch(/^(?:#|ℹ) pass [1-9]\d*$/m);
    expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
  });
});
