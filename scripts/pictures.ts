/**
 * `npm run measure -- pictures <folder> [operation...]`: pictures of every operation, or of some, with the result of its example, at the widths of a
 * phone and of two screens, with scrollbars that take room, in light and in dark colors. On a phone: the whole page, and the window at the result.
 * Prints the controls that are covered and the parts that are too wide, and then exits with 1. Needs a Chromium.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { layoutFaults, WIDTHS } from "../test/harness/browser/layout-faults.ts";
import { startBrowser } from "../test/harness/engines/browser.ts";
import { withService } from "../test/harness/requests/service.ts";

const [folder, ...named] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name a folder for the pictures: npm run measure -- pictures <folder>");
await mkdir(folder, { recursive: true });

const SCROLL_TO_RESULT = "document.querySelector('.result').scrollIntoView({ behavior: 'instant' })";

await withService(async ({ baseUrl, key }) => {
  const browser = await startBrowser({ scrollbars: true });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    await page.addInitScript(`sessionStorage.setItem("api-key", ${JSON.stringify(key)})`);
    await page.goto(baseUrl);
    await page.locator(".operations li code").first().waitFor();
    const operations = named.length > 0 ? named : await page.locator(".operations li code").allInnerTexts();
    for (const operation of operations) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${baseUrl}/#/${operation}`);
      // Without the document of the operation before.
      await page.reload();
      await page.locator(`.endpoint code:text-is("/api/v1/${operation}")`).waitFor();
      await page.getByRole("button", { name: "Run an example" }).click();
      await page.locator(".result .status").waitFor();
      for (const width of WIDTHS) {
        const isPhone = width < 720;
        await page.setViewportSize({ width, height: isPhone ? 844 : 900 });
        await page.waitForLoadState("networkidle");
        for (const fault of await layoutFaults(page)) {
          console.error(`${operation}, ${width} px: ${fault}`);
          process.exitCode = 1;
        }
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
          const path = join(folder, `${operation}-${width}-${colorScheme}`);
          await page.screenshot({ path: `${path}.png`, fullPage: isPhone });
          if (!isPhone) continue;
          await page.evaluate(SCROLL_TO_RESULT);
          await page.screenshot({ path: `${path}-result.png` });
        }
      }
    }
  } finally {
    await browser.close();
  }
});
