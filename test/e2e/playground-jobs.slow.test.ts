import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { root } from "./server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

describe.skipIf(noBrowser)("playground: jobs", () => {
  const visitor = new Visitor();

  test("jobs are started in the playground, stay in the list when the page is left, and have a result", async () => {
    const page = await visitor.open("extract-pages");
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.getByLabel("range").fill("2");
    await page.getByRole("button", { name: "Run as a job" }).click();
    const own = page.getByRole("listitem").filter({ hasText: "extract-pages: succeeded" });
    await own.waitFor();
    expect(await own.innerText()).toMatch(/2 of 2 pages, [\d.]+ KB[^]*Kept until/);
    await page.reload();
    const downloading = page.waitForEvent("download");
    await own.getByRole("button", { name: "Download" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("letter-extract-pages.pdf");
    expect((await PDFDocument.load(await readFile(await download.path()))).getPageCount()).toBe(1);
    await own.getByRole("button", { name: "Delete" }).click();
    await own.waitFor({ state: "detached" });
  });

  test("an incomplete request for a job shows its error", async () => {
    const page = await visitor.open("extract-pages");
    await page.getByRole("button", { name: "Run as a job" }).click();
    expect(await visitor.status()).toContain("400");
    visitor.expected("400 (Bad Request)");
  });
});
