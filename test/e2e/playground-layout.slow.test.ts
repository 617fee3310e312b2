import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { layoutFaults, WIDTHS } from "../harness/browser/layout-faults.ts";
import { ownServer } from "./own-server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const { paths } = (await (await fetch(`${ownServer().baseUrl}/api/v1/openapi.json`)).json()) as {
  paths: Record<string, { post?: { requestBody?: { content: Record<string, unknown> } } }>;
};
const operations = Object.entries(paths).flatMap(([path, { post }]) =>
  post?.requestBody?.content["multipart/form-data"] && /^\/api\/v1\/[\w-]+$/.test(path) && path !== "/api/v1/files"
    ? [path.slice("/api/v1/".length)]
    : [],
);

test("there are operations to look at", () => {
  expect(operations.length).toBeGreaterThan(25);
});

describe.skipIf(noBrowser)("playground: layout", () => {
  const visitor = new Visitor({ scrollbars: true });

  const atAllWidths = async (): Promise<string[]> => {
    const faults: string[] = [];
    for (const width of WIDTHS) {
      await visitor.page.setViewportSize({ width, height: 900 });
      await visitor.page.waitForLoadState("networkidle");
      faults.push(...(await layoutFaults(visitor.page)).map((fault) => `${width} px: ${fault}`));
    }
    return faults;
  };

  const axeFaults = async (): Promise<string[]> => {
    await visitor.page.evaluate(axe.source);
    const { violations } = (await visitor.page.evaluate(
      "axe.run({ rules: { 'label-content-name-mismatch': { enabled: true } } })",
    )) as {
      violations: { id: string; nodes: { target: readonly string[] }[] }[];
    };
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  };

  test("a covered control and a form that is too wide are found", async () => {
    const page = await visitor.open("merge", { still: true });
    // The policy of the page refuses styles in markup.
    await page.evaluate(`{
      const style = (element, css) => Object.assign(element, { textContent: css.text }).style.cssText = css.style;
      const planted = document.querySelector(".request header").appendChild(document.createElement("div"));
      planted.id = "planted";
      style(planted.appendChild(document.createElement("button")), { text: "Under it", style: "width: 200px; height: 34px" });
      style(planted.appendChild(document.createElement("p")), {
        text: "",
        style: "position: relative; margin: -34px 0 0 150px; width: 60px; height: 34px; background: red",
      });
    }`);
    expect(await layoutFaults(page)).toEqual(['button "Under it" is covered: right edge by p']);
    await page.evaluate(`{
      planted.replaceChildren();
      planted.style.width = "1000px";
    }`);
    expect(await layoutFaults(page)).toEqual([
      expect.stringMatching(/^section\.request is \d+ px wider than its room$/),
    ]);
  });

  test.each(operations)(
    "%s with its result has no covered control, nothing too wide, and no fault of axe",
    async (name) => {
      await visitor.open(name, { still: true });
      await visitor.runExample();
      expect(await visitor.status()).toBe("200");
      expect(await atAllWidths()).toEqual([]);
      expect(await axeFaults()).toEqual([]);
    },
  );

  test.each(["files", "jobs", "keys", "usage", "webhooks"])(
    "%s has no covered control, and nothing too wide",
    async (view) => {
      await visitor.open(view, { still: true });
      expect(await atAllWidths()).toEqual([]);
    },
  );

  test("a box to sign in and the link over the list have labels and contrast", async () => {
    const page = await visitor.open("sign", { still: true });
    await visitor.runExample();
    await page.locator(".surface .box").waitFor();
    await page.getByRole("link", { name: "Skip the list" }).focus();
    expect(await axeFaults()).toEqual([]);
    expect(await page.locator(".surface .box").getAttribute("aria-label")).toMatch(/^Box: x \d+/);
  });

  test.each(["extract-text", "metadata"])("the text of %s scrolls in one place on a screen", async (name) => {
    const page = await visitor.open(name, { still: true, width: 1280 });
    await visitor.runExample();
    const scrolls = `(selector) => {
      const { scrollHeight, clientHeight } = document.querySelector(selector);
      return scrollHeight > clientHeight;
    }`;
    await page.locator(".result pre").waitFor();
    expect(await page.evaluate(`(${scrolls})(".result pre")`)).toBe(true);
    expect(await page.evaluate(`(${scrolls})(".result")`)).toBe(false);
  });

  test("a short report leaves no empty room on a phone", async () => {
    const page = await visitor.open("verify-signatures", { still: true, width: 390, height: 844 });
    await visitor.runExample();
    const report = await page.locator(".report").boundingBox();
    const headers = await page.locator(".result .headers").boundingBox();
    expect((headers?.y ?? Infinity) - (report?.y ?? 0) - (report?.height ?? 0)).toBeLessThan(10);
  });
});
