import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { recorded } from "../../scripts/recorded-response.ts";
import { compileWithClient, installClient } from "./client-examples.ts";
import { root } from "./server.ts";

const server = ownServer();
const run = promisify(execFile);
const headers = { Authorization: `Bearer ${server.testKey}`, "Content-Type": "application/json" };

interface Method {
  readonly operationId: string;
  readonly summary: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
const description = (await (await fetch(`${server.baseUrl}/api/v1/openapi.json`)).json()) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: {
      readonly Error: {
        readonly properties: { readonly error: { properties: { code: { enum: readonly string[] } } } };
      };
    };
  };
};
const response = await fetch(`${server.baseUrl}/docs`);
const page = await response.text();

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};
const textOf = (html: string): string =>
  html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? "");

/** What `npm run generate -- responses` wrote. */
const shownResponses = JSON.parse(
  await readFile(join(root, "src/site/reference/recorded-responses.json"), "utf8"),
) as Readonly<Record<string, { readonly json?: object }>>;

/** What the page shows of a call, by language. */
function shown(id: string, language: string): string {
  const section = page.split('<section class="method"').find((part) => part.startsWith(` id="${id}"`)) ?? "";
  const code = new RegExp(`data-language="${language}"[^>]*>([^]*?)</pre>`).exec(section)?.[1];
  if (code === undefined) throw new Error(`the reference shows no ${language} for ${id}`);
  return textOf(code);
}

const calls = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([verb, { operationId, requestBody, responses, summary }]) => {
    const takesForm = requestBody?.content["multipart/form-data"] !== undefined;
    const [status = "", success] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
    const types = Object.keys(success?.content ?? {});
    const id = takesForm ? path.slice(path.lastIndexOf("/") + 1) : operationId;
    return { id, path, verb, takesForm, status, types, summary };
  }),
);
const operations = calls.filter(({ takesForm }) => takesForm);

