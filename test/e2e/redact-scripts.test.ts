import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part, type Service } from "../harness/client.ts";
import { readAll, whoFinds } from "../harness/find-secret.ts";
import { latin1, pdfString } from "../harness/pdf-writer.ts";
import { runQpdf } from "../harness/qpdf.ts";
import { show, showCodes, spelled, textDocument } from "../harness/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const redact = async (bytes: Uint8Array, secret: string, fields: Record<string, Part> = {}): Promise<Uint8Array> => {
  const { status, body } = await post(service, "redact", {
    file: pdfPart(bytes),
    terms: JSON.stringify([secret]),
    ...fields,
  });
  expect(status).toBe(200);
  return body;
};

/** A page that shows text from left to right, or from top to bottom, with two-byte codes. */
function composite(text: string, { vertical = false } = {}): Uint8Array {
  const { meanings, codes } = spelled(text);
  const bytes = textDocument([{ content: showCodes(codes, 300, 600) }], meanings);
  if (!vertical) return bytes;
  return latin1(Buffer.from(bytes).toString("latin1").replace("/Identity-H", "/Identity-V"));
}

const reversed = (text: string): string => [...text].toReversed().join("");

test.each([
  ["Chinese", "公開秘密文書終了", "秘密文書", {}],
  ["Chinese from top to bottom", "公開秘密文書終了", "秘密文書", { vertical: true }],
  ["Hebrew, from right to left", reversed("שלום סודי עולם"), "סודי", {}],
  ["Arabic, from right to left", reversed("مرحبا سري عالم"), "سري", {}],
])("%s goes, and the text beside it stays", async (_, text, secret, how) => {
  const before = composite(text, how);
  const read = await readAll(before);
  const orders = [secret, reversed(secret)];
  expect(orders.some((order) => read.pdfjs.includes(order))).toBe(true);
  const body = await redact(before, secret);
  const kept = [...new Set(text.replaceAll(/\s/g, ""))].filter((letter) => !secret.includes(letter));
  const after = await readAll(body);
  for (const reading of [after.pdfjs, after.pdfium]) {
    for (const order of orders) expect(reading).not.toContain(order);
    for (const letter of kept) expect(reading).toContain(letter);
  }
  expect(whoFinds(after, secret)).toEqual([]);
});

const SECRET = "Zanzibar";
const info = { title: `about ${SECRET}`, page: `before ${SECRET} after` };

/** A document whose page and Info dictionary have the secret. */
function plain(): Uint8Array {
  const bytes = textDocument([{ content: show(info.page, 50, 700) }]);
  const text = Buffer.from(bytes).toString("latin1");
  return append(text, `<< /Title ${pdfString(info.title)} >>`, (number) => `/Info ${number} 0 R`);
}

/** Appends a revision with one more object (ISO 32000-2, 7.5.6). */
function append(text: string, object: string, entry: (number: number) => string): Uint8Array {
  const [, size = "", entries = "", previous = ""] =
    /trailer\n<< \/Size (\d+) ([\s\S]*?) >>\nstartxref\n(\d+)\n%%EOF\n$/.exec(text) ?? [];
  const body = `${size} 0 obj\n${object}\nendobj\n`;
  const xref = `xref\n${size} 1\n${String(text.length).padStart(10, "0")} 00000 n \n`;
  const trailer = `trailer\n<< /Size ${Number(size) + 1} ${entries} ${entry(Number(size))} /Prev ${previous} >>`;
  return latin1(`${text}${body}${xref}${trailer}\nstartxref\n${text.length + body.length}\n%%EOF\n`);
}

/** The same, with an Info dictionary that only readers of cross-reference streams find (7.5.8.4). */
function hybrid(): Uint8Array {
  const text = Buffer.from(textDocument([{ content: show(info.page, 50, 700) }])).toString("latin1");
  const [, size = "", entries = "", previous = ""] =
    /trailer\n<< \/Size (\d+) ([\s\S]*?) >>\nstartxref\n(\d+)\n%%EOF\n$/.exec(text) ?? [];
  const [title, objects, table] = [Number(size), Number(size) + 1, Number(size) + 2];
  const content = `${title} 0 << /Title ${pdfString(info.title)} >>`;
  const first = `${title} 0 `.length;
  const stream = `${objects} 0 obj\n<< /Type /ObjStm /N 1 /First ${first} /Length ${content.length} >>\nstream\n${content}\nendstream\nendobj\n`;
  const rows = String.fromCharCode(2, 0, 0, 0, objects, 0);
  const streamAt = text.length + stream.length;
  const xrefStream = `${table} 0 obj\n<< /Type /XRef /Size ${table + 1} /W [1 4 1] /Index [${title} 1] /Length 6 >>\nstream\n${rows}\nendstream\nendobj\n`;
  const xrefAt = streamAt + xrefStream.length;
  const at = (place: number): string => `${String(place).padStart(10, "0")} 00000 n \n`;
  const xref = `xref\n0 1\n0000000000 65535 f \n${title} 1\n0000000000 00000 f \n${objects} 2\n${at(text.length)}${at(streamAt)}`;
  const trailer = `trailer\n<< /Size ${table + 1} ${entries} /Info ${title} 0 R /Prev ${previous} /XRefStm ${streamAt} >>`;
  return latin1(`${text}${stream}${xrefStream}${xref}${trailer}\nstartxref\n${xrefAt}\n%%EOF\n`);
}

async function throughQpdf(...args: string[]): Promise<Uint8Array> {
  const { output } = await runQpdf([...args, "/in.pdf", "/out.pdf"], { "/in.pdf": plain() });
  return output ?? new Uint8Array();
}

test.each<[string, () => Uint8Array | Promise<Uint8Array>, string | undefined]>([
  ["an object that only a hybrid-reference file's stream lists", hybrid, undefined],
  ["object streams", () => throughQpdf("--object-streams=generate"), undefined],
  ["an encrypted file", () => throughQpdf("--encrypt", "user", "owner", "256", "--"), "owner"],
  [
    "an earlier revision",
    () => append(Buffer.from(plain()).toString("latin1"), "<< /Title (nothing) >>", (number) => `/Info ${number} 0 R`),
    undefined,
  ],
])("%s: the secret goes", async (_, document, password) => {
  const before = await document();
  expect(whoFinds(await readAll(before, password), SECRET)).toEqual(["qpdf", "pdf.js", "PDFium"]);
  const body = await redact(before, SECRET, password === undefined ? {} : { password });
  const after = await readAll(body, password);
  expect(whoFinds(after, SECRET)).toEqual([]);
  expect(after.pdfjs).toBe("beforeafter");
});
