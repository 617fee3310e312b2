import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PDFDocument } from "pdf-lib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const server = ownServer();

describe.skipIf(noBrowser)("playground: jobs", () => {
  const visitor = new Visitor();

  const startJob = async (page: Page): Promise<void> => {
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.getByLabel("range").fill("2");
    await page.getByRole("button", { name: "Run as a job" }).click();
  };

  test("the result of a job is shown, compared, and used like that of a request", async () => {
    const page = await visitor.open("extract-pages");
    await startJob(page);
    expect(await visitor.status()).toBe("200");
    expect((await visitor.inkOf(1)).dark).toBeGreaterThan(0.001);
    expect(page.url()).toMatch(/#\/extract-pages\?job=job_\w+$/);
    await visitor.result.getByRole("button", { name: "Before and after" }).waitFor();
    await visitor.result.getByLabel("Use result in").selectOption("rotate");
    await page.locator(`.endpoint code:text-is("/api/v1/rotate")`).waitFor();
    expect(await page.locator(".files .file-name").allInnerTexts()).toEqual(["letter-extract-pages.pdf"]);
  });

  test("a job that is opened from the list shows its result, without a document that may be another one", async () => {
    const page = await visitor.open("extract-pages");
    await startJob(page);
    await visitor.result.locator(".status").waitFor();
    await visitor.view("jobs");
    await page.reload();
    const own = page.getByRole("listitem").filter({ hasText: "extract-pages: succeeded" }).first();
    await own.getByRole("link", { name: "Open" }).click();
    expect(await visitor.status()).toBe("200");
    await visitor.inkOf(1);
    expect(await visitor.result.getByRole("button", { name: "Before and after" }).count()).toBe(0);
  });

  test("the progress of a job counts its pages, and a canceled job says so", async () => {
    const page = await visitor.open("extract-pages");
    const job = { id: "job_1", operation: "extract-pages", status: "running", result: null, error: null };
    const progress = { unit: "page", total: 40, done: 3, failed: 1 };
    let status = "running";
    await page.route("**/api/v1/jobs/job_1*", (route) => route.fulfill({ json: { ...job, status, progress } }));
    await page.route("**/api/v1/jobs/job_1/cancel", (route) => {
      status = "canceled";
      return route.fulfill({ json: { ...job, status, progress } });
    });
    await page.goto(`${server.baseUrl}/#/extract-pages?job=job_1`);
    await visitor.result.getByText("Processing as a job 10%, 3 of 40 pages, 1 failed…").waitFor();
    await visitor.result.getByRole("button", { name: "Cancel" }).click();
    expect(await visitor.result.locator(".problem").innerText()).toBe("The job was canceled.");
  });

  test("a failed job shows its error, with names of parameters as code", async () => {
    const page = await visitor.open("extract-pages");
    const error = { code: "password_required", message: "This PDF is encrypted. Send `password`." };
    const job = { id: "job_1", operation: "extract-pages", status: "failed", result: null, error };
    await page.route("**/api/v1/jobs/job_1", (route) =>
      route.fulfill({ json: { ...job, progress: { unit: "page", total: 1, done: 0, failed: 0 } } }),
    );
    await page.goto(`${server.baseUrl}/#/extract-pages?job=job_1`);
    const problem = visitor.result.locator(".problem");
    await problem.waitFor();
    expect(await problem.innerText()).toBe(
      "The job failed with password_required: This PDF is encrypted. Send password.",
    );
    expect(await problem.locator("code").allInnerTexts()).toEqual(["password_required", "password"]);
  });

  test("jobs stay in the list when the page is left, and have a result", async () => {
    const page = await visitor.open("extract-pages");
    await startJob(page);
    await visitor.result.locator(".status").waitFor();
    await visitor.view("jobs");
    const own = page.getByRole("listitem").filter({ hasText: "extract-pages: succeeded" }).first();
    await own.waitFor();
    const before = await page.getByRole("listitem").filter({ hasText: "extract-pages: succeeded" }).count();
    expect(await own.innerText()).toMatch(/2 of 2 pages, [\d.]+ KB[^]*Kept until/);
    await page.reload();
    const downloading = page.waitForEvent("download");
    await own.getByRole("button", { name: "Download" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("letter-extract-pages.pdf");
    expect((await PDFDocument.load(await readFile(await download.path()))).getPageCount()).toBe(1);
    await own.getByRole("button", { name: "Delete" }).click();
    await expect
      .poll(() => page.getByRole("listitem").filter({ hasText: "extract-pages: succeeded" }).count())
      .toBe(before - 1);
  });

  test("an incomplete request for a job shows its error", async () => {
    const page = await visitor.open("extract-pages");
    await page.getByRole("button", { name: "Run as a job" }).click();
    expect(await visitor.status()).toContain("400");
    visitor.expected("400 (Bad Request)");
  });
});
