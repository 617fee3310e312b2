// What wasm/prepare.ts puts into wasm/generated/.
declare module "*/wasm/generated/mupdf.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/mupdf.js" {
  import type * as MuPDF from "mupdf";

  type BufferPointer = ConstructorParameters<typeof MuPDF.Buffer>[0];

  type DocumentPointer = MuPDF.PDFDocument["pointer"];
  type ObjectPointer = MuPDF.PDFObject["pointer"];

  export interface LibMuPDF {
    readonly HEAPU8: Uint8Array;
    readonly HEAPU32: Uint32Array;
    _wasm_malloc(size: number): number;
    _wasm_free(pointer: number): void;
    _wasm_empty_store(): void;
    _wasm_new_buffer_from_data(data: number, size: number): BufferPointer;
    _wasm_keep_buffer(buffer: BufferPointer): BufferPointer;
    _wasm_pdf_create_object(document: DocumentPointer): number;
    _wasm_pdf_dict_len(object: ObjectPointer): number;
    _wasm_pdf_dict_get_key(object: ObjectPointer, index: number): ObjectPointer;
    _wasm_pdf_dict_get_val(object: ObjectPointer, index: number): ObjectPointer;
    _wasm_pdf_to_name(object: ObjectPointer): number;
  }

  export function createMuPDF(options: {
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): void;
    /** What MuPDF's own errors are thrown as. */
    Failure: new (message: string) => Error;
  }): Promise<{ mupdf: typeof MuPDF.default; libmupdf: LibMuPDF; scope<T>(work: () => T): T; forget(): void }>;
}
