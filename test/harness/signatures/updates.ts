/** Updates of PDFs as anybody can append them (ISO 32000-2, 7.5.6), and signatures that OpenSSL makes of any bytes. */
import { concatenate, latin1, pdf, pdfString, type PdfObject } from "../fixtures/pdf-writer.ts";
import { chainPem, issue, type Issued, keyPem } from "./certificates.ts";
import { openssl } from "./signatures.ts";

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** The newest text of an object, without its number. */
export function objectIn(file: Uint8Array, number: number): string {
  const found = [...asText(file).matchAll(new RegExp(`\\n${number} 0 obj\\s([\\s\\S]*?)\\sendobj`, "g"))].at(-1);
  if (found?.[1] === undefined) throw new Error(`the file has no object ${number}`);
  return found[1].trim();
}

/** Offsets of the places where an object with this number is. */
export const offsetsOf = (file: Uint8Array, number: number): number[] =>
  Array.from(asText(file).matchAll(new RegExp(`\\n${number} 0 obj\\s`, "g")), ({ index }) => index + 1);

/** An object's text, or where another one is in the file, or that it is deleted. */
export type Updated = string | { readonly at: number } | "free";

/** The same file with an update. `trailer`: entries in place of those of the file. */
export function update(file: Uint8Array, objects: Readonly<Record<number, Updated>>, trailer?: string): Uint8Array {
  const text = asText(file);
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1] ?? "";
  const [, size = "0"] = [...text.matchAll(/\/Size (\d+)/g)].at(-1) ?? [];
  const known = [...text.matchAll(/trailer\s*<<([\s\S]*?)>>\s*startxref/g)].at(-1)?.[1] ?? "";
  const kept = trailer ?? (known.match(/\/(?:Root|Info) \d+ 0 R|\/ID\s*\[[^\]]*\]/g) ?? []).join(" ");
  let added = "";
  let rows = "";
  for (const [number, body] of Object.entries(objects)) {
    const at = typeof body === "object" ? body.at : file.length + added.length;
    const isFree = body === "free";
    rows += `${number} 1\n${String(isFree ? 0 : at).padStart(10, "0")} 0000${isFree ? "1 f" : "0 n"} \n`;
    if (typeof body === "string" && !isFree) added += `${number} 0 obj\n${body}\nendobj\n`;
  }
  const most = Math.max(Number(size), ...Object.keys(objects).map((number) => Number(number) + 1));
  const table = `xref\n${rows}trailer\n<< /Size ${most} /Prev ${previous} ${kept} >>\n`;
  return concatenate([file, latin1(`${added}${table}startxref\n${file.length + added.length}\n%%EOF\n`)]);
}

export const streamText = (data: string, entries = ""): string =>
  `<< ${entries} /Length ${data.length} >>\nstream\n${data}\nendstream`;

export interface HandSigned {
  readonly signer: Issued;
  /** What is written in place of `/ByteRange [...]`, with the range in it. */
  readonly range?: (gapStart: number, gapEnd: number, length: number) => string;
  /** Entries of the signature dictionary before and after `Contents`. */
  readonly before?: string;
  readonly after?: string;
  readonly subFilter?: string;
  /** Lines of text on the page. */
  readonly lines?: readonly string[];
  /** Options for `openssl cms`. */
  readonly options?: readonly string[];
  /** Signs the bytes; by default, OpenSSL with `options`. */
  readonly sign?: (signed: Uint8Array) => Promise<Buffer>;
}

const ROOM = 16_384;
/** `SubFilter` of document time stamps (12.8.5). */
const STAMP = "ETSI.RFC3161";

/** The CMS signature of bytes, by OpenSSL. */
async function cmsOver(signed: Uint8Array, signer: Issued, options: readonly string[] = []): Promise<Buffer> {
  const { bytes, output } = await openssl(
    { signed, key: await keyPem(signer), certificate: chainPem(signer) },
    ..."cms -sign -binary -outform DER -in {signed} -inkey {key} -signer {certificate}".split(" "),
    ...options,
  );
  if (bytes.length === 0) throw new Error(output);
  return bytes;
}

/** The same file with a signature in the place that its only byte range leaves. */
export async function withSignature(file: Uint8Array): Promise<Uint8Array> {
  const text = asText(file);
  const [from = 0, to = 0] = (/\/ByteRange \[0 (\d+) +(\d+)/.exec(text)?.slice(1) ?? []).map(Number);
  const cms = await cmsOver(latin1(text.slice(0, from) + text.slice(to)), await issue({ subject: "Signer" }));
  const room = to - from - 2;
  if (cms.length * 2 > room) throw new Error("the signature is larger than its room");
  return latin1(`${text.slice(0, from + 1)}${cms.toString("hex").padEnd(room, "0")}${text.slice(to - 1)}`);
}

/** A document of one page that OpenSSL signed. */
export async function handSigned({
  signer,
  range = (start, end, length) => `/ByteRange [0 ${start} ${end} ${length - end}]`,
  before = "",
  after = "",
  subFilter = "adbe.pkcs7.detached",
  options = [],
  lines = [],
  sign = (signed) => cmsOver(signed, signer, options),
}: HandSigned): Promise<Uint8Array> {
  const contents = "<0>".replace("0", "0".repeat(ROOM));
  const dictionary = `<< /Type /${subFilter === STAMP ? "DocTimeStamp" : "Sig"} /Filter /Adobe.PPKLite /SubFilter /${subFilter} ${before} /Contents ${contents} ${after} ${"R".repeat(200)} >>`;
  const objects: PdfObject[] = [
    "<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 298] /Annots [4 0 R] /Contents 6 0 R /Resources << /Font << /F 7 0 R >> >> >>",
    "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sig1) /F 132 /Rect [0 0 0 0] /P 3 0 R /V 5 0 R >>",
    dictionary,
    streamText(`BT /F 12 Tf 18 TL 40 240 Td ${lines.map((line) => `${pdfString(line)} Tj T*`).join(" ")} ET`),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  let text = asText(pdf(objects, "/Root 1 0 R"));
  const start = text.indexOf(contents);
  const ranged = range(start, start + contents.length, text.length).padEnd(200);
  text = text.replace("R".repeat(200), () => ranged);
  const [from = 0, length = 0, next = 0, rest = 0] = /\[([\d .-]+)\]/.exec(ranged)?.[1]?.split(" ").map(Number) ?? [];
  const signed = latin1(text.slice(from, from + length) + text.slice(next, next + rest));
  const bytes = await sign(signed);
  if (bytes.length * 2 > ROOM) throw new Error("the signature is larger than its room");
  return latin1(text.replace(contents, `<${bytes.toString("hex").padEnd(ROOM, "0")}>`));
}
