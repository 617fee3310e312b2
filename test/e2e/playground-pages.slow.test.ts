import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PDFDocument, PDFName, PDFString } from "pdf-lib";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { root } from "./server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

/** A document whose pages are told apart by their width: the first is 301 points wide. */
async function numbered(pageCount: number): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const document = await PDFDocument.create();
  for (let page = 1; page <= pageCount; page += 1) document.addPage([300 + page, 400]);
  return { name: "numbered.pdf", mimeType: "application/pdf", buffer: Buffer.from(await document.save()) };
}

/** A document of two pages with an outline of two levels. */
async function outlined(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const document = await PDFDocument.create();
  const [first, second] = [document.addPage(), document.addPage()];
  const { context } = document;
  const [root, outer, inner] = [context.nextRef(), context.nextRef(), context.nextRef()];
  context.assign(root, context.obj({ Type: "Outlines", First: outer, Last: outer, Count: 1 }));
  const title = (text: string) => ({ Title: PDFString.of(text) });
  const [fit, place] = [context.obj([first.ref, "Fit"]), context.obj([second.ref, "XYZ", 10, 20, null])];
  context.assign(
    outer,
    context.obj({ ...title("First"), Parent: root, First: inner, Last: inner, Count: -1, Dest: fit }),
  );
  context.assign(inner, context.obj({ ...title("Second"), Parent: outer, Dest: place }));
  document.catalog.set(PDFName.of("Outlines"), root);
  return { name: "outlined.pdf", mimeType: "application/pdf", buffer: Buffer.from(await document.save()) };
}

async function saved(page: Page, visitor: Visitor): Promise<PDFDocument> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    visitor.result.getByRole("link", { name: "Download", exact: true }).click(),
  ]);
  return PDFDocument.load(await readFile(await download.path()));
}

