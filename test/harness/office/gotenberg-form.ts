/** The form of Gotenberg 8 for LibreOffice, as a server receives it. */
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

export const FORM_PATH = "/forms/libreoffice/convert";

export interface ReceivedForm {
  /** The fields that are texts. */
  readonly fields: Readonly<Record<string, string>>;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Of the request. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export async function readForm(request: IncomingMessage): Promise<ReceivedForm> {
  const body = new Uint8Array(await buffer(request));
  const type = request.headers["content-type"] ?? "";
  const form = await new Response(body, { headers: { "Content-Type": type } }).formData();
  const file = form.get("files");
  if (file === null || typeof file === "string") throw new Error("the form has no file");
  const texts = [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  return {
    fields: Object.fromEntries(texts),
    fileName: file.name,
    bytes: new Uint8Array(await file.arrayBuffer()),
    headers: request.headers,
  };
}
