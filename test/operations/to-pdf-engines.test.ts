/** The parameters that choose the engine of `to-pdf`, in a service without a browser. */
import { describe, expect, test } from "vitest";
import { newKey, senderTo } from "../http/echo-service.ts";
import { toPdf } from "../../src/operations/to-pdf.ts";

const key = newKey("enterprise");
const send = senderTo(toPdf);

async function convert(html: string | undefined, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new FormData();
  if (html !== undefined) body.append("file", new Blob([html]), "page.html");
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return send("/api/v1/to-pdf", { method: "POST", headers: { Authorization: `Bearer ${await key}` }, body });
}

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as {
    error: { code: string; message: string; details?: { fields?: { name: string; issue: string }[] } };
  };
  return { status: response.status, code: error.code, message: error.message, fields: error.details?.fields };
};

const FLEX = "<!doctype html><title>t</title><div style='display:flex'>a</div>";

describe("a service without a browser", () => {
  test("engine=browser gets 501 browser_unavailable, which names the ways to a browser", async () => {
    const { status, code, message } = await errorOf(await convert(FLEX, { engine: "browser" }));
    expect([status, code]).toEqual([501, "browser_unavailable"]);
    for (const way of ["--browser", "BROWSER_URL", "binding"]) expect(message).toContain(way);
  });

  test("a parameter that only a browser has is 501, too, and named", async () => {
    const { status, message } = await errorOf(await convert(FLEX, { singlePage: "true" }));
    expect(status).toBe(501);
    expect(message).toContain("`singlePage`");
  });
});

describe("contradictions", () => {
  test.each([
    [{ engine: "flow", scale: "0.5" }, "scale", "is only for `engine=browser`"],
    [{ engine: "browser", fit: "none" }, "fit", "is only for `engine=flow`"],
    [{ waitDelay: "1s", fontSize: "12" }, "waitDelay", "is only for `engine=browser`, and `fontSize` is not"],
    [{ paperWidth: "8.5" }, "paperHeight", "is required with the other side of the paper"],
    [
      { paperWidth: "8.5", paperHeight: "11", pageSize: "a4" },
      "paperWidth",
      "must not be sent together with `pageSize`",
    ],
    [{ landscape: "true", orientation: "portrait" }, "landscape", "must not contradict `orientation`"],
    [{ waitForExpression: "true" }, "waitForExpression", "needs `scripts=true`"],
    [{ nativePageRanges: "1-x" }, "nativePageRanges", "must be pages and ranges with commas between, such as 1-3,5"],
    [{ url: "https://example.com/" }, "url", "must not be sent together with `file`"],
  ])("%j is refused with the name of the field", async (fields, name, issue) => {
    const error = await errorOf(await convert(FLEX, fields));
    expect([error.status, error.fields]).toEqual([400, [{ name, issue }]]);
  });

  test("a request with neither file nor url is refused", async () => {
    const error = await errorOf(await convert(undefined, {}));
    expect(error.fields).toEqual([{ name: "file", issue: "is required unless `url` is sent" }]);
  });
});
