import { bytesOf } from "../../../src/bytes/latin1.ts";
import { leaseEngines } from "../../../src/engines/lease/pool.ts";
import { type ConformanceReport, validate } from "../../../src/engines/pdf/conformance/validate.ts";
import type { Profile } from "../../../src/engines/pdf/conformance/model/profiles.ts";
import type { Failure } from "../../../src/engines/pdf/conformance/checker.ts";
import { XMP_RULES } from "../../../src/engines/pdf/conformance/xmp/rules.ts";
import { openPdf } from "../../../src/engines/pdf/document/document.ts";

/** The report on a file. */
export async function report(file: Uint8Array, profile: Profile): Promise<ConformanceReport> {
  const { engines, release } = await leaseEngines(() => true);
  try {
    const arena = engines.pdf.files.arena(file.length);
    arena.write(file);
    using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
    return await validate(open, file, profile, engines.pdf.work);
  } finally {
    release(true);
  }
}

const OF_METADATA: ReadonlySet<string> = new Set(Object.values(XMP_RULES).map(({ message }) => message));

/** The failures that are not about XMP, which the files of these tests do not have. */
export const withoutXmp = ({ failures }: ConformanceReport): Failure[] =>
  failures.filter(({ message }) => !OF_METADATA.has(message));

/** Clauses and tests that a file breaks besides those about XMP, each with its count, such as `6.1.3-1 x1`. */
export const broken = (found: ConformanceReport): string[] =>
  withoutXmp(found).map(({ clause, test, count }) => `${clause}-${test} x${count}`);

/** A file that breaks no rule of part 2 but those of metadata: one page with this content and these entries, and objects from number 4 on. */
export function sound(
  page: string,
  objects: readonly string[] = [],
  { catalog = "", header = "%PDF-1.7", trailer = "/ID [<00> <00>]", isBackward = false } = {},
): Uint8Array {
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] ${page} >>`,
    ...objects,
  ];
  let text = `${header}\n%\xe2\xe3\xcf\xd3\n`;
  const offsets: string[] = [];
  for (const [index, object] of isBackward ? [...all.entries()].toReversed() : all.entries()) {
    offsets[index] = `${String(text.length).padStart(10, "0")} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = text.length;
  text += `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  text += `trailer\n<< /Size ${all.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return bytesOf(text);
}

/** A stream with these entries and data. */
export const stream = (entries: string, data: string): string =>
  `<< ${entries} /Length ${data.length} >>\nstream\n${data}\nendstream`;
