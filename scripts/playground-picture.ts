import { join } from "node:path";
import { root } from "./root.ts";
import { startBrowser } from "../test/harness/engines/browser.ts";
import { withService } from "../test/harness/requests/service.ts";

/** The README's picture of the playground after a first request, by its path, drawn by the Chromium of this machine. */
export async function playgroundPicture(): Promise<Map<string, Uint8Array>> {
  const picture = await withService(async ({ baseUrl, key }) => {
    // As the link of `npm start` has it.
    const created = await fetch(`${baseUrl}/api/v1/keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Picture", livemode: false }),
    });
    const { key: testKey } = (await created.json()) as { key: string };
    const browser = await startBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      await page.goto(`${baseUrl}/#key=${testKey}`);
      await page.getByRole("button", { name: "Run an example" }).click();
      // The third page of the result is the last that is drawn.
      await page.locator("canvas").nth(2).waitFor();
      await page.waitForLoadState("networkidle");
      return await page.screenshot();
    } finally {
      await browser.close();
    }
  });
  return new Map([[join(root, "docs/playground.png"), picture]]);
}