describe.skipIf(noBrowser)("playground: pages", () => {
  const visitor = new Visitor();
  const pages = (label: string): Locator => visitor.page.getByRole("listbox", { name: label }).getByRole("option");

  test("pages of a long document are drawn when they are visible, and a range is written by mouse and keyboard", async () => {
    const page = await visitor.open("to-images");
    await page.setInputFiles('input[type="file"]', await numbered(500));
    const options = pages("Pages for pages");
    await options.first().locator("canvas[data-drawn]").waitFor();
    const range = page.locator('[name="pages"]');
    await options.nth(2).click();
    await options.nth(6).click({ modifiers: ["Shift"] });
    await options.nth(4).click();
    expect(await range.inputValue()).toBe("3-4,6-7");
    // At its end are other pages, and no more of them are there than before.
    await page.keyboard.press("End");
    await page.keyboard.press("Space");
    expect(await range.inputValue()).toBe("3-4,6-7,500");
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Page 500");
    await page.locator('[aria-label="Page 500"] canvas[data-drawn]').waitFor();
    expect(await options.count()).toBeLessThan(40);
    expect(await options.last().getAttribute("aria-setsize")).toBe("500");
    await range.fill("odd");
    expect(await page.getByText("250 of 500 pages").count()).toBe(1);
    await page.getByRole("button", { name: "All", exact: true }).click();
    expect(await range.inputValue()).toBe("all");
  });

  test("pages are ordered, cut into parts, and turned", async () => {
    const page = await visitor.open("extract-pages");
    await page.setInputFiles('input[type="file"]', await numbered(6));
    const range = page.locator('[name="range"]');
    await pages("Pages for range").nth(4).click();
    await pages("Pages for range").nth(1).click();
    await pages("Pages for range")
      .nth(3)
      .click({ modifiers: ["Shift"] });
    expect(await range.inputValue()).toBe("5,2-4");
    const order = pages("Pages of the result");
    await order.nth(3).dragTo(order.nth(0));
    expect(await range.inputValue()).toBe("4-5,2-3");
    await order.nth(1).focus();
    await page.keyboard.press("Delete");
    await page.keyboard.press("Alt+ArrowRight");
    expect(await range.inputValue()).toBe("4-2");
    await visitor.run();
    await visitor.result.getByRole("img", { name: "Page 3 of 3" }).waitFor();
    const made = await saved(page, visitor);
    expect(made.getPages().map((one) => one.getWidth())).toEqual([304, 303, 302]);

    await visitor.view("split");
    await page.getByRole("radio", { name: "ranges" }).check({ force: true });
    await pages("Parts for ranges").nth(2).click();
    await pages("Parts for ranges").nth(5).click();
    expect(await page.locator('[name="ranges"]').inputValue()).toBe("1-2|3-5|6");
    await page.locator('[aria-label="Page 5, part 2"]').waitFor();

    await visitor.view("rotate");
    await pages("Pages for rotations").nth(1).click();
    await page.getByRole("button", { name: "Turn right" }).click();
    await pages("Pages for rotations").nth(3).focus();
    await page.keyboard.press("Shift+R");
    await visitor.run();
    await visitor.result.getByRole("img", { name: "Page 6 of 6" }).waitFor();
    const turned = await saved(page, visitor);
    expect(turned.getPages().map((one) => one.getRotation().angle)).toEqual([0, 90, 0, 270, 0, 0]);
  });

  test("a page shows the fields of a form to fill in", async () => {
    const page = await visitor.open("fill-form");
    await page.setInputFiles('input[type="file"]', join(root, "examples/form.pdf"));
    const fields = page.getByRole("group", { name: "Fields of the PDF" });
    await fields.getByLabel("name").fill("Ada Lovelace");
    await page.locator(".widget.spot", { hasText: "Ada Lovelace" }).waitFor();
    await fields.getByLabel("delivery").selectOption("rail");
    await fields.getByLabel("punched").check();
    // As in the file: it is not sent.
    await fields.getByLabel("board").selectOption("light");
    await fields.getByLabel("board").selectOption("heavy");
    expect(await visitor.curl()).toContain(`'values={"name":"Ada Lovelace","delivery":"rail","punched":true}'`);
    await visitor.run();
    await visitor.result.getByRole("img", { name: "Page 1 of 1" }).waitFor();
    const form = (await saved(page, visitor)).getForm();
    expect([form.getTextField("name").getText(), form.getRadioGroup("delivery").getSelected()]).toEqual([
      "Ada Lovelace",
      "rail",
    ]);
    expect(form.getCheckBox("punched").isChecked()).toBe(true);
  });

  test("a page shows a stamp before it is made, and the page before and after", async () => {
    const page = await visitor.open("watermark");
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.locator('[name="text"]').fill("SKETCH");
    const sketch = visitor.result.getByRole("img", { name: "Preview" });
    await sketch.getByText("SKETCH").waitFor();
    await page.locator('[name="pages"]').fill("2");
    expect(await sketch.getByText("SKETCH").count()).toBe(0);
    await visitor.run();
    await visitor.result.getByRole("button", { name: "Before and after" }).click();
    const after = visitor.result.locator(".after");
    const clipped = () => after.evaluate((element: { style: { clipPath: string } }) => element.style.clipPath);
    expect(await clipped()).toContain("50%");
    await visitor.result.getByRole("slider").focus();
    await page.keyboard.press("End");
    expect(await clipped()).toContain("100%");
    await visitor.result.getByRole("button", { name: "Next page" }).click();
    await visitor.result.getByLabel("Text layer").check();
    await after.getByText("SKETCH").waitFor();
  });

  test("boxes are drawn on pages, as many as the field allows", async () => {
    const page = await visitor.open("redact", { height: 1_400 });
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    const regions = page.getByRole("group", { name: /^Regions/ });
    await regions.getByRole("button", { name: "place one" }).click();
    await regions.getByRole("button", { name: "Next page" }).click();
    await regions.getByRole("button", { name: "Place another" }).click();
    await regions.getByRole("button", { name: /^Box 2/ }).focus();
    await page.keyboard.press("ArrowRight");
    const boxes = async () =>
      JSON.parse(await regions.getByLabel("regions as JSON").inputValue()) as { page: number; x: number }[];
    expect((await boxes()).map((one) => one.page)).toEqual([1, 2]);
    const [first, second] = await boxes();
    expect((second?.x ?? 0) - (first?.x ?? 0)).toBe(1);
    await page.keyboard.press("Delete");
    expect((await boxes()).map((one) => one.page)).toEqual([1]);
    // What is the same on all pages has no page.
    await visitor.view("crop");
    await page.getByRole("group", { name: /^Box/ }).getByRole("button", { name: "place one" }).click();
    expect(await visitor.curl()).toMatch(/box=\{"x":\d+,"y":\d+,"width":\d+,"height":\d+\}/);
    const margins = page.getByRole("group", { name: /^Margins/ });
    await margins.getByLabel("left").fill("20");
    expect(await visitor.curl()).toContain('margins={"left":20}');
  });

  test("pages show matches before redaction, and the result after it", async () => {
    const page = await visitor.open("redact", { height: 1_400 });
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    const terms = page.getByLabel("terms, one per line");
    await terms.pressSequentially("Babbage\npunched cards");
    await page.getByLabel("email").check();
    await page.getByLabel("regex, one per line").fill("[0-9] Dorset");
    expect(await visitor.curl()).toMatch(
      /terms=\["Babbage","punched cards"\].*patterns=\["email",\{"regex":"\[0-9\] Dorset"\}\]/s,
    );
    await page.getByRole("button", { name: "Show matches" }).click();
    await visitor.result.locator(".place rect").nth(3).waitFor();
    const matches = visitor.result.locator(".places li");
    expect((await matches.allInnerTexts()).map((text) => text.split("\n").at(-1))).toEqual([
      "Babbage",
      "1 Dorset",
      "punched cards",
      "Babbage",
    ]);
    const area = ["x", "y", "width", "height"].map(async (name, index) => {
      const rect = visitor.result.locator(".place rect").nth(2);
      return Number(await rect.getAttribute(name)) / (index % 2 === 0 ? 595.28 : 841.89);
    });
    const place = await Promise.all(area);
    expect((await visitor.inkOf(1, place)).dark).toBeLessThan(0.5);
    await visitor.run();
    expect(await visitor.status()).toBe("200");
    await visitor.result.getByRole("img", { name: "Page 1 of 2" }).waitFor();
    expect((await visitor.inkOf(1, place)).dark).toBeGreaterThan(0.9);
    await visitor.result.getByRole("button", { name: "Before and after" }).click();
    await visitor.result.getByLabel("Text layer").check();
    const layer = visitor.result.getByRole("img", { name: "Text layer" });
    await layer.getByText("Dear Mr").waitFor();
    expect(await layer.textContent()).not.toMatch(/Babbage|punched cards/);
  });

  test("pages are shown with their outline and attachments", async () => {
    const page = await visitor.open("outline");
    await page.setInputFiles('input[type="file"]', await outlined());
    await page.getByRole("radio", { name: "set" }).check({ force: true });
    await page.getByRole("button", { name: "Start from the outline" }).click();
    const field = page.getByLabel("outline as JSON");
    await expect.poll(() => field.inputValue()).toContain("Second");
    expect(JSON.parse(await field.inputValue())).toEqual([
      {
        title: "First",
        page: 1,
        view: ["Fit"],
        children: [{ title: "Second", page: 2, view: ["XYZ", 10, 20, null], children: [] }],
      },
    ]);

    await visitor.view("attachments");
    await visitor.runExample();
    await visitor.result.getByLabel("Use result in").selectOption("attachments");
    await page.getByRole("radio", { name: "extract" }).check({ force: true });
    await visitor.run();
    await visitor.result.locator(".image img").waitFor();
    expect(await visitor.result.getByRole("link", { name: "Download" }).getAttribute("download")).toBe("receipt.png");
  });

  test("pages show their extracted text: boxes around blocks, and Markdown beside the page", async () => {
    const page = await visitor.open("extract-text");
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.locator('[name="blocks"]').check({ force: true });
    await visitor.run();
    const heading = visitor.result.locator('.place[data-kind="heading"] rect');
    await heading.waitFor();
    const [x = 0, y = 0, width = 0, height = 0] = await Promise.all(
      ["x", "y", "width", "height"].map(async (name) => Number(await heading.getAttribute(name))),
    );
    const { dark } = await visitor.inkOf(1, [x / 595.28, y / 841.89, width / 595.28, height / 841.89]);
    expect(dark).toBeGreaterThan(0.08);
    await visitor.result.getByRole("listitem").filter({ hasText: "Our order of punched cards" }).focus();
    await visitor.result.locator('.place[data-kind="heading"][data-chosen="true"]').waitFor();

    await page.locator('[name="markdown"]').check({ force: true });
    await visitor.run();
    await visitor.result.getByRole("heading", { name: "Our order of punched cards" }).waitFor();
    await visitor.result.getByRole("cell", { name: "2 April" }).waitFor();
    await visitor.result.getByRole("button", { name: "Next page" }).click();
    await visitor.result.getByText("Yours sincerely").waitFor();
    await page.evaluate("document.fullscreenElement === null || document.exitFullscreen()");
  });

  test("pages show Markdown without the HTML of the document", async () => {
    const page = await visitor.open("extract-text");
    const body = [
      "# Title<script>document.title = 'run'</script>",
      '<img src="/assets/icon.svg?stolen" onerror="document.title = 1"> <b onclick="document.title = 1">bold</b>',
      "[bad](javascript:document.title=1) [good](<https://example.com/a b>)[^1-1]",
      '<table onclick="document.title=1"><tr><td colspan="2">cell</td></tr></table>',
      "[^1-1]: The *note*.",
    ].join("\n\n");
    await page.route("**/api/v1/extract-text", (route) => route.fulfill({ contentType: "text/markdown", body }));
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.locator('[name="format"]').selectOption("markdown");
    await visitor.run();
    const shown = visitor.result.locator(".markdown");
    await shown.getByRole("heading", { name: "Title" }).waitFor();
    const kept = await page.evaluate(`[...document.querySelectorAll(".markdown *")]
      .map((one) => [one.localName, ...one.getAttributeNames()].join(" ")).join(", ")`);
    expect(kept).toBe("h3 class, p, p, a href title target rel, sup, table, tbody, tr, td colspan, p, sup, em");
    expect(await shown.innerText()).toContain("bad good1");
    expect(requests.some((url) => url.includes("stolen"))).toBe(false);
    // Said of the document without a window that the HTML is read into.
    visitor.expected("Executing inline event handler violates");
  });
});
