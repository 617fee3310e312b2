import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const server = ownServer();
const description = await (await fetch(`${server.baseUrl}/api/v1/openapi.json`)).text();
const hasWebhooks = description.includes('"/api/v1/webhooks"');

const failedDelivery = {
  id: "delivery_1",
  type: "usage.limit_reached",
  state: "failed",
  nextAttemptAt: null,
  createdAt: "2026-01-02T03:04:05.000Z",
  attempts: [
    {
      attempt: 1,
      startedAt: "2026-01-02T03:04:05.000Z",
      durationMilliseconds: 40,
      status: 502,
      error: null,
      response: "Bad gateway: the ledger is down",
    },
  ],
};

describe.skipIf(noBrowser)("accessibility", () => {
  const visitor = new Visitor();

  test("the pages can be used with the keyboard alone", async () => {
    const page = await visitor.open("rotate");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("skip");
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

  test("the Tab key stops once in the list of operations, where arrow keys move", async () => {
    const page = await visitor.open("rotate");
    const focused = (what: string) => page.evaluate(`document.activeElement.${what}`);
    await page.getByRole("searchbox", { name: "Search operations" }).focus();
    let stops = 0;
    for (; stops < 12 && (await focused("type")) !== "file"; stops += 1) await page.keyboard.press("Tab");
    // The operation, the details, and the file.
    expect(stops).toBe(3);
    await page.getByRole("searchbox", { name: "Search operations" }).focus();
    await page.keyboard.press("Tab");
    expect(await focused("hash")).toBe("#/rotate");
    await page.keyboard.press("Home");
    expect(await focused("hash")).toBe("#/merge");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    expect(await focused("hash")).toBe("#/split");
    await page.keyboard.press("Enter");
    await page.locator('.endpoint code:text-is("/api/v1/split")').waitFor();
  });

  test("a visitor of a hosted service is told to ask for a key, and the operator finds the commands", async () => {
    const page = await visitor.open("rotate", { key: "" });
    // The same server under a name that is not this machine's.
    await page.goto(`${server.baseUrl.replace("localhost", "pdf.localhost")}/#/rotate`);
    await page.getByRole("button", { name: "Add API key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("A key comes from whoever runs this service: ask them for one.").waitFor();
    expect(await dialog.innerText()).not.toContain("npm");
    await dialog.getByText("You run this service?").click();
    await dialog.locator("code", { hasText: "npm run account" }).waitFor();
    visitor.expected("pdf.localhost");
  });

  test("screen readers are told the selection of pages, the problem of a field, and the progress of a run", async () => {
    const page = await visitor.open("to-images");
    const device = await page.context().newCDPSession(page);
    await device.send("Accessibility.enable");
    /** What a screen reader gets of the elements with a role. */
    const told = async (role: string) => {
      const { nodes } = await device.send("Accessibility.getFullAXTree");
      return nodes
        .filter((node) => !node.ignored && node.role?.value === role)
        .map(({ name, description, properties = [] }) => ({
          ...Object.fromEntries(properties.map((one) => [one.name, one.value.value])),
          name: name?.value as string,
          description: description?.value as string,
        }));
    };
    const live = async (): Promise<string[]> => {
      const regions = page.locator('[role="status"]');
      return (await regions.allTextContents()).filter((text) => text !== "");
    };
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.getByRole("option", { name: "Page 1" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    expect(await told("listbox")).toMatchObject([{ name: "Pages for pages", multiselectable: true }]);
    expect((await told("option")).filter(({ name }) => name.startsWith("Page "))).toMatchObject([
      { name: "Page 1", selected: false },
      { name: "Page 2", selected: true, focused: true },
    ]);
    expect(await live()).toEqual([expect.stringMatching(/^1 of 2 pages/)]);
    expect((await told("status")).length).toBeGreaterThan(0);

    await page.locator('[name="pages"]').fill("9");
    await visitor.run();
    await visitor.result.locator(".code-name").waitFor();
    visitor.expected("400 (Bad Request)");
    const [field] = (await told("textbox")).filter(({ name }) => name.startsWith("Pages"));
    expect(field).toMatchObject({ focused: true, invalid: "true", description: expect.stringMatching(/has 2 pages/) });
    expect(await live()).toContainEqual(expect.stringMatching(/^Error: /));

    await page.evaluate(`{
      const region = document.querySelector(".result [role=status]");
      globalThis.said = [];
      new MutationObserver(() => said.push(region.textContent)).observe(region, { subtree: true, characterData: true, childList: true });
    }`);
    await page.locator('[name="pages"]').fill("1");
    await visitor.run();
    await page.getByRole("status").filter({ hasText: /^Done/ }).waitFor();
    const said = ((await page.evaluate("said")) as string[]).filter((text) => text !== "");
    expect(said).toContain("Uploading");
    expect(said.at(-1)).toMatch(/^Done: [\d.]+ KB\.$/);
  });

  test("the form of an unknown operation is drawn from the description alone", async () => {
    const page = await visitor.open("rotate");
    await page.route("**/api/v1/openapi.json", async (route) => {
      const response = await route.fetch();
      const described = (await response.json()) as { paths: Record<string, unknown> };
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

  test("the theme is light or dark as chosen, also on the next visit", async () => {
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

  test("the progress of an upload is shown, and an upload can be stopped", async () => {
    const page = await visitor.open("rotate");
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await network.send("Network.emulateNetworkConditions", slow);
    const buffer = Buffer.alloc(2_000_000);
    await page.setInputFiles('input[type="file"]', { name: "large.pdf", mimeType: "application/pdf", buffer });
    await visitor.run();
    await visitor.result.getByText(/Uploading [1-9]\d?%/).waitFor();
    expect(await visitor.result.getByRole("progressbar", { name: "Uploading" }).count()).toBe(1);
    await visitor.result.getByRole("button", { name: "Cancel" }).click();
    await visitor.result.getByText("The result appears here.").waitFor();
    expect(await visitor.result.locator(".status").count()).toBe(0);
  });

  test("the playground asks for a missing key, and uses the typed one", async () => {
    const page = await visitor.open("rotate", { key: "" });
    await page.getByRole("button", { name: "Run an example" }).click();
    // All of it can be seen.
    expect(
      await page.evaluate(
        "document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth",
      ),
    ).toBe(true);
    // The command that is shown makes one.
    const dialog = page.getByRole("dialog");
    const command = await dialog.locator("code", { hasText: "npm run account" }).innerText();
    const { stdout } = await promisify(execFile)("sh", ["-c", `${command} --persist-to "${server.persistTo}"`], {
      cwd: root,
    });
    const { key } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { key: string };
    await dialog.getByLabel("Key").fill(key);
    await page.keyboard.press("Enter");
    // The run that asked for it goes on.
    expect(await visitor.status()).toBe("200");
  });

  test("keys are created, rotated, and revoked in the pages, which also show usage", async () => {
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
    await expect.poll(() => page.evaluate("document.activeElement.className")).toContain("secret");
    expect(await secret.locator("code").innerText()).toMatch(/^sk_test_/);
    const made = page.getByRole("listitem", { name: "From the browser" });
    expect(await made.locator(".scopes").innerText()).toBe("pdf:read");
    await page.getByRole("button", { name: "Revoke From the browser" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await made.getByText(/^Revoked/).waitFor();
    expect(await secret.count()).toBe(0);
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("API keys");
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

  test("the prices below the usage appear with it, and do not move", async () => {
    const page = await visitor.open("keys");
    const held = Promise.withResolvers<void>();
    await page.route("**/api/v1/usage", async (route) => {
      await held.promise;
      await route.continue();
    });
    await visitor.view("usage");
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    const prices = page.getByRole("heading", { name: "Prices" });
    expect(await prices.count()).toBe(0);
    held.resolve();
    await prices.waitFor();
    await page.getByText("Remaining", { exact: true }).waitFor();
  });

  test.skipIf(!hasWebhooks)("a webhook is added, shows its secret once, and is deleted", async () => {
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
    const own = page.getByRole("article", { name: "https://hooks.example.com/pdf" });
    expect(await own.innerText()).toMatch(/usage\.limit_reached[^]*whsec_\*{4}/);
    await own.getByRole("button", { name: "Deliveries" }).click();
    await own.getByText("No deliveries yet.").waitFor();
    await page.route("**/deliveries", (route) => route.fulfill({ json: { data: [failedDelivery] } }));
    await own.getByRole("button", { name: "Refresh" }).click();
    await own.getByText("Attempt 1: 502").click();
    await own.getByText("Bad gateway: the ledger is down").waitFor();
    await page.unroute("**/deliveries");
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
    await own.getByRole("button", { name: "Deactivate" }).click();
    await own.getByText("inactive", { exact: true }).waitFor();
    expect(await own.getByText("pending").count()).toBe(0);
    expect(await own.getByRole("button", { name: "Send test event" }).isDisabled()).toBe(true);
    await own.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No webhooks yet.").waitFor();
  });

  test.each([
    { width: 360, height: 740, dark: false },
    { width: 360, height: 740, dark: true },
  ])("the pages fit a phone ($width wide, dark: $dark)", async (look) => {
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
