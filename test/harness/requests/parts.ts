import { unzipSync } from "fflate";
import type { ApiResponse } from "./client.ts";

/** The documents of a response: the one PDF, or the entries of the ZIP in its order. */
export function documentsOf(response: ApiResponse): { readonly name: string; readonly bytes: Uint8Array }[] {
  const type = response.headers.get("Content-Type");
  if (type === "application/pdf") return [{ name: "", bytes: response.body }];
  if (type !== "application/zip") throw new Error(`the response is ${type ?? "of no type"}`);
  return Object.entries(unzipSync(response.body)).map(([name, bytes]) => ({ name, bytes }));
}
