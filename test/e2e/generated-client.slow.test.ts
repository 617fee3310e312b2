import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PDFDocument } from "pdf-lib";
import { expect, test } from "vitest";
import { sampleWith, samplesOf } from "./guide-samples.ts";
import { has } from "./installed-programs.ts";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";

const { baseUrl, liveKey } = ownServer();
const run = promisify(execFile);
const hasRegistry = has("npm", "view", "openapi-typescript@7.13.0", "version", "--fetch-retries=0");

test.skipIf(!hasRegistry)("the client that the guide generates compiles, and rotates a document", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-generated-"));
  try {
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await symlink(join(root, "examples"), join(folder, "examples"));
    const commands = sampleWith(await samplesOf("sh", baseUrl), "openapi-typescript");
    await run("sh", ["-e", "-c", commands], { cwd: folder });
    await symlink(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
    const program = sampleWith(await samplesOf("ts", baseUrl), "openapi-fetch");
    await writeFile(join(folder, "program.ts"), program);
    const options = [
      "--strict",
      "--noEmit",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--skipLibCheck",
      "--types",
      "node",
    ];
    await run("npx", ["tsc", ...options, "program.ts"], { cwd: folder });
    // A wrong path is an error of the compiler, so the types are those of the service.
    await writeFile(join(folder, "wrong.ts"), program.replace("/api/v1/rotate", "/api/v1/rotat"));
    const wrong: unknown = await run("npx", ["tsc", ...options, "wrong.ts"], { cwd: folder }).catch(
      (error: unknown) => error,
    );
    expect(wrong).toMatchObject({ stdout: expect.stringMatching(/rotat"/) as unknown });
    const env = { ...process.env, PDF_SERVICE_KEY: liveKey };
    await run(process.execPath, ["program.ts"], { cwd: folder, env });
    const rotated = await PDFDocument.load(await readFile(join(folder, "rotated-by-generated-client.pdf")));
    expect(rotated.getPage(0).getRotation().angle).toBe(90);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
