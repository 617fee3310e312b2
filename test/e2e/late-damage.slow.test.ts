import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { withLostObject } from "../harness/fixtures/broken-fixtures.ts";
import { pdfPart, post, type ApiResponse, type Part, type Service } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { openPdf, type DocumentView } from "../harness/engines/pdfjs.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** Two pages, an outline entry (6) that leads to the second and says whatever is in its place, and an object (9) that nothing uses. */
const document = (title = "(Title)", root = "1 0 R"): Uint8Array =>
  pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /Resources << >> >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] >>",
      "<< /Type /Outlines /First 6 0 R /Last 6 0 R /Count 1 >>",
      `<< /Title ${title} /Parent 5 0 R /Dest [4 0 R /Fit] >>`,
      "<< /Title (Info) >>",
      { entries: "/Type /Catalog /Pages 2 0 R", data: new Uint8Array() },
      "<< /Unused true >>",
    ],
    `/Root ${root} /Info 7 0 R /ID [<01> <01>]`,
  );

const calls: [string, Record<string, string>][] = [
  ["rotate", { angle: "90" }],
  ["metadata", { action: "set", metadata: '{"title":"New"}' }],
  ["protect", { userPassword: "user" }],
  ["extract-pages", { range: "1-2" }],
  ["split", { mode: "pages" }],
  ["merge", {}],
];

/** What each document has in the end, and what an operation changes of it. */
const kept = { rotate: 0, title: "Info" };
const changes: Readonly<Record<string, Partial<typeof kept>>> = { rotate: { rotate: 90 }, metadata: { title: "New" } };

function send(operation: string, fields: Record<string, string>, bytes: Uint8Array): Promise<ApiResponse> {
  const file = pdfPart(bytes);
  const files: Record<string, Part> = operation === "merge" ? { file0: file, file1: file } : { file };
  return post(service, operation, { ...fields, ...files });
}

const open = (bytes: Uint8Array, operation: string): Promise<DocumentView> =>
  openPdf(bytes, operation === "protect" ? { password: "user" } : {});

describe.each(calls)("late damage in %s", (operation, fields) => {
  test("the pages stay where an object that no page uses is found damaged", async () => {
    const response = await send(operation, fields, withLostObject(document(), 6));
    expect([response.status, response.code]).toEqual([200, undefined]);
    expect(response.headers.get("X-Input-Repaired")).toBe("true");
    const widths: unknown[] = [];
    for (const { bytes } of documentsOf(response)) {
      const view = await open(bytes, operation);
      widths.push(...view.pages.map(({ view: box }) => (Array.isArray(box) ? box[2] : undefined)));
      const { rotate, title } = { ...kept, ...changes[operation] };
      expect(view.pages.map((page) => page.rotate)).toEqual(view.pages.map(() => rotate));
      expect(view.info["Title"]).toBe(title);
    }
    expect(widths).toEqual(operation === "merge" ? [200, 300, 200, 300] : [200, 300]);
  });

  test("the document is changed where an object that nothing uses is found damaged", async () => {
    const response = await send(operation, fields, withLostObject(document(), 9));
    expect([response.status, response.code]).toEqual([200, undefined]);
    for (const { bytes } of documentsOf(response)) {
      const view = await open(bytes, operation);
      const { rotate, title } = { ...kept, ...changes[operation] };
      expect(view.pages.map((page) => page.rotate)).toEqual(view.pages.map(() => rotate));
      expect(view.info["Title"]).toBe(title);
    }
  });

  test("a reference to an object beyond the last is read as null", async () => {
    const response = await send(operation, fields, document("(Title) /C 99 0 R /X [1 98 0 R 2]"));
    expect([response.status, response.code]).toEqual([200, undefined]);
    expect(response.headers.get("X-Input-Repaired")).toBeNull();
    for (const { bytes } of documentsOf(response))
      expect((await open(bytes, operation)).pages.length).toBeGreaterThan(0);
  });

  test("a catalog that is a stream is refused, as all readers do", async () => {
    expect(await send(operation, fields, document("(Title)", "8 0 R"))).toMatchObject({
      status: 400,
      code: "invalid_file",
    });
  });
});

test("an encrypted document without permissions gets them, and opens in other readers", async () => {
  const encrypted = await encrypt(document(), { cipher: "rc4-128", userPassword: "user", ownerPassword: "owner" });
  const text = new TextDecoder("latin1").decode(encrypted);
  const damaged = latin1(text.replace(/\/P -\d+/, (entry) => entry.replace("P", "Q")));
  const response = await post(service, "rotate", { file: pdfPart(damaged), password: "user", angle: "90" });
  expect(response.status).toBe(200);
  expect((await openPdf(response.body, { password: "user" })).pages.length).toBe(2);
});
