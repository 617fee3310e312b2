/** The headers of a part. `filename` makes it a file, even if empty. */
export interface PartHeaders {
  /** The form field. */
  readonly field: string;
  readonly filename: string | undefined;
}

/**
 * A parameter: a token, `=`, and a quoted string or a token. In a quoted string `\"` and `\\` are escapes; any other backslash
 * is literal, because old browsers send complete Windows paths.
 */
const PARAMETER = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^;\s"]*))\s*/gy;

/** The parameters after the first word of a header's value, names in lower case; undefined if the value is malformed. */
function parameters(value: string): Map<string, string> | undefined {
  const start = value.indexOf(";");
  const found = new Map<string, string>();
  if (start < 0) return found;
  PARAMETER.lastIndex = start;
  let end = start;
  for (let match = PARAMETER.exec(value); match !== null; match = PARAMETER.exec(value)) {
    end = PARAMETER.lastIndex;
    const [, name = "", quoted, token = ""] = match;
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(["\\])/g, "$1") ?? token);
  }
  return /^[;\s]*$/.test(value.slice(end)) ? found : undefined;
}

/** Reverses how browsers escape a name or file name in quotes (HTML, "multipart/form-data encoding algorithm"). */
const unescapeBrowser = (value: string): string =>
  value.replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** An RFC 8187 value (`UTF-8''na%C3%AFve.pdf`); undefined if it is malformed or in an unknown charset. */
function extendedValue(value: string | undefined): string | undefined {
  const match = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value ?? "");
  if (match === null) return undefined;
  const [, charset = "", encoded = ""] = match;
  try {
    return charset.toLowerCase() === "utf-8"
      ? decodeURIComponent(encoded)
      : encoded.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  } catch {
    return undefined;
  }
}

/**
 * Parses the header lines of a part. RFC 7578 forbids `filename*`, but clients send it: it wins if it is readable. Returns
 * undefined without a `Content-Disposition: form-data` that has a name.
 */
export function readPartHeaders(lines: readonly string[]): PartHeaders | undefined {
  // A line that begins with white space continues the one before it (RFC 5322, folding).
  const unfolded = lines
    .join("\n")
    .replace(/\n[ \t]+/g, " ")
    .split("\n");
  const line = unfolded.find((header) => /^content-disposition\s*:/i.test(header));
  const value = line?.slice(line.indexOf(":") + 1).trim();
  if (value === undefined || !/^form-data\s*(;|$)/i.test(value)) return undefined;
  const found = parameters(value);
  const name = found?.get("name");
  if (found === undefined || name === undefined) return undefined;
  const plain = found.get("filename");
  const filename = extendedValue(found.get("filename*")) ?? (plain === undefined ? undefined : unescapeBrowser(plain));
  return { field: unescapeBrowser(name), filename };
}

/**
 * The boundary of a Content-Type: `undefined` if the type is not multipart/form-data, `""` if it is but has no boundary that
 * RFC 2046 allows (1 to 70 characters, no line breaks).
 */
export function boundaryOf(contentType: string | null): string | undefined {
  if (contentType === null || !/^\s*multipart\/form-data\s*(;|$)/i.test(contentType)) return undefined;
  const boundary = parameters(contentType)?.get("boundary") ?? "";
  return /^[\x20-\x7e]{1,70}$/.test(boundary) ? boundary.trimEnd() : "";
}
