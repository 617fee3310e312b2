import { pdf } from "./pdf-writer.ts";

/** Encrypted for certificates (`Adobe.PubSec`): no password opens it. The key material is made up. */
export function certificateEncrypted(): Uint8Array {
  const filter =
    "<< /Type /CryptFilter /CFM /AESV3 /Length 32 /AuthEvent /DocOpen /EncryptMetadata true /Recipients [<3003020100>] >>";
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
      "<< /Filter /Adobe.PubSec /SubFilter /adbe.pkcs7.s5 /V 5 /R 5 /Length 256" +
        ` /CF << /DefaultCryptFilter ${filter} >> /StmF /DefaultCryptFilter /StrF /DefaultCryptFilter >>`,
    ],
    "/Root 1 0 R /Encrypt 4 0 R /ID [<00112233445566778899AABBCCDDEEFF> <00112233445566778899AABBCCDDEEFF>]",
  );
}
