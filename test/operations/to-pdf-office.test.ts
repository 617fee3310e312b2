/** `to-pdf` with an office converter: the form that it sends, and every way in which the converter can fail. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { compoundFile } from "../harness/office/compound-file.ts";
import { archive, docx, paragraph, pptx } from "../harness/fixtures/office-fixtures.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";
import type { SeenForm } from "../harness/office/false-converter.ts";
import { createApp } from "../../src/app.ts";
import { limits } from "../../src/limits.ts";
import { operations } from "../../src/operations/index.ts";
import { newKey } from "../http/echo-service.ts";

const app = createApp(operations);
const server = inject("documents");
const converter = (how: string): string => `${server}/office/${how}`;
const DECK = pptx([["One"], ["Two"]]);
const DOCX = docx(paragraph("text"));
let key: string;
beforeAll(async () => {
  key = await newKey("enterprise");
});

type Fields = Readonly<Record<string, string>>;

/** `how`: the way in which the converter responds; undefined without one. */
async function convert(how: string | undefined, file: Uint8Array | string, fields: Fields = {}, path = "to-pdf") {
  const form = new FormData();
  form.append("file", new Blob([typeof file === "string" ? file : file.slice()]), "my file.bin");
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const context = createExecutionContext();
  const waited = vi.spyOn(context, "waitUntil");
  const request = new Request(`http://localhost/api/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
    body: form,
  });
  const bindings = how === undefined ? { ...env } : { ...env, OFFICE_URL: how.includes(":") ? how : converter(how) };
  const response = await app.fetch(request, bindings, context);
  const bytes = new Uint8Array(await response.arrayBuffer());
  await Promise.all(waited.mock.calls.flat());
  const text = new TextDecoder("latin1").decode(bytes);
  const error = response.ok
    ? undefined
    : (JSON.parse(text) as { error: { code: string; message: string; details?: { fields?: object[] } } }).error;
  return { status: response.status, headers: response.headers, bytes, text, error };
}

const metadataOf = async (pdf: Uint8Array): Promise<unknown> =>
  JSON.parse((await convert(undefined, pdf, { action: "get" }, "metadata")).text);
const seen = async (how: string): Promise<readonly SeenForm[]> =>
  (await (await fetch(`${converter(how)}/seen`)).json()) as readonly SeenForm[];
const open = async (path: string): Promise<string> => (await fetch(`${server}/open${path}`)).text();
const FORM = "/forms/libreoffice/convert";

describe("documents for the converter alone", () => {
  test("a PPTX is sent as a form of Gotenberg, and its PDF gets the headers of the operation", async () => {
    const { status, headers, bytes } = await convert("pdf", DECK);
    expect([status, headers.get("X-Engine"), headers.get("X-Converted-From"), headers.get("X-Page-Count")]).toEqual([
      200,
      "office",
      "pptx",
      "2",
    ]);
    expect(await metadataOf(bytes)).toMatchObject({ title: "The deck", author: "Its author" });
    const form = (await seen("pdf")).at(-1);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", DECK.slice()));
    expect(form).toMatchObject({ fields: {}, fileName: "document.pptx", length: DECK.length });
    expect(form?.sha256).toBe([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
    expect(Number(form?.headers["content-length"])).toBeGreaterThan(DECK.length);
    expect(form?.headers["user-agent"]).toMatch(/^pdf-service\/.* \(office\)$/);
  });

  test("parameters are sent by the names that Gotenberg has for them", async () => {
    const fields = {
      orientation: "landscape",
      nativePageRanges: "1-2",
      singlePage: "true",
      generateDocumentOutline: "false",
      password: 'se"cret é',
    };
    expect((await convert("pdf", DECK, fields)).status).toBe(200);
    expect((await seen("pdf")).at(-1)?.fields).toEqual({
      landscape: "true",
      nativePageRanges: "1-2",
      singlePageSheets: "true",
      exportBookmarks: "false",
      password: 'se"cret é',
    });
  });

  test("the title of the request is that of the PDF", async () => {
    const { bytes } = await convert("pdf", DECK, { title: "Own title" });
    expect(await metadataOf(bytes)).toMatchObject({ title: "Own title", author: "Its author" });
  });

  test("a pipeline continues with the PDF", async () => {
    const steps = JSON.stringify([{ operation: "to-pdf" }, { operation: "rotate", angle: 90 }]);
    const { status, headers } = await convert("pdf", DECK, { steps }, "pipeline");
    expect([status, JSON.parse(headers.get("X-Pipeline-Steps") ?? "")]).toMatchObject([
      200,
      [
        { operation: "to-pdf", pages: 2 },
        { operation: "rotate", pages: 2 },
      ],
    ]);
  });

  test("a document of 27 MiB is sent whole, within the default memory", async () => {
    const file = compoundFile(["PowerPoint Document"], { before: 55_000 });
    expect((await convert("pdf", file)).status).toBe(200);
    expect((await seen("pdf")).at(-1)?.length).toBe(file.length);
  });

  test("the user name and the password in OFFICE_URL are sent as a header", async () => {
    const url = converter("pdf").replace("http://", "http://us%40er:pa%3Ass@");
    expect((await convert(url, DECK)).status).toBe(200);
    expect((await seen("pdf")).at(-1)?.headers["authorization"]).toBe(`Basic ${btoa("us@er:pa:ss")}`);
  });

  test.each([
    ["doc", compoundFile(["WordDocument", "1Table"])],
    ["xls", compoundFile(["Workbook"])],
    ["ppt", compoundFile(["Pictures", "PowerPoint Document"])],
    ["odp", archive({ mimetype: "application/vnd.oasis.opendocument.presentation", "content.xml": "<a/>" })],
    ["xlsb", archive({ "xl/workbook.bin": "x" })],
    ["wpd", latin1("\xffWPC\x10\0\0\0")],
    [
      "fodp",
      latin1(
        `<?xml version="1.0"?>\n<office:document ${"xmlns:a='urn:example' ".repeat(300)} office:mimetype="application/vnd.oasis.opendocument.presentation" office:version="1.3"></office:document>`,
      ),
    ],
  ])("%s is recognized by its content", async (format, file) => {
    const { status, headers } = await convert("pdf", file);
    expect([status, headers.get("X-Converted-From")]).toEqual([200, format]);
    expect((await seen("pdf")).at(-1)?.fileName).toBe(`document.${format}`);
  });

  test("a PPTX gets 415 without a converter, with the format and OFFICE_URL in the message", async () => {
    const { status, error } = await convert(undefined, DECK);
    expect([status, error?.code]).toEqual([415, "unsupported_format"]);
    expect(error?.message).toBe(
      "`file` is a PowerPoint presentation (PPTX), which needs an office converter, and this service has none. Its operator can add one with `OFFICE_URL`.",
    );
  });
});

describe("the engine", () => {
  test("engine=office sends a DOCX to the converter, and without the parameter it does not", async () => {
    const before = (await seen("pdf")).length;
    expect((await convert("pdf", DOCX)).headers.get("X-Engine")).toBe("flow");
    expect((await seen("pdf")).length).toBe(before);
    const { headers } = await convert("pdf", DOCX, { engine: "office" });
    expect([headers.get("X-Engine"), headers.get("X-Converted-From")]).toEqual(["office", "docx"]);
    expect((await seen("pdf")).at(-1)?.fileName).toBe("document.docx");
  });

  test("a parameter that only the converter takes chooses it", async () => {
    expect((await convert("pdf", DOCX, { nativePageRanges: "1" })).headers.get("X-Engine")).toBe("office");
  });

  test("engine=office without a converter gets 501 office_unavailable, as does its parameter", async () => {
    const { status, error } = await convert(undefined, DOCX, { engine: "office" });
    expect([status, error?.code]).toEqual([501, "office_unavailable"]);
    expect(error?.message).toContain("`OFFICE_URL`");
    expect((await convert(undefined, DOCX, { password: "x" })).error).toMatchObject({
      code: "office_unavailable",
      message: expect.stringContaining("`password`") as string,
    });
  });

  test.each([
    [
      { engine: "office" },
      "# Title\n\n- a\n- b\n",
      "engine",
      "cannot be used for `markdown`, which needs `engine=flow`",
    ],
    [
      { engine: "office" },
      "<p>a",
      "engine",
      "cannot be used for `html`, which needs `engine=flow` or `engine=browser`",
    ],
    [{ pageSize: "a4" }, DECK, "pageSize", "cannot be used for `pptx`, which needs `engine=office`"],
    [{ engine: "flow" }, DECK, "engine", "cannot be used for `pptx`, which needs `engine=office`"],
    [{ engine: "office", marginPt: "9" }, DOCX, "marginPt", "is only for `engine=flow` or `engine=browser`"],
    [{ password: "x", css: "a{}" }, DOCX, "password", "is only for `engine=office`, and `css` is not"],
  ])("%j is refused where it does not fit", async (fields, file, name, issue) => {
    const { status, error } = await convert("pdf", file, fields as Fields);
    expect([status, error?.code, error?.details?.fields]).toEqual([400, "invalid_parameters", [{ name, issue }]]);
  });
});

describe("encrypted documents", () => {
  const ENCRYPTED = compoundFile(["EncryptionInfo", "EncryptedPackage"]);

  test("an encrypted document needs a password before it is sent", async () => {
    const { status, error } = await convert("400", ENCRYPTED);
    expect([status, error?.code, await seen("400")]).toEqual([400, "password_required", []]);
  });

  test("a converter that rejects an encrypted document means that the password is incorrect", async () => {
    expect((await convert("pdf", ENCRYPTED, { password: "right" })).headers.get("X-Converted-From")).toBe("encrypted");
    const { status, error } = await convert("400", ENCRYPTED, { password: "wrong" });
    expect([status, error?.code]).toEqual([400, "incorrect_password"]);
  });
});

describe("failures of the converter", () => {
  test.each([
    ["garbage", "returned a file that is not a usable PDF"],
    ["empty", "returned a file that is not a usable PDF"],
    ["encrypted", "returned a file that is not a usable PDF"],
    ["truncated", "returned a damaged PDF"],
    ["short", "could not be reached"],
    ["redirect", "responded with status 307"],
    ["401", "responded with status 401"],
    ["500", "responded with status 500"],
    ["503", "responded with status 503"],
    ["429", "is busy"],
    ["http://127.0.0.1:9", "could not be reached"],
  ])("%s gets 503 office_failed with Retry-After: it %s", async (how, problem) => {
    const { status, error, headers, text } = await convert(how, DECK);
    expect([status, error?.code]).toEqual([503, "office_failed"]);
    expect(error?.message).toBe(`The office converter ${problem}. Retry the request.`);
    expect(headers.get("Retry-After")).toMatch(/^\d+$/);
    expect(text).not.toContain("secret");
  });

  test("400 means a damaged document, or parameters that do not fit it", async () => {
    const { status, error } = await convert("400", DECK);
    expect([status, error?.code]).toEqual([400, "invalid_file"]);
    expect(error?.message).toBe(
      "`file` cannot be read as `pptx` by the office converter. It may be damaged. If it is encrypted, send its `password`.",
    );
    const withMore = await convert("400", DECK, { password: "x", nativePageRanges: "9" });
    expect(withMore.error?.message).toContain(
      "`password` may be incorrect, or not needed. `nativePageRanges` may name",
    );
  });

  test.each(["endless", "huge", "413"])("a response that is too large gets 413 (%s)", async (how) => {
    const { status, error } = await convert(how, DECK);
    expect([status, error?.code]).toEqual([413, "limit_exceeded"]);
    await vi.waitFor(async () => expect(await open(`/office/${how}${FORM}`)).toBe("0"), 60_000);
  });

  test.each(["hang", "stall"])(
    "a converter that does not finish in time gets 503, and is given up (%s)",
    async (how) => {
      const later = globalThis.setTimeout;
      const timers = vi
        .spyOn(globalThis, "setTimeout")
        .mockImplementation(((act: () => void, milliseconds = 0) =>
          later(act, milliseconds === limits.office.seconds * 1_000 ? 200 : milliseconds)) as typeof setTimeout);
      try {
        const { status, error } = await convert(how, DECK);
        expect([status, error?.code]).toEqual([503, "office_failed"]);
        expect(error?.message).toContain(`did not finish within ${limits.office.seconds} seconds`);
      } finally {
        timers.mockRestore();
      }
      await vi.waitFor(async () => expect(await open(`/office/${how}${FORM}`)).toBe("0"), 60_000);
    },
  );

  test("a failed conversion costs nothing", async () => {
    const used = async (): Promise<unknown> => {
      const headers = { Authorization: `Bearer ${key}` };
      const request = new Request("http://localhost/api/v1/usage", { headers });
      const response = await app.fetch(request, { ...env }, createExecutionContext());
      return ((await response.json()) as { used: unknown }).used;
    };
    const before = await used();
    await convert("500", DECK);
    expect(await used()).toEqual(before);
    await convert("pdf", DECK);
    expect(await used()).not.toEqual(before);
  });
});
