/** Operations on signed documents, and whether their results must say that a signature became invalid. */
import { type ApiResponse, patiently, pdfPart, type Part, post, type Service } from "./client.ts";

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
