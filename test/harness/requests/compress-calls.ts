import { type PDFDict, PDFDocument, PDFName, PDFNumber, PDFRawStream } from "pdf-lib";
import { expect } from "vitest";
import { type ApiResponse, pdfPart, post, type Part, type Service } from "./client.ts";
import { check } from "../engines/qpdf.ts";

/** Compresses by a service: a 200 whose file qpdf finds no fault with. */
export const compressor =
  (service: Service) =>
  async (bytes: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Promise<ApiResponse> => {
    const response = await post(service, "compress", { file: pdfPart(bytes), ...fields });
    if (response.status !== 200) throw new Error(`${response.status} ${response.code ?? ""}`);
    expect(response.headers.get("X-Original-Size")).toBe(String(bytes.length));
    expect(response.headers.get("X-Output-Size")).toBe(String(response.body.length));
    const { errors, warnings } = await check(response.body);
    expect([...errors, ...warnings]).toEqual([]);
    return response;
  };

export interface ImageView {
  readonly width: number;
  readonly filter: string;
  readonly bytes: number;
  readonly entries: string;
}

/** The images of a document, as pdf-lib sees them; the largest first. */
export async function imagesOf(bytes: Uint8Array): Promise<ImageView[]> {
  const pdf = await PDFDocument.load(bytes);
  const images = pdf.context.enumerateIndirectObjects().flatMap(([, object]) => {
    if (!(object instanceof PDFRawStream) || object.dict.get(PDFName.of("Subtype")) !== PDFName.of("Image")) return [];
    const width = object.dict.lookup(PDFName.of("Width"), PDFNumber).asNumber();
    const filter = String(object.dict.get(PDFName.of("Filter")));
    return [{ width, filter, bytes: object.contents.length, entries: String(object.dict) }];
  });
  return images.sort((a, b) => b.bytes - a.bytes);
}

/** The dictionaries of all soft masks. */
export async function softMasksOf(bytes: Uint8Array): Promise<PDFDict[]> {
  const { context } = await PDFDocument.load(bytes);
  return context.enumerateIndirectObjects().flatMap(([, object]) => {
    const mask = object instanceof PDFRawStream ? object.dict.lookup(PDFName.of("SMask")) : undefined;
    return mask instanceof PDFRawStream ? [mask.dict] : [];
  });
}