/** Where somebody would paste the examples: a folder that has `examples/`, and where results are left. */
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pdf-service-reference-"));
  await symlink(join(root, "examples"), join(folder, "examples"));
  // Has curl tell what it got without a change to the command.
  await mkdir(join(folder, "home"));
  await writeFile(
    join(folder, "home/.curlrc"),
    'silent\nshow-error\nwrite-out = "%{stderr}%{http_code} %{content_type}"\n',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = () => ({
  cwd: folder,
  env: {
    ...process.env,
    PYTHONPATH: join(root, "clients/python"),
    PYTHONDONTWRITEBYTECODE: "1",
    PDF_SERVICE_KEY: server.testKey,
    CURL_HOME: join(folder, "home"),
  },
  encoding: "buffer" as const,
});

/** What is printed or left in a file, and under which name; whatever is left is gone afterwards. */
async function outcome(command: string, args: readonly string[]) {
  const { stdout, stderr } = await run(command, args, options());
  const [file] = (await readdir(folder)).filter(
    (name) => !["examples", "home", "example.mjs", "package.json"].includes(name),
  );
  if (file === undefined) return { file, body: stdout, told: stderr.toString() };
  const body = await readFile(join(folder, file));
  await rm(join(folder, file));
  return { file, body, told: stderr.toString() };
}

/** By the extension that a result is stored under: how it begins, and its media type. */
const kinds: Readonly<Record<string, readonly [start: string, type: string]>> = {
  pdf: ["%PDF-", "application/pdf"],
  zip: ["PK\x03\x04", "application/zip"],
  png: ["\x89PNG", "image/png"],
  printed: ["{", "application/json"],
};

/** Checks that a result is what its name says, and returns its media type. */
function expectResult({
  file = ".printed",
  body,
}: {
  readonly file: string | undefined;
  readonly body: Buffer;
}): string {
  const [start, type] = kinds[file.slice(file.lastIndexOf(".") + 1)] ?? [];
  expect(body.subarray(0, start?.length).toString("latin1"), file).toBe(start);
  return type ?? "";
}

function hasRequests(): boolean {
  try {
    execFileSync("python3", ["-c", "import requests"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
const python = hasRequests();
if (!python) console.warn("\n  SKIPPED: the Python examples, which need python3 with requests.\n");

test("the reference has every operation of the description", () => expect(operations.length).toBeGreaterThan(12));

describe.each(operations)("examples of $id", ({ id, status: expected, types }) => {
  test("the curl example runs as shown", async () => {
    const result = await outcome("sh", ["-c", shown(id, "curl")]);
    const [status, type = ""] = result.told.split(/ |;/);
    expect(status).toBe(expected);
    expect(types).toContain(type);
    expect(type).toBe(expectResult(result));
    const now = await recorded(
      new Response(new Uint8Array(result.body), { headers: { "Content-Type": type } }),
      server.baseUrl,
    );
    expect(now.json).toEqual(shownResponses[id]?.json);
  });

  test("the JavaScript example runs as shown", async () => {
    await writeFile(join(folder, "example.mjs"), shown(id, "JavaScript"));
    const result = await outcome(process.execPath, ["example.mjs"]);
    if (result.file !== undefined) expectResult(result);
    expect(result.body.length).toBeGreaterThan(20);
  });

  test.skipIf(!python).each(["Python", "requests"])("the example in %s runs as shown", async (language) => {
    const result = await outcome("python3", ["-c", shown(id, language)]);
    if (result.file !== undefined) expectResult(result);
    expect(result.body.length).toBeGreaterThan(20);
  });
});

describe("examples of the client", () => {
  const examples = () => calls.map(({ id }) => [`${id}.ts`, shown(id, "TypeScript")] as const);

  test("the client's examples compile as shown", async () => {
    expect(await compileWithClient(folder, examples())).toBe("");
  });

  test("the client's examples of operations run as shown", async () => {
    await installClient(folder);
    const names = operations.filter(({ status }) => status === "200").map(({ id }) => `${id}.ts`);
    const one = names.map((name) => `console.log("== ${name}"); await import("./${name}");`);
    await writeFile(join(folder, "all.mts"), one.join("\n"));
    const { stdout } = await run(process.execPath, ["all.mts"], options());
    const printed = new Map(
      stdout
        .toString()
        .split("== ")
        .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]),
    );
    const types: string[] = [];
    for (const name of names) {
      const file = /writeFile\("([^"]+)"/.exec(shown(name.slice(0, -3), "TypeScript"))?.[1];
      const body = file === undefined ? Buffer.from(printed.get(name) ?? "") : await readFile(join(folder, file));
      types.push(expectResult({ file, body }));
      if (file !== undefined) await rm(join(folder, file));
    }
    expect(types).not.toContain("");
    for (const name of ["all.mts", "node_modules", ...calls.map(({ id }) => `${id}.ts`)])
      await rm(join(folder, name), { recursive: true, force: true });
  });
});

/** Makes one of the things that a path is about. */
async function made(collection: string, body: unknown): Promise<string> {
  const response = await fetch(`${server.baseUrl}${collection}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** Makes a job that has ended. */
async function madeJob(): Promise<string> {
  const form = new FormData();
  form.append("file", new Blob([await readFile(join(root, "examples/letter.pdf"))]), "letter.pdf");
  form.append("angle", "90");
  const { Authorization } = headers;
  const asked = { Authorization, Prefer: "respond-async" };
  const response = await fetch(`${server.baseUrl}/api/v1/rotate`, { method: "POST", headers: asked, body: form });
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  await fetch(`${server.baseUrl}/api/v1/jobs/${id}?wait=30`, { headers: { Authorization } });
  return id;
}

test.skipIf(!python)("the other Python examples call existing methods with existing parameters", async () => {
  const others = calls.filter(({ takesForm, status }) => !takesForm && status !== "");
  // Calls are bound to the signatures of the methods, and not sent.
  const check = `
import inspect, sys
import pdf_service
class PdfService:
    def __init__(self, **options): inspect.signature(pdf_service.PdfService).bind(**options)
    def __getattr__(self, name):
        method = getattr(pdf_service.PdfService, name)
        def call(*args, **kwargs):
            inspect.signature(method).bind(self, *args, **kwargs)
            print(name)
            sys.exit()
        return call
module = type(sys)("pdf_service")
module.PdfService = PdfService
sys.modules["pdf_service"] = module
`;
  const called = await Promise.all(
    others.map(async ({ id }) => (await outcome("python3", ["-c", `${check}${shown(id, "Python")}`])).body.toString()),
  );
  const snake = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  expect(called).toEqual(others.map(({ id }) => `${snake(id === "createFile" ? "uploadFile" : id)}\n`));
});

test("the curl example of the result of a job runs", async () => {
  const id = await madeJob();
  const result = await outcome("sh", ["-c", shown("getJobResult", "curl").replace(/\bID\b/, id)]);
  expect(result.told).toMatch(/^200 application\/pdf/);
  expect(expectResult(result)).toBe("application/pdf");
  await removed(`/api/v1/jobs/${id}`);
});

const removed = (path: string) => fetch(`${server.baseUrl}${path}`, { method: "DELETE", headers });

/** Those that make the service call somebody are tried with a receiver, in the tests of webhooks; those of an upload in parts in order. */
const quiet = calls.filter(
  ({ takesForm, path }) => !takesForm && !/\/(test|replay|content|result|complete|parts\/\{n\})$/.test(path),
);

test("the curl examples of an upload in parts run one after the other", async () => {
  const letter = await readFile(join(root, "examples/letter.pdf"));
  const id = await made("/api/v1/files", { name: "letter.pdf", size: letter.length });
  const send = (name: string) =>
    outcome("sh", [
      "-c",
      shown(name, "curl")
        .replace(/\bID\b/, id)
        .replace(/\/N\b/, "/1"),
    ]);
  for (const name of ["uploadFilePart", "completeFile"]) expect((await send(name)).told).toMatch(/^200 /);
  const { file, body } = await send("getFileContent");
  expect([file, body.equals(letter)]).toEqual(["letter.pdf", true]);
  await removed(`/api/v1/files/${id}`);
});

test.each(quiet)("the curl example of $id runs", async ({ id, path, status, types: [type] }) => {
  const collection = path.replace(/\/\{.*/, "");
  let command = shown(id, "curl");
  let own = "";
  if (path.includes("{id}")) {
    const bodies: Record<string, unknown> = {
      "/api/v1/keys": { name: "Reference" },
      "/api/v1/files": { name: "letter.pdf", size: 1 },
      "/api/v1/webhooks": { url: "https://example.com/hooks", events: ["usage.limit_reached"] },
    };
    own = collection === "/api/v1/jobs" ? await madeJob() : await made(collection, bodies[collection]);
    command = command.replace(/\bID\b/, own);
  }
  const { body, told } = await outcome("sh", ["-c", command]);
  expect(told.split(/ |;/).slice(0, 2)).toEqual([status, type]);
  const response = JSON.parse(body.toString()) as { id?: string };
  // None is recorded of openapi.json.
  expect(Object.keys(response)).toEqual(expect.arrayContaining(Object.keys(shownResponses[id]?.json ?? response)));
  if (status === "201" && response.id !== undefined) await removed(`${collection}/${response.id}`);
  if (own !== "") await removed(`${collection}/${own}`);
});

describe("reference page", () => {
  test("the page is served with the policy of the pages, and complete without its script", () => {
    expect(response.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'/);
    expect(page).not.toMatch(/<style|style="|\son\w+="|<script(?! (?:type="module" )?src="\/assets\/)/);
    const words = textOf(page);
    const missing = calls.filter(({ path, summary }) => !words.includes(path) || !words.includes(summary));
    expect(missing).toEqual([]);
  });

  test("the page has no dead links and no duplicate anchors", () => {
    const ids = Array.from(page.matchAll(/ id="([^"]*)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = Array.from(page.matchAll(/ href="#([^"]*)"/g), ([, id]) => id);
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
  });

  test("the page lists every error and event, and each parameter with its type, limits, and default", () => {
    const { code } = description.components.schemas.Error.properties.error.properties;
    const wanted = [...code.enum.map((code) => `error-${code}`), ...Object.keys(description.webhooks)];
    expect(wanted.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
    const section = page.slice(page.indexOf(' id="to-images"'), page.indexOf(' id="from-images"'));
    const rows = Array.from(section.matchAll(/<tr[^>]*>([^]*?)<\/tr>/g), ([, row = ""]) =>
      textOf(row).replace(/\s+/g, " "),
    );
    expect(rows.find((row) => row.trim().startsWith("dpi"))).toMatch(/dpi integer .*Default: 150\. ?36 to 600/);
    expect(rows.find((row) => row.trim().startsWith("format"))).toMatch(/Default: png\. ?png, jpeg, webp/);
  });
});
