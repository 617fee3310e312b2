import { signedDocument, withRevision } from "./metadata-fixtures.ts";
import { concatenate, latin1 } from "./pdf-writer.ts";
import { runQpdf } from "./qpdf.ts";

const startXref = (text: string): string => /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1] ?? "";
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** The same document with its objects in object streams, and a cross-reference stream. */
export async function withObjectStreams(bytes: Uint8Array): Promise<Uint8Array> {
  const { output, stderr } = await runQpdf(["--object-streams=generate", "/in.pdf", "/out.pdf"], { "/in.pdf": bytes });
  if (output === undefined) throw new Error(stderr);
  return output;
}

/**
 * A signed document with an update for old and new readers (ISO 32000-2, 7.5.8.4): the resources of its page (object 8) are
 * hidden from readers that know no object streams. The page shows `Kept`.
 */
export function hybridDocument(): Uint8Array {
  const bytes = signedDocument();
  const resources = "<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >>";
  const content = "BT /F 12 Tf 20 20 Td (Kept) Tj ET";
  const offsets: number[] = [];
  let text = asText(bytes);
  const previous = startXref(text);
  const add = (number: number, body: string): void => {
    offsets[number] = text.length;
    text += `${number} 0 obj\n${body}\nendobj\n`;
  };
  const stream = (entries: string, data: string): string =>
    `<< ${entries} /Length ${data.length} >>\nstream\n${data}\nendstream`;
  add(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Resources 8 0 R /Contents 9 0 R >>");
  add(9, stream("", content));
  add(10, stream("/Type /ObjStm /N 1 /First 4", `8 0 ${resources}`));
  const row = (type: number, place: number): string => String.fromCharCode(type, 0, 0, place >> 8, place & 255, 0);
  const rows = row(2, 10) + row(1, offsets[10] ?? 0) + row(1, text.length);
  const entries = "/Type /XRef /Size 12 /W [1 4 1] /Index [8 1 10 2] /Root 1 0 R";
  add(11, stream(entries, rows));
  const place = (number: number): string => `${String(offsets[number]).padStart(10, "0")} 00000 n \n`;
  const table = `xref\n3 1\n${place(3)}8 2\n0000000000 00000 f \n${place(9)}`;
  const trailer = `trailer\n<< /Size 12 /Root 1 0 R /Info 4 0 R /ID [<01> <01>] /Prev ${previous} /XRefStm ${offsets[11]} >>\n`;
  return latin1(`${text}${table}${trailer}startxref\n${text.length}\n%%EOF\n`);
}

/** The same document with another generation of its page, object 3, and of its Info dictionary, object 4. */
export function withGenerations(bytes: Uint8Array): Uint8Array {
  const [head = "", table = ""] = asText(bytes).split(/(?=\nxref\n)/);
  const objects = head.replaceAll(/\b([34]) 0 (obj|R)\b/g, "$1 2 $2");
  let row = -1;
  const rows = table.replaceAll(/(\d{10}) 00000 n/g, (all, offset: string) =>
    ++row === 2 || row === 3 ? `${offset} 00002 n` : all,
  );
  return latin1(objects + rows.replaceAll(/\b([34]) 0 R\b/g, "$1 2 R"));
}

/** The same document after `count` updates, each with another Info dictionary. */
export function withRevisions(bytes: Uint8Array, count: number): Uint8Array {
  let revised = bytes;
  for (let revision = 1; revision <= count; revision++) {
    revised = withRevision(revised, 4, `<< /Title (Revision ${revision}) >>`);
  }
  return revised;
}

/** The same document without a line feed at its end, but with bytes that do not belong to it. */
export function withTail(bytes: Uint8Array): Uint8Array {
  return concatenate([bytes.subarray(0, -1), latin1(" \0\0")]);
}
