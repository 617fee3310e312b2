import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, inject, test } from "vitest";
import { root } from "./server.ts";

const server = inject("server");

/** Runs the account tool as the README says. */
async function account(...args: string[]) {
  const npm = spawn("npm", ["--silent", "run", "account", "--", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(npm.stdout),
    text(npm.stderr),
    once(npm, "exit") as Promise<[number]>,
  ]);
  return { stdout, stderr, code };
}

async function rotate(key: string): Promise<number> {
  const answer = await fetch(`${server.baseUrl}/api/v1/rotate`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: new FormData(),
  });
  await answer.arrayBuffer();
  return answer.status;
}

describe("npm run account -- create", () => {
  test("prints one JSON object, and the running server takes its key at once", async () => {
    const name = `O'Brien & "Söhne"; DROP TABLE accounts;--`;
    const { stdout, code } = await account("create", "--name", name, "--plan", "pro", "--persist-to", server.persistTo);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{.*\}\n$/);
    const made = JSON.parse(stdout) as { key: string };
    expect(made).toEqual({
      account: expect.stringMatching(/^acct_[0-9A-Za-z]{22}$/),
      plan: "pro",
      key: expect.stringMatching(/^sk_live_[0-9A-Za-z]{49}$/),
    });
    expect(await rotate(made.key)).toBe(400);
  });

  test("makes a test key of the free plan", async () => {
    const { stdout } = await account("create", "--name", "Trial", "--test", "--persist-to", server.persistTo);
    expect(JSON.parse(stdout)).toMatchObject({ plan: "free", key: expect.stringMatching(/^sk_test_/) });
  });

  test.each([
    ["no command", ["--name", "N"], "create"],
    ["no name", ["create"], "--name"],
    ["an unknown plan", ["create", "--name", "N", "--plan", "gold"], "--plan must be one of free"],
    ["an unknown option", ["create", "--name", "N", "--paln", "pro"], "--paln"],
    ["a control character", ["create", "--name", "a\nb"], "control character"],
    ["an environment without --remote", ["create", "--name", "N", "--env", "staging"], "--remote"],
  ])("called with %s: exit code 2, nothing on stdout, the reason on stderr", async (_case, args, reason) => {
    const { stdout, stderr, code } = await account(...args);
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
    expect(stderr).toContain(reason);
  });
});
