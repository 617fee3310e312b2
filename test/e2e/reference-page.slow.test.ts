import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const { baseUrl, testKey } = ownServer();

describe.skipIf(noBrowser)("reference in Chromium", () => {
  const visitor = new Visitor();

  test("one choice of language by keyboard holds for all examples, and the shown text is copied", async () => {
    const page = await visitor.open("rotate");
    await page.goto(`${baseUrl}/docs#sign`);
    const sign = page.locator("#sign");
    await sign.getByRole("radio", { name: "curl" }).focus();
    for (const _ of ["JavaScript", "Python"]) await page.keyboard.press("ArrowRight");
    for (const id of ["sign", "merge", "listKeys"]) {
      expect(await page.locator(`#${id} pre[data-language]:visible`).getAttribute("data-language")).toBe("Python");
    }
    await sign.getByRole("button", { name: "Copy" }).click();
    await sign.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toBe(await sign.locator("pre[data-language]:visible").textContent());
    expect(copied).toContain("pdf.sign(");
    await page.reload();
    expect(await page.locator("#merge pre[data-language]:visible").getAttribute("data-language")).toBe("Python");
    expect(await page.locator("#links [aria-current]").innerText()).toBe("Reference");
    expect(await page.locator('.contents [aria-current][href="#sign"]').count()).toBe(1);
  });

  test("starts with the client, and has the test key of the playground in every example", async () => {
    const page = await visitor.open("rotate");
    await page.goto(`${baseUrl}/docs#merge`);
    const shown = page.locator("#merge pre[data-language]:visible");
    expect(await shown.getAttribute("data-language")).toBe("TypeScript");
    expect(await shown.textContent()).toContain(`apiKey: "${testKey}"`);
    expect(await shown.locator(".string").allTextContents()).toContain(`"${testKey}"`);
    await page.locator("#merge").getByText("curl", { exact: true }).click();
    expect(await shown.textContent()).toContain(`-H "Authorization: Bearer ${testKey}"`);
    await page.goto(`${baseUrl}/docs/quickstart`);
    expect(await page.locator("pre").nth(1).textContent()).toContain(`Bearer ${testKey}`);
    const stranger = await visitor.open("rotate", { key: "" });
    await stranger.goto(`${baseUrl}/docs#merge`);
    expect(await stranger.locator("#merge pre[data-language]:visible").textContent()).toContain(
      "process.env.PDF_SERVICE_KEY",
    );
  });

  test("finds a field by keyboard without a connection, and a guide", async () => {
    const page = await visitor.open("rotate", { key: "" });
    const index = page.waitForResponse(/\/docs\/search/);
    await page.goto(`${baseUrl}/docs`, { waitUntil: "networkidle" });
    await (await index).finished();
    await page.context().setOffline(true);
    await page.keyboard.press("/");
    await page.keyboard.type("dpi");
    const options = page.locator("#found").getByRole("option");
    await options.first().waitFor();
    expect(await options.first().innerText()).toMatch(/^dpi\s+to-images/);
    await page.keyboard.press("Enter");
    expect(await page.evaluate("location.hash")).toBe("#to-images.dpi");
    expect(await page.evaluate("document.getElementById('to-images.dpi').getBoundingClientRect().top < 200")).toBe(
      true,
    );
    await page.context().setOffline(false);
    // Chromium asks for the icon again when the address changes.
    visitor.expected("ERR_INTERNET_DISCONNECTED");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("verify deliveries");
    await options.first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${baseUrl}/docs/webhooks#verify-deliveries`);
    expect(await page.locator('.contents [aria-current="page"]').innerText()).toBe("Webhooks");
  });

  test("the text of a guide stays where it is on a phone when the script closes the contents", async () => {
    const page = await visitor.open("rotate", { width: 375, height: 760 });
    const top = async (): Promise<unknown> => {
      await page.goto(`${baseUrl}/docs/webhooks`, { waitUntil: "load" });
      return page.evaluate("document.querySelector('.reference article').getBoundingClientRect().top");
    };
    const script = "**/assets/reference.js";
    await page.route(script, (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
    const before = await top();
    await page.unroute(script);
    expect(await top()).toBe(before);
    expect(await page.locator(".contents details").getAttribute("data-ready")).toBe("");
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
    await expect.poll(place).toEqual(["#protect", true]);
    expect(await link.isVisible()).toBe(false);
    const [red = 255] = (await page.evaluate(
      "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)",
    )) as number[];
    expect(red).toBeLessThan(40);
  });
});
