import { getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part, type Service } from "../harness/requests/client.ts";
import { readAll, whoFinds } from "../harness/redaction/find-secret.ts";
import { latin1, pdf, pdfString } from "../harness/fixtures/pdf-writer.ts";
import { pdfjsFolders } from "../harness/engines/pdfjs.ts";
import { runQpdf } from "../harness/engines/qpdf.ts";
import { show, showCodes, spelled, textDocument } from "../harness/fixtures/text-fixtures.ts";

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

const countOf = (letter: string, text: string): number => text.split(letter).length - 1;

const reversed = (text: string): string => [...text].toReversed().join("");

test.each([
  ["Chinese", "公開秘密文書終了", "秘密文書", {}],
  ["Chinese from top to bottom", "公開秘密文書終了", "秘密文書", { vertical: true }],
  ["one letter of a column", "公開秘密文書終了", "密", { vertical: true }],
  ["Hebrew, from right to left", reversed("שלום סודי עולם"), "סודי", {}],
  ["Arabic, from right to left", reversed("مرحبا سري عالم"), "سري", {}],
])("%s is removed, and the text beside it stays", async (_, text, secret, how) => {
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
    for (const letter of secret) expect(countOf(letter, reading)).toBe(countOf(letter, text) - countOf(letter, secret));
  }
  expect(whoFinds(after, secret)).toEqual([]);
});

/** Text from top to bottom in a font that is not embedded, whose glyphs are 1.2 em apart unless `metrics` says otherwise. */
function column(content: string, metrics = "/DW2 [900 -1200]"): Uint8Array {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    { entries: "", data: latin1(content) },
    "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UTF16-V /DescendantFonts [6 0 R] >>",
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /FontDescriptor 7 0 R /DW 1000 ${metrics}
      /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>`,
    `<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800
      /Descent -200 /CapHeight 700 /StemV 80 >>`,
  ];
  return pdf(objects, "/Root 1 0 R");
}

const utf16 = (text: string): string =>
  `<${[...text].map((letter) => letter.charCodeAt(0).toString(16).padStart(4, "0")).join("")}>`;

/** Texts as pdf.js places them: x, and y where each begins and ends. */
async function placed(bytes: Uint8Array): Promise<[string, number, number, number][]> {
  const task = getDocument({ data: bytes.slice(), ...pdfjsFolders, verbosity: VerbosityLevel.ERRORS });
  const { items } = await (await (await task.promise).getPage(1)).getTextContent();
  await task.destroy();
  const texts = items.flatMap((item) => ("str" in item && item.str.trim() !== "" ? [item] : []));
  return texts.map(({ str, transform, height }) => {
    const [, , , , x = 0, y = 0] = transform as number[];
    return [str.replaceAll(/\s/g, ""), Math.round(x), Math.round(y), Math.round(y - height)];
  });
}

test("a match in a column is removed exactly, and the gap runs along the column", async () => {
  const text = `[${utf16("始中")} 200 ${utf16("秘")} 100 ${utf16("密終")} 300 ${utf16("末")}] TJ`;
  const before = column(`BT /F1 20 Tf 150 Tz 200 380 Td ${text} 30 0 Td ${utf16("秘密後")} Tj ET`);
  expect(await placed(before)).toEqual([
    ["始中秘密終末", 200, 380, 224],
    ["秘密後", 230, 380, 308],
  ]);
  expect(await placed(await redact(before, "秘密"))).toEqual([
    ["始中", 200, 380, 332],
    ["終末", 200, 278, 224],
    ["後", 230, 332, 308],
  ]);
  expect(await placed(await redact(before, "中"))).toEqual([
    ["始", 200, 380, 356],
    ["秘密終末", 200, 328, 224],
    ["秘密後", 230, 380, 308],
  ]);
});

test.each([
  ["the origin is far above", "/DW2 [1500 -1200]"],
  ["the origin is below", "/DW2 [-300 -1000]"],
  ["glyphs overlap", "/DW2 [880 -500]"],
  ["glyphs stand to the left of the column", "/W2 [1 20000 -1000 2500 880]"],
  ["glyphs run upward", "/DW2 [880 1000]"],
])("a match in a column in which %s is removed completely", async (_, metrics) => {
  const before = column(`BT /F1 20 Tf 200 200 Td ${utf16("始中秘密終末")} Tj ET`, metrics);
  const { pdfjs, pdfium } = await readAll(await redact(before, "秘密"));
  for (const letter of "秘密") for (const reading of [pdfjs, pdfium]) expect(reading).not.toContain(letter);
  for (const letter of "始末") for (const reading of [pdfjs, pdfium]) expect(reading).toContain(letter);
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
])("a secret is removed in %s", async (_, document, password) => {
  const before = await document();
  expect(whoFinds(await readAll(before, password), SECRET)).toEqual(["qpdf", "pdf.js", "PDFium"]);
  const body = await redact(before, SECRET, password === undefined ? {} : { password });
  const after = await readAll(body, password);
  expect(whoFinds(after, SECRET)).toEqual([]);
  expect(after.pdfjs).toBe("beforeafter");
});
