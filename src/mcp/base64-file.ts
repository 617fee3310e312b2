import { invalidFields } from "../http/errors/invalid-fields.ts";
import { fromBase64 } from "../bytes/base64.ts";
import { limits } from "../limits.ts";
import { base64TooLarge } from "./errors.ts";

const { base64Bytes } = limits.mcp;

/** Whether a text refers to a file, and does not have its content. The API checks the reference. */
export const isReference = (text: string): boolean => /^file_|^[a-z][a-z\d+.-]*:\/\//i.test(text);

/**
 * The file of a parameter in base64 (RFC 4648, section 4), or of a `data:` URL with it (RFC 2397), whose `name` parameter is the
 * file's name. Throws `invalid_parameters`, `file_too_large`.
 */
export function fileOf(parameter: string, text: string): File {
  const [head = "", type = "", parameters = ""] = /^data:([^;,]*)((?:;[^;,]*)*);base64,/i.exec(text) ?? [];
  const bytes = decodeDigits(parameter, text.slice(head.length));
  if (bytes.length > base64Bytes) throw base64TooLarge(parameter, bytes.length);
  return new File([bytes], nameIn(parameters) ?? "document", { type });
}

function decodeDigits(parameter: string, digits: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(digits);
  } catch {
    const issue =
      "must be the ID of a stored file (`file_...`), an `https://` URL, or the content of the file in base64. A path cannot be read from here";
    throw invalidFields([{ name: parameter, issue }]);
  }
}

function nameIn(parameters: string): string | undefined {
  const [, name] = /;(?:file)?name=([^;]+)/i.exec(parameters) ?? [];
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return name;
  }
}
