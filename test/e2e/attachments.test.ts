import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { deflatedAttachment } from "../harness/bombs/bomb-fixtures.ts";
import { pdfPart, post, type ApiResponse, type Part } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { flate, latin1, noise, pdf, pdfString, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { hash } from "../harness/engines/pdfjs-page.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check, plainText, runQpdf } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const send = (bytes: Uint8Array, fields: Readonly<Record<string, Part>>): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "attachments", { file: pdfPart(bytes), ...fields });

const filled = document({ name: "filled", pages: 2, features: ["attachments"] });
const empty = document({ name: "empty", pages: 1 });

interface Listed {
  readonly name: string;
  readonly [fact: string]: unknown;
}

async function list(bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<Listed[]> {
  const { status, body } = await send(bytes, { action: "list", ...fields });
  expect(status).toBe(200);
  return (JSON.parse(new TextDecoder().decode(body)) as { attachments: Listed[] }).attachments;
}

const names = async (bytes: Uint8Array): Promise<string[]> => (await list(bytes)).map(({ name }) => name);

/** A page, and file specifications in a name tree of two levels. */
function attached(files: readonly string[], { catalog = "", key = (index: number) => `(${index})` } = {}): Uint8Array {
  const objects: PdfObject[] = [
    "",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
  ];
  const add = (object: PdfObject): string => `${objects.push(object)} 0 R`;
  const leaves = files.map((name, index) => {
    const data = add(flate(`content ${index}`, "/Type /EmbeddedFile /Subtype /text#2Fplain"));
    const file = add(`<< /Type /Filespec /UF ${pdfString(name)} /EF << /F ${data} >> >>`);
    return add(`<< /Limits [${key(index)} ${key(index)}] /Names [${key(index)} ${file}] >>`);
  });
  const tree = add(`<< /Kids [${leaves.join(" ")}] >>`);
  objects[0] = `<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles ${tree} >> ${catalog} >>`;
  return pdf(objects, "/Root 1 0 R");
}

const scripts = ["résumé.txt", "付録.csv", "مرفق.xml", "приложение 1.docx", "संलग्नक", "🙂.png", "a (1) \\ b.txt"];

describe("list and extract", () => {
  test("files of the document and of its pages are listed with their facts", async () => {
    const facts = { contentType: null, modified: null, relationship: null };
    expect(await list(filled)).toEqual([
      { name: "data.csv", size: 19, description: "About data.csv", page: null, ...facts },
      { name: "readme.txt", size: 21, description: "About readme.txt", page: null, ...facts },
      { name: "pinned.txt", size: 17, description: "About pinned.txt", page: 1, ...facts },
    ]);
    expect(await list(empty)).toEqual([]);
    const MiB = 1024 * 1024;
    expect(await list(deflatedAttachment(MiB))).toMatchObject([{ size: MiB }]);
    // Too large to be measured, so the size is not what has been counted of it.
    expect(await list(deflatedAttachment(200 * MiB))).toMatchObject([{ size: null }]);
  });

  test("one file is returned unchanged under its name, and several are an archive", async () => {
    const one = await send(filled, { action: "extract", name: "pinned.txt" });
    expect(new TextDecoder().decode(one.body)).toBe("pinned to filled\n");
    expect(one.headers.get("Content-Disposition")).toBe('attachment; filename="pinned.txt"');
    expect(one.headers.get("Content-Type")).toBe("application/octet-stream");
    const all = unzipSync((await send(filled, { action: "extract" })).body);
    const texts = Object.entries(all).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]);
    expect(texts).toEqual([
      ["data.csv", "data.csv of filled\n"],
      ["readme.txt", "readme.txt of filled\n"],
      ["pinned.txt", "pinned to filled\n"],
    ]);
  });

  test("names in every script are found in the leaves of a tree", async () => {
    expect(await list(attached(scripts))).toEqual(
      scripts.map((name) => expect.objectContaining({ name, size: 9, contentType: "text/plain" }) as unknown),
    );
  });

  test("no name leads out of the archive or hides another", async () => {
    const evil = ["../../etc/passwd", "C:\\windows\\a.txt", "a.txt", "A.TXT", "..", "\u202etxt.exe"];
    const all = unzipSync((await send(attached(evil), { action: "extract" })).body);
    expect(Object.keys(all)).toEqual(["passwd", "a.txt", "a-2.txt", "A-3.TXT", "document", "txt.exe"]);
    expect(Object.values(all).map((bytes) => new TextDecoder().decode(bytes))).toEqual(
      evil.map((_, index) => `content ${index}`),
    );
  });

  test("encrypted attachments are opened", async () => {
    const locked = await encrypt(filled, { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" });
    const { body } = await send(locked, { action: "extract", name: "data.csv", password: "user" });
    expect(new TextDecoder().decode(body)).toBe("data.csv of filled\n");
  });
});

test("a file with several names is listed under each, and removed with its last name", async () => {
  const bytes = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(1) 5 0 R (2) 6 0 R (3) 7 0 R (4) 7 0 R] >> >> /AF [5 0 R] >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] /FS 8 0 R >>] >>",
      flate("shared", "/Type /EmbeddedFile"),
      "<< /Type /Filespec /UF (one.txt) /EF << /F 4 0 R >> >>",
      "<< /Type /Filespec /UF (two.txt) /EF << /F 4 0 R >> >>",
      // Without a name of its own, it has those of its keys.
      "<< /Type /Filespec /EF << /F 4 0 R >> >>",
      // The same name as another specification has.
      "<< /Type /Filespec /UF (two.txt) /EF << /F 4 0 R >> >>",
    ],
    "/Root 1 0 R",
  );
  let left = ["one.txt", "two.txt", "3", "4"];
  let file: Uint8Array = bytes;
  expect(await names(file)).toEqual(left);
  for (const name of ["two.txt", "3", "one.txt", "4"]) {
    const { body } = await send(file, { action: "extract", name });
    expect(new TextDecoder().decode(body)).toBe("shared");
    left = left.filter((other) => other !== name);
    file = (await send(file, { action: "remove", name })).body;
    expect(await names(file)).toEqual(left);
    expect(await check(file)).toMatchObject({ ok: true });
    const listed = await runQpdf(["--list-attachments", "/in.pdf"], { "/in.pdf": file });
    expect(listed.stdout.match(/->/g)?.length ?? 0).toBe(left.length);
    expect((await openPdf(file)).pages[0]?.annotations).toHaveLength(left.includes("two.txt") ? 1 : 0);
    expect((await plainText(file)).includes("shared")).toBe(left.length > 0);
  }
});

