import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const { baseUrl } = ownServer();

describe.skipIf(noBrowser)("the reference in Chromium", () => {
  const visitor = new Visitor();

  test("one choice of language by keyboard holds for all examples, and what is shown is what is copied", async () => {
    const page = await visitor.open("rotate");
    await page.goto(`${baseUrl}/docs#sign`);
    const sign = page.locator("#sign");
    await sign.getByRole("radio", { name: "curl" }).focus();
    await page.keyboard.press("ArrowLeft");
    for (const id of ["sign", "merge", "listKeys"]) {
      expect(await page.locator(`#${id} pre:visible`).getAttribute("data-language")).toBe("Python");
    }
    await sign.getByRole("button", { name: "Copy" }).click();
    await sign.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toBe(await sign.locator("pre:visible").textContent());
    expect(copied).toContain("requests.post(");
    await page.reload();
    expect(await page.locator("#merge pre:visible").getAttribute("data-language")).toBe("Python");
    expect(await page.locator("#links [aria-current]").innerText()).toBe("Reference");
    expect(await page.locator('.contents [aria-current][href="#sign"]').count()).toBe(1);
  });

  test("fits a phone in the dark, with its contents one tap away", async () => {
    const page = await visitor.open("rotate", { width: 360, height: 740, dark: true });
    await page.goto(`${baseUrl}/docs`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    const link = page.locator('.contents a[href="#protect"]');
    expect(await link.isVisible()).toBe(false);
    await page.getByText("Contents", { exact: true }).click();
    await link.click();
    const place = (): Promise<unknown> =>
      page.evaluate("[location.hash, document.querySelector('#protect').getBoundingClientRect().top < 100]");
    await expect.poll(place, { timeout: 30_000 }).toEqual(["#protect", true]);
    expect(await link.isVisible()).toBe(false);
    const [red = 255] = (await page.evaluate(
      "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)",
    )) as number[];
    expect(red).toBeLessThan(40);
  });
});
