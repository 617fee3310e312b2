import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { limits, MiB } from "../../src/limits.ts";
import { operations } from "../../src/operations/index.ts";
import { newKey } from "./echo-service.ts";

const app = createApp(operations);
/** The isolate's memory is that of the first request. */
const bindings = { ...env };

async function ask(MEMORY_BUDGET_MIB: string, more: object = {}) {
  const request = new Request("http://localhost/api/v1/limits");
  const response = await app.fetch(request, { ...env, MEMORY_BUDGET_MIB, ...more }, createExecutionContext());
  expect(response.status).toBe(200);
  return (await response.json()) as {
    readonly requestBytes: number;
    readonly filesBytes: number;
    readonly formats: readonly string[];
    readonly engines: readonly string[];
    readonly operations: Readonly<Record<string, unknown>>;
  };
}

describe("GET /api/v1/limits", () => {
  test("the sizes are those of the server's memory, without a key", async () => {
    const { operations: each, formats: _, ...all } = await ask("1024");
    expect(all).toEqual({
      requestBytes: 376 * MiB,
      filesBytes: 376 * MiB,
      pages: limits.pages,
      recognizedPages: limits.ocr.pages,
      steps: limits.steps,
      pagePixels: limits.raster.pagePixels,
      textFileBytes: limits.conversion.textBytes,
      engines: ["flow"],
    });
    expect(each).toMatchObject({
      merge: { files: 100, fileBytes: 376 * MiB },
      rotate: { files: 1, fileBytes: null },
      "from-images": { files: 100, fileBytes: 376 * MiB },
      pipeline: { files: 110, fileBytes: 376 * MiB },
    });
    expect(Object.keys(each)).toEqual([...operations.map(({ name }) => name), "pipeline"]);
    expect(await ask("128")).toMatchObject({ requestBytes: 32 * MiB, operations: { merge: { fileBytes: 32 * MiB } } });
  });

  test("the formats and engines are those of the server", async () => {
    const own = (await ask("128")).formats;
    expect(own).toEqual(expect.arrayContaining(["html", "markdown", "docx", "epub"]));
    expect(own).not.toContain("svg");
    expect(own).not.toContain("pptx");
    const { formats, engines } = await ask("128", {
      OFFICE_URL: "http://gotenberg:3000/",
      BROWSER_URL: "http://172.30.0.2:9222",
    });
    expect(engines).toEqual(["flow", "browser", "office"]);
    expect(formats).toEqual(expect.arrayContaining([...own, "svg", "doc", "xls", "ppt", "pptx", "odp"]));
  });

  test("a body over the memory is refused before it arrives, with the limit and the variable that raises it", async () => {
    const send = async (plan: "free" | "pro") => {
      const headers = {
        Authorization: `Bearer ${await newKey(plan)}`,
        "Content-Type": "multipart/form-data; boundary=X",
        "Content-Length": String(51 * MiB),
      };
      const request = new Request("http://localhost/api/v1/merge", { method: "POST", headers, body: "--X" });
      const response = await app.fetch(request, bindings, createExecutionContext());
      const { error } = (await response.json()) as { error: object };
      return [response.status, error];
    };
    expect(await send("pro")).toEqual([
      413,
      {
        code: "file_too_large",
        message:
          "This server has memory for uploads of up to 32 MiB; this one is 51 MiB. If you run the server, raise `MEMORY_BUDGET_MIB` as far as its memory allows.",
        details: { limit: 32 * MiB, actual: 51 * MiB },
      },
    ]);
    expect(await send("free")).toEqual([
      413,
      {
        code: "file_too_large",
        message: "Your plan allows uploads of up to 10 MiB; this one is 51 MiB.",
        details: { limit: 10 * MiB, actual: 51 * MiB },
      },
    ]);
  });
});
