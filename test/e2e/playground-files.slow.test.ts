import type { Locator, Page } from "playwright-core";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Description, operationsOf } from "../../src/site/description/description.ts";
import { typeOfName } from "../../src/site/description/media-types.ts";
import { takesType } from "../../src/site/description/fields.ts";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { noBrowser, Visitor } from "./visitor.ts";

const server = ownServer();
const letter = join(root, "examples/letter.pdf");

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly sha256: string;
}

async function stored(): Promise<readonly Stored[]> {
  const headers = { Authorization: `Bearer ${server.testKey}` };
  const response = await fetch(`${server.baseUrl}/api/v1/files`, { headers });
  return ((await response.json()) as { data: readonly Stored[] }).data;
}

describe.skipIf(noBrowser)("playground: files", () => {
  const visitor = new Visitor();
  // What other files have left on this server.
  beforeAll(async () => {
    const headers = { Authorization: `Bearer ${server.testKey}` };
    for (const { id } of await stored())
      await fetch(`${server.baseUrl}/api/v1/files/${id}`, { method: "DELETE", headers });
  });

  test("keeps a file, uses it in an operation that shows its ID as code, and deletes it", async () => {
    const page = await visitor.open("files");
    await page.getByLabel("Keep for").selectOption("1 hour");
    await page.setInputFiles('input[type="file"]', letter);
    const own = page.getByRole("listitem").filter({ hasText: "letter.pdf" });
    await own.waitFor();
    expect(await own.innerText()).toMatch(/application\/pdf, 3\.1 KB[^]*Expires in (60|59) minutes/);
    await page.getByRole("button", { name: "Copy ID of letter.pdf" }).click();
    const id = (await page.evaluate("navigator.clipboard.readText()")) as string;
    const [file] = await stored();
    expect([file?.id, file?.sha256]).toEqual([id, sha256(await readFile(letter))]);

    await page.getByRole("button", { name: "Use in… letter.pdf" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "merge" }).click();
    await page.getByText("letter.pdf", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stored file or URL" }).click();
    await page.getByLabel("file: ID of a stored file, or URL").fill(id);
    await page.keyboard.press("Enter");
    await page.getByText("file1", { exact: true }).waitFor();
    expect(await visitor.curl()).toContain(`--form-string 'file1=${id}'`);
    await page.getByRole("tab", { name: "Python" }).click();
    expect(await page.locator(".code").innerText()).toContain(`pdf.merge(["${id}", "${id}"])`);
    await page.getByRole("tab", { name: "requests" }).click();
    expect(await page.locator(".code").innerText()).toContain(`("file0", (None, "${id}"))`);
    await visitor.run();
    // The letter has two pages.
    await visitor.result.getByRole("img", { name: "Page 4 of 4" }).waitFor();

    await visitor.view("files");
    await page.getByRole("button", { name: "Delete letter.pdf" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await own.waitFor({ state: "detached" });
    expect(await stored()).toEqual([]);
  });

  test("sends a large file in parts, says how far it is, and stops", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pdf-service-parts-"));
    try {
      const large = Buffer.alloc(17 * 1024 * 1024, "%PDF-1.7\n");
      await writeFile(join(folder, "large.pdf"), large);
      const page = await visitor.open("files");
      const sent: string[] = [];
      page.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (request.method() !== "GET") sent.push(`${request.method()} ${pathname.replace(/file_\w+/, "id")}`);
      });
      await page.setInputFiles('input[type="file"]', join(folder, "large.pdf"));
      await page.getByRole("listitem").filter({ hasText: "large.pdf" }).waitFor({ timeout: 60_000 });
      const path = "/api/v1/files";
      expect(sent.toSorted()).toEqual([
        `POST ${path}`,
        `POST ${path}/id/complete`,
        `PUT ${path}/id/parts/1`,
        `PUT ${path}/id/parts/2`,
      ]);
      const [file] = await stored();
      expect([file?.status, file?.sha256]).toEqual(["ready", sha256(large)]);

      const network = await page.context().newCDPSession(page);
      const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 2_000_000 };
      await network.send("Network.emulateNetworkConditions", slow);
      await page.setInputFiles('input[type="file"]', join(folder, "large.pdf"));
      await page.getByText(/Uploading large\.pdf [1-9]\d?%/).waitFor();
      expect(await page.getByRole("status").innerText()).toBe("Uploading large.pdf");
      expect(await page.getByRole("progressbar").getAttribute("aria-label")).toBe("Uploading large.pdf");
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByText("Choose files").waitFor();
      // What had arrived of it takes no space.
      await expect.poll(async () => (await stored()).length).toBe(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("refers to files with the keyboard alone, and marks the field of one that does not exist", async () => {
    const page = await visitor.open("rotate", { width: 360, height: 740 });
    await page.getByRole("button", { name: "Stored file or URL" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("file_nothing0");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Stored file or URL");
    await page.keyboard.press("Enter");
    await page.keyboard.type("https://localhost/report.pdf");
    await page.keyboard.press("Enter");
    await page.getByText("report.pdf", { exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    const code = await visitor.curl();
    expect(code).toContain("--form-string 'file=https://localhost/report.pdf'");
    expect(code).toContain("-o report-rotate.pdf");
    await visitor.run();
    await visitor.result.getByText("invalid_parameters").waitFor();
    const remove = page.getByRole("button", { name: "Remove report.pdf" });
    expect(await remove.getAttribute("aria-invalid")).toBe("true");
    visitor.expected("400 (Bad Request)");
  });

  test("takes every example and a file of another kind, chosen or dropped, in every file field", async () => {
    const examples = await readdir(join(root, "examples"));
    const buffers = await Promise.all(examples.map((name) => readFile(join(root, "examples", name))));
    const files = examples.map((name, index) => ({
      name,
      mimeType: typeOfName(name) ?? "application/octet-stream",
      buffer: buffers[index] ?? Buffer.alloc(0),
    }));
    files.push({ name: "table.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
    const description = (await (await fetch(`${server.baseUrl}/api/v1/openapi.json`)).json()) as Description;
    const wrong: string[] = [];
    let count = 0;
    for (const { name, fields } of operationsOf(description)) {
      const page = await visitor.open(name);
      for (const field of fields) {
        if (field.kind === "value") continue;
        const own = page.locator("fieldset.field").filter({ has: page.locator(".api-name", { hasText: field.name }) });
        // Dropped files go the same way, so one of either kind will do.
        const isRight = ({ name: of }: { readonly name: string }): boolean => takesType(field, typeOfName(of));
        const dropped = [files.find(isRight), files.find((file) => !isRight(file))];
        for (const file of files) {
          for (const way of dropped.includes(file) ? (["choose", "drop"] as const) : (["choose"] as const)) {
            const place = own.locator(".drop");
            if ((await place.count()) !== 1) continue;
            if (way === "choose") await place.locator('input[type="file"]').setInputFiles(file);
            else await drop(page, place, [file]);
            const row = own.locator(".files li", { hasText: file.name });
            const refusal = own.getByRole("alert").filter({ hasText: file.name });
            await row.or(refusal).first().waitFor();
            const isTaken = await row.isVisible();
            if (isTaken !== takesType(field, typeOfName(file.name)))
              wrong.push(`${name} ${field.name} ${way} ${file.name}`);
            if (isTaken) await row.getByRole("button", { name: /^Remove/ }).click();
            count += 1;
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(300);

    const page = await visitor.open("rotate");
    const pdf = { mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") };
    const both = ["first.pdf", "second.pdf"].map((name) => ({ name, ...pdf }));
    await drop(page, page.locator(".drop"), both);
    await page.locator(".files li", { hasText: "first.pdf" }).waitFor();
    expect(await page.getByRole("alert").innerText()).toBe("file takes one file. second.pdf was not added.");
  });

  test.each([
    { operation: "to-pdf", field: "file", suggested: ["report.md"] },
    { operation: "to-pdf", field: "assets", suggested: [] },
    { operation: "seal", field: "certificate", suggested: ["signer.p12"] },
    { operation: "compress", field: "file", suggested: ["damaged.pdf", "enclosure.pdf", "form.pdf", "letter.pdf"] },
  ])("$operation suggests only examples that its $field accepts", async ({ operation, field, suggested }) => {
    const page = await visitor.open(operation);
    const own = page.locator("fieldset.field", { has: page.locator(`.api-name:text-is("${field}")`) });
    await own.locator(".drop").waitFor();
    const shown = await own.locator(".samples p button").allInnerTexts();
    expect(shown.filter((name) => !["locked.pdf", "signed.pdf"].includes(name)).toSorted()).toEqual(suggested);
  });

  test.each([
    { operation: "to-pdf", fields: ["file", "url"] },
    { operation: "rotate", fields: ["file", "angle", "rotations"] },
    { operation: "protect", fields: ["file", "userPassword", "ownerPassword"] },
  ])("the fields of $operation of which one is required are not under Optional", async ({ operation, fields }) => {
    const page = await visitor.open(operation);
    await page.locator(".further .api-name").first().waitFor();
    const names = await page.locator(".api-name").allInnerTexts();
    const optional = await page.locator(".further .api-name").allInnerTexts();
    expect(names.filter((name) => !optional.includes(name))).toEqual(expect.arrayContaining(fields));
  });
});

/** Drops files on an element of a page. */
async function drop(
  page: Page,
  target: Locator,
  files: readonly { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> {
  const given = JSON.stringify(files.map(({ buffer, ...file }) => ({ ...file, text: buffer.toString("base64") })));
  const dataTransfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const { name, mimeType, text } of ${given}) {
      const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0));
      data.items.add(new File([bytes], name, { type: mimeType }));
    }
    return data;
  })()`);
  await target.dispatchEvent("drop", { dataTransfer });
}
