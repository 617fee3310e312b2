import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, cp, link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { PdfService } from "../../client/src/index.ts";
import { commands } from "../../client/src/generated-commands.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const { baseUrl, liveKey, testKey } = ownServer();
const service = new PdfService({ apiKey: liveKey, baseUrl });

let home: string;
let program: string;
let folder: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "pdf-service-home-"));
  // As it is published: Node takes four times as long to start the program from its TypeScript.
  const installed = join(home, "pdf-service-client");
  program = join(installed, "dist/cli/main.js");
  execFileSync(
    process.execPath,
    [
      join(root, "node_modules/typescript/bin/tsc"),
      "-p",
      "client/tsconfig.build.json",
      "--outDir",
      join(installed, "dist"),
    ],
    { cwd: root },
  );
  await cp(join(root, "client/package.json"), join(installed, "package.json"));
  // The completion scripts call it by its name.
  await writeFile(join(home, "pdf-service"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => rm(home, { recursive: true, force: true }));

beforeEach(async () => {
  folder = await mkdtemp(join(home, "work-"));
  for (const name of ["letter.pdf", "enclosure.pdf", "receipt.png"]) {
    await cp(join(root, "examples", name), join(folder, name));
  }
});

interface Options {
  readonly input?: Uint8Array;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const environment = (env: Options["env"] = {}) => ({
  ...process.env,
  XDG_CONFIG_HOME: join(home, "config"),
  PDF_SERVICE_KEY: liveKey,
  PDF_SERVICE_URL: baseUrl,
  ...env,
});

function start(words: readonly string[], { env }: Options = {}): ChildProcess {
  return spawn(process.execPath, [program, ...words], { cwd: folder, env: environment(env) });
}

/** Runs the program to its end. */
async function run(words: readonly string[], options: Options = {}) {
  const child = start(words, options);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin?.end(options.input);
  const [exitCode] = (await once(child, "close")) as [number | null];
  return {
    exitCode,
    bytes: Buffer.concat(out),
    out: Buffer.concat(out).toString(),
    err: Buffer.concat(err).toString(),
  };
}

const line = (text: string): string[] => text.split(" ");
const pdf = async (name: string): Promise<PDFDocument> => PDFDocument.load(await readFile(join(folder, name)));
const angles = (file: PDFDocument): number[] => file.getPages().map((page) => page.getRotation().angle);

describe("operations", () => {
  test("a command takes files in order, and writes to the named file", async () => {
    expect(await run(line("merge letter.pdf enclosure.pdf --title Both -o out.pdf"))).toMatchObject({
      exitCode: 0,
      out: "",
      err: "",
    });
    const merged = await pdf("out.pdf");
    expect([merged.getPageCount(), merged.getTitle()]).toEqual([3, "Both"]);
  });

  test("a command reads standard input and writes standard output, and has its own output parameter", async () => {
    const input = await readFile(join(folder, "receipt.png"));
    const { bytes, exitCode } = await run(line("ocr - --output pdf -o -"), { input });
    expect(exitCode).toBe(0);
    await writeFile(join(folder, "receipt.pdf"), bytes);
    const text = await run(line("extract-text receipt.pdf"));
    expect((JSON.parse(text.out) as { text: string }).text).toContain("Received with thanks");
  });

  test("a command works on each file of a pattern, and continues after one that fails", async () => {
    await writeFile(join(folder, "a [1].pdf"), "no PDF");
    await mkdir(join(folder, "more"));
    await cp(join(folder, "letter.pdf"), join(folder, "more/deep.pdf"));
    const { exitCode, err, out } = await run(["rotate", "*.pdf", "more/**/d??p.pdf", "--angle", "90", "-o", "turned/"]);
    expect([exitCode, err]).toEqual([4, "pdf-service: a [1].pdf is not a PDF.\n"]);
    const names = ["enclosure-rotate.pdf", "letter-rotate.pdf", "deep-rotate.pdf"];
    expect(out.trim().split("\n")).toEqual(names.map((name) => `turned/${name}`));
    expect((await readdir(join(folder, "turned"))).sort()).toEqual(names.sort());
    expect(angles(await pdf("turned/deep-rotate.pdf"))).toEqual([90, 90]);
  });

  test("a command names its file after the input, prints the name, and does not overwrite", async () => {
    expect((await run(line("rotate letter.pdf --angle 90"))).out).toBe("letter-rotate.pdf\n");
    const again = await run(line("rotate letter.pdf --angle 180"));
    expect([again.exitCode, again.err]).toEqual([7, expect.stringContaining("letter-rotate.pdf already exists")]);
    expect(angles(await pdf("letter-rotate.pdf"))).toEqual([90, 90]);
    expect((await run(line("rotate letter.pdf --angle 180 --force"))).exitCode).toBe(0);
    expect(angles(await pdf("letter-rotate.pdf"))).toEqual([180, 180]);
  });

  test("a command runs before others, on the same document", async () => {
    await writeFile(join(folder, "password.txt"), "open sesame\n");
    const words =
      "rotate letter.pdf --angle 90 --then merge enclosure.pdf --then protect --user-password @password.txt";
    expect(await run([...line(words), "-o", "out.pdf"])).toMatchObject({ exitCode: 0, err: "" });
    const read = await run(line("metadata out.pdf --password @password.txt"));
    expect(JSON.parse(read.out)).toMatchObject({ pageCount: 3, encrypted: true });
    const unsaid = await run(line('metadata letter.pdf --metadata {"title":"New"}'));
    expect([unsaid.exitCode, unsaid.err]).toEqual([2, "pdf-service: metadata needs --action.\n"]);
    const wrong = await run(line("rotate letter.pdf --angle 90 --then split --mode chunks"));
    expect([wrong.exitCode, wrong.err]).toEqual([2, "pdf-service: --chunk-size is required when --mode is chunks.\n"]);
  });

  test("a command accepts values in the forms of the service, and names options without an effect", async () => {
    const words = line(
      "watermark letter.pdf --kind Text --text DRAFT --color C00 --scale 0.5 --position=Top_Left --tile=True -o out.pdf",
    );
    expect(await run(words)).toMatchObject({
      exitCode: 0,
      err: expect.stringMatching(/Without an effect here: --scale, --tile\.\n$/) as string,
    });
    const steps = line("rotate letter.pdf --angle 90.0 --then to-images --format JPG --pages 1 --dpi 36 -o page.jpg");
    expect(await run(steps)).toMatchObject({ exitCode: 0, err: "" });
  });

  test("a command describes its result as JSON", async () => {
    const { out } = await run(line("compress letter.pdf -o small.pdf --json"));
    const { size } = await stat(join(folder, "small.pdf"));
    expect(JSON.parse(out)).toMatchObject({ file: "small.pdf", pageCount: 2, outputSize: size, creditsCharged: 2 });
    const { err, exitCode } = await run(line("extract-pages letter.pdf --range 9 --json"));
    expect([exitCode, JSON.parse(err)]).toMatchObject([
      2,
      { error: { code: "invalid_page_range", details: { maxPage: 2 } } },
    ]);
  });
});

describe("failing commands", () => {
  const cases: readonly (readonly [words: string, exitCode: number, message: string | RegExp, env?: Options["env"]])[] =
    [
      ["split letter.pdf --mode chunks", 2, "--chunk-size is required when --mode is chunks."],
      ["split letter.pdf --mode ranges", 2, "--ranges is required when --mode is ranges."],
      ["split letter.pdf --mode chunks --chunk-size 0", 2, "--chunk-size must be a whole number from 1 to 5,000."],
      ["split letter.pdf --mode chunk", 2, "--mode must be ranges, chunks, pages, or bookmarks."],
      ["compress letter.pdf --grayscale=gray", 2, "--grayscale must be true or false."],
      ["split letter.pdf --chunksize 2", 2, "split has no option --chunksize. Did you mean --chunk-size?"],
      ["split letter.pdf", 2, "split needs --mode."],
      ["rotate letter.pdf", 2, "rotate needs --angle or --rotations."],
      ["extract-pages letter.pdf --range 3", 2, "--range names page 3, but the document has 2 pages."],
      ["merge letter.pdf", 2, "merge needs at least 2 files, not 1."],
      ["mrege letter.pdf", 2, "There is no command mrege. Did you mean merge?"],
      ["rotate letter.pdf --angle", 2, "--angle needs a value."],
      ["merge - -", 2, "Standard input (-) can be used only once."],
      ["rotate letter.pdf --angle 90 --then from-images", 2, "from-images takes no PDF, so it cannot follow --then."],
      ["rotate missing.pdf --angle 90", 7, "Cannot read missing.pdf: there is no such file or folder."],
      ["rotate none-*.pdf --angle 90", 7, "No file matches none-*.pdf."],
      ["rotate . --angle 90", 7, "Cannot read .: it is a folder."],
      ["rotate letter.pdf --angle 90 -o no/such/out.pdf", 7, /^Cannot write no\/such\/out\.pdf: /],
      ["rotate letter.pdf --angle 90 -o /dev/full", 7, "Cannot write /dev/full: no space left on device."],
      ["rotate receipt.png --angle 90", 4, "receipt.png is not a PDF. Make a PDF of it with from-images."],
      ["rotate letter.pdf --angle 90", 3, /^Invalid API key\./, { PDF_SERVICE_KEY: "sk_live_nobody" }],
      ["rotate letter.pdf --angle 90", 3, /^There is no API key\./, { PDF_SERVICE_KEY: "" }],
      [
        "usage",
        6,
        "The service cannot be reached at http://127.0.0.1:9: bad port.",
        { PDF_SERVICE_URL: "http://127.0.0.1:9" },
      ],
    ];

  test.for(cases)(
    "a failing command explains the problem in the typed words, with an exit code and no file: %s",
    async ([words, exitCode, message, env]) => {
      const before = await readdir(folder);
      const result = await run(line(words), { env: env ?? {}, input: new Uint8Array(1) });
      expect([result.exitCode, result.out]).toEqual([exitCode, ""]);
      const said = result.err.replace(/^pdf-service: /, "").trimEnd();
      expect(typeof message === "string" ? said === message : message.test(said), said).toBe(true);
      expect(await readdir(folder)).toEqual(before);
    },
  );

  test("a revoked key fails with its own message and exit code", async () => {
    const { key, id } = await service.createKey({ name: "soon revoked" });
    await service.revokeKey(id);
    const result = await run(line("rotate letter.pdf --angle 90"), { env: { PDF_SERVICE_KEY: key } });
    expect([result.exitCode, result.err]).toEqual([3, expect.stringContaining("revoked")]);
  });

  test("an input is not overwritten, whatever its name", async () => {
    await symlink("letter.pdf", join(folder, "soft.pdf"));
    await link(join(folder, "letter.pdf"), join(folder, "hard.pdf"));
    const before = await readFile(join(folder, "letter.pdf"));
    for (const out of ["letter.pdf", "./letter.pdf", "soft.pdf", "hard.pdf"]) {
      const result = await run([...line("rotate letter.pdf --angle 90 -o"), out]);
      expect([result.exitCode, result.err]).toEqual([7, expect.stringContaining(`${out} is an input`)]);
    }
    expect(await readFile(join(folder, "letter.pdf"))).toEqual(before);
  });

  test("a reader who stops early ends the command silently", async () => {
    const child = start(line("to-images letter.pdf --dpi 300 -o -"));
    child.stdout?.once("data", () => child.stdout?.destroy());
    const [exitCode] = (await once(child, "exit")) as [number | null];
    expect([exitCode, child.stderr?.read()]).toEqual([141, null]);
  });
});

describe("large and long work", () => {
  test("a large file is uploaded in parts, its job is awaited, and nothing stays on the service", async () => {
    const file = await PDFDocument.create();
    file.addPage();
    await file.attach(randomBytes(17 * 1024 * 1024), "noise.bin");
    await writeFile(join(folder, "large.pdf"), await file.save());
    const { count } = await service.listJobs({ limit: 1 });
    expect(await run(line("rotate large.pdf --angle 90 -o out.pdf"))).toMatchObject({ exitCode: 0, err: "" });
    expect(angles(await pdf("out.pdf"))).toEqual([90]);
    expect((await service.listFiles()).data.filter(({ name }) => name === "large.pdf")).toEqual([]);
    expect((await service.listJobs({ limit: 1 })).count).toBe(count);
  });

  test("a job can be started without waiting, and awaited later", async () => {
    const id = (await run(line("ocr receipt.png --output pdf --detach"))).out.trim();
    expect(id).toMatch(/^job_/);
    expect(await run(["jobs", "wait", id, "-o", "text.pdf"])).toMatchObject({ exitCode: 0 });
    expect((await pdf("text.pdf")).getPageCount()).toBe(1);
    const job = JSON.parse((await run(["jobs", "get", id])).out) as unknown;
    expect(job).toMatchObject({ id, operation: "ocr", status: "succeeded" });
    expect((await run(["jobs", "delete", id])).exitCode).toBe(0);
    expect(await run(["jobs", "get", id])).toMatchObject({ exitCode: 4 });
  });

  test("Ctrl-C cancels the job, and leaves no file", async () => {
    await writeFile(join(folder, "long.pdf"), document({ name: "long", pages: 60 }));
    const before = await readdir(folder);
    const child = start(line("to-images long.pdf --dpi 600 --job -o pages.zip"));
    const newest = async () => (await service.listJobs({ limit: 1 })).data[0];
    await expect.poll(async () => (await newest())?.progress.total).toBe(60);
    child.kill("SIGINT");
    const [exitCode] = (await once(child, "exit")) as [number | null];
    expect(exitCode).toBe(130);
    expect((await newest())?.status).toBe("canceled");
    expect(await readdir(folder)).toEqual(before);
  });

  test("files are kept, listed, read back, and deleted", async () => {
    const { id } = JSON.parse((await run(line("files upload letter.pdf --expires-in 600"))).out) as { id: string };
    expect((await run(line("files list --limit 1"))).out).toContain(id);
    expect((await run(line("files --limit 1"))).out).toContain(id);
    expect((await run(line("jobs --limit 1"))).out).toMatch(/^ID +OPERATION/);
    expect(await run(["merge", id, "enclosure.pdf", "-o", "both.pdf"])).toMatchObject({ exitCode: 0, err: "" });
    expect((await pdf("both.pdf")).getPageCount()).toBe(3);
    expect((await run(["files", "download", id, "-o", "back.pdf"])).exitCode).toBe(0);
    expect(await readFile(join(folder, "back.pdf"))).toEqual(await readFile(join(folder, "letter.pdf")));
    expect((await run(["files", "delete", id])).exitCode).toBe(0);
    expect(await run(["files", "get", id])).toMatchObject({ exitCode: 4 });
  });
});

describe("the key", () => {
  test("a key is stored for its owner only, and not read from where others can read it", async () => {
    const env = { PDF_SERVICE_KEY: undefined, PDF_SERVICE_URL: undefined, XDG_CONFIG_HOME: join(folder, "config") };
    const path = join(folder, "config/pdf-service/config.json");
    const wrong = await run(["login", "--url", baseUrl], { env, input: Buffer.from("sk_live_nobody\n") });
    expect([wrong.exitCode, wrong.err]).toEqual([3, expect.stringContaining("Invalid API key")]);
    const stored = await run(["login", "--url", baseUrl], { env, input: Buffer.from(`${testKey}\n`) });
    expect(stored).toMatchObject({ exitCode: 0, out: "" });
    expect(stored.err).not.toContain(testKey);
    expect([(await stat(path)).mode & 0o777, (await stat(join(path, ".."))).mode & 0o777]).toEqual([0o600, 0o700]);
    expect((await run(["usage"], { env })).exitCode).toBe(0);
    await chmod(path, 0o640);
    const refused = await run(["usage"], { env });
    expect([refused.exitCode, refused.err]).toEqual([3, expect.stringContaining(`Others can read ${path}.`)]);
    expect((await run(["logout"], { env })).exitCode).toBe(0);
    expect((await run(["usage"], { env })).err).toContain("There is no API key");
  });
});

describe("help", () => {
  test("help lists all operations, and shows a working example of each", async () => {
    const { out } = await run(["--help"]);
    for (const { name, summary } of commands)
      expect(out).toMatch(new RegExp(`^ {2}${name} +${summary.slice(0, 20)}`, "m"));
    const { out: own } = await run(["split", "--help"]);
    expect(own).toContain("pdf-service split letter.pdf --mode pages\n");
    expect(own).toContain("--chunk-size");
    expect(own).toContain("-o, --out PATH");
  });

  test("no parameter of an operation hides an option of all operations", async () => {
    const { operationOptions } = await import("../../client/src/cli/operation.ts");
    const { kebab } = await import("../../client/src/cli/options.ts");
    const names = new Set(operationOptions.map(({ name }) => name));
    const hidden = commands.flatMap(({ name, parameters }) =>
      parameters.filter(({ field }) => names.has(kebab(field))).map(({ field }) => `${name} ${field}`),
    );
    // The address of the service is in PDF_SERVICE_URL there.
    expect(hidden).toEqual(["to-pdf url"]);
  });
});

describe("completion", () => {
  const complete: Readonly<Record<string, (words: readonly string[]) => string>> = {
    bash: (words) =>
      `source <(pdf-service completion bash); COMP_WORDS=(pdf-service ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _pdf_service; printf '%s\\n' "\${COMPREPLY[@]}"`,
    zsh: (words) =>
      `compdef() { :; }; _describe() { print -l -- "\${(@P)2%%:*}"; }; _files() { :; }; source <(pdf-service completion zsh); words=(pdf-service ${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length + 1}; _pdf_service`,
    fish: (words) => `pdf-service completion fish | source; complete -C "pdf-service ${words.join(" ")}"`,
  };
  const has = (shell: string): boolean => {
    try {
      execFileSync(shell, ["-c", "true"]);
      return true;
    } catch {
      return false;
    }
  };

  describe.each(Object.keys(complete))("completion in %s", (shell) => {
    test.skipIf(!has(shell))("completion knows commands, options, and their values", () => {
      const ask = (...words: string[]): string[] => {
        const env = { ...environment(), HOME: home, PATH: `${home}:${process.env["PATH"] ?? ""}` };
        const printed = execFileSync(shell, ["-c", complete[shell]?.(words) ?? ""], {
          cwd: folder,
          env,
          encoding: "utf8",
        });
        return printed
          .split("\n")
          .flatMap((word) => word.split("\t")[0] ?? [])
          .filter((word) => word !== "");
      };
      expect(ask("extract-").sort()).toEqual(["extract-pages", "extract-text"]);
      expect(ask("split", "letter.pdf", "--mode", "").sort()).toEqual(["bookmarks", "chunks", "pages", "ranges"]);
      expect(ask("split", "letter.pdf", "--chunk")).toEqual(["--chunk-size"]);
      expect(ask("rotate", "letter.pdf", "--then", "extract-p")).toEqual(["extract-pages"]);
      expect(ask("jobs", "wa")).toEqual(["wait"]);
      expect(ask("merge", "lett")).toEqual(shell === "fish" ? ["letter.pdf"] : []);
    });
  });
});
