/** Repairs entries of font dictionaries where the program can stay. */
import type { PDFObject } from "mupdf";
import { latin1 } from "../../../../bytes/latin1.ts";
import { predefinedCollection } from "../../conformance/model/cid-collections.ts";
import { readStream } from "../../content/streams.ts";
import type { OpenPdf } from "../../document/document.ts";
import { readCodeMap, withWritingMode } from "../../fonts/cmap.ts";
import { nameIn } from "../../fonts/embedded-font.ts";
import type { ShownFont } from "./shown-fonts.ts";

/** Subtypes of fonts by the entry of their program. */
const SUBTYPE_OF: Readonly<Record<string, string>> = { FontFile: "Type1", FontFile2: "TrueType", FontFile3: "Type1" };
/** The first bytes of OpenType in any of its formats. */
const OPEN_TYPE = ["OTTO", "\0\x01\0\0", "true"];

/** Returns the kinds of changes. */
export async function repairEntries(
  open: OpenPdf,
  font: PDFObject,
  { facts, broken }: Pick<ShownFont, "facts" | "broken">,
): Promise<string[]> {
  const { document } = open;
  const changes: string[] = [];
  const isComposite = facts.subtype === "Type0";
  const own = isComposite ? font.get("DescendantFonts", 0) : font;
  const descriptor = own.get("FontDescriptor");
  const repair = async (clause: string, kind: string, work: () => unknown): Promise<void> => {
    if (!broken.has(clause)) return;
    await work();
    changes.push(kind);
  };
  await repair("6.2.11.2-1", "font_entries", () => font.put("Type", "Font"));
  await repair("6.2.11.2-2", "font_entries", () => font.put("Subtype", SUBTYPE_OF[facts.programKey ?? ""] ?? "Type1"));
  await repair("6.2.11.2-3", "font_entries", () =>
    font.put("BaseFont", nameIn(own, "BaseFont") || nameIn(descriptor, "FontName") || "Unnamed"),
  );
  await repair("6.2.11.2-7", "font_entries", async () => {
    const program = descriptor.get("FontFile3");
    const head = latin1((await readStream(open, program))?.subarray(0, 4) ?? new Uint8Array());
    program.put("Subtype", OPEN_TYPE.includes(head) ? "OpenType" : isComposite ? "CIDFontType0C" : "Type1C");
  });
  await repair("6.2.11.4.2-1", "char_sets_removed", () => descriptor.delete("CharSet"));
  await repair("6.2.11.4.2-2", "cid_sets_removed", () => descriptor.delete("CIDSet"));
  await repair("6.2.11.3.2-1", "cid_maps", () => own.put("CIDToGIDMap", "Identity"));
  const map = font.get("Encoding");
  await repair("6.2.11.3.1-1", "cid_system_infos", () => {
    // The entry of a stream follows the font, and the font follows a predefined CMap.
    if (map.isStream()) map.put("CIDSystemInfo", own.get("CIDSystemInfo"));
    const collection = predefinedCollection(map.isName() ? map.asName() : "");
    if (!collection) return;
    const { registry, ordering, supplement } = collection;
    const info = document.newDictionary();
    info.put("Registry", document.newString(registry));
    info.put("Ordering", document.newString(ordering));
    info.put("Supplement", supplement);
    own.put("CIDSystemInfo", info);
  });
  await repair("6.2.11.3.3-2", "writing_modes", async () => {
    const mode = map.get("WMode");
    const data = (await readStream(open, map)) ?? new Uint8Array();
    // MuPDF follows the dictionary if it has the entry.
    if (mode.isNumber()) map.writeStream(withWritingMode(data, mode.asNumber() === 1));
    else map.put("WMode", (await readCodeMap(data, open.engine.work, undefined)).vertical ? 1 : 0);
  });
  return changes;
}
