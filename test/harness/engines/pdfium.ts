import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { init, type WrappedPdfiumModule } from "@embedpdf/pdfium";
import type { Picture } from "../compare/ssim.ts";

/** A page as PDFium draws and reads it. */
export interface PdfiumPage {
  readonly picture: Picture;
  readonly text: string;
}

export interface PdfiumOptions {
  readonly password?: string | undefined;
  /** Pixels of the picture, which the page fills after it is turned. */
  readonly width: number;
  readonly height: number;
  /** Clockwise degrees by which the page is turned, beyond its own rotation: a multiple of 90. */
  readonly turn?: number;
}

/** FPDFBitmap_BGRx: four bytes a pixel, the last without meaning. */
const BGRX = 3;
/** FPDF_ANNOT: annotations are drawn, other than form fields, which FPDF_FFLDraw draws. */
const ANNOTATIONS = 1;

/** The memory now: it is another object once it has grown. */
const heapOf = ({ pdfium }: WrappedPdfiumModule): Uint8Array => (pdfium as unknown as { HEAPU8: Uint8Array }).HEAPU8;

let loading: Promise<WrappedPdfiumModule> | undefined;

async function load(): Promise<WrappedPdfiumModule> {
  const file = await readFile(createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm"));
  const pdfium = await init({ wasmBinary: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) });
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/**
 * Draws and reads a page (0-based) with PDFium, the engine of Chrome, on white, with annotations and form fields. Throws
 * where the document or the page does not open.
 */
export async function readPdfiumPage(bytes: Uint8Array, page: number, options: PdfiumOptions): Promise<PdfiumPage> {
  const pdfium = await (loading ??= load());
  try {
    return readOpened(pdfium, bytes, page, options);
  } catch (error) {
    // An instance that trapped is not usable again.
    if (error instanceof Error && error.name === "RuntimeError") loading = undefined;
    throw error;
  }
}

function readOpened(
  pdfium: WrappedPdfiumModule,
  bytes: Uint8Array,
  index: number,
  { password = "", width, height, turn = 0 }: PdfiumOptions,
): PdfiumPage {
  const releases: (() => void)[] = [];
  const acquire = (what: string, handle: number, release: (handle: number) => void): number => {
    if (handle === 0) throw new Error(`PDFium: no ${what} (error ${pdfium.FPDF_GetLastError()})`);
    releases.push(() => release(handle));
    return handle;
  };
  try {
    const { malloc, free } = pdfium.pdfium.wasmExports;
    const file = acquire("memory", malloc(bytes.length), free);
    heapOf(pdfium).set(bytes, file);
    const document = acquire(
      "document",
      pdfium.FPDF_LoadMemDocument(file, bytes.length, password),
      pdfium.FPDF_CloseDocument,
    );
    const formInfo = acquire("form info", pdfium.PDFiumExt_OpenFormFillInfo(), pdfium.PDFiumExt_CloseFormFillInfo);
    const form = acquire(
      "form",
      pdfium.PDFiumExt_InitFormFillEnvironment(document, formInfo),
      pdfium.PDFiumExt_ExitFormFillEnvironment,
    );
    const page = acquire("page", pdfium.FPDF_LoadPage(document, index), pdfium.FPDF_ClosePage);
    pdfium.FORM_OnAfterLoadPage(page, form);
    releases.push(() => pdfium.FORM_OnBeforeClosePage(page, form));

    const quarters = (((turn % 360) + 360) % 360) / 90;
    const bitmap = acquire("bitmap", pdfium.FPDFBitmap_Create(width, height, 0), pdfium.FPDFBitmap_Destroy);
    if (pdfium.FPDFBitmap_GetFormat(bitmap) !== BGRX) throw new Error("PDFium: another kind of bitmap than expected");
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, quarters, ANNOTATIONS);
    pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, quarters, ANNOTATIONS);
    const start = pdfium.FPDFBitmap_GetBuffer(bitmap);
    const stride = pdfium.FPDFBitmap_GetStride(bitmap);
    const data = new Uint8Array(width * height * 3);
    const heap = heapOf(pdfium);
    for (let y = 0, to = 0; y < height; y++) {
      for (let from = start + y * stride, end = from + width * 4; from < end; from += 4) {
        data[to++] = heap[from + 2] ?? 0;
        data[to++] = heap[from + 1] ?? 0;
        data[to++] = heap[from] ?? 0;
      }
    }

    const textPage = acquire("text", pdfium.FPDFText_LoadPage(page), pdfium.FPDFText_ClosePage);
    const count = Math.max(0, pdfium.FPDFText_CountChars(textPage));
    const characters = acquire("memory", malloc((count + 1) * 2), free);
    const units = pdfium.FPDFText_GetText(textPage, 0, count, characters);
    const text = new TextDecoder("utf-16le").decode(
      heapOf(pdfium).slice(characters, characters + Math.max(0, units - 1) * 2),
    );
    return { picture: { width, height, components: 3, data }, text };
  } finally {
    for (const release of releases.toReversed()) release();
  }
}
