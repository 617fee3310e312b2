/**
 * Tries the passwords of a finished file of revision 6 (ISO 32000-2, 7.6.4), and makes it fit for MuPDF to read.
 *
 * MuPDF takes 8 to 12 ms to try a password of revision 6, and tries the empty one by itself: four times as long as all
 * else that is done to check a small file. So the passwords are tried here, on the dictionary that stands in the file, and
 * MuPDF reads the file with another one in its place: of revision 5, which differs in nothing but the hash of the password.
 * In it each password gives the key that was found here with it.
 */
import type { Stream } from "mupdf";
import type { Hashes, PlatformCrypto, Protection } from "./parameters.ts";
import { HardenedHashes, hasPermissions, openR6, verifierR5 } from "./revision6.ts";
import type { InputBytes } from "../../bytes/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { hex, unhex } from "../../bytes/hex.ts";
import { latin1 } from "../../bytes/latin1.ts";

/** Bytes of the end of a file in which `startxref` stands, and those before a place in which the dictionary stands. */
const TAIL = 64;
const DICTIONARY = 1024;

const NONE = new Uint8Array();

/** The dictionary as `encryptionDictionary` writes it, and nothing else. */
const REVISION_6 = new RegExp(
  `<</Filter/Standard/V 5/R 6/Length 256/P (-?\\d+)/U<([0-9a-f]{96})>/UE<([0-9a-f]{64})>/O<([0-9a-f]{96})>/OE<([0-9a-f]{64})>\
/Perms<([0-9a-f]{32})>/StmF/StdCF/StrF/StdCF/CF<</StdCF<</AuthEvent/DocOpen/CFM/AESV3/Length 32>>>>>>(?=\\nendobj\\n\\n$)`,
);

/** Bytes that stand in for those of a file. */
interface StandIn {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * The dictionary of revision 5 for a finished file.
 * @throws Error where the file's own is not of revision 6 with these permissions, a password does not open it, or the empty one
 *   does without being the user's.
 */
export async function standInFor(
  file: InputBytes,
  { userPassword, ownerPassword, permissions }: Protection,
  { subtle }: PlatformCrypto,
  hashes: Hashes = new HardenedHashes(subtle),
): Promise<StandIn> {
  const { at, text, p, strings } = dictionaryOf(file);
  const [u, ue, o, oe, perms] = strings.map(unhex);
  if (!u || !ue || !o || !oe || !perms) throw new Error("the dictionary lacks an entry");
  const user = new TextEncoder().encode(userPassword);
  const owner = new TextEncoder().encode(ownerPassword);

  const userKey = await openR6(subtle, hashes, user, [u, ue, NONE]);
  const ownerKey = await openR6(subtle, hashes, owner, [o, oe, u]);
  if (!userKey || !ownerKey) throw new Error(`the ${userKey ? "owner" : "user"} password does not open the file`);
  const openToAll =
    (await openR6(subtle, hashes, NONE, [u, ue, NONE])) ?? (await openR6(subtle, hashes, NONE, [o, oe, u]));
  if (openToAll && userPassword !== "") throw new Error("the file opens without a password");
  if (hex(userKey) !== hex(ownerKey)) throw new Error("the passwords give different keys");
  const sealed = await hasPermissions(subtle, userKey, perms, permissions);
  if (p !== permissions || !sealed) throw new Error("the file has other permissions");

  const asUser = await verifierR5(subtle, user, NONE, userKey);
  const asOwner = await verifierR5(subtle, owner, asUser.value, ownerKey);
  const written = [asUser.value, asUser.key, asOwner.value, asOwner.key].map(hex);
  const standIn = written.reduce(
    (dictionary, digits, index) => dictionary.replace(`<${strings[index] ?? ""}>`, `<${digits}>`),
    text.replace("/R 6", "/R 5"),
  );
  return { at, bytes: new TextEncoder().encode(standIn) };
}

/** The dictionary, which stands right before the cross-references, to which the file's end points. */
function dictionaryOf(file: InputBytes): { at: number; text: string; p: number; strings: string[] } {
  const tail = latin1(file.view(Math.max(0, file.length - TAIL), file.length));
  const xref = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(tail)?.[1] ?? 0);
  const from = Math.max(0, xref - DICTIONARY);
  const found = REVISION_6.exec(latin1(file.view(from, xref)));
  if (!found) throw new Error("the file has no encryption dictionary of revision 6 at its end");
  const [text, p, ...strings] = found;
  return { at: from + found.index, text, p: Number(p), strings };
}

/** The file as MuPDF is to read it. */
export function streamWith({ mupdf }: PdfEngine, file: InputBytes, { at, bytes }: StandIn): Stream {
  return new mupdf.Stream({
    fileSize: () => file.length,
    read(memory, offset, length, position) {
      const read = file.view(position, position + length);
      memory.set(read, offset);
      const from = Math.max(at, position);
      const to = Math.min(at + bytes.length, position + read.length);
      if (from < to) memory.set(bytes.subarray(from - at, to - at), offset + from - position);
      return read.length;
    },
    close: () => undefined,
  });
}
