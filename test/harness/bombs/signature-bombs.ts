/** Small files with signatures that make whoever verifies them work much. */
import { deflateSync } from "node:zlib";
import { concatenate, latin1, pdf } from "../fixtures/pdf-writer.ts";

/** Numbers of objects that one section of cross-references has. */
const MOST_NUMBERS = 400_000;
/** Objects of `signedWith`. */
const OBJECTS = 5;

/** A document of one empty page with a signature whose value is any bytes, over all bytes but these. */
export function signedWith(contents: Uint8Array): Uint8Array {
  const value = `<${Buffer.from(contents).toString("hex")}>`;
  const dictionary = `<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached ${"R".repeat(80)} /Contents `;
  const plain = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Annots [4 0 R] >>",
      "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sig1) /F 132 /Rect [0 0 0 0] /P 3 0 R /V 5 0 R >>",
      `${dictionary}${value} >>`,
    ],
    "/Root 1 0 R",
  );
  const start = Buffer.from(plain).indexOf(dictionary) + dictionary.length;
  const [end, length] = [start + value.length, plain.length];
  const range = `/ByteRange [0 ${start} ${end} ${length - end}]`.padEnd(80);
  plain.set(latin1(range), start - dictionary.length + dictionary.indexOf("R".repeat(80)));
  return plain;
}

/** The same with an update of nothing but a cross-reference stream of so many rows, all zeros, whose fields are that wide. */
export function countedRows(widths: readonly [number, number, number], count: number): Uint8Array {
  const file = signedWith(Uint8Array.of(0x30, 0));
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(Buffer.from(file).toString("latin1"))?.[1] ?? "";
  const data = deflateSync(new Uint8Array(count * widths.reduce((sum, width) => sum + width)), { level: 9 });
  const first = OBJECTS + 2;
  const sections = Array.from({ length: Math.ceil(count / MOST_NUMBERS) }, (_, index) =>
    Math.min(MOST_NUMBERS, count - index * MOST_NUMBERS),
  );
  const index = sections.map((size) => `${first} ${size}`).join(" ");
  const size = first + Math.max(...sections);
  const entries = `/Type /XRef /Root 1 0 R /Size ${size} /W [${widths.join(" ")}] /Index [${index}] /Prev ${previous} /Filter /FlateDecode`;
  return concatenate([
    file,
    latin1(`${OBJECTS + 1} 0 obj\n<< ${entries} /Length ${data.length} >>\nstream\n`),
    data,
    latin1(`\nendstream\nendobj\nstartxref\n${file.length}\n%%EOF\n`),
  ]);
}
