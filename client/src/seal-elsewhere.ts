import type { SealInput } from "./generated.ts";
import type { Bytes, FileResult } from "./result.ts";
import type { PdfService } from "./service.ts";
import type { CallOptions } from "./transport.ts";

/** What `seal` takes, but for the key and the result of signing. `chain` has the signer's certificate first. */
export type SealElsewhereInput = Omit<
  Extract<SealInput, { readonly mode: "prepare" }>,
  "mode" | "certificate" | "certificatePassword" | "privateKey" | "signature" | "cms" | "chain"
> & { readonly chain: string };

/** Signs bytes with a key that the service never sees, for example by `crypto.subtle.sign`. Elliptic curves: in DER, or as WebCrypto has it. */
export type Sign = (bytes: Bytes) => Promise<ArrayBuffer | Uint8Array>;

/**
 * Signs a PDF in two steps, with a key that stays where it is. The document is sent twice; each step costs a credit.
 * @throws PdfServiceError `invalid_parameters` if the signature does not fit
 */
export async function sealElsewhere(
  service: PdfService,
  input: SealElsewhereInput,
  sign: Sign,
  options?: CallOptions,
): Promise<FileResult> {
  // The parameters depend on each other in ways that TypeScript does not see through.
  const prepared = await service.seal({ ...input, mode: "prepare" } as SealInput, options);
  const toSign = Uint8Array.from(atob(prepared.signatureInput ?? ""), (character) => character.charCodeAt(0));
  const made = await sign(toSign);
  const signature = btoa(String.fromCharCode(...(made instanceof Uint8Array ? made : new Uint8Array(made))));
  const { chain, password, digest, level, timestampUrl } = input;
  const file = { data: await prepared.bytes(), name: prepared.fileName };
  const fields = { file, password, mode: "complete", chain, digest, level, timestampUrl, signature };
  return service.seal(fields as SealInput, options);
}
