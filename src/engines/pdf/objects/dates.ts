/** Dates of PDF (ISO 32000-2, 7.9.4) and of ISO 8601. */

interface Parts {
  /** Year, month, day, hour, minute, second. */
  readonly numbers: readonly number[];
  /** `Z`, `+02:00`, or nothing where the relation to UTC is not known. */
  readonly zone: string;
}

/** The prefix and the apostrophe are often missing, and what follows the offset varies; the digits do not. */
const PDF_DATE =
  /^\s*(?:D:)?\s*(\d{4})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2}))?)?)?)?)?\s*(?:([Zz])|([+-])(\d{2})'?(\d{2})?)?/;
const ISO_DATE =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s?(?:([Zz])|([+-])(\d{2}):?(\d{2})?)?)?)?)?$/;

/**
 * A PDF date as ISO 8601 with all parts, such as `2026-01-02T03:04:05+02:00`; without an offset where the file has none.
 * Undefined where it is no date.
 */
export function isoOfPdfDate(text: string): string | undefined {
  // Some writers put ISO 8601 there.
  const parts = read(ISO_DATE, text.trim()) ?? read(PDF_DATE, text);
  return parts && iso(parts);
}

/** An ISO 8601 date, or a PDF date, as a PDF date; undefined where it is neither, or no day of the calendar. */
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
  // A leap second is a time, too; there is none in the offset.
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
