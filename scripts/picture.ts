/** `npm run picture`: the README's picture of the playground after a first call, drawn by the Chromium of this machine. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./local-database.ts";
import { startBrowser } from "../test/harness/browser.ts";
import { withService } from "../test/harness/service.ts";

const picture = await withService(async ({ baseUrl, key }) => {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${baseUrl}/#key=${key}`);
    await page.getByRole("button", { name: "Run an example" }).click();
    // The third page of the result is the last that is drawn.
    await page.locator("canvas").nth(2).waitFor();
    await page.waitForLoadState("networkidle");
    return await page.screenshot();
  } finally {
    await browser.close();
  }
});
await mkdir(join(root, "docs"), { recursive: true });
await writeFile(join(root, "docs/playground.png"), picture);
