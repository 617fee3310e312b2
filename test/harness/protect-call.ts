import { expect } from "vitest";
import { ownServer } from "../e2e/own-server.ts";
import { pdfPart, post, type Answer, type Service } from "./client.ts";
import { showEncryption } from "./qpdf.ts";

/** The server of the end-to-end tests. */
const service = (): Service => {
  const { baseUrl, liveKey: key } = ownServer();
  return { baseUrl, key };
};

export const protect = (file: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Answer> =>
  post(service(), "protect", { file: pdfPart(file), ...fields });

/** The output of a call that must succeed. */
export async function protectedBy(file: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const answer = await protect(file, fields);
  expect([answer.status, answer.code]).toEqual([200, undefined]);
  expect(answer.headers.get("X-Encryption")).toBe(fields["encryption"] ?? "aes-256");
  expect(answer.headers.get("X-Encryption-Verified")).toBe("true");
  return answer.body;
}

/** What qpdf says of the password: `user`, `owner`, or both; undefined where it does not open the file. */
export async function roleOf(bytes: Uint8Array, password: string): Promise<string | undefined> {
  const { text } = await showEncryption(bytes, password);
  const roles = [...text.matchAll(/^Supplied password is (user|owner) password$/gm)].map(([, role]) => role);
  return roles.length > 0 ? roles.join(" and ") : undefined;
}
