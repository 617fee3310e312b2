import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { limits } from "../../src/limits.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { smallDocument, xmpPacket } from "../harness/fixtures/metadata-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const { formFields, textBytes, xmpBytes, xmpTags } = limits.metadata;

async function refusal(bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<unknown> {
  const { status, body } = await post(service, "metadata", { file: pdfPart(bytes), ...fields });
  const { error } = JSON.parse(new TextDecoder().decode(body)) as { error?: { code: string; details: unknown } };
  return [status, error?.code, error?.details];
}

const form = (fields: number): Uint8Array =>
  smallDocument({
    catalog: `/AcroForm << /Fields [${Array.from({ length: fields }, (_, index) => `${index + 6} 0 R`).join(" ")}] >>`,
    objects: Array.from({ length: fields }, (_, index) => `<< /FT /Tx /T (f${index}) /V (value) >>`),
  });

test("a form's fields are listed up to a number", async () => {
  const { status, body } = await post(service, "metadata", { file: pdfPart(form(formFields)), action: "get" });
  expect(status).toBe(200);
  expect(new TextDecoder().decode(body)).toContain(`"f${formFields - 1}"`);
  const limit = { limit: formFields, actual: formFields + 1 };
  expect(await refusal(form(formFields + 1), { action: "get" })).toEqual([413, "limit_exceeded", limit]);
});

test("text is read up to a size", async () => {
  const title = (length: number): Uint8Array => smallDocument({ info: `/Title (${"x".repeat(length)})` });
  const { status } = await post(service, "metadata", { file: pdfPart(title(textBytes)), action: "get" });
  expect(status).toBe(200);
  const limit = { limit: textBytes, actual: textBytes + 1 };
  expect(await refusal(title(textBytes + 1), { action: "get" })).toEqual([413, "limit_exceeded", limit]);
});

test("XMP is edited up to a size", async () => {
  const packet = (bytes: number): Uint8Array => {
    const room = bytes - xmpPacket("<dc:source></dc:source>").length;
    return xmpPacket(`<dc:source>${"x".repeat(room)}</dc:source>`);
  };
  const set = { action: "set", metadata: '{"title":"New"}' };
  const { status } = await post(service, "metadata", {
    file: pdfPart(smallDocument({ xmp: packet(xmpBytes) })),
    ...set,
  });
  expect(status).toBe(200);
  const limit = { limit: xmpBytes, actual: xmpBytes + 1 };
  expect(await refusal(smallDocument({ xmp: packet(xmpBytes + 1) }), set)).toEqual([413, "limit_exceeded", limit]);
});

test("XMP is edited up to a number of tags and attributes", async () => {
  const set = { action: "set", metadata: '{"title":"New"}', replace: "true" };
  const pdfx = 'xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/"';
  const packet = (properties: string): Uint8Array => smallDocument({ xmp: xmpPacket(properties, pdfx) });
  const custom = '<pdfx:a b="c"/>';
  const { status } = await post(service, "metadata", {
    file: pdfPart(packet(custom.repeat(xmpTags / 2 - 50))),
    ...set,
  });
  expect(status).toBe(200);
  const tags = { limit: xmpTags, actual: xmpTags + 1 };
  expect(await refusal(packet("<dc:a/>".repeat(xmpTags)), set)).toEqual([413, "limit_exceeded", tags]);
  const deep = "<dc:a>".repeat(limits.xmlLevels) + "</dc:a>".repeat(limits.xmlLevels);
  const levels = { limit: limits.xmlLevels, actual: limits.xmlLevels + 1 };
  expect(await refusal(packet(deep), set)).toEqual([413, "limit_exceeded", levels]);
});

// Were it searched from each of its characters, that would take half an hour.
test("white space in XMP takes no time", async () => {
  const bytes = smallDocument({ xmp: xmpPacket(" ".repeat(xmpBytes / 2)) });
  const set = { action: "set", metadata: '{"title":"New"}' };
  expect((await post(service, "metadata", { file: pdfPart(bytes), ...set })).status).toBe(200);
});