/** Asserts that other programs find these files by their keys. */
async function expectFound(file: Uint8Array, contents: Readonly<Record<string, string>>): Promise<void> {
  expect(await check(file)).toMatchObject({ ok: true });
  // qpdf compares characters, in halves.
  const exitCodes = [...Object.keys(contents), "none"].map(async (key) => {
    const { exitCode } = await runQpdf([`--remove-attachment=${key}`, "/in.pdf", "/out.pdf"], { "/in.pdf": file });
    return [key, exitCode];
  });
  expect(await Promise.all(exitCodes)).toEqual([...Object.keys(contents).map((key) => [key, 0]), ["none", 2]]);
  const all = unzipSync((await send(file, { action: "extract" })).body);
  expect(
    Object.fromEntries(Object.entries(all).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)])),
  ).toEqual(contents);
}

test("files are found among keys of several encodings, by bytes and by characters", async () => {
  const given = ["Aba", "Äb", "Zeta", "日本"];
  // PDFDocEncoding, UTF-16, and ASCII.
  const keys = ["(Aba)", "(\\304b)", "(Zeta)", "<FEFF65E5672C>"];
  const old = attached(given, {
    key: (index) => keys[index] ?? "",
    catalog: "/Collection << /Type /Collection /D (\\304b) >>",
  });
  const contents = Object.fromEntries(given.map((name, index) => [name, `content ${index}`]));
  let file = old;
  for (const name of ["Ab ölig", "Bär", "M", "ÿ", "Ж"]) {
    const part = { bytes: latin1(`of ${name.length}`), fileName: "x" };
    const added = await send(file, { action: "add", name, attachment: part });
    expect(added.status).toBe(200);
    file = added.body;
    contents[name] = `of ${name.length}`;
    await expectFound(file, contents);
  }
  const text = await plainText(file);
  const keysNow = Array.from(text.matchAll(/<(feff[\da-f]+)>\s+\d+ 0 R/g), ([, key = ""]) => key);
  expect(keysNow).toHaveLength(Object.keys(contents).length);
  expect(keysNow).toEqual(keysNow.toSorted());
  expect(text).toMatch(/\/Collection <<\s+\/D <feff00c40062>/);
  const { body } = await send(file, { action: "remove", name: "Äb" });
  const { Äb: _, ...left } = contents;
  await expectFound(body, left);
  expect(await plainText(body)).not.toMatch(/\/Collection <<\s+\/D /);
});

test("a file is found if the document's name tree is a stream", async () => {
  const bytes = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /Names 4 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Resources << /XObject << /F 4 0 R >> >> >>",
      { entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9]", data: latin1("0 0 9 9 re f") },
    ],
    "/Root 1 0 R",
  );
  const part = { bytes: latin1("new"), fileName: "x" };
  const { body } = await send(bytes, { action: "add", name: "a.txt", attachment: part });
  const listed = await runQpdf(["--list-attachments", "/in.pdf"], { "/in.pdf": body });
  expect(listed.stdout).toContain("a.txt");
  expect((await openPdf(body)).pages).toHaveLength(1);
  expect(await plainText(body)).toMatch(/\/Names <<\s+\/EmbeddedFiles/);
});

