import { describe, expect, test } from "vitest";
import { call, pdf, type Sent } from "./any-operation.ts";
import { operationService } from "./operation-service.ts";
import { certificateEncrypted } from "../harness/fixtures/certificate-fixture.ts";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { archivalDocument } from "../harness/fixtures/archival-fixtures.ts";
import { ciiInvoice } from "../harness/fixtures/invoice-fixtures.ts";
import { formOf, wholeForm } from "../harness/fixtures/form-fixtures.ts";
import { errorOf, newKey } from "../http/echo-service.ts";
import type { ErrorCode } from "../../src/http/errors/error-table.ts";
import { errorsOf } from "../../src/http/openapi/operation-errors.ts";
import { operations } from "../../src/operations/index.ts";

const protect = await operationService("protect");
const locked = await (await protect(pdf, { userPassword: "open" })).bytes();
const restricted = await (await protect(pdf, { ownerPassword: "all", permissions: "none" })).bytes();
const issued = await issue({ subject: "Signer" });
const signer = { privateKey: await keyPem(issued), chain: chainPem(issued) };
const seal = await operationService("seal");
const certified = await (await seal(pdf, { ...signer, certify: "no-changes" })).bytes();
const form = wholeForm().bytes();
const tiny = archivalDocument({ page: "/CropBox [0 0 2 2]" });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Only a PDF to which an invoice is attached is written. */
const attaching = (name: string): Sent =>
  name === "invoice" ? { texts: { action: "attach" }, optional: { xml: bytes(ciiInvoice()) } } : {};

/** Letters of no font, where the text of each operation is. */
const unknownLetters: Readonly<Record<string, Sent>> = {
  watermark: { texts: { text: "\u{13000}" } },
  "add-page-numbers": { texts: { template: "\u{13000}" } },
  sign: { texts: { typedName: "\u{13000}" } },
  seal: { texts: { signerName: "\u{13000}", field: '{"page":1,"x":9,"y":9,"width":90,"height":40}' } },
  flatten: { file: formOf({ line: "/FT /Tx /V <FEFFD80CDC00>" }) },
  archive: { file: formOf({ line: "/FT /Tx /V <FEFFD80CDC00>" }) },
  invoice: { file: formOf({ line: "/FT /Tx /V <FEFFD80CDC00>" }), ...attaching("invoice") },
  "n-up": { file: formOf({ line: "/FT /Tx /V <FEFFD80CDC00>" }) },
  redact: { texts: { label: "\u{13000}" } },
  "to-pdf": { file: bytes("\ue123"), texts: { strict: "true" } },
  "fill-form": { file: form, texts: { values: '{"line":"\u{13000}"}' } },
};
const ranges: Readonly<Record<string, Sent>> = {
  split: { texts: { mode: "ranges", ranges: "1|99" } },
  "extract-pages": { texts: { range: "99" } },
};

/** The beginning of a Compound File, such as DOC. */
const compoundFile = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);

/** What provokes an error of an operation. */
const provocations: Partial<Record<ErrorCode, (name: string) => Sent>> = {
  invalid_parameters: () => ({ texts: { typo: "1" } }),
  invalid_page_range: (name) => ranges[name] ?? { texts: { pages: "99" } },
  invalid_file: () => ({ file: bytes("") }),
  // Text becomes a PDF. The others are those of Office before 2007.
  unsupported_format: (name) => ({ file: name === "to-pdf" ? compoundFile : bytes("hello") }),
  password_required: () => ({ file: locked }),
  incorrect_password: () => ({ file: locked, texts: { password: "wrong" } }),
  unsupported_encryption: () => ({ file: certificateEncrypted() }),
  owner_password_required: (name) => ({ file: restricted, ...attaching(name) }),
  unsupported_text: (name) => unknownLetters[name] ?? {},
  no_form: () => ({ file: pdf }),
  unknown_fields: (name) => (name === "fill-form" ? { file: form, texts: { values: '{"x":"x"}', strict: "1" } } : {}),
  // A page that is too small for the standard.
  not_conforming: (name) =>
    name === "archive" || name === "invoice" ? { file: tiny, ...attaching(name) } : { texts: { require: "true" } },
  no_invoice: (name) => ({ file: pdf, ...(name === "invoice" && { texts: { action: "extract" } }) }),
  no_tables: (name) => (name === "extract-text" ? { texts: { format: "csv" } } : {}),
  unsupported_form: () => ({ file: formOf({}, { form: "/XFA [(template) 4 0 R]" }) }),
  invalid_certificate: (name) => ({ texts: { [name === "seal" ? "chain" : "trust"]: "none" } }),
  already_signed: (name) => ({ file: certified, ...(name === "seal" && { texts: { certify: "annotations" } }) }),
  signature_forbidden: () => ({ file: certified }),
  limit_exceeded: () => ({ texts: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, ""])) }),
  unauthenticated: () => ({ key: "sk_live_madeup" }),
};
const stranger = await newKey("business", ["billing:read"]);
provocations.forbidden = () => ({ key: stranger });

/** What takes a stored file, a remote server, a database, a plan, a clock or an engine that fails; other tests do that. */
const elsewhere: readonly ErrorCode[] = [
  "not_found",
  "not_ready",
  "expired",
  "fetch_failed",
  "request_timeout",
  "idempotency_conflict",
  "limit_reached",
  "idempotency_key_reused",
  "file_too_large",
  "unsupported_encoding",
  "raster_too_large",
  "rate_limit_exceeded",
  "quota_exceeded",
  "internal_error",
  "encryption_failed",
  "encryption_unavailable",
  "ocr_failed",
  "redaction_failed",
  "timestamp_failed",
  "revocation_unavailable",
  "browser_unavailable",
  "browser_failed",
  "office_unavailable",
  "office_failed",
  "overloaded",
];

/** Whether the error comes only with an office converter: to-pdf-office.test.ts has one. */
const needsConverter = (name: string, code: string): boolean => name === "to-pdf" && code.includes("password");

describe.each(operations)("$name", (operation) => {
  const declared = errorsOf(operation);

  test("every declared error is provoked by a test", () => {
    const known = [...Object.keys(provocations), ...elsewhere];
    expect(declared.filter((code) => !known.includes(code))).toEqual([]);
  });

  test.each(Object.entries(provocations))("the error %s occurs only where it is declared", async (code, provoke) => {
    const response = await call(operation, provoke(operation.name));
    const found = response.ok ? undefined : (await errorOf(response))[1];
    const isDeclared = declared.some((own) => own === code) && !needsConverter(operation.name, code);
    expect(found === code, found).toBe(isDeclared);
    // Whatever comes is one of those that are documented.
    expect([undefined, ...declared]).toContain(found);
  });
});
