import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { PDFDocument, PDFName } from "pdf-lib";
import { describe, expect, test, vi } from "vitest";
import { newKey } from "./echo-service.ts";
import { app } from "../operations/operation-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { flate, pdf } from "../harness/fixtures/pdf-writer.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

/** What every object has without having been given it. */
const names = Object.getOwnPropertyNames(Object.prototype);
const plain = document({ name: "plain", pages: 1 });
const key = await newKey("enterprise");

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, ...init.headers };
  const request = new Request(`http://localhost/api/v1${path}`, { ...init, headers });
  return app.fetch(request, env, createExecutionContext());
}

/** Calls an operation; a value that is no text is a file. */
async function call(operation: string, fields: readonly (readonly [string, string | Uint8Array])[]): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === "string") body.append(name, value);
    else body.append(name, new Blob([value.slice()]), "a.pdf");
  }
  const encoded = new Response(body);
  const bytes = await encoded.arrayBuffer();
  const headers = {
    "Content-Type": encoded.headers.get("Content-Type") ?? "",
    "Content-Length": String(bytes.byteLength),
  };
  return send(`/${operation}`, { method: "POST", headers, body: bytes });
}

/** The names of the fields that a 400 is about. */
async function refusedFields(response: Response): Promise<string[]> {
  const text = await response.text();
  expect(response.status, text).toBe(400);
  const { error } = JSON.parse(text) as {
    error: { code: string; details: { fields: { name: string; issue: string }[] } };
  };
  expect(error.code).toBe("invalid_parameters");
  return error.details.fields.map(({ name, issue }) => `${name} ${issue}`);
}

/** JSON with one member: a literal would set the prototype. */
const member = (name: string, value: unknown): string => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`;

describe.each(names)("%s", (name) => {
  test.each(["metadata", "compress", "rotate", "merge"])("the name is no parameter of %s", async (operation) => {
    for (const value of ["1", plain]) {
      const refused = await refusedFields(
        await call(operation, [
          ["file", plain],
          [name, value],
        ]),
      );
      expect(refused.some((field) => field.startsWith(`${name} `))).toBe(true);
    }
  });

  test.each([
    ["compress", "level"],
    ["ocr", "languages"],
    ["protect", "permissions"],
    ["from-images", "pageSize"],
    ["watermark", "position"],
    ["sign", "type"],
  ])("the name is no value of %s's %s", async (operation, field) => {
    const refused = await refusedFields(
      await call(operation, [
        ["file", plain],
        [field, name],
      ]),
    );
    expect(refused.some((one) => one.startsWith(`${field} `))).toBe(true);
  });

  test("the name works as any name of a form field, unknown or known", async () => {
    const values = member(name, "Ada");
    const strict = await call("fill-form", [
      ["file", formWith("other")],
      ["values", values],
      ["strict", "true"],
    ]);
    expect(await strict.json()).toMatchObject({
      error: { code: "unknown_fields", details: { unknownFields: [name] } },
    });
    const lenient = await call("fill-form", [
      ["file", formWith("other")],
      ["values", values],
    ]);
    expect([lenient.status, lenient.headers.get("X-Unknown-Fields")]).toEqual([200, name]);
    const filled = await call("fill-form", [
      ["file", formWith(name)],
      ["values", values],
      ["strict", "true"],
    ]);
    expect(filled.status).toBe(200);
    const form = (await PDFDocument.load(await filled.arrayBuffer())).getForm();
    expect(form.getTextField(name).getText()).toBe("Ada");
    const wrong = await call("fill-form", [
      ["file", formWith(name)],
      ["values", member(name, {})],
    ]);
    expect((await refusedFields(wrong)).join()).toContain(name);
  });

  test("the name is rejected as the page of a rotation", async () => {
    expect(
      (
        await refusedFields(
          await call("rotate", [
            ["file", plain],
            ["rotations", member(name, 90)],
          ]),
        )
      ).join(),
    ).toContain("must be a page number");
  });

  test("the name is no member of metadata, and works as the name of a custom entry", async () => {
    const set = (metadata: string, file: Uint8Array = plain) =>
      call("metadata", [
        ["file", file],
        ["action", "set"],
        ["metadata", metadata],
      ]);
    expect((await refusedFields(await set(member(name, "x")))).join()).toContain(name);
    const response = await set(`{"custom":${member(name, "yes")}}`, withXmp());
    expect(response.status).toBe(200);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const info = (await PDFDocument.load(bytes, { updateMetadata: false })).context.trailerInfo.Info;
    const entry = (await PDFDocument.load(bytes, { updateMetadata: false })).context.lookup(info);
    expect(String((entry as { get?: (key: PDFName) => unknown }).get?.(PDFName.of(name)))).toContain("yes");
    const read = await call("metadata", [
      ["file", bytes],
      ["action", "get"],
    ]);
    const { custom } = JSON.parse(await read.text()) as { custom: object };
    expect(Object.entries(custom)).toEqual([[name, "yes"]]);
  });

  test("the name works as any name in a document's content", async () => {
    for (const dictionary of [
      `/W 40 /H 40 /BPC 8 /CS /${name}`,
      `/W 40 /H 40 /BPC 8 /CS /G /F /${name}`,
      `/W 40 /H 40 /BPC 8 /CS /G /${name} 1`,
    ]) {
      for (const fields of [[], [["grayscale", "true"]]] as const) {
        const response = await call("compress", [["file", withInlineImage(dictionary)], ...fields]);
        expect(response.status, await response.text()).toBeLessThan(500);
      }
    }
    const draft = new FormDraft();
    draft.own("text", `/FT /Tx /DA (0 ${name} /Helv 12 Tf)`);
    draft.own("box", `/FT /Btn /MK << /CA (${name}) >>`);
    const filled = await call("fill-form", [
      ["file", draft.bytes()],
      ["values", '{"text":"Ada","box":true}'],
    ]);
    expect(filled.status, await filled.text()).toBe(200);
  });

  test("the name is no query parameter, and no member of a JSON body", async () => {
    for (const path of ["/usage", "/keys", "/webhooks"]) {
      expect((await send(`${path}?${name}=1`, { method: "GET" })).status).toBe(200);
    }
    for (const path of ["/keys", "/webhooks"]) {
      const headers = { "Content-Type": "application/json" };
      const body = `{"name":"a","url":"https://example.com/","events":["key.created"],${member(name, 1).slice(1)}`;
      const refused = await refusedFields(await send(path, { method: "POST", headers, body }));
      expect(refused.some((field) => field.startsWith(`${name} `))).toBe(true);
    }
  });
});

function formWith(name: string): Uint8Array {
  const draft = new FormDraft();
  draft.own(name, "/FT /Tx");
  return draft.bytes();
}

function withXmp(): Uint8Array {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""/></rdf:RDF></x:xmpmeta>`;
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /Metadata 4 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
      { entries: "/Type /Metadata /Subtype /XML", data: new TextEncoder().encode(xmp) },
    ],
    "/Root 1 0 R",
  );
}

function withInlineImage(dictionary: string): Uint8Array {
  const content = `q 40 0 0 40 0 0 cm BI ${dictionary} ID ${"x".repeat(3_000)} EI Q`;
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << >> >>",
      flate(content),
    ],
    "/Root 1 0 R",
  );
}