describe("add", () => {
  const bytes = latin1(`${"a,b\n".repeat(2_000)}\u0000\u00ff`);

  test.each(scripts)("%s is attached so that other programs find it", async (name) => {
    const { status, body } = await send(filled, {
      action: "add",
      attachment: { bytes, fileName: "upload.csv" },
      name,
      description: `über ${name}`,
      relationship: "Data",
    });
    expect(status).toBe(200);
    const { attachments } = await openPdf(body);
    expect(attachments).toHaveLength(3);
    const expected = { description: `über ${name}`, hash: hash(bytes) };
    expect(attachments).toContainEqual(expect.objectContaining(expected));
    const listed = await runQpdf(["--list-attachments", "/in.pdf"], { "/in.pdf": body });
    expect(listed.stdout).toContain(`${name} -> `);
    expect(await plainText(body)).toMatch(/\/AF \[\s+\d+ 0 R\s+\]/);
    expect(await list(body)).toContainEqual(
      expect.objectContaining({ name, size: bytes.length, relationship: "Data" }),
    );
    const back = await send(body, { action: "extract", name });
    expect(Buffer.from(back.body).equals(bytes)).toBe(true);
  });

  test("a file of many megabytes is attached whole, for which the memory of the engine has to grow", async () => {
    const large = noise(12 * 1024 * 1024, 1);
    const { status, body } = await send(empty, { action: "add", attachment: { bytes: large, fileName: "large.bin" } });
    expect(status).toBe(200);
    const back = await send(body, { action: "extract", name: "large.bin" });
    expect(Buffer.from(back.body).equals(large)).toBe(true);
  });

  test("an attachment gets the name of the uploaded file, which must be free", async () => {
    const attachment: Part = { bytes, fileName: "Bericht 2.csv" };
    const { body } = await send(empty, { action: "add", attachment });
    expect(await list(body)).toMatchObject([{ name: "Bericht 2.csv", contentType: "text/csv" }]);
    expect(await check(body)).toMatchObject({ ok: true });
    expect(await send(body, { action: "add", attachment })).toMatchObject({ status: 400, code: "invalid_parameters" });
  });
});

describe("remove", () => {
  test("a removed file leaves nothing, and the others stay", async () => {
    const { status, body } = await send(filled, { action: "remove", name: "data.csv" });
    expect(status).toBe(200);
    expect(await names(body)).toEqual(["readme.txt", "pinned.txt"]);
    expect((await openPdf(body)).attachments.map(({ name }) => name)).toEqual(["readme.txt"]);
    expect(await plainText(body)).not.toContain("data.csv");
  });

  test("a removed file leaves nothing in the catalog's list of associated files", async () => {
    const attachment: Part = { bytes: latin1("a,b"), fileName: "report.csv" };
    const added = (await send(filled, { action: "add", attachment, relationship: "Data" })).body;
    expect(await plainText(added)).toContain("report.csv");
    const { status, body } = await send(added, { action: "remove", name: "report.csv" });
    expect(status).toBe(200);
    expect(await names(body)).toEqual(await names(filled));
    expect(await plainText(body)).not.toMatch(/report\.csv|\/AF\b/);
  });

  test("a removed file takes its pin from the page", async () => {
    const { body } = await send(filled, { action: "remove", name: "pinned.txt" });
    const { pages, attachments } = await openPdf(body);
    expect([pages[0]?.annotations, attachments.length]).toEqual([[], 2]);
    expect(await plainText(body)).not.toContain("pinned");
  });

  test("a portfolio stays one after a removal", async () => {
    const portfolio = attached(scripts, { catalog: "/Collection << /Type /Collection /View /D /D (0) >>" });
    const { body } = await send(portfolio, { action: "remove", name: scripts[0] ?? "" });
    expect(await names(body)).toEqual(scripts.slice(1));
    expect(await plainText(body)).toMatch(/\/Collection <<\s+\/Type \/Collection\s+\/View \/D\s+>>/);
  });
});

test.each([
  [{ action: "extract", name: "other" }, "name"],
  [{ action: "remove", name: "other" }, "name"],
  [{ action: "remove" }, "name"],
  [{ action: "add" }, "attachment"],
])("invalid parameters are named: %j", async (fields, name) => {
  const { status, body } = await send(filled, fields);
  const { error } = JSON.parse(new TextDecoder().decode(body)) as {
    error: { details: { fields: { name: string }[] } };
  };
  expect([status, error.details.fields.map((field) => field.name)]).toEqual([400, [name]]);
});
