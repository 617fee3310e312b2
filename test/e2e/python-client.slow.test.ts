import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { has, hasPython } from "./installed-programs.ts";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { cuttingProxy } from "../harness/requests/cutting-proxy.ts";

const { baseUrl, liveKey } = ownServer();
const run = promisify(execFile);
const client = join(root, "clients/python");

/** What the reference implementation of Standard Webhooks signs. */
function signedDelivery(): string {
  const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
  const body = JSON.stringify({ type: "webhook.test", data: { webhook: "wh_ä" } });
  const at = new Date("2026-11-01T00:00:00Z");
  return ["evt_1", at.getTime() / 1_000, new Webhook(secret).sign("evt_1", at, body), secret, body].join("\n");
}

describe.skipIf(!hasPython)("Python client", () => {
  const env = { ...process.env, PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: "1", PDF_SERVICE_KEY: liveKey };

  test("passes its own tests against the service", async () => {
    const proxy = await cuttingProxy(baseUrl);
    try {
      proxy.cut(2);
      const own = { EXAMPLES: join(root, "examples"), PDF_SERVICE_URL: baseUrl, CUTTING_PROXY: proxy.baseUrl };
      const { stderr } = await run("python3", ["tests/test_client.py"], {
        cwd: client,
        env: { ...env, ...own, STANDARD_WEBHOOK: signedDelivery() },
      });
      expect(stderr).toMatch(/^Ran 1\d tests[^]*\nOK\n$/m);
      expect(proxy.lost()).toBe(2);
    } finally {
      await proxy.close();
    }
  });

  test.skipIf(!has("python3", "-m", "pip", "--version"))("installs and runs as its README describes", async () => {
    const readme = (await readFile(join(client, "README.md"), "utf8")).replaceAll("http://localhost:8787", baseUrl);
    const example = /```python\n(.*?)```/s.exec(readme)?.[1] ?? "";
    const wheel = /^pip install (.*)$/m.exec(readme)?.[1] ?? "";
    const folder = await mkdtemp(join(tmpdir(), "pdf-service-python-"));
    try {
      const packages = join(folder, "packages");
      // From the service, and from nowhere else.
      const options = ["--no-index", "--no-cache-dir", "--disable-pip-version-check", "--target", packages];
      await run("python3", ["-m", "pip", "install", ...options, wheel]);
      for (const name of ["letter.pdf", "enclosure.pdf"]) await cp(join(root, "examples", name), join(folder, name));
      const { stdout } = await run("python3", ["-c", example], { cwd: folder, env: { ...env, PYTHONPATH: packages } });
      expect(stdout).toMatch(/^letter-merge\.pdf 3 \d+\n\d+\n$/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test.skipIf(!has("mypy", "--version"))("passes strict type checks", async () => {
    const { stdout } = await run("mypy", ["--strict", "--cache-dir", "/dev/null", "pdf_service", "tests"], {
      cwd: client,
      env,
    });
    expect(stdout).toMatch(/^Success: /);
  });
});
