/** The Refusals of files that cannot be read or opened, one function for each situation. `field`: the parameter with the file. */
import { Refusal } from "./errors.ts";
import { limits, MiB } from "../limits.ts";

// invalid_file

const invalidFile = (
  field: string,
  problem: string,
  { cause, ...details }: ErrorOptions & { readonly missingPages?: readonly number[] } = {},
): Refusal => new Refusal("invalid_file", `\`${field}\` ${problem}.`, { input: field, ...details }, { cause });

export const emptyFile = (field: string): Refusal => invalidFile(field, "is empty");

export const notPdf = (field: string): Refusal => invalidFile(field, "is not a PDF");

export const unreadablePdf = (field: string, cause: unknown): Refusal =>
  invalidFile(field, "is not a readable PDF", { cause });

export const catalogUnreadable = (field: string): Refusal => invalidFile(field, "has no readable catalog");

export const encryptionLost = (field: string): Refusal => invalidFile(field, "is damaged, and its encryption is lost");

export const pageTreeUnreadable = (field: string, cause: unknown): Refusal =>
  invalidFile(field, "has no readable page tree", { cause });

export const pageTreeDamaged = (field: string): Refusal => invalidFile(field, "has a damaged page tree");

export const noPages = (field: string): Refusal => invalidFile(field, "has no pages");

export const noReadablePages = (field: string): Refusal => invalidFile(field, "has no readable pages");

/** `missingPages`: 1-based. */
export const pagesLost = (field: string, missingPages: readonly number[]): Refusal =>
  invalidFile(field, "is damaged, and some of its pages are lost", { missingPages });

export const fileDamaged = (field: string): Refusal => invalidFile(field, "is damaged");

export const tooDamagedToSign = (field: string): Refusal =>
  invalidFile(field, "is damaged: a signature can only be appended to a sound file. Use `repair` first");

/** `problem`: the end of a sentence that begins with the field. */
export const imageUnusable = (field: string, problem: string, cause: unknown): Refusal =>
  invalidFile(field, problem, { cause });

/** For MuPDF's failures, which do not know which of the files they are about. */
export const pdfDamaged = (cause: unknown): Refusal =>
  new Refusal("invalid_file", "The PDF is damaged and cannot be processed.", undefined, { cause });

export const objectsTooDeep = (cause: unknown): Refusal =>
  new Refusal("invalid_file", "The objects of the PDF are nested too deeply.", undefined, { cause });

/** MuPDF repairs a file by reading all of it. */
export const tooLargeToRepair = (heldBytes: number): Refusal =>
  new Refusal(
    "invalid_file",
    `The PDF is damaged. Files of up to ${heldBytes / MiB} MiB are repaired; this one is larger.`,
  );

// Documents in a browser

/** `message`: the first line of the exception. */
export const scriptFailed = (message: string): Refusal => invalidFile("file", `has a script that failed: ${message}`);

/** `message`: of the browser, with a line and a column. */
export const xmlMalformed = (message: string): Refusal => invalidFile("file", `is not well-formed XML: ${message}`);

/** `urls`: the first of them. */
export const filesMissing = (urls: readonly string[]): Refusal =>
  invalidFile("file", `refers to files that could not be loaded: ${urls.join(", ")}`);
// E-invoices

export const guidelineUnknown = (field: string, guideline: string | undefined): Refusal =>
  invalidFile(
    field,
    guideline === undefined
      ? "has no guideline identifier (BT-24), which names its profile"
      : `has an unknown guideline identifier (BT-24): ${guideline.slice(0, 200)}. Factur-X, ZUGFeRD 2, XRechnung, and EN 16931 are known`,
  );

export const notAttachable = (field: string): Refusal =>
  invalidFile(field, "is an invoice of ZUGFeRD 1, which can only be read: Factur-X and ZUGFeRD 2 replace it");

const NOT_INVOICES = {
  encoding: "is not XML in the encoding that it declares",
  malformed: "is not well-formed XML",
  size: `has too many elements or attributes, or more than ${limits.xmlLevels} levels of elements`,
  root: "is not an invoice: its root element is neither that of CII (CrossIndustryInvoice) nor that of UBL (Invoice, CreditNote)",
};

/** `problem`: why the file, or the one attached to it, is no invoice. */
export const notInvoice = (field: string, problem: keyof typeof NOT_INVOICES, attached?: string): Refusal =>
  invalidFile(
    field,
    attached === undefined
      ? NOT_INVOICES[problem]
      : `has an attachment that cannot be read: ${attached} ${NOT_INVOICES[problem]}`,
  );

/** The same as a sentence of a report. */
export const invoiceProblem = (name: string, problem: keyof typeof NOT_INVOICES): string =>
  `${name} ${NOT_INVOICES[problem]}.`;

