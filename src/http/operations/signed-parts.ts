import type { LoadedFile } from "./load-files.ts";
import type { FormFile } from "../form/form-reader.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { SignedPart } from "../../billing/idempotency.ts";
import type { EngineBytes } from "../../engines/bytes/heap.ts";
import { hex } from "../../engines/bytes/hex.ts";

/** Bytes of a file copied at a time for its digest: hashing it in one go would copy the whole file. */
const DIGEST_STEP = 1024 * 1024;

/** The parts of a form as its fingerprint has them: a file is the same whether it was uploaded or referred to. */
export async function signedParts(
  parts: readonly FormPart<EngineBytes>[],
  loaded: ReadonlyMap<FormFile, LoadedFile>,
): Promise<readonly SignedPart[]> {
  const signed: SignedPart[] = [];
  for (const [{ field }, { file, filename, sha256 }] of loaded) {
    signed.push([field, "file", sha256 ?? (await sha256Of(file.bytes)), filename]);
  }
  const files = new Set(Array.from(loaded.keys(), ({ field }) => field));
  for (const part of parts) {
    if (part.kind === "text" && !files.has(part.field)) signed.push([part.field, "text", part.value]);
  }
  return signed;
}

async function sha256Of(bytes: EngineBytes): Promise<string> {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  for (let start = 0; start < bytes.length; start += DIGEST_STEP) {
    await writer.write(bytes.view(start, Math.min(start + DIGEST_STEP, bytes.length)).slice());
  }
  await writer.close();
  return hex(new Uint8Array(await stream.digest));
}
