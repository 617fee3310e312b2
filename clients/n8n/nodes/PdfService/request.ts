import type { IExecuteSingleFunctions, IHttpRequestOptions } from "n8n-workflow";
import { fields } from "./operations";

/** The ID of a stored file, or a URL that the service gets. */
const REFERENCE = /^(?:file_|https:\/\/)/;

/** Gives a request its body: a form (RFC 7578) with the node's parameters and the files of the item. */
export async function sendForm(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const operation = this.getNodeParameter("operation") as string;
  const options = this.getNodeParameter("options", {}) as Record<string, unknown>;
  const form = new FormData();
  for (const { name, field, kind } of fields[operation] ?? []) {
    const value = options[name] ?? (this.getNodeParameter(name, "") as unknown);
    if (value === "") continue;
    if (kind === "file") await addFiles(this, form, field, String(value));
    else form.append(field, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  const encoded = new Response(form);
  const headers = { ...request.headers, "Content-Type": encoded.headers.get("Content-Type") ?? "" };
  return { ...request, headers, body: Buffer.from(await encoded.arrayBuffer()) };
}

/** `{N}` in a field's name stands for the number of a file, from 0. */
async function addFiles(context: IExecuteSingleFunctions, form: FormData, field: string, names: string): Promise<void> {
  const all = field.includes("{N}") ? names.split(",").map((name) => name.trim()) : [names];
  for (const [index, name] of all.entries()) {
    const numbered = field.replace("{N}", String(index));
    if (REFERENCE.test(name)) {
      form.append(numbered, name);
      continue;
    }
    const { fileName = name, mimeType } = context.helpers.assertBinaryData(name);
    const content = new Uint8Array(await context.helpers.getBinaryDataBuffer(name));
    form.append(numbered, new Blob([content], { type: mimeType }), fileName);
  }
}
