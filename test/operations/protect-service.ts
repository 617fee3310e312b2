import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Engines } from "../../src/engines/lease/engines.ts";
import type { PdfEncryption } from "../../src/engines/pdf/encryption/encryption.ts";
import { protect } from "../../src/operations/protect.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { errorOf, newKey } from "../http/echo-service.ts";

const letter = document({ name: "letter", pages: 2, features: ["outline", "form", "attachments"] });
export const passwords = { userPassword: "user", ownerPassword: "owner" };

const key = await newKey("business");

/** The service, with another encryption in place of its own. */
export async function send(
  fields: Readonly<Record<string, string>>,
  broken: (own: PdfEncryption) => Engines["encryption"] = (own) => own,
  file: Uint8Array = letter,
): Promise<Response> {
  const operation: typeof protect = {
    ...protect,
    run: (input, engines, services) =>
      protect.run(input, { ...engines, encryption: broken(engines.encryption) }, services),
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([file.slice()]), "letter.pdf");
  const request = new Request("http://localhost/api/v1/protect", {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
    body: form,
  });
  return createApp([operation]).fetch(request, env, createExecutionContext());
}

/** The error of a response that holds nothing of the document. */
export async function refusal(response: Response): Promise<[number, string]> {
  const body = await response.clone().text();
  expect(body).not.toContain("%PDF");
  expect(body.length).toBeLessThan(2000);
  expect(response.headers.get("X-Encryption")).toBeNull();
  expect(response.headers.get("X-Encryption-Verified")).toBeNull();
  const [status, code] = await errorOf(response);
  return [status, code];
}

export async function issues(fields: Readonly<Record<string, string>>): Promise<unknown> {
  const [status, code, details] = await errorOf(await send(fields));
  expect([status, code]).toEqual([400, "invalid_parameters"]);
  return (details as { fields: { name: string; issue: string }[] }).fields;
}

/** A PdfEncryption of which some methods are others. */
export const replaced = (own: PdfEncryption, methods: Partial<PdfEncryption>): PdfEncryption =>
  Object.assign(Object.create(own) as PdfEncryption, {
    prepare: own.prepare.bind(own),
    cipher: own.cipher.bind(own),
    verify: own.verify.bind(own),
    randomPassword: own.randomPassword.bind(own),
    ...methods,
  });

/** The platform's cryptography, of which some functions are others. */
export const platform = (functions: Partial<SubtleCrypto>) => ({
  subtle: {
    digest: (algorithm, data) => crypto.subtle.digest(algorithm, data),
    encrypt: (algorithm, secret, data) => crypto.subtle.encrypt(algorithm, secret, data),
    importKey: (...args: Parameters<SubtleCrypto["importKey"]>) => crypto.subtle.importKey(...args),
    ...functions,
  } as SubtleCrypto,
  getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes),
});
