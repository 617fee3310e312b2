import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const server = ownServer();
const description = await (await fetch(`${server.baseUrl}/api/v1/openapi.json`)).text();
const hasWebhooks = description.includes('"/api/v1/webhooks"');

describe.skipIf(noBrowser)("everybody can use the pages", () => {
  const visitor = new Visitor();

  test("is used with the keyboard alone", async () => {
    const page = await visitor.open("rotate");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("skip");
    const reach = async (what: string, test: string) => {
      for (let step = 0; step < 60; step += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(`((element) => ${test})(document.activeElement)`)) return;
      }
      throw new Error(`the Tab key does not reach ${what}`);
    };
    await reach("the example", `element.textContent === "letter.pdf"`);
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await page.keyboard.press("Enter");
    await page.getByText("3.1 KB").waitFor();
    await reach("the angles", `element.type === "radio" || element.name === "angle"`);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Control+Enter");
    await visitor.result.locator(".status").waitFor();
    expect(await visitor.status()).toBe("200");
    await page.getByRole("status").filter({ hasText: /^Done/ }).waitFor();
  });

  test("draws the form of an operation that it has never heard of from the description alone", async () => {
    const page = await visitor.open("rotate");
    await page.route("**/api/v1/openapi.json", async (route) => {
      const answer = await route.fetch();
      const described = (await answer.json()) as { paths: Record<string, unknown> };
      const properties = {
        film: { type: "string", format: "binary", contentMediaType: "application/pdf", description: "The `film`." },
        tube: { type: "string", enum: ["cold", "hot"], description: "Which." },
        volts: { type: "integer", minimum: 10, maximum: 90, default: 40, "x-when": { tube: ["hot"] }, description: "" },
        plan: {
          type: "string",
          contentMediaType: "application/json",
          contentSchema: { type: "object", properties: { hand: { type: "string" }, times: { type: "integer" } } },
          description: "What of.",
        },
      };
      const schema = { type: "object", properties, required: ["film", "tube"] };
      described.paths["/api/v1/x-ray"] = {
        post: {
          summary: "Look through it",
          requestBody: { content: { "multipart/form-data": { schema } } },
          responses: { "200": { content: { "application/pdf": {} } } },
        },
      };
      await route.fulfill({ json: described });
    });
    await page.reload();
    await visitor.view("x-ray");
    await page.getByRole("link", { name: "x-ray" }).waitFor();
    await page.getByRole("heading", { name: "Look through it" }).waitFor();
    expect(await page.locator('[name="volts"]').count()).toBe(0);
    await page.getByRole("radio", { name: "hot" }).check({ force: true });
    const volts = page.locator('[name="volts"]');
    expect([await volts.inputValue(), await volts.getAttribute("max")]).toEqual(["40", "90"]);
    await page.getByLabel("hand").fill("left");
    await page.getByLabel("times").fill("2");
    expect(await visitor.curl()).toContain(`--form-string 'plan={"hand":"left","times":2}'`);
    expect(await visitor.curl()).not.toContain("volts");
    await visitor.run();
    await visitor.result.getByText("not_found").waitFor();
    visitor.expected("404 (Not Found)");
  });

  test("is light or dark as chosen, also on the next visit", async () => {
    const page = await visitor.open("usage");
    const red = () => page.evaluate("Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0])");
    expect(await red()).toBeGreaterThan(200);
    await page.getByLabel("Theme").selectOption("Dark");
    expect(await red()).toBeLessThan(60);
    await page.goto(`${server.baseUrl}/docs`);
    expect(await red()).toBeLessThan(60);
    await page.getByLabel("Theme").selectOption("System");
    expect(await red()).toBeGreaterThan(200);
  });

  test("tells how far an upload is, and stops it", async () => {
    const page = await visitor.open("rotate");
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await network.send("Network.emulateNetworkConditions", slow);
    const buffer = Buffer.alloc(2_000_000);
    await page.setInputFiles('input[type="file"]', { name: "large.pdf", mimeType: "application/pdf", buffer });
    await visitor.run();
    await visitor.result.getByText(/Uploading [1-9]\d? %/).waitFor();
    await visitor.result.getByRole("button", { name: "Cancel" }).click();
    await visitor.result.getByText("The result appears here.").waitFor();
    expect(await visitor.result.locator(".status").count()).toBe(0);
  });

  test("asks for a key where there is none, and takes one that is typed", async () => {
    const page = await visitor.open("rotate", { key: "" });
    await page.getByRole("button", { name: "Run an example" }).click();
    // All of it can be seen.
    expect(
      await page.evaluate(
        "document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth",
      ),
    ).toBe(true);
    await page.getByRole("dialog").getByLabel("Key").fill(server.testKey);
    await page.keyboard.press("Enter");
    // The run that asked for it goes on.
    expect(await visitor.status()).toBe("200");
  });

  test("makes, rotates and revokes keys, and shows what was used", async () => {
    const page = await visitor.open("rotate");
    await visitor.runExample();
    await visitor.view("keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    expect(await page.getByText("livemode").count()).toBe(0);
    await page.getByLabel("name").fill("From the browser");
    // What is not ticked is not granted.
    await page.getByLabel("pdf:write").uncheck();
    await page.getByLabel("pdf:read").uncheck();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("must list at least one scope").waitFor();
    visitor.expected("400 (Bad Request)");
    await page.getByLabel("pdf:read").check();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const secret = page.locator(".secret");
    await secret.waitFor();
    expect(await page.evaluate("document.activeElement.className")).toContain("secret");
    expect(await secret.locator("code").innerText()).toMatch(/^sk_test_/);
    const made = page.getByRole("listitem", { name: "From the browser" });
    expect(await made.locator(".scopes").innerText()).toBe("pdf:read");
    await page.getByRole("button", { name: "Revoke From the browser" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await made.getByText(/^Revoked/).waitFor();
    expect(await secret.count()).toBe(0);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("API keys");
    await page
      .getByRole("listitem")
      .filter({ hasText: "this key" })
      .getByRole("button", { name: /^Revoke/ })
      .click();
    await page.getByRole("dialog").getByText("This page uses this key").waitFor();
    await page.keyboard.press("Escape");
    await visitor.view("usage");
    await page.getByRole("listitem", { name: /^rotate: \d/ }).waitFor();
    const now = new Date();
    const month = now.toLocaleString("en", { month: "short", timeZone: "UTC" });
    await page.getByText(`${month} 1, ${now.getUTCFullYear()} to ${month}`).waitFor();
    await page.route("**/api/v1/usage", async (route) => {
      const usage = (await (await route.fetch()).json()) as { limit: number };
      await route.fulfill({ json: { ...usage, used: usage.limit } });
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("All credits of this month are used.").waitFor();
  });

  test.skipIf(!hasWebhooks)("adds a webhook, shows its secret once, and deletes it", async () => {
    const page = await visitor.open("webhooks");
    await page.getByRole("button", { name: "Add a webhook" }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("is required").first().waitFor();
    visitor.expected("400 (Bad Request)");
    await page.getByRole("textbox", { name: "url" }).fill("https://hooks.example.com/pdf");
    await page.getByLabel("usage.limit_reached").check();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("it is shown only once").waitFor();
    expect(await page.locator(".secret code").innerText()).toMatch(/^whsec_/);
    const own = page.getByRole("region", { name: "https://hooks.example.com/pdf" });
    expect(await own.innerText()).toMatch(/usage\.limit_reached[^]*whsec_\*{4}/);
    await own.getByRole("button", { name: "Deliveries" }).click();
    await own.getByText("No deliveries yet.").waitFor();
    await own.getByRole("button", { name: "Rotate secret" }).click();
    const before = await page.locator(".secret code").innerText();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await expect.poll(() => page.locator(".secret code").innerText()).not.toBe(before);
    await own.getByRole("button", { name: "Edit" }).click();
    await own.getByLabel("key.revoked").check();
    await own.getByRole("textbox", { name: "description" }).fill("For the ledger");
    await own.getByRole("button", { name: "Save" }).click();
    await own.getByText("For the ledger").waitFor();
    expect(await own.locator(".scopes").innerText()).toMatch(/usage\.limit_reached\s*key\.revoked/);
    await own.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No webhooks yet.").waitFor();
  });

  test.each([
    { width: 360, height: 740, dark: false },
    { width: 360, height: 740, dark: true },
  ])("fits a phone ($width wide, dark: $dark)", async (look) => {
    const page = await visitor.open("watermark", look);
    const spill = () => page.evaluate("document.documentElement.scrollWidth - innerWidth") as Promise<number>;
    await visitor.runExample();
    expect((await visitor.inkOf(1)).dark).toBeGreaterThan(0);
    expect(await spill()).toBe(0);
    for (const route of ["sign", "files", "keys", "usage"]) {
      await visitor.view(route);
      await page.waitForSelector(".card");
      expect(await spill(), route).toBe(0);
    }
    const ground = (await page.evaluate("getComputedStyle(document.body).backgroundColor")) as string;
    const lightness = Number(/\d+/.exec(ground)?.[0]);
    expect(lightness < 100).toBe(look.dark);
  });
});
