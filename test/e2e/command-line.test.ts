import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { zipSync } from "fflate";
import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { commands } from "../../client/src/generated-commands.ts";
import { accountCommands } from "../../client/src/cli/account-commands.ts";
import { accountHelp, commandHelp, generalHelp } from "../../client/src/cli/help.ts";
import { PdfService } from "../../client/src/index.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";

const { baseUrl, testKey } = ownServer();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-command-"));
  await cp(join(root, "examples"), folder, { recursive: true });
  const program = join(root, "client/src/cli/main.ts");
  await writeFile(join(folder, "pdf-service"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a command prints that is typed in a shell. */
async function typed(command: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env["PATH"] ?? ""}`,
    PDF_SERVICE_KEY: testKey,
    PDF_SERVICE_URL: baseUrl,
  };
  return (await promisify(execFile)("sh", ["-e", "-c", command], { cwd: folder, env })).stdout;
}

const helpOf = (name: string): string => {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new Error(`there is no ${name}`);
  return commandHelp(command).replaceAll(/\s+/g, " ");
};

test("a document of another kind and the files that it refers to become a PDF", async () => {
  await writeFile(join(folder, "page.html"), '<!DOCTYPE html><h1>Report</h1><img src="images/mark.png" alt="mark">');
  await writeFile(
    join(folder, "assets.zip"),
    zipSync({ "images/mark.png": await readFile(join(folder, "signature.png")) }),
  );
  await typed("pdf-service to-pdf page.html --assets assets.zip -o page.pdf");
  const { pages, outline } = await openPdf(new Uint8Array(await readFile(join(folder, "page.pdf"))));
  expect(outline.map(({ title }) => title)).toEqual(["Report"]);
  // Where the image is not found, its text is there instead.
  expect(pages[0]?.text.trim()).toBe("Report");
});

describe("help", () => {
  test("help fits into 80 columns", () => {
    const all = [generalHelp(), ...commands.map(commandHelp), ...accountCommands.map(accountHelp)];
    expect(all.flatMap((text) => text.split("\n").filter((line) => line.length > 80))).toEqual([]);
  });

  test("help shows a value as it is typed, even if an option has the same name", () => {
    expect(helpOf("split")).toContain(" ranges: one part per range in --ranges. ");
    expect(helpOf("split")).toContain(" Required when --mode is ranges. ");
    expect(helpOf("watermark")).toContain(" Required when --kind is text. ");
    expect(helpOf("extract-text")).toContain(" when --format is json, markdown, or html. ");
    expect(helpOf("extract-text")).toContain(" markdown: Markdown of all pages. ");
  });

  test("help is the same before and after the name of a command", async () => {
    const jobs = await typed("pdf-service jobs --help");
    expect(jobs).toContain("pdf-service jobs wait ID");
    for (const words of ["--help jobs", "-h jobs", "help jobs"]) expect(await typed(`pdf-service ${words}`)).toBe(jobs);
    expect(await typed("pdf-service --help")).toBe(generalHelp());
  });

  test("help has examples that run as pasted, even those of several lines", async () => {
    const command = commands.find(({ name }) => name === "fill-form");
    if (command === undefined) throw new Error("there is no fill-form");
    const [, examples = ""] = commandHelp(command).split("\nExamples\n");
    expect(examples).toContain(" \\\n");
    await typed(examples);
    for (const name of ["form-fill-form.pdf", "result"]) {
      const form = (await PDFDocument.load(await readFile(join(folder, name)))).getForm();
      expect(form.getTextField("name").getText(), name).toBe("Ada Lovelace");
    }
  });
});

describe("lists and usage", () => {
  const service = new PdfService({ apiKey: testKey, baseUrl });

  test("lists and usage are tables, and JSON with --json", async () => {
    const file = { data: await readFile(join(root, "examples/letter.pdf")), name: `${"long ".repeat(20)}\n.pdf` };
    const job = await service.jobs.rotate({ file, angle: 90 });
    await job.result();
    const stored = await service.uploadFile(file);

    const jobs = await typed("pdf-service jobs list --limit 1");
    expect(jobs.split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(/^ID +OPERATION +STATUS +PAGES +CREATED UTC$/),
      expect.stringMatching(new RegExp(`^${job.id} +rotate +succeeded +\\d+/\\d+ +\\d\\d-\\d\\d \\d\\d:\\d\\d$`)),
    ]);
    expect(JSON.parse(await typed("pdf-service jobs list --limit 1 --json"))).toMatchObject({ data: [{ id: job.id }] });

    const files = (await typed("pdf-service files list --limit 1")).split("\n");
    expect(files[1]).toMatch(new RegExp(`^${stored.id} +[\\d.]+ kB +\\d\\d-\\d\\d \\d\\d:\\d\\d +long .*\\.\\.\\.$`));
    expect(Math.max(...files.slice(0, 2).map((line) => line.length))).toBeLessThanOrEqual(80);

    const { used, limit } = await service.getUsage();
    const usage = await typed("pdf-service usage");
    const number = (value: number | null): string => String(value?.toLocaleString("en-US"));
    expect(usage).toContain(`Credits used  ${number(used)} of ${number(limit)}\n`);
    expect(usage).toMatch(/^OPERATION +CREDITS$/m);
    expect(usage).toMatch(/^rotate +\d+$/m);
    expect(JSON.parse(await typed("pdf-service usage --json"))).toMatchObject({ used, limit });
  });
});
