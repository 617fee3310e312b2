/** Starts that the settings, the folder, or the port do not allow: each prints one line. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SECRET, start } from "./started.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-refused-"));
});
afterAll(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true, force: true });
});

/** The one line of a start that fails. */
async function refusal(data: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { baseUrl, code, stderr, lines } = await start(data, args, env);
  expect(baseUrl).toBeUndefined();
  expect(code).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes('"error"'))).toEqual([]);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  return stderr.trim();
}

describe("npm run serve", () => {
  test.each([
    [{ MEMORY_BUDGET_MIB: "lots" }, "MEMORY_BUDGET_MIB must be a whole number of MiB."],
    [{ MEMORY_BUDGET_MIB: "16" }, "MEMORY_BUDGET_MIB must be at least 64"],
    [{ BASE_URL: "pdf.example.com" }, "BASE_URL must be an http or https URL."],
    [{ TSA_URL: "ftp://example.com" }, "TSA_URL must be an http or https URL."],
    [{ SERVER_SECRET_PREVIOUS: "short" }, "SERVER_SECRET_PREVIOUS must have 32 characters at least."],
    [{ AUTH: "none" }, 'AUTH must be "single" or "accounts".'],
    [{ REQUESTS_PER_MINUTE: "0" }, "REQUESTS_PER_MINUTE must be a whole number from 1 to 9999999."],
    [{ WEBHOOK_ALLOW_LOCAL: "true", BASE_URL: "https://pdf.example.com" }, "WEBHOOK_ALLOW_LOCAL is only for"],
    [{ AUTH: "single", API_KEY: "secret" }, "API_KEY must be sk_live_ and 49 letters and digits, with a checksum."],
    [{ API_KEY: "secret" }, "API_KEY is only for --single-tenant (AUTH=single)."],
  ])("a start with %o is refused in one line", async (env, message) => {
    expect(await refusal(join(folder, "none"), [], env)).toContain(message);
  });

  test("a data folder that is a file is refused in one line", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(await refusal(file)).toMatch(/^The data folder \S+ \(--data, DATA_DIR\) must be a folder .*EEXIST|ENOTDIR/);
    expect(await refusal(join(file, "below"))).toContain("ENOTDIR");
  });

  test.runIf(process.getuid?.() !== 0)("a data folder that nobody may write to is refused in one line", async () => {
    const closed = join(folder, "closed");
    await mkdir(closed, { mode: 0o500 });
    expect(await refusal(closed)).toContain("EACCES");
  });

  test("a port that is in use is refused in one line", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    expect(await refusal(join(folder, "port"), ["--port", String(port)])).toBe(
      `Cannot listen on 127.0.0.1:${port}: the port is in use; choose another with --port (PORT).`,
    );
    other.close();
  });

  test("another secret than that of the data is refused in one line, unless it replaces it or the data is given up", async () => {
    const data = join(folder, "secret");
    await (await start(data)).stop();
    const [other, third] = ["another secret of 32 characters or more", "a third secret of 32 characters or more"];
    const message = await refusal(data, [], { SERVER_SECRET: other });
    expect(message).toContain("SERVER_SECRET is not the one that encrypted the data in");
    expect(message).not.toContain(other);
    const replaced = await start(data, [], { SERVER_SECRET: other, SERVER_SECRET_PREVIOUS: SECRET });
    expect(replaced.baseUrl).toBeDefined();
    await replaced.stop();
    expect(await refusal(data)).toContain("SERVER_SECRET is not");
    const forced = await start(data, ["--new-secret"], { SERVER_SECRET: third });
    expect(forced.baseUrl).toBeDefined();
    await forced.stop();
    await (await start(data, [], { SERVER_SECRET: third })).stop();
    // Without a secret, none is made for data that has one.
    expect(await refusal(data, [], { SERVER_SECRET: "" })).toContain("SERVER_SECRET is not");
    expect(await readdir(data)).not.toContain("server-secret");
  });

  test("a server that is given no secret makes one at its first start, and its data keeps it", async () => {
    const data = join(folder, "made");
    const without = { SERVER_SECRET: "" };
    const file = join(data, "server-secret");
    const first = await start(data, [], without);
    await first.stop();
    const secret = (await readFile(file, "utf8")).trim();
    expect(secret).toMatch(/^[\da-f]{64}$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(first.lines.join()).not.toContain(secret);
    const second = await start(data, [], without);
    expect(second.baseUrl).toBeDefined();
    await second.stop();
    expect((await readFile(file, "utf8")).trim()).toBe(secret);
    expect(await refusal(data)).toContain("SERVER_SECRET is not");
    const given = await start(data, [], { SERVER_SECRET: secret });
    expect(given.baseUrl).toBeDefined();
    await given.stop();
    await writeFile(file, "short");
    expect(await refusal(data, [], without)).toBe(
      `${file} does not contain a secret. Restore it from a backup of the folder, or set SERVER_SECRET.`,
    );
  });
});
