import { expect } from "vitest";
import { ownServer } from "../../e2e/own-server.ts";
import { pdfPart, post, type ApiResponse, type Service } from "./client.ts";
import { showEncryption } from "../engines/qpdf.ts";

/** The server of the end-to-end tests. */
const service = (): Service => {
  const { baseUrl, liveKey: key } = ownServer();
  return { baseUrl, key };
};

export const protect = (file: Uint8Array, fields: Readonly<Record<string, string>>): Promise<ApiResponse> =>
  post(service(), "protect", { file: pdfPart(file), ...fields });

/** The output of a call that must succeed. */
export async function protectedBy(file: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const response = await protect(file, fields);
  expect([response.status, response.code]).toEqual([200, undefined]);
  expect(response.headers.get("X-Encryption")).toBe(fields["encryption"] ?? "aes-256");
  expect(response.headers.get("X-Encryption-Verified")).toBe("true");
  return response.body;
}

/** What qpdf says of the password: `user`, `owner`, or both; undefined where it does not open the file. */
export async function roleOf(bytes: Uint8Array, password: string): Promise<string | undefined> {
  const { text } = await showEncryption(bytes, password);
  const roles = [...text.matchAll(/^Supplied password is (user|owner) password$/gm)].map(([, role]) => role);
  return roles.length > 0 ? roles.join(" and ") : undefined;
}
