/**
 * `npm run measure -- pages`: what the pages weigh, how much moves while they load and work, and what axe finds, for every view on a screen and on a
 * phone, in light and in dark colors. Prints the table of docs/benchmarks.md; exits with 1 if axe finds something. Needs a Chromium.
 */
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { root } from "./root.ts";
import { startBrowser } from "../test/harness/engines/browser.ts";
import { withService } from "../test/harness/requests/service.ts";

interface View {
  readonly name: string;
  readonly path: string;
  /** The steps before the page is measured. */
  readonly act?: (page: Page) => Promise<void>;
}

const letter = join(root, "examples/letter.pdf");
const run = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Run an example" }).click();
  await page.locator('.result canvas[data-drawn="true"]').first().waitFor();
};

const views: readonly View[] = [
  { name: "Playground", path: "/#/merge" },
  { name: "Playground after a run, with pdf.js", path: "/#/merge", act: run },
  {
    name: "Pages to choose, and a preview",
    path: "/#/watermark",
    async act(page) {
      await page.setInputFiles('input[type="file"]', letter);
      await page.locator(".page-grid canvas[data-drawn]").first().waitFor();
    },
  },
  {
    name: "Form of a PDF",
    path: "/#/fill-form",
    async act(page) {
      await page.setInputFiles('input[type="file"]', join(root, "examples/form.pdf"));
      await page.locator(".form-values").waitFor();
    },
  },
  {
    name: "Before and after",
    path: "/#/compress",
    async act(page) {
      await run(page);
      await page.getByRole("button", { name: "Before and after" }).click();
      await page.locator('.after canvas[data-drawn="true"]').waitFor();
    },
  },
  {
    name: "Blocks on a page",
    path: "/#/extract-text",
    async act(page) {
      await page.setInputFiles('input[type="file"]', letter);
      await page.locator('[name="blocks"]').check({ force: true });
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.locator('.read-page canvas[data-drawn="true"]').waitFor();
    },
  },
  {
    name: "Matches to redact",
    path: "/#/redact",
    async act(page) {
      await page.setInputFiles('input[type="file"]', letter);
      await page.getByLabel("terms, one per line").fill("Babbage");
      await page.getByRole("button", { name: "Show matches" }).click();
      await page.locator('.read-page canvas[data-drawn="true"]').waitFor();
    },
  },
  {
    name: "Errors at their fields",
    path: "/#/watermark",
    async act(page) {
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.locator("form .issue:not(:empty)").first().waitFor();
    },
  },
  {
    name: "Dialog for a key",
    path: "/#/merge",
    async act(page) {
      await page.locator(".key-chip").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "Files",
    path: "/#/files",
    async act(page) {
      await page.setInputFiles('input[type="file"]', letter);
      await page.getByRole("listitem").filter({ hasText: "letter.pdf" }).first().waitFor();
    },
  },
  {
    name: "Jobs",
    path: "/#/rotate",
    async act(page) {
      await page.setInputFiles('input[type="file"]', letter);
      await page.getByLabel("angle").selectOption("90");
      await page.getByRole("button", { name: "Run as a job" }).click();
      await page.locator(".result .status").waitFor();
      await page.locator("#links").getByRole("link", { name: "Jobs" }).click();
      await page.getByRole("listitem").filter({ hasText: "succeeded" }).first().waitFor();
    },
  },
  { name: "Keys", path: "/#/keys" },
  {
    name: "New key",
    path: "/#/keys",
    async act(page) {
      await page.getByRole("button", { name: "Create a key" }).click();
      await page.getByRole("textbox", { name: "name" }).fill("Example");
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.locator(".secret").waitFor();
    },
  },
  {
    name: "Dialog to revoke a key",
    path: "/#/keys",
    async act(page) {
      await page
        .getByRole("button", { name: /^Revoke/ })
        .first()
        .click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "Usage", path: "/#/usage" },
  {
    name: "Webhooks",
    path: "/#/webhooks",
    async act(page) {
      await page.getByRole("button", { name: "Add a webhook" }).click();
      await page.getByRole("textbox", { name: "url" }).fill("https://hooks.example.com/pdf");
      await page.getByLabel("All").check();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.locator(".secret").waitFor();
      await page.getByRole("button", { name: "Deliveries" }).first().click();
      await page.getByRole("button", { name: "Edit" }).first().click();
    },
  },
  { name: "Reference", path: "/docs" },
  { name: "Guide", path: "/docs/webhooks" },
];

const screen = { viewport: { width: 1440, height: 900 }, colorScheme: "light" } as const;
const phone = { viewport: { width: 375, height: 760 }, colorScheme: "dark" } as const;

interface Figures {
  readonly kilobytes: number;
  readonly shift: number;
  readonly faults: readonly string[];
}

const OBSERVE = `globalThis.layoutShift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.layoutShift += entry.value;
}).observe({ type: "layout-shift", buffered: true });`;

async function axeIn(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { target: readonly string[] }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

async function look(
  browser: Browser,
  baseUrl: string,
  key: string,
  view: View,
  options: typeof screen | typeof phone,
): Promise<Figures> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    let received = 0;
    network.on("Network.loadingFinished", ({ encodedDataLength }) => (received += encodedDataLength));
    await network.send("Network.enable");
    await page.addInitScript(OBSERVE);
    // As the page is when the key is known: only what the view itself loads is counted.
    await page.addInitScript(`sessionStorage.setItem("api-key", ${JSON.stringify(key)})`);
    await page.goto(`${baseUrl}${view.path}`);
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    await view.act?.(page);
    await page.waitForLoadState("networkidle");
    const shift = (await page.evaluate("layoutShift")) as number;
    await page.evaluate(axe.source);
    const faults: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // Colors that are still changing have the contrast of neither.
      await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
      faults.push(...(await axeIn(page)).map((fault) => `${colorScheme}: ${fault}`));
    }
    return { kilobytes: received / 1_000, shift, faults };
  } finally {
    await context.close();
  }
}

const faults: string[] = [];
await withService(async ({ baseUrl, key }) => {
  const browser = await startBrowser();
  console.log(`| View | Received | Layout shift, screen | Layout shift, phone | axe |\n|---|---|---|---|---|`);
  try {
    for (const view of views) {
      const large = await look(browser, baseUrl, key, view, screen);
      const small = await look(browser, baseUrl, key, view, phone);
      const found = [
        ...large.faults.map((fault) => `${view.name}, screen, ${fault}`),
        ...small.faults.map((fault) => `${view.name}, phone, ${fault}`),
      ];
      faults.push(...found);
      const [size, ...shifts] = [Math.round(large.kilobytes), large.shift.toFixed(3), small.shift.toFixed(3)];
      console.log(
        `| ${view.name} | ${size} KB | ${shifts.join(" | ")} | ${found.length === 0 ? "nothing" : `${found.length} rules`} |`,
      );
    }
  } finally {
    await browser.close();
  }
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
