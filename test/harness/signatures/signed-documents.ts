/** Signed documents of every kind. */
import { expect } from "vitest";
import { chainPem, issue, keyPem } from "./certificates.ts";
import type { Part, Service } from "../requests/client.ts";
import { encrypt } from "../fixtures/encrypted-fixtures.ts";
import { document } from "../fixtures/fixtures.ts";
import { formOf } from "../fixtures/form-fixtures.ts";
import { withObjectStreams } from "../fixtures/revision-fixtures.ts";
import { call } from "./signed-operations.ts";
import { TIME_STAMPING, timeStampOver } from "./timestamp-authority.ts";
import { handSigned } from "./updates.ts";

const ada = await issue({ subject: "Ada" });
export const credentials = { privateKey: await keyPem(ada), chain: chainPem(ada) };

export async function sealed(
  service: Service,
  file: Uint8Array,
  fields: Readonly<Record<string, Part>> = {},
): Promise<Uint8Array> {
  const { status, body } = await call(service, "seal", file, { ...credentials, ...fields });
  expect(status, new TextDecoder().decode(body.subarray(0, 500))).toBe(200);
  return body;
}

/** A form of two fields and a place for a signature, which may lock fields. */
export const form = (lock = ""): Uint8Array =>
  formOf({ line: "/FT /Tx", other: "/FT /Tx", here: `/FT /Sig ${lock && `/Lock << /Type /SigFieldLock ${lock} >>`}` });
const here = { fieldName: "here" };
const box = '{"page":1,"x":80,"y":60,"width":90,"height":30}';

export const NO_CHANGES = "certified for no changes";
export const FILLING = "certified for filling in";
export const LOCKED = "with a lock on one field";
export const UNLOCKED = "with a lock on other fields";

/** Signed documents, and what opens them. */
export const documents: Readonly<Record<string, (service: Service) => Promise<Uint8Array>>> = {
  "with a signature": (service) => sealed(service, document({ name: "letter", pages: 2, features: ["outline"] })),
  [NO_CHANGES]: (service) => sealed(service, form(), { certify: "no-changes" }),
  [FILLING]: (service) => sealed(service, form(), { certify: "form-filling" }),
  "certified for annotations": (service) => sealed(service, form(), { certify: "annotations" }),
  "with a form, signed in its field": (service) => sealed(service, form(), here),
  "with a lock on all fields": (service) => sealed(service, form("/Action /All"), here),
  [LOCKED]: (service) => sealed(service, form("/Action /Include /Fields [(line)]"), here),
  [UNLOCKED]: (service) => sealed(service, form("/Action /Exclude /Fields [(line)]"), here),
  "with a lock on the document": (service) => sealed(service, form("/Action /Include /Fields [(other)] /P 1"), here),
  "with two signatures": async (service) => sealed(service, await sealed(service, form()), here),
  "certified, then signed": async (service) =>
    sealed(service, await sealed(service, form(), { certify: "form-filling" }), here),
  "with a signature that is seen": (service) => sealed(service, form(), { field: box }),
  encrypted: async (service) =>
    sealed(service, await encrypt(form(), { cipher: "aes-256", userPassword: "open", ownerPassword: "open" }), {
      password: "open",
    }),
  "with object streams": async (service) => sealed(service, await withObjectStreams(form())),
  "with nothing but a time stamp": async () => {
    const root = await issue({ subject: "Time Root", isAuthority: true });
    const signer = await issue({ subject: "Stamps", kind: "RSA-2048", issuer: root, purposes: [TIME_STAMPING] });
    const sign = (signed: Uint8Array): Promise<Buffer> => timeStampOver(signed, { root, signer });
    return handSigned({ signer, subFilter: "ETSI.RFC3161", sign });
  },
};
