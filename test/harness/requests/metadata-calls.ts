import { type ApiResponse, pdfPart, post, type Service } from "./client.ts";
import { runQpdf } from "../engines/qpdf.ts";

type Facts = Readonly<Record<string, unknown>>;

/** Calls of `metadata` that have to work. */
export class MetadataCalls {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** What `action=get` returns. Throws for text that is not well-formed or holds NUL. */
  async get(bytes: Uint8Array, password?: string): Promise<Facts> {
    const secret = password === undefined ? {} : { password };
    const response = await post(this.#service, "metadata", { file: pdfPart(bytes), action: "get", ...secret });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(response.body);
    if (response.status !== 200 || /\\u0000|\\ud[89a-f]/i.test(text)) throw new Error(`${response.status} ${text}`);
    return JSON.parse(text) as Facts;
  }

  async set(bytes: Uint8Array, metadata: object, fields: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    const parts = { file: pdfPart(bytes), action: "set", metadata: JSON.stringify(metadata), ...fields };
    const response = await post(this.#service, "metadata", parts);
    if (response.status !== 200) throw new Error(`${response.status} ${response.code}`);
    return response;
  }
}

/** All streams decompressed, all objects readable. */
export async function decompressed(bytes: Uint8Array): Promise<string> {
  const { output } = await runQpdf(["--qdf", "--object-streams=disable", "/in.pdf", "/out.pdf"], { "/in.pdf": bytes });
  return Buffer.from(output ?? []).toString("latin1");
}
