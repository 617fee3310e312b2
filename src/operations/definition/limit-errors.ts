/** The Refusals `limit_exceeded` of operations, one function for each situation. */
import { count, limitExceeded, type Refusal } from "../../engines/errors.ts";
import { limits, MiB } from "../../limits.ts";

/** `most`: pages that one request can recognize. */
export const recognizesTooManyPages = (most: number, actual: number): Refusal =>
  limitExceeded(
    `A request can recognize up to ${most} pages. Use \`pages\` to select fewer, or send it as a job.`,
    most,
    { actual },
  );

export const mergesTooManyPages = (actual: number): Refusal =>
  limitExceeded(`The merged document can have up to ${count(limits.pages)} pages.`, limits.pages, { actual });

export const tooManyParts = (actual: number): Refusal =>
  limitExceeded(`A document can be split into up to ${count(limits.zipEntries)} parts.`, limits.zipEntries, { actual });

export const tooManyPagesInParts = (actual: number): Refusal =>
  limitExceeded(`The parts can have up to ${count(limits.splitPages)} pages in total.`, limits.splitPages, { actual });

export const tooManyRanges = (actual: number): Refusal =>
  limitExceeded(`\`ranges\` can have up to ${count(limits.zipEntries)} parts.`, limits.zipEntries, { actual });

export const tooManyAttachments = (actual: number): Refusal =>
  limitExceeded("The document has too many attachments for one ZIP archive. Send a `name`.", limits.zipEntries, {
    actual,
  });

/** Of a ZIP archive that is sent while it is made. */
export const zipHasTooManyEntries = (actual: number): Refusal =>
  limitExceeded(
    `The ZIP archive would have more than ${count(limits.zipEntries)} entries. Select fewer pages.`,
    limits.zipEntries,
    { actual },
  );

export const zipTooLarge = (actual: number): Refusal =>
  limitExceeded(
    `The ZIP archive would have more than ${count(limits.zipBytes)} bytes. Select fewer pages.`,
    limits.zipBytes,
    { actual },
  );

export const tooLargeToRemove = (heldBytes: number, actual: number): Refusal =>
  limitExceeded(`\`crop\` with \`remove\` takes files of up to ${heldBytes / MiB} MiB.`, heldBytes, { actual });
