import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const server = ownServer();

describe.skipIf(noBrowser)("playground", () => {
  const visitor = new Visitor();

  test("removes the key from the address, keeps it for the tab, and merges the examples", async () => {
    const page = await visitor.open("merge");
    expect(page.url()).not.toContain(server.testKey);
    expect(await page.evaluate("sessionStorage.getItem('api-key')")).toBe(server.testKey);
    expect(await page.evaluate("localStorage.length")).toBe(0);
    await page.getByRole("button", { name: "letter.pdf + enclosure.pdf" }).click();
    await page.getByText("file1", { exact: true }).waitFor();
    await visitor.run();
    await visitor.result.getByRole("img", { name: "Page 3 of 3" }).waitFor();
    expect(await visitor.status()).toBe("200");
    expect((await visitor.inkOf(1)).dark).toBeGreaterThan(0.001);
    await visitor.result.getByText("Response headers").click();
    expect(await visitor.result.innerText()).toMatch(/X-Page-Count\s+3/);
  });

  test("shows a stamp on the page that pdf.js draws, and keeps the form for the next run", async () => {
    const page = await visitor.open("watermark");
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.locator('[name="text"]').fill("DRAFT");
    await page.locator('[name="opacity"]').fill("0");
    await visitor.run();
    const bare = await visitor.inkOf(2);
    await page.locator('[name="opacity"]').fill("0.35");
    await visitor.run();
    await expect.poll(async () => (await visitor.inkOf(2)).gray).toBeGreaterThan(bare.gray + 0.01);
  });

  test("marks the fields that an error names, shows the request's ID, and unmarks fields that change", async () => {
    const page = await visitor.open("split");
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.getByRole("radio", { name: "chunks" }).check({ force: true });
    await page.locator('[name="chunkSize"]').fill("0");
    await visitor.run();
    await visitor.result.getByText("invalid_parameters").waitFor();
    const field = page.locator('[name="chunkSize"]');
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("chunkSize");
    const describedBy = (await field.getAttribute("aria-describedby")) ?? "";
    const issue = page.locator(`[id="${describedBy.split(" ").at(-1)}"]`);
    expect(await issue.innerText()).toBe("must be a whole number from 1 to 5,000");
    expect(await visitor.result.innerText()).toMatch(/req_[0-9a-f]{32}/);
    await field.fill("1");
    expect(await field.getAttribute("aria-invalid")).toBe("false");
    await visitor.run();
    await visitor.result.getByText("letter-002.pdf").waitFor();
    visitor.expected("400 (Bad Request)");
  });

  test("reports a file of the wrong type, and marks an error as outdated once files were added", async () => {
    const page = await visitor.open("merge");
    const [letter, receipt] = ["letter.pdf", "receipt.png"].map((name) => join(root, "examples", name));
    await page.setInputFiles('input[type="file"]', [letter ?? "", receipt ?? ""]);
    await page.getByRole("alert").getByText("file does not take receipt.png. It takes PDF.").waitFor();
    expect(await page.locator(".files .file-name").allInnerTexts()).toEqual(["letter.pdf"]);
    await visitor.run();
    await visitor.result.getByText("invalid_parameters").waitFor();
    expect(await page.locator("form .issue:not(:empty)").count()).toBeGreaterThan(1);
    await page.setInputFiles('input[type="file"]', letter ?? "");
    await visitor.result.getByText("The request has changed since this error. Run it again.").waitFor();
    expect(await page.locator("form .issue:not(:empty)").count()).toBe(0);
    visitor.expected("400 (Bad Request)");
  });

  test("starts at the top of each operation, and the keyboard skips the list of operations", async () => {
    const page = await visitor.open("watermark", { height: 500 });
    await page.evaluate("scrollTo(0, 400)");
    await visitor.view("merge");
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    await page.getByRole("searchbox", { name: "Search operations" }).focus();
    await page.keyboard.press("Shift+Tab");
    await page.getByRole("link", { name: "Skip the list" }).press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("operation-title");
  });

  test("shows hints without JSON above inputs that are fields, lists, or pages", async () => {
    const page = await visitor.open("merge");
    const operations = await page.locator(".operations a code").allInnerTexts();
    expect(operations.length).toBeGreaterThan(15);
    let hints = 0;
    for (const operation of operations) {
      await visitor.view(operation);
      for (const set of ["set", "add"]) {
        const choice = page.getByRole("radio", { name: set, exact: true });
        if ((await choice.count()) > 0) await choice.check({ force: true });
      }
      const texts = await page.locator("form .field > .about").allInnerTexts();
      hints += texts.length;
      expect(
        texts.filter((text) => /JSON (array|object)|[[{]\s*"/.test(text)),
        operation,
      ).toEqual([]);
    }
    expect(hints).toBeGreaterThan(100);
    await visitor.view("redact");
    await page
      .getByRole("group", { name: /^Terms/ })
      .getByRole("button", { name: "Edit as JSON" })
      .click();
    expect(await page.getByLabel("terms as JSON").getAttribute("placeholder")).toBe('["Jane Doe","Project X"]');
  });

  test("links an error to its fix: the password of a file, or the missing member", async () => {
    const form = new FormData();
    form.append("file", new Blob([await readFile(join(root, "examples/letter.pdf"))]), "letter.pdf");
    form.append("userPassword", "open sesame");
    const headers = { Authorization: `Bearer ${server.testKey}` };
    const locked = await fetch(`${server.baseUrl}/api/v1/protect`, { method: "POST", headers, body: form });
    const file = { name: "locked.pdf", mimeType: "application/pdf", buffer: Buffer.from(await locked.arrayBuffer()) };
    const focused = (): Promise<unknown> =>
      visitor.page.evaluate("[document.activeElement.name, document.activeElement.ariaInvalid]");

    const page = await visitor.open("compress");
    await page.setInputFiles('input[type="file"]', file);
    await visitor.run();
    await visitor.result.getByText("password_required").waitFor();
    await page.locator("form [aria-invalid=true]:focus").waitFor();
    expect(await focused()).toEqual(["password", "true"]);

    await visitor.view("metadata");
    await page.getByRole("radio", { name: "set" }).check({ force: true });
    expect(await page.locator(".members").innerText()).not.toMatch(/CreationDate|ModDate/);
    await visitor.run();
    await visitor.result.getByText("invalid_parameters").waitFor();
    expect(await page.locator("form [aria-invalid=true]").count()).toBe(1);
    // The field is focused once the error is drawn.
    await page.locator("form [aria-invalid=true]:focus").waitFor();
    const [issue] = (await page.evaluate(`(() => {
      const issue = document.getElementById(document.activeElement.getAttribute("aria-describedby").split(" ").at(-1));
      const { top, left } = issue.getBoundingClientRect();
      return [document.elementFromPoint(left + 2, top + 2)?.textContent];
    })()`)) as [string];
    // It is on the screen, and nothing covers it.
    expect(issue).toBe("is required when action is set");

    await visitor.view("sign");
    expect(await page.getByLabel("origin").locator("option").allInnerTexts()).toEqual(["top-left", "bottom-left"]);
    await visitor.view("protect");
    const permissions = page.getByRole("group", { name: /^Permissions/ });
    expect(await permissions.getByLabel("print", { exact: true }).isEnabled()).toBe(false);
    await permissions.getByLabel("print-high").uncheck();
    await permissions.getByLabel("copy").uncheck();
    expect(await visitor.curl()).toContain("permissions=print,modify,annotate,fill-forms,assemble'");
    await permissions.getByLabel("copy").check();
    await permissions.getByLabel("print-high").check();
    expect(await visitor.curl()).not.toContain("permissions");
    await visitor.view("to-images");
    expect(await visitor.curl()).toContain("-o locked-to-images.zip");
    await page.locator('[name="pages"]').fill("2");
    expect(await visitor.curl()).toContain("-o locked-to-images.png");
    visitor.expected("400 (Bad Request)");
    visitor.expected("422 (");
  });

  test("keeps files and values from operation to operation, accepts dropped files, and works on results", async () => {
    const page = await visitor.open("merge");
    // On the heading, which is no field.
    const drop = (names: readonly string[]): Promise<unknown> =>
      page.evaluate(`(() => {
        const data = new DataTransfer();
        for (const name of ${JSON.stringify(names)})
          data.items.add(new File(["%PDF-1.7 " + name], name, { type: "application/pdf" }));
        const event = { bubbles: true, cancelable: true, dataTransfer: data };
        document.querySelector("h1").dispatchEvent(new DragEvent("drop", event));
      })()`);
    await drop(["a.pdf", "b.pdf"]);
    await page.getByText("file1", { exact: true }).waitFor();
    const rows = page.locator(".files .file-name");
    await page.locator(".files li").first().dragTo(page.locator(".files li").nth(1));
    await expect.poll(() => rows.allInnerTexts()).toEqual(["b.pdf", "a.pdf"]);
    await page.getByRole("button", { name: "Remove a.pdf" }).click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Replace b.pdf" }).click(),
    ]);
    await chooser.setFiles(join(root, "examples/letter.pdf"));
    await expect.poll(() => rows.allInnerTexts()).toEqual(["letter.pdf"]);

    await page.getByRole("searchbox").fill("xylophone");
    await page.getByText("No operation matches.").waitFor();
    await page.getByRole("searchbox").fill("watermark");
    await page.getByRole("link", { name: "Add a text or image watermark" }).click();
    await page.locator('[name="text"]').fill("KEPT");
    expect(await page.locator(".cost").innerText()).toMatch(/^1 credit, [\d,]+ left$/);
    await visitor.run();
    await visitor.result.getByRole("img", { name: "Page 2 of 2" }).waitFor();
    await page.getByLabel("Use result in").selectOption("extract-pages");
    await page.getByText("letter-watermark.pdf", { exact: true }).waitFor();
    await page.locator('[name="range"]').fill("2");
    await visitor.run();
    await visitor.result.getByRole("img", { name: "Page 1 of 1" }).waitFor();
    await visitor.view("watermark");
    expect(await page.locator('[name="text"]').inputValue()).toBe("KEPT");
    expect(await visitor.status()).toBe("200");
    await page.getByRole("tab", { name: "Log" }).click();
    const log = page.getByRole("list", { name: "Requests of this session" });
    expect(await log.innerText()).toMatch(/200\s*extract-pages[^]*1 credit[^]*200\s*watermark/);
  });

  test("stores a file that is too large for a request and creates a job, and refuses larger files", async () => {
    const page = await visitor.open("rotate");
    let limits = { requestBytes: 66_000, fileBytes: 1_000_000 };
    await page.route("**/api/v1/usage", async (route) =>
      route.fulfill({ json: { ...((await (await route.fetch()).json()) as object), limits } }),
    );
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") requests.push(new URL(request.url()).pathname);
    });
    await page.reload();
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.locator('[name="angle"]').selectOption("90");
    await page.getByText("Large files are stored first").waitFor();
    await visitor.run();
    expect(await visitor.status()).toBe("200");
    expect(requests).toEqual(["/api/v1/files", "/api/v1/rotate"]);
    await visitor.view("rotate");
    expect(await page.locator(".files .tag").innerText()).toBe("stored");

    limits = { requestBytes: 66_000, fileBytes: 2_000 };
    await page.reload();
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.getByText("Large files are stored first").waitFor();
    await visitor.run();
    await visitor.result
      .getByText("letter.pdf is 3.1 KB. The enterprise plan stores files up to 2.0 KB.")
      .last()
      .waitFor();
    expect(requests.length).toBe(2);
  });

  test("refuses files that the operation cannot hold on this server, before it sends anything", async () => {
    const page = await visitor.open("merge");
    await page.route("**/api/v1/limits", async (route) => {
      const json = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...json, filesBytes: 4_000 } });
    });
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") requests.push(new URL(request.url()).pathname);
    });
    await page.reload();
    const letter = join(root, "examples/letter.pdf");
    await page.setInputFiles('input[type="file"]', [letter, letter]);
    await visitor.run();
    await visitor.result.getByText("On this server, merge takes up to 4.0 KB").last().waitFor();
    expect(requests).toEqual([]);
    // One of them fits, though it is too few for the service.
    await page.route("**/api/v1/merge", (route) => route.fulfill({ json: {} }));
    await page.reload();
    await page.setInputFiles('input[type="file"]', [letter]);
    await visitor.run();
    await expect.poll(() => requests).toEqual(["/api/v1/merge"]);
  });

  test("lists a ZIP, shows and saves an entry, and works on its files", async () => {
    const page = await visitor.open("split");
    await visitor.runExample();
    await visitor.result.getByRole("button", { name: "letter-002.pdf" }).click();
    await visitor.result.getByRole("img", { name: "Page 1 of 1" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      visitor.result.getByRole("region", { name: "letter-002.pdf" }).getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("letter-002.pdf");
    const saved = await PDFDocument.load(await readFile(await download.path()));
    expect(saved.getPageCount()).toBe(1);
    await visitor.result.getByLabel("Use file in").selectOption("rotate");
    expect(await page.locator(".files .file-name").allInnerTexts()).toEqual(["letter-002.pdf"]);
    await visitor.view("split");
    await visitor.result.getByLabel("Use all in").selectOption("merge");
    await expect
      .poll(() => page.locator(".files .file-name").allInnerTexts())
      .toEqual(["letter-001.pdf", "letter-002.pdf"]);
    await visitor.run();
    await visitor.result.getByRole("img", { name: "Page 2 of 2" }).waitFor();
  });

  test("shows JSON, text, and images in their own form", async () => {
    const page = await visitor.open("metadata");
    await visitor.runExample();
    const shown = (): Promise<string> => visitor.result.innerText();
    await expect.poll(shown).toContain('"title": "A letter"');
    const saves = (label: string) =>
      visitor.result.getByRole("link", { name: label, exact: true }).getAttribute("download");
    await expect.poll(() => saves("Download")).toBe("letter-metadata.json");
    await visitor.view("extract-text");
    await visitor.runExample();
    await expect.poll(shown).toContain("Our order of punched cards");
    await expect.poll(() => saves("Download text")).toBe("letter-extract-text.txt");
    await visitor.view("to-images");
    await visitor.runExample();
    const width = (): Promise<number> =>
      page.locator(".result .image img").evaluate((image: { naturalWidth: number }) => image.naturalWidth);
    await expect.poll(width).toBeGreaterThan(1000);
  });

  test("shows the request as code that runs as pasted", async () => {
    const page = await visitor.open("watermark");
    await page.getByRole("button", { name: "letter.pdf", exact: true }).click();
    await page.locator('[name="text"]').fill(`It's "@draft"; $HOME \\ 100 %`);
    await visitor.curl();
    await page.getByRole("button", { name: "Copy with key" }).click();
    const copied = () => page.evaluate("navigator.clipboard.readText()") as Promise<string>;
    const curl = await copied();
    expect(await visitor.curl()).not.toContain(server.testKey);
    await page.getByRole("tab", { name: "JavaScript" }).click();
    await page.getByRole("button", { name: "Copy with key" }).click();
    const javascript = await copied();
    const folder = await mkdtemp(join(tmpdir(), "pdf-service-snippets-"));
    try {
      // Only the place of the result is another one.
      const output = join(folder, "out.pdf");
      for (const [program, ...args] of [
        ["sh", "-c", curl.replace("-o letter-watermark.pdf", `-o '${output}'`)],
        [
          process.execPath,
          "--input-type=module",
          "-e",
          javascript.replace('"letter-watermark.pdf"', JSON.stringify(output)),
        ],
      ] as const) {
        await promisify(execFile)(program, args, { cwd: root });
        const made = await PDFDocument.load(await readFile(output));
        expect(made.getPageCount()).toBe(2);
        await rm(output);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("builds a pipeline of steps that are added and moved, and shows the result of each", async () => {
    const page = await visitor.open("pipeline");
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    const add = page.getByLabel("Add a step");
    for (const operation of ["watermark", "extract-pages"]) await add.selectOption(operation);
    const [watermark, pages] = [
      page.getByRole("listitem", { name: /: watermark$/ }),
      page.getByRole("listitem", { name: /: extract-pages$/ }),
    ];
    await watermark.getByRole("radio", { name: "image" }).check({ force: true });
    await watermark.locator('input[type="file"]').setInputFiles(join(root, "examples/signature.png"));
    await page.getByRole("button", { name: "Move step 2 up" }).click();
    await visitor.run();
    await pages.getByText("is required").waitFor();
    await pages.locator('[name="range"]').fill("2");
    await visitor.run();
    const results = visitor.result.getByRole("list", { name: "Results of the steps" }).getByRole("listitem");
    await expect
      .poll(() => results.allInnerTexts())
      .toMatchObject(
        [/extract-pages.*1 page/s, /watermark.*1 page/s].map((text) => expect.stringMatching(text) as unknown),
      );
    expect((await visitor.inkOf(1)).dark).toBeGreaterThan(0.001);
    const code = await visitor.curl();
    expect(code).toMatch(/-F [\s\S]*image=@/);
    expect(code).toContain(
      '[{"operation":"extract-pages","range":"2"},{"operation":"watermark","kind":"image","image":"part:image"}]',
    );
    visitor.expected("400 (Bad Request)");
  });

  test("draws the box of a signature with the mouse, moves it with the keys, and draws the signature", async () => {
    const page = await visitor.open("sign", { height: 1_600 });
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.locator('[name="typedName"]').fill("Ada Lovelace");
    const surface = page.locator(".surface");
    await surface.locator('canvas[data-drawn="true"]').waitFor();
    const place = await surface.boundingBox();
    if (place === null) throw new Error("the page is not shown");
    // A4 is 595 points wide.
    const scale = place.width / 595.28;
    await page.mouse.move(place.x + 100 * scale, place.y + 500 * scale);
    await page.mouse.down();
    await page.mouse.move(place.x + 200 * scale, place.y + 530 * scale, { steps: 3 });
    await page.mouse.move(place.x + 300 * scale, place.y + 560 * scale, { steps: 3 });
    await page.mouse.up();
    const member = async (name: string) =>
      Number(
        await page
          .locator(".members label", { hasText: new RegExp(`^${name}`) })
          .locator("input")
          .inputValue(),
      );
    for (const [name, value] of [
      ["x", 100],
      ["y", 500],
      ["width", 200],
      ["height", 60],
    ] as const) {
      expect(Math.abs((await member(name)) - value), name).toBeLessThan(4);
    }
    const before = await member("x");
    await surface.locator(".box").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowDown");
    expect(await member("x")).toBe(before + 1);
    await surface.locator(".in-box").getByText("Ada Lovelace").waitFor();
    await visitor.run();
    await visitor.result.locator(".status").waitFor();
    expect(await visitor.status()).toBe("200");
    // Nothing else stands on this part of the page.
    expect((await visitor.inkOf(1, [100 / 595, 500 / 842, 204 / 595, 64 / 842])).dark).toBeGreaterThan(0.02);
    expect((await visitor.inkOf(1, [0, 570 / 842, 1, 0.2])).dark).toBe(0);

    // In place of the name, a drawing: a line through the box, from its upper left to its lower right.
    await page.getByRole("radio", { name: "image" }).check({ force: true });
    const pad = page.getByRole("img", { name: "Draw a signature here" });
    await pad.scrollIntoViewIfNeeded();
    const { x = 0, y = 0 } = (await pad.boundingBox()) ?? {};
    await page.mouse.move(x + 20, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + 220, y + 80, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Use the drawing" }).click();
    await surface.locator(".in-box img").waitFor();
    await visitor.run();
    await visitor.result.locator(".status").waitFor();
    const parts = [
      [100, 500],
      [250, 530],
      [100, 530],
    ].map(([left = 0, top = 0]) => visitor.inkOf(1, [left / 595, top / 842, 50 / 595, 30 / 842]));
    const [start, end, elsewhere] = await Promise.all(parts);
    expect([start?.dark, end?.dark].every((dark = 0) => dark > 0.005)).toBe(true);
    expect(elsewhere?.dark).toBe(0);
  });

  test("seals with a chosen certificate in a drawn box, and shows the verdict", async () => {
    const page = await visitor.open("seal", { height: 2_400 });
    await page.setInputFiles('input[type="file"]', join(root, "examples/letter.pdf"));
    await page.locator('input[type="file"]').last().setInputFiles(join(root, "examples/signer.p12"));
    await page.locator('[name="certificatePassword"]').fill("example");
    await page.locator('[name="reason"]').fill("Approved");
    const surface = page.locator(".surface");
    await surface.locator('canvas[data-drawn="true"]').waitFor();
    const place = await surface.boundingBox();
    if (place === null) throw new Error("the page is not shown");
    const scale = place.width / 595.28;
    await page.mouse.move(place.x + 100 * scale, place.y + 500 * scale);
    await page.mouse.down();
    await page.mouse.move(place.x + 300 * scale, place.y + 560 * scale, { steps: 3 });
    await page.mouse.up();
    await visitor.run();
    await visitor.result.locator(".status").waitFor();
    expect(await visitor.status()).toBe("200");
    expect((await visitor.inkOf(1, [100 / 595, 500 / 842, 204 / 595, 64 / 842])).dark).toBeGreaterThan(0.01);
    await visitor.result.getByText("Response headers").click();
    expect(await visitor.result.innerText()).toMatch(/X-Signature-Level\s+b-b/);

    const verdict = await visitor.open("verify-signatures");
    await verdict.getByRole("button", { name: "signed.pdf" }).click();
    await visitor.run();
    await visitor.result.locator(".status").waitFor();
    expect(await visitor.result.locator(".verdict").allInnerTexts()).toEqual([
      "The signature is intact, and no change was made that it forbids.",
      "The document is unchanged since it was signed.",
      "The name is not confirmed: the certificate leads to no root in trust. Anyone can make a certificate with this name.",
    ]);
    await visitor.result.getByRole("tab", { name: "JSON" }).click();
    expect(await visitor.result.innerText()).toMatch(/"documentIntact": true/);
  });

  test("reads an invoice as a person does: parties, totals, taxes, and lines", async () => {
    const page = await visitor.open("invoice");
    await page.getByRole("button", { name: "invoice.xml" }).first().click();
    // The form is drawn again once the file is there.
    await page.getByRole("button", { name: "Replace invoice.xml" }).waitFor();
    await page.getByRole("radio", { name: "extract" }).check({ force: true });
    await page.getByRole("radio", { name: "json" }).check({ force: true });
    await visitor.run();
    await visitor.result.locator(".report h3").waitFor();
    expect(await visitor.result.locator(".report h3").innerText()).toBe("Invoice 2026-0117");
    expect(await visitor.result.locator(".report .label").allInnerTexts()).toEqual([
      "Invoice",
      "Parties",
      "Totals",
      "Payment",
      "Taxes",
      "Lines",
    ]);
    expect(await visitor.result.locator(".report").innerText()).toMatch(/To pay\s+271\.85 EUR/);
  });

  test("shows the page that a broken rule of PDF/A is on", async () => {
    const page = await visitor.open("validate");
    await visitor.runExample();
    await visitor.result.getByRole("button", { name: "Page 1" }).first().click();
    expect((await visitor.inkOf(1)).dark).toBeGreaterThan(0.001);
    expect(await page.locator(".report tbody tr").count()).toBe(4);
  });
});
