/** Dates in PDF (ISO 32000-2, 7.9.4) and ISO 8601 format. */

interface Parts {
  /** Year, month, day, hour, minute, second. */
  readonly numbers: readonly number[];
  /** `Z`, `+02:00`, or empty if the offset is unknown. */
  readonly zone: string;
}

/**
 * Lenient about the prefix and the apostrophe, which are often missing, and about what follows the offset; strict about the
 * digits.
 */
const PDF_DATE =
  /^\s*(?:D:)?\s*(\d{4})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2}))?)?)?)?)?\s*(?:([Zz])|([+-])(\d{2})'?(\d{2})?)?/;
const ISO_DATE =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s?(?:([Zz])|([+-])(\d{2}):?(\d{2})?)?)?)?)?$/;

/**
 * Converts a PDF date to a full ISO 8601 date such as `2026-01-02T03:04:05+02:00`, without an offset if the file has none.
 * Undefined if it is not a date.
 */
export function isoOfPdfDate(text: string): string | undefined {
  // Some writers use ISO 8601 here.
  const parts = read(ISO_DATE, text.trim()) ?? read(PDF_DATE, text);
  return parts && iso(parts);
}

/** Converts an ISO 8601 date or a PDF date to a PDF date. Undefined if it is neither, or not a valid calendar date. */
export function pdfDateOf(text: string): string | undefined {
  const parts = read(ISO_DATE, text) ?? (text.startsWith("D:") ? read(PDF_DATE, text) : undefined);
  if (!parts) return undefined;
  const digits = parts.numbers.map((number, index) => String(number).padStart(index === 0 ? 4 : 2, "0")).join("");
  return `D:${digits}${parts.zone.replace(":", "'")}`;
}

function read(pattern: RegExp, text: string): Parts | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [year, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const [, , , , , , , utc, sign, hours = "00", minutes = "00"] = match;
  if (year === undefined) return undefined;
  // Allows leap seconds, but not in the offset.
  const isTime = hour < 24 && minute < 60 && second < 61 && Number(hours) < 24 && Number(minutes) < 60;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  if (!isTime || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const zone = utc ? "Z" : sign === undefined ? "" : `${sign}${hours}:${minutes}`;
  return { numbers: [year, month, day, hour, minute, Math.min(second, 59)], zone };
}

function iso({ numbers, zone }: Parts): string {
  const [year, ...rest] = numbers;
  const [month, day, hour, minute, second] = rest.map((number) => String(number).padStart(2, "0"));
  return `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}
