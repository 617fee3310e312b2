import type { IExecuteSingleFunctions, IHttpRequestOptions } from "n8n-workflow";
import { fields } from "./operations";
import { callService, jsonOf } from "./service";

/** The ID of a stored file, or a URL that the service gets. */
const REFERENCE = /^(?:file_|https:\/\/)/;
/** Bytes of a file that is sent with the request. Larger ones are uploaded in parts. */
const ONE_REQUEST = 16 * 1024 * 1024;
/** Seconds that an uploaded file is kept. */
const KEPT = 3600;

/** Gives a request its body: a form (RFC 7578) with the node's parameters and the files of the item. */
export async function sendForm(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const operation = this.getNodeParameter("operation") as string;
  const options = this.getNodeParameter("options", {}) as Record<string, unknown>;
  const form = new FormData();
  let isLarge = false;
  for (const { name, field, kind } of fields[operation] ?? []) {
    const value = options[name] ?? (this.getNodeParameter(name, "") as unknown);
    if (value === "") continue;
    if (kind === "file") isLarge = (await addFiles(this, form, field, String(value))) || isLarge;
    else form.append(field, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  for (const name of namesIn(String(options.parts ?? ""))) isLarge = (await addFile(this, form, name, name)) || isLarge;
  const encoded = new Response(form);
  const headers = {
    ...request.headers,
    "Content-Type": encoded.headers.get("Content-Type") ?? "",
    ...((options.job === true || isLarge) && { Prefer: "respond-async" }),
  };
  return { ...request, headers, body: Buffer.from(await encoded.arrayBuffer()) };
}

const namesIn = (names: string): string[] =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** `{N}` in a field's name stands for the number of a file, from 0. Returns whether one was uploaded. */
async function addFiles(
  context: IExecuteSingleFunctions,
  form: FormData,
  field: string,
  names: string,
): Promise<boolean> {
  let isLarge = false;
  for (const [index, name] of (field.includes("{N}") ? namesIn(names) : [names]).entries()) {
    isLarge = (await addFile(context, form, field.replace("{N}", String(index)), name)) || isLarge;
  }
  return isLarge;
}

/** Adds the file of a binary field, or a reference. Returns whether it was uploaded. */
async function addFile(
  context: IExecuteSingleFunctions,
  form: FormData,
  field: string,
  name: string,
): Promise<boolean> {
  if (REFERENCE.test(name)) {
    form.append(field, name);
    return false;
  }
  const { fileName = name, mimeType } = context.helpers.assertBinaryData(name);
  const content = new Uint8Array(await context.helpers.getBinaryDataBuffer(name));
  if (content.length > ONE_REQUEST) {
    form.append(field, await upload(context, content, fileName));
    return true;
  }
  form.append(field, new Blob([content], { type: mimeType }), fileName);
  return false;
}

interface Upload {
  readonly id: string;
  readonly parts: { readonly size: number; readonly count: number };
}

/** Uploads a file in parts. Returns its ID. */
async function upload(context: IExecuteSingleFunctions, content: Uint8Array, name: string): Promise<string> {
  const body = JSON.stringify({ name, size: content.length, expiresIn: KEPT });
  const begun = await callService(context, { method: "POST", path: "/files", body, type: "application/json" });
  const { id, parts } = jsonOf<Upload>(begun);
  for (let part = 0; part < parts.count; part += 1) {
    const bytes = Buffer.from(content.subarray(part * parts.size, (part + 1) * parts.size));
    const type = "application/octet-stream";
    await callService(context, { method: "PUT", path: `/files/${id}/parts/${part + 1}`, body: bytes, type });
  }
  await callService(context, { method: "POST", path: `/files/${id}/complete`, body: "{}", type: "application/json" });
  return id;
}
