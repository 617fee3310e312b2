import type { EngineBytes } from "../engines/pdf/heap.ts";
import type { FileKind } from "../operations/fields.ts";

/** A signature may begin anywhere in this many first bytes: mail gateways and printers put lines of their own before it. */
const SIGNATURE_WITHIN = 1024;
const signatures: readonly (readonly [FileKind, string])[] = [["pdf", "%PDF-"]];
const MAX_STEM = 150;

/** What a file is, by its bytes; undefined where no signature is known. */
export function kindOf(bytes: EngineBytes): FileKind | undefined {
  const longest = Math.max(...signatures.map(([, signature]) => signature.length));
  const start = bytes.view(0, Math.min(bytes.length, SIGNATURE_WITHIN + longest - 1));
  const text = Array.from(start, (byte) => String.fromCharCode(byte)).join("");
  return signatures.find(([, signature]) => text.includes(signature))?.[0];
}

/**
 * A file name without directory and extension, fit for the name of an answer or of a ZIP's entry: nothing in it is
 * invisible, reverses the text's direction or means something to a file system. `document` where nothing is left.
 */
export function stemOf(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
  const stem = name
    .replace(/\.[A-Za-z0-9]{1,10}$/, "")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_");
  const short = Array.from(stem).slice(0, MAX_STEM).join("");
  return short.replace(/^[.\s]+|[.\s]+$/g, "") || "document";
}
