/** Packages of OpenDocument (ODF 1.3, part 2). */
import { notConvertible } from "../../file-errors.ts";
import type { Work } from "../../work.ts";
import type { Archive } from "./archive.ts";
import { partAt } from "./relationships.ts";
import { elementAt, elementsIn } from "./xml.ts";

/**
 * By the manifest (4.8), which names the encrypted entries.
 * @throws Refusal `unsupported_format`
 */
export async function refuseEncrypted(work: Work, archive: Archive, title: string): Promise<void> {
  const manifest = await partAt(work, archive, "META-INF/manifest.xml");
  const isEncrypted = elementsIn(manifest, "file-entry").some(
    (entry) => elementAt(entry, "encryption-data") !== undefined,
  );
  if (isEncrypted) throw notConvertible(`an encrypted OpenDocument file (${title})`);
}
