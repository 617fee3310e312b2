import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PDFDocument } from "pdf-lib";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";

const server = ownServer();

test("the README's curl line merges two PDFs as pasted", async () => {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const pasted = /```sh\n(curl [^`]+)```/.exec(readme)?.[1] ?? "";
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-readme-"));
  try {
    const merged = join(folder, "merged.pdf");
    // Only what differs between this server and a reader's.
    const command = pasted
      .replace("http://localhost:8787", server.baseUrl)
      .replace("./.dev-account.json", join(server.persistTo, ".dev-account.json"))
      .replace("/tmp/merged.pdf", merged);
    await promisify(execFile)("sh", ["-c", command], { cwd: root });
    const document = await PDFDocument.load(await readFile(merged));
    expect(document.getPageCount()).toBe(3);
    expect(document.getTitle()).toBe("A letter");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
