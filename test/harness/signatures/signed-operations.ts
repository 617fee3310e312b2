/** Operations on signed documents, and whether their results must say that a signature became invalid. */
import { type ApiResponse, patiently, pdfPart, type Part, post, type Service } from "../requests/client.ts";

interface Change {
  readonly text: string;
  readonly allowed: boolean;
}

interface SignaturesReport {
  readonly signatures: readonly {
    readonly field: string;
    readonly integrity: "intact" | "broken";
    readonly changesAfter: "none" | "allowed" | "forbidden";
    readonly changes: readonly Change[];
  }[];
  readonly documentIntact: boolean;
}

const box = '{"page":1,"x":9,"y":9,"width":60,"height":20}';

/** Every operation that returns one PDF, with parameters that change something, and what changes nothing. `more`: what fill-form writes, and what seals. */
export function operationsOnSigned(more: {
  readonly values: string;
  readonly seal: Readonly<Record<string, Part>>;
}): Readonly<Record<string, readonly [operation: string, fields: Readonly<Record<string, Part>>]>> {
  const outline = JSON.stringify([{ title: "Start", page: 1 }]);
  return {
    rotate: ["rotate", { angle: "90" }],
    crop: ["crop", { margins: "5" }],
    "crop, and remove": ["crop", { margins: "40", remove: "true" }],
    watermark: ["watermark", { kind: "text", text: "DRAFT" }],
    "add-page-numbers": ["add-page-numbers", {}],
    sign: ["sign", { mode: "type", typedName: "Ada", field: box }],
    seal: ["seal", more.seal],
    "seal, visibly": ["seal", { ...more.seal, field: box }],
    "seal, in two steps": ["seal", { mode: "prepare", chain: more.seal["chain"] ?? "" }],
    "metadata, set": ["metadata", { action: "set", metadata: '{"title":"New"}' }],
    "outline, set": ["outline", { action: "set", outline }],
    "outline, remove": ["outline", { action: "set", outline: "[]" }],
    "attachments, add": ["attachments", { action: "add", attachment: { bytes: new Uint8Array(9), fileName: "a.bin" } }],
    "fill-form": ["fill-form", { values: more.values }],
    "fill-form, with nothing": ["fill-form", { values: "{}" }],
    "fill-form, and flatten": ["fill-form", { values: "{}", flatten: "true" }],
    "flatten all": ["flatten", {}],
    "flatten forms": ["flatten", { what: "forms" }],
    "flatten annotations": ["flatten", { what: "annotations" }],
    ocr: ["ocr", { output: "pdf", pages: "1" }],
    compress: ["compress", {}],
    "compress, to gray": ["compress", { grayscale: "true" }],
    redact: ["redact", { terms: '["no such words"]' }],
    protect: ["protect", { userPassword: "open" }],
    unlock: ["unlock", {}],
    repair: ["repair", {}],
    "n-up": ["n-up", { pagesPerSheet: "2" }],
    "delete-pages": ["delete-pages", { pages: "last" }],
    "extract-pages": ["extract-pages", { range: "1" }],
    split: ["split", { mode: "ranges", ranges: "1" }],
    merge: ["merge", {}],
    pipeline: [
      "pipeline",
      { steps: '[{"operation":"watermark","kind":"text","text":"DRAFT"},{"operation":"rotate","angle":0}]' },
    ],
    "pipeline, of what is allowed": [
      "pipeline",
      {
        steps:
          '[{"operation":"metadata","action":"set","metadata":{"title":"New"}},{"operation":"fill-form","values":{}}]',
      },
    ],
  };
}

export async function call(
  service: Service,
  operation: string,
  file: Uint8Array,
  fields: Readonly<Record<string, Part>>,
): Promise<ApiResponse> {
  const { password } = fields;
  const files: Record<string, Part> =
    operation === "merge"
      ? {
          file0: pdfPart(file),
          file1: pdfPart(file),
          ...(password !== undefined && { password0: password, password1: password }),
        }
      : { file: pdfPart(file) };
  return patiently(() => post(service, operation, { ...files, ...fields }));
}

export async function verify(service: Service, file: Uint8Array, password?: string): Promise<SignaturesReport> {
  const { status, body } = await call(service, "verify-signatures", file, {
    fetch: "false",
    ...(password !== undefined && { password }),
  });
  const text = new TextDecoder().decode(body);
  if (status !== 200) throw new Error(`verify-signatures: ${status} ${text}`);
  return JSON.parse(text) as SignaturesReport;
}

/** Whether a signature that was valid is gone or broken, or has changes after it that are forbidden. */
const isInvalidated = (before: SignaturesReport, after: SignaturesReport): boolean =>
  before.signatures.some((signature) => {
    if (signature.integrity === "broken" || signature.changesAfter === "forbidden") return false;
    const later = after.signatures.find(({ field }) => field === signature.field);
    return later === undefined || later.integrity === "broken" || later.changesAfter === "forbidden";
  });

/**
 * The responses of all operations to a signed document: what they say of its signatures, and what verify-signatures says of their output. `valid`: nothing was invalidated. A refusal is
 * the same in both.
 */
export async function headersAndReports(
  service: Service,
  file: Uint8Array,
  operations: ReturnType<typeof operationsOnSigned>,
  password?: string,
): Promise<{ found: Record<string, string>; expected: Record<string, string> }> {
  const before = await verify(service, file, password);
  const found: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const [key, [operation, fields]] of Object.entries(operations)) {
    const secret = password !== undefined && operation !== "pipeline" ? { password } : {};
    const { status, headers, body } = await call(service, operation, file, { ...secret, ...fields });
    if (status === 200) {
      const opens = operation === "protect" ? "open" : ["unlock", "merge"].includes(operation) ? undefined : password;
      found[key] = headers.get("X-Signature-Invalidated") ?? "valid";
      expected[key] = isInvalidated(before, await verify(service, body, opens)) ? "true" : "valid";
    } else {
      found[key] = String(status);
      expected[key] = status < 500 ? String(status) : "a refusal";
    }
  }
  return { found, expected };
}
