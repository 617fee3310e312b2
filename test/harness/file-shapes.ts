/** The same document in shapes that real files have, each spread over many chunks of a file that is read in ranges. */
import { type Cipher, ciphers, encrypt } from "./encrypted-fixtures.ts";
import { document } from "./fixtures.ts";
import { withRevision } from "./metadata-fixtures.ts";
import { concatenate, latin1 } from "./pdf-writer.ts";
import { runQpdf } from "./qpdf.ts";
import { withObjectStreams } from "./revision-fixtures.ts";

/** The user password of those that are encrypted. */
const USER_PASSWORD = "open";

/** 1.3 MB, of which a page draws 64 KiB. */
const base = (): Uint8Array =>
  document({
    name: "report",
    pages: 20,
    features: ["outline", "form", "links", "image-per-page"],
    imageBytes: 64 * 1024,
  });

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);

async function linearized(): Promise<Uint8Array> {
  const { output, stderr } = await runQpdf(["--linearize", "/in.pdf", "/out.pdf"], { "/in.pdf": base() });
  if (output === undefined) throw new Error(stderr);
  return output;
}

/** Its resources are hidden from readers that know no object streams (ISO 32000-2, 7.5.8.4). */
function hybrid(): Uint8Array {
  const bytes = base();
  const text = asText(bytes);
  const hidden = numberIn(text, /\/MediaBox \[0 0 595 842\] \/Resources (\d+) 0 R/);
  const [, resources = ""] = new RegExp(`\n${hidden} 0 obj\n([^]*?)\nendobj`).exec(text) ?? [];
  const [, size = "", entries = ""] = /\/Size (\d+)(.*?)>>\s*startxref/s.exec(text) ?? [];
  const container = Number(size);
  const stream = (number: number, dictionary: string, data: string): string =>
    `${number} 0 obj\n<< ${dictionary} /Length ${data.length} >>\nstream\n${data}\nendstream\nendobj\n`;
  const row = (type: number, place: number): string =>
    String.fromCharCode(type, place >>> 24, (place >> 16) & 255, (place >> 8) & 255, place & 255, 0);
  const head = `${hidden} 0 `;
  const objects = stream(container, `/Type /ObjStm /N 1 /First ${head.length}`, head + resources);
  const at = bytes.length + objects.length;
  const index = `/Index [${hidden} 1 ${container} 2]`;
  const rows = row(2, container) + row(1, bytes.length) + row(1, at);
  const xref = stream(container + 1, `/Type /XRef /Size ${container + 2} /W [1 4 1] ${index} ${entries}`, rows);
  const previous = numberIn(text, /startxref\n(\d+)\n%%EOF\s*$/);
  const trailer = `trailer\n<< /Size ${container + 2} ${entries} /Prev ${previous} /XRefStm ${at} >>\n`;
  const table = `xref\n${hidden} 1\n0000000000 00001 f \n${trailer}startxref\n${at + xref.length}\n%%EOF\n`;
  return concatenate([bytes, latin1(objects + xref + table)]);
}

/** Each update has 10 KB, so that they lie in many chunks. */
function updated(count: number): Uint8Array {
  let bytes = base();
  const info = numberIn(asText(bytes), /\/Info (\d+) 0 R/);
  for (let update = 1; update <= count; update++) {
    bytes = withRevision(bytes, info, `<< /Title (Update ${update}) /Padding (${"x".repeat(10_000)}) >>`);
  }
  return bytes;
}

const encrypted = (cipher: Cipher) => (): Promise<Uint8Array> =>
  encrypt(base(), { cipher, userPassword: USER_PASSWORD, ownerPassword: "owner" });

/** By name. */
export const fileShapes: Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>> = {
  linearized,
  hybrid,
  "object-streams": () => withObjectStreams(base()),
  "100-updates": () => updated(100),
  ...Object.fromEntries(ciphers.map((cipher) => [cipher, encrypted(cipher)])),
};
