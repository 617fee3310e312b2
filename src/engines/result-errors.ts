/** The Refusals of work that failed, or whose result could not be verified, one function for each situation. Pages are 1-based. */
import { Refusal } from "./errors.ts";

export const outOfMemory = (cause: unknown): Refusal =>
  new Refusal("overloaded", "The service is out of memory at the moment. Retry in a few seconds.", undefined, {
    cause,
  });

/** `maxDpi`: the highest resolution that works, or null. */
export function tooLargeForWebp(page: number, maxDpi: number | null): Refusal {
  const way = maxDpi === null ? "Use png or jpeg." : `Use ${maxDpi} dpi or less, png, or jpeg.`;
  const message = `Page ${page} is too large for WebP at this resolution. ${way}`;
  return new Refusal("raster_too_large", message, { page, format: "webp", maxDpi });
}

export const recognitionFailed = (page: number, cause: unknown): Refusal =>
  new Refusal("ocr_failed", `Page ${page} could not be recognized.`, { page }, { cause });

/** `place`: a part of the file. Never names the match. */
export const redactionFailed = (place: string): Refusal =>
  new Refusal("redaction_failed", `The redacted file still had a match in ${place}. Nothing was sent.`);

export const textChanged = (page: number, how: "moved" | "lost" | "changed"): Refusal =>
  new Refusal("redaction_failed", `Text of page ${page} that should stay was ${how}. Nothing was sent.`);

export const encryptionFailed = (cause: unknown): Refusal =>
  new Refusal("encryption_failed", "The encrypted file failed verification. Nothing was sent.", undefined, { cause });

export const cipherUnavailable = (method: string, cause: unknown): Refusal =>
  new Refusal("encryption_unavailable", `The cipher ${method} is not available. Nothing was sent.`, undefined, {
    cause,
  });

export const browserFailed = (cause: unknown): Refusal =>
  new Refusal(
    "browser_failed",
    "The browser ended or stopped responding before the document was printed. Retry the request.",
    undefined,
    { cause },
  );

/** `field`: the parameter that needs a browser. */
export const browserUnavailable = (field: string): Refusal =>
  new Refusal(
    "browser_unavailable",
    `\`${field}\` needs a browser, and this service has none. Its operator can add one: \`npm run serve -- --browser /usr/bin/chromium\`, \`BROWSER_URL\`, or Cloudflare's Browser binding.`,
    { input: field },
  );

/** `problem`: the end of a sentence about the converter. */
export const officeFailed = (problem: string, cause?: unknown): Refusal =>
  new Refusal("office_failed", `The office converter ${problem}. Retry the request.`, undefined, { cause });

/** `field`: the parameter that needs an office converter. */
export const officeUnavailable = (field: string): Refusal =>
  new Refusal(
    "office_unavailable",
    `\`${field}\` needs an office converter, and this service has none. Its operator can add one with \`OFFICE_URL\`.`,
    { input: field },
  );

export const noTables = (): Refusal =>
  new Refusal("no_tables", "No table was found on the selected pages. Try `format=markdown`, which has all text.");

/** `field`: that of the PDF. */
export const noInvoice = (field: string): Refusal =>
  new Refusal("no_invoice", `\`${field}\` has no invoice: no XML of Factur-X, ZUGFeRD, or XRechnung is attached.`, {
    input: field,
  });

/** `failures`: as the report of `validate` has them. */
export function notConforming(
  profile: string,
  failures: readonly { readonly clause: string; readonly test: number }[],
): Refusal {
  const rules = failures.slice(0, 5).map(({ clause, test }) => `${clause}-${test}`);
  const more = failures.length > rules.length ? `, and ${failures.length - rules.length} more` : "";
  const broken = rules.length === 0 ? "not all of its rules could be checked" : `it breaks ${rules.join(", ")}${more}`;
  return new Refusal("not_conforming", `The document does not conform to PDF/A-${profile}: ${broken}.`, {
    profile,
    failures,
  });
}

/** `failures`: as in `notConforming`. */
export const attachmentsNeedPart3 = (profile: string, failures: readonly object[]): Refusal =>
  new Refusal(
    "not_conforming",
    `The document has embedded files, which PDF/A-${profile} allows only if they are PDF/A themselves. Use \`profile=${profile.replace("2", "3")}\`, or remove them with \`attachments\`.`,
    { profile, failures },
  );
