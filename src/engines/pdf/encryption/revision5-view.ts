/** A file of revision 6 of the standard security handler (ISO 32000-2, 7.6.4) as one of revision 5, which MuPDF opens in less time. */
import { find } from "../../../bytes/find.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { joinedBytes, ownBytes, partOf } from "../../memory/joined-bytes.ts";

/** Bytes around an entry of an encryption dictionary that contain the rest of it. */
const DICTIONARY = 1024;

/** Only the encryption dictionaries of revision 6 have this entry. It is looked for in so many bytes at a time. */
const PERMS = "/Perms";
const WINDOW = 256 * 1024;

/**
 * The bytes of a file that we have just encrypted, with revision 5 in the encryption dictionary. Undefined if it is not of revision 6. MuPDF tries the
 * empty password when it opens a file, which takes 10 ms and more in revision 6 and almost none in revision 5. The caller
 * sets the key.
 */
export function revision5View(bytes: EngineBytes): EngineBytes | undefined {
  const offset = revisionAt(bytes);
  if (offset === undefined) return undefined;
  const rest = partOf(bytes, offset + 1, bytes.length);
  return joinedBytes([partOf(bytes, 0, offset), ownBytes(bytesOf("5")), rest]);
}

/** Offset of the revision in the last encryption dictionary of revision 6: before our own, a client's file may have something like one. */
function revisionAt(bytes: EngineBytes): number | undefined {
  let last: number | undefined;
  for (let start = 0; start < bytes.length; start += WINDOW) {
    const window = bytes.view(start, Math.min(start + WINDOW + PERMS.length - 1, bytes.length));
    const places: number[] = [];
    for (let at = find(window, PERMS, 0); at >= 0; at = find(window, PERMS, at + 1)) places.push(start + at);
    for (const at of places) {
      const from = Math.max(0, at - DICTIONARY);
      const around = bytes.view(from, Math.min(at + DICTIONARY, bytes.length));
      const revision = find(around, "/R 6", 0);
      if (revision >= 0 && find(around, "/UE", 0) >= 0) last = from + revision + "/R ".length;
    }
  }
  return last;
}
