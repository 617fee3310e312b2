/** The profile that a document claims in its XMP (ISO 19005-1, 6.7.11; ISO 19005-2 and -3, 6.6.4; ISO 19005-4, 6.7.3). */
import type { Work } from "../../work.ts";
import { elementsOf, parseXmp, textWithin } from "../metadata/xmp.ts";

const PDFA_ID = "http://www.aiim.org/pdfa/ns/id/";

/** Such as `2b`; null if the packet claims none. */
export async function claimOf(work: Work, packet: Uint8Array): Promise<string | null> {
  const values = new Map<string, string>();
  for (const description of (await parseXmp(work, packet))?.roots.flatMap(elementsOf) ?? []) {
    for (const { namespace, local, value } of description.attributes)
      if (namespace === PDFA_ID) values.set(local, value);
    for (const child of elementsOf(description))
      if (child.namespace === PDFA_ID) values.set(child.local, textWithin(child));
  }
  const part = values.get("part")?.trim();
  if (part === undefined || !/^\d$/.test(part)) return null;
  return part + (values.get("conformance")?.trim().toLowerCase().slice(0, 1) ?? "");
}
