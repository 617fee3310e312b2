import { join } from "node:path";
import type { CDPSession, Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { root } from "./server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const example = (name: string): string => join(root, "examples", name);

interface Place {
  readonly x: number;
  readonly y: number;
}

/** A place in an element: parts of its width and height. */
async function placeIn(element: Locator, across: number, down = 0.5): Promise<Place> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("the element is not shown");
  return { x: box.x + box.width * across, y: box.y + box.height * down };
}

async function dragByMouse(page: Page, from: Place, to: Place): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

async function dragByFinger(device: CDPSession, from: Place, to: Place): Promise<void> {
  const halfway = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  await device.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [from] });
  for (const place of [halfway, to])
    await device.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [place] });
  await device.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

describe.skipIf(noBrowser)("playground: mouse, finger, and keyboard", () => {
  const visitor = new Visitor();

  test("sends examples that arrive late, and says which did not arrive", async () => {
    const page = await visitor.open("merge");
    const released = Promise.withResolvers<void>();
    await page.route("**/assets/examples/*.pdf", async (route) => {
      await released.promise;
      await (route.request().url().endsWith("/locked.pdf") ? route.abort() : route.continue());
    });
    const choose = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
    await choose("letter.pdf + enclosure.pdf");
    await choose("form.pdf");
    const run = page.getByRole("button", { name: "Run", exact: true });
    expect(await run.getAttribute("aria-disabled")).toBe("true");
    // Run by the keyboard waits, too.
    await run.press("Control+Enter");
    expect(await visitor.result.locator(".status").count()).toBe(0);
    released.resolve();
    await page.getByRole("button", { name: "Replace form.pdf" }).waitFor();
    await visitor.run();
    expect(await visitor.status()).toBe("200");
    expect(await page.locator(".files .file-name").allInnerTexts()).toEqual([
      "letter.pdf",
      "enclosure.pdf",
      "form.pdf",
    ]);

    await choose("locked.pdf");
    await page.getByRole("alert").getByText("The example did not load: ").waitFor();
    expect(await run.getAttribute("aria-disabled")).not.toBe("true");
    visitor.expected("Failed to load resource");
  });

  test("takes files that are dragged from outside to anywhere on the page", async () => {
    const page = await visitor.open("merge");
    const device = await page.context().newCDPSession(page);
    const names = page.locator(".files .file-name");
    const drag = async (files: readonly string[], over: Locator): Promise<void> => {
      const data = { items: [], files: files.map(example), dragOperationsMask: 1 };
      const place = await placeIn(over, 0.5);
      for (const type of ["dragEnter", "dragOver"] as const)
        await device.send("Input.dispatchDragEvent", { type, ...place, data });
      await page.locator(".drop-hint").waitFor();
      await device.send("Input.dispatchDragEvent", { type: "drop", ...place, data });
      await page.locator(".drop-hint").waitFor({ state: "detached" });
    };
    await drag(["letter.pdf", "enclosure.pdf"], page.locator("h1"));
    await expect.poll(() => names.allInnerTexts()).toEqual(["letter.pdf", "enclosure.pdf"]);
    // Into the field itself, and not twice.
    await drag(["form.pdf"], page.locator(".drop"));
    await expect.poll(() => names.allInnerTexts()).toEqual(["letter.pdf", "enclosure.pdf", "form.pdf"]);
    await drag(["locked.pdf"], page.locator(".code-card"));
    await expect.poll(() => names.count()).toBe(4);
    await dragByMouse(
      page,
      await placeIn(page.locator(".files li").nth(2), 0.2),
      await placeIn(page.locator(".files li").nth(0), 0.2),
    );
    await expect.poll(() => names.allInnerTexts()).toEqual(["form.pdf", "letter.pdf", "enclosure.pdf", "locked.pdf"]);
    // What is dropped where nothing takes it does not replace the page.
    await visitor.view("usage");
    const data = { items: [], files: [example("letter.pdf")], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await device.send("Input.dispatchDragEvent", { type, x: 400, y: 400, data });
    await visitor.view("merge");
    expect(await names.count()).toBe(4);
  });

  test("orders files with buttons that keep the focus, and announces their places", async () => {
    const page = await visitor.open("merge");
    await page.setInputFiles('input[type="file"]', ["letter.pdf", "enclosure.pdf", "form.pdf"].map(example));
    const names = page.locator(".files .file-name");
    const focused = () => page.evaluate("document.activeElement.ariaLabel");
    await page.getByRole("button", { name: "Move letter.pdf down" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("letter.pdf is now 2 of 3").waitFor();
    expect(await focused()).toBe("Move letter.pdf down");
    await page.keyboard.press("Enter");
    expect(await names.allInnerTexts()).toEqual(["enclosure.pdf", "form.pdf", "letter.pdf"]);
    // It goes no further down.
    expect(await focused()).toBe("Move letter.pdf up");
  });

  test("orders pages without dragging", async () => {
    const page = await visitor.open("extract-pages", { width: 390, height: 844, hasTouch: true });
    await page.setInputFiles('input[type="file"]', example("letter.pdf"));
    await page.getByRole("button", { name: "All", exact: true }).tap();
    const range = page.locator('[name="range"]');
    expect(await range.inputValue()).toBe("1-2");
    const order = page.getByRole("listbox", { name: "Pages of the result" }).getByRole("option");
    const later = page.getByRole("button", { name: "Move the page later" });
    expect(await later.getAttribute("aria-disabled")).toBe("true");
    await order.first().tap();
    expect(await order.first().getAttribute("aria-selected")).toBe("true");
    await later.tap();
    await page.getByRole("status").getByText("Page 1 is now 2 of 2").waitFor();
    expect(await range.inputValue()).toBe("2-1");
    expect(await order.nth(1).getAttribute("aria-selected")).toBe("true");
    expect(await later.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("button", { name: "Remove the page" }).tap();
    await page.getByRole("status").getByText("Page 1 is removed").waitFor();
    expect(await range.inputValue()).toBe("2");
  });

  test.each(["compress", "watermark", "redact", "ocr"])("moves the line between before and after %s", async (name) => {
    const page = await visitor.open(name, { hasTouch: true });
    if (name === "ocr") {
      await page.setInputFiles('input[type="file"]', example("receipt.png"));
      await page.getByRole("radio", { name: "pdf" }).check({ force: true });
      await visitor.run();
    } else await visitor.runExample();
    await visitor.result.getByRole("button", { name: "Before and after" }).click();
    await visitor.result.locator('.after canvas[data-drawn="true"]').waitFor();
    expect(await visitor.result.getByRole("checkbox", { name: "Text layer" }).isChecked()).toBe(name === "ocr");
    const slider = visitor.result.getByRole("slider");
    await slider.scrollIntoViewIfNeeded();
    const after = visitor.result.locator(".after");
    const left = async (): Promise<number> => {
      const clip = await after.evaluate((element: { style: { clipPath: string } }) => element.style.clipPath);
      return Number(/([\d.]+)%\)$/.exec(clip)?.[1] ?? 0);
    };
    // Near the top of the page and near its bottom: the whole page is the slider.
    await dragByMouse(page, await placeIn(slider, 0.5, 0.1), await placeIn(slider, 0.2, 0.15));
    await expect.poll(left).toBeGreaterThan(15);
    expect(await left()).toBeLessThan(25);
    const device = await page.context().newCDPSession(page);
    await dragByFinger(device, await placeIn(slider, 0.3, 0.3), await placeIn(slider, 0.8, 0.3));
    await expect.poll(left).toBeGreaterThan(75);
    expect(await left()).toBeLessThan(85);
    const valueText = await slider.getAttribute("aria-valuetext");
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    expect(await slider.getAttribute("aria-valuetext")).not.toBe(valueText);
    await page.keyboard.press("Home");
    await expect.poll(left).toBe(0);
  });
});