// Documents of other formats

const invalidDocument = (problem: string): Refusal =>
  new Refusal("invalid_file", `The document ${problem}.`, { input: "file" });

export const nothingToShow = (): Refusal => invalidDocument("has nothing to show");

export const noLaidOutPages = (): Refusal => invalidDocument("has no pages");

export const noBody = (): Refusal => invalidDocument("has no body");

export const partMissing = (part: string): Refusal => invalidDocument(`is damaged: \`${part}\` is missing`);

export const partMalformed = (part: string): Refusal => invalidDocument(`is damaged: \`${part}\` is not well-formed`);

export const partTooDeep = (part: string): Refusal =>
  invalidDocument(`is damaged: \`${part}\` has elements more than ${limits.xmlLevels} levels deep`);

export const archivedFileUnreadable = (field: string, name: string): Refusal =>
  invalidFile(field, `is damaged: \`${name}\` cannot be read`);

/** The image in samples, and the filter that cannot be decoded. */
interface UndecodableFacts {
  readonly width: number;
  readonly height: number;
  readonly filter: string | undefined;
}

/** A part of an image is to be erased, but the image cannot be decoded. */
export class UndecodableImage extends Refusal {
  readonly #input: string;
  readonly #image: UndecodableFacts;

  /** `input`: the name of the file. `page`: from 1, if it is known. */
  constructor(input: string, image: UndecodableFacts, page?: number) {
    const { width, height, filter } = image;
    const kind = filter === undefined ? "" : `, ${filter.replace("Decode", "")}`;
    const where = page === undefined ? `\`${input}\`` : `Page ${page} of \`${input}\``;
    super(
      "invalid_file",
      `${where} has an image that cannot be decoded (${width} x ${height} pixels${kind}), so no part of it can be removed. Choose areas that cover all or nothing of it.`,
      { input },
    );
    this.#input = input;
    this.#image = image;
  }

  onPage(page: number): UndecodableImage {
    return new UndecodableImage(this.#input, this.#image, page);
  }
}

/** Of a document that an office converter rejected. The converter gives no reason. */
export function officeCannotRead(
  format: string,
  sent: { readonly password: boolean; readonly ranges: boolean },
): Refusal {
  const reasons = [
    `cannot be read as \`${format}\` by the office converter. It may be damaged`,
    sent.password ? "`password` may be incorrect, or not needed" : "If it is encrypted, send its `password`",
    ...(sent.ranges ? ["`nativePageRanges` may name pages that it does not have"] : []),
  ];
  return invalidFile("file", reasons.join(". "));
}

// unsupported_format

const unsupportedFormat = (field: string, problem: string): Refusal =>
  new Refusal("unsupported_format", `\`${field}\` is ${problem}.`, { input: field });

export const notArchive = (field: string): Refusal => unsupportedFormat(field, "not a ZIP archive");

/** `what`: its kind, with an article. */
export const notConvertible = (what: string): Refusal => unsupportedFormat("file", what);

/** `what`: its kind, with an article. */
export const needsOffice = (what: string): Refusal =>
  unsupportedFormat(
    "file",
    `${what}, which needs an office converter, and this service has none. Its operator can add one with \`OFFICE_URL\``,
  );

/** `title`: that of its format. */
export const needsBrowser = (title: string): Refusal =>
  unsupportedFormat(
    "file",
    `of the format ${title}, which needs a browser, and this service has none. Its operator can add one with \`BROWSER_URL\``,
  );

export const notOfFormat = (wanted: string, detected: string): Refusal =>
  unsupportedFormat("file", `not of the format \`${wanted}\`, but \`${detected}\``);

// Passwords and encryption

export const passwordRequired = (field: string): Refusal =>
  new Refusal("password_required", `\`${field}\` is encrypted. Send its password.`, { input: field });

export const passwordIncorrect = (field: string): Refusal =>
  new Refusal("incorrect_password", `The password of \`${field}\` is incorrect.`, { input: field });

export const ownerPasswordRequired = (field: string): Refusal =>
  new Refusal("owner_password_required", `\`${field}\` has restricted permissions. Send its owner password.`, {
    input: field,
  });

export const encryptedWithoutPassword = (field: string, cause: unknown): Refusal =>
  new Refusal(
    "unsupported_encryption",
    `\`${field}\` is encrypted with certificates or another method that does not use a password.`,
    { input: field },
    { cause },
  );

/** `field`: undefined where no one file is meant. */
export const encryptedInDifferentWays = (field: string | undefined): Refusal =>
  new Refusal(
    "unsupported_encryption",
    "Parts of the PDF are encrypted in different ways, which is not supported. Use protect to encrypt all of it the same way.",
    { input: field },
  );
