/** Starts of `npm run serve` with settings of their own, which may fail. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../e2e/server.ts";

export const program = join(root, process.env["SERVED_APP"] ?? "", "bin/serve.js");

export const SECRET = "the secret of a server with settings of its own";

export interface Started {
  /** Undefined if it has ended before it was ready. */
  readonly baseUrl: string | undefined;
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | undefined;
  stop(): Promise<void>;
}

/** Starts a server on a free port, and waits until it is ready or has ended. */
export async function start(
  data: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(process.execPath, [program, "--data", data, "--port", "0", ...args], {
    env: { PATH: process.env["PATH"] ?? "", SERVER_SECRET: SECRET, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const lines: string[] = [];
  const baseUrl = await new Promise<string | undefined>((done) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      const [, url] = /"message":"ready","url":"([^"]+)"/.exec(line) ?? [];
      if (url !== undefined) done(url);
    });
    child.once("close", () => done(undefined));
  });
  return {
    baseUrl,
    lines,
    stderr,
    code: child.exitCode ?? undefined,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
