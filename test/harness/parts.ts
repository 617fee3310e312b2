import { unzipSync } from "fflate";
import type { Answer } from "./client.ts";

/** The documents of an answer: the one PDF, or the entries of the ZIP in its order. */
export function documentsOf(answer: Answer): { readonly name: string; readonly bytes: Uint8Array }[] {
  const type = answer.headers.get("Content-Type");
  if (type === "application/pdf") return [{ name: "", bytes: answer.body }];
  if (type !== "application/zip") throw new Error(`the answer is ${type ?? "of no type"}`);
  return Object.entries(unzipSync(answer.body)).map(([name, bytes]) => ({ name, bytes }));
}
