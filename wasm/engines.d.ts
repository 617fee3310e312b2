// What wasm/prepare.ts puts into wasm/generated/.
declare module "*/wasm/generated/callback.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/jpeg-kernel.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/jpx.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/tick.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/mupdf.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/mupdf.js" {
  import type * as MuPDF from "mupdf";

  type BufferPointer = ConstructorParameters<typeof MuPDF.Buffer>[0];

  type DocumentPointer = MuPDF.PDFDocument["pointer"];
  type ObjectPointer = MuPDF.PDFObject["pointer"];

  type TextPointer = MuPDF.StructuredText["pointer"];

  export interface LibMuPDF {
    readonly HEAPU8: Uint8Array;
    readonly HEAPU32: Uint32Array;
    readonly HEAPF32: Float32Array;
    _wasm_malloc(size: number): number;
    _wasm_free(pointer: number): void;
    _wasm_empty_store(): void;
    _wasm_new_buffer_from_data(data: number, size: number): BufferPointer;
    _wasm_keep_buffer(buffer: BufferPointer): BufferPointer;
    _wasm_new_buffer(capacity: number): BufferPointer;
    _wasm_pdf_create_object(document: DocumentPointer): number;
    /** 0 if no such entry exists. */
    _wasm_pdf_dict_get(object: ObjectPointer, key: ObjectPointer): ObjectPointer;
    _wasm_pdf_dict_len(object: ObjectPointer): number;
    _wasm_pdf_dict_get_key(object: ObjectPointer, index: number): ObjectPointer;
    _wasm_pdf_dict_get_val(object: ObjectPointer, index: number): ObjectPointer;
    _wasm_pdf_to_name(object: ObjectPointer): number;
    _wasm_pdf_new_indirect(document: DocumentPointer, number: number): ObjectPointer;
    _wasm_pdf_drop_obj(object: ObjectPointer): void;
    _wasm_pdf_is_indirect(object: ObjectPointer): number;
    /** 1 also for a stream. These look at what a reference leads to. */
    _wasm_pdf_is_dict(object: ObjectPointer): number;
    _wasm_pdf_is_array(object: ObjectPointer): number;
    _wasm_pdf_is_name(object: ObjectPointer): number;
    _wasm_pdf_is_string(object: ObjectPointer): number;
    _wasm_pdf_is_stream(object: ObjectPointer): number;
    /** What a reference leads to; any other object itself. */
    _wasm_pdf_resolve_indirect(object: ObjectPointer): ObjectPointer;
    /** The object number of a reference. */
    _wasm_pdf_to_num(object: ObjectPointer): number;
    _wasm_pdf_array_len(object: ObjectPointer): number;
    _wasm_pdf_array_get(object: ObjectPointer, index: number): ObjectPointer;
    /** Address of the object in the syntax of a file, up to a zero byte; to be freed. `tight`, `ascii`: 0 or 1. */
    _wasm_pdf_sprint_obj(object: ObjectPointer, tight: number, ascii: number): number;
    _wasm_pdf_dict_del(object: ObjectPointer, key: ObjectPointer): void;
    _wasm_pdf_array_put(object: ObjectPointer, index: number, value: ObjectPointer): void;

    // The structured text of a page: chains of blocks, their lines, their characters. 0 ends a chain.
    _wasm_stext_page_get_first_block(page: TextPointer): number;
    _wasm_stext_block_get_next(block: number): number;
    /** 0: text, 1: image, 2: structure, 3: vector. */
    _wasm_stext_block_get_type(block: number): number;
    /** Address of four floats. */
    _wasm_stext_block_get_bbox(block: number): number;
    /** Of a vector. 1: stroked, 2: a rectangle. */
    _wasm_stext_block_get_v_flags(block: number): number;
    _wasm_stext_block_get_v_argb(block: number): number;
    _wasm_stext_block_get_first_line(block: number): number;
    _wasm_stext_line_get_next(line: number): number;
    /** 1: written from top to bottom. */
    _wasm_stext_line_get_wmode(line: number): number;
    /** Address of two floats. */
    _wasm_stext_line_get_dir(line: number): number;
    _wasm_stext_line_get_first_char(line: number): number;
    _wasm_stext_char_get_next(character: number): number;
    _wasm_stext_char_get_c(character: number): number;
    /** Address of two floats. */
    _wasm_stext_char_get_origin(character: number): number;
    /** Address of eight floats: the corners upper left, upper right, lower left, lower right, seen from the character. */
    _wasm_stext_char_get_quad(character: number): number;
    _wasm_stext_char_get_size(character: number): number;
    _wasm_stext_char_get_font(character: number): number;
    _wasm_font_is_bold(font: number): number;
    _wasm_font_is_italic(font: number): number;
    _wasm_font_is_monospaced(font: number): number;
    /** Address of a string, up to a zero byte. */
    _wasm_font_get_name(font: number): number;
  }

  /** MuPDF's calls that can take long. */
  export interface LongCalls {
    open(from: MuPDF.Buffer | MuPDF.Stream): Promise<MuPDF.PDFDocument | null>;
    /** Reads the object that a reference leads to. */
    load(object: MuPDF.PDFObject): Promise<MuPDF.PDFObject>;
    findPage(document: MuPDF.PDFDocument, index: number): Promise<MuPDF.PDFObject>;
    loadPage(document: MuPDF.PDFDocument, index: number): Promise<MuPDF.PDFPage>;
    /** Copies an object with everything that it uses. */
    graft(map: MuPDF.PDFGraftMap, object: MuPDF.PDFObject): Promise<MuPDF.PDFObject>;
    /** Makes the outdated appearances of all annotations on the page of one, and returns whether its own was. */
    updateAnnotation(annotation: MuPDF.PDFAnnotation): Promise<boolean>;
    /** Reads the bytes of a stream, which later calls then find. */
    loadStream(stream: MuPDF.PDFObject): Promise<void>;
    /** The decoded bytes of a stream. */
    readStream(stream: MuPDF.PDFObject): Promise<MuPDF.Buffer>;
    /** An image XObject; its data is read. */
    loadImage(object: MuPDF.PDFObject): Promise<MuPDF.Image>;
    /** With annotations and form fields unless they are left out. */
    displayList(page: MuPDF.PDFPage, parts?: { readonly annotations: boolean }): Promise<MuPDF.DisplayList>;
    /** Draws an image, opaque, where the matrix places its unit square. */
    fillImage(device: MuPDF.DrawDevice, image: MuPDF.Image, matrix: MuPDF.Matrix): Promise<void>;
    /** The image in its own size and color space. */
    pixmapOf(image: MuPDF.Image): Promise<MuPDF.Pixmap>;
    asJpeg(pixmap: MuPDF.Pixmap, quality: number): Promise<MuPDF.Buffer>;
    run(list: MuPDF.DisplayList, device: MuPDF.Device, matrix: MuPDF.Matrix): Promise<void>;
    textOfPage(page: MuPDF.Page, options: string): Promise<MuPDF.StructuredText>;
    textOfList(list: MuPDF.DisplayList, options: string): Promise<MuPDF.StructuredText>;
    /** Removes what the page's redaction annotations cover, and these. The numbers are those of MuPDF's `PDFPage.REDACT_...`. */
    redact(page: MuPDF.PDFPage, how: { images: number; lines: number; text: number }): Promise<void>;
    /** Opens a document that is no PDF. `type`: its media type. */
    openAs(type: string, buffer: MuPDF.Buffer): Promise<MuPDF.Document>;
    /** Lays out flowing text for pages of a width and height in points; `em`: the font size. */
    layOut(document: MuPDF.Document, width: number, height: number, em: number): Promise<void>;
    countPages(document: MuPDF.Document): Promise<number>;
    loadAnyPage(document: MuPDF.Document, index: number): Promise<MuPDF.Page>;
    runPage(page: MuPDF.Page, device: MuPDF.Device, matrix: MuPDF.Matrix): Promise<void>;
    /** Leaves only the used glyphs in all fonts. */
    subsetFonts(document: MuPDF.PDFDocument): Promise<void>;
    /** Writes the document of a writer into its buffer. */
    closeWriter(writer: MuPDF.DocumentWriter): Promise<void>;
    save(document: MuPDF.PDFDocument, options: string): Promise<MuPDF.Buffer>;
  }

  export function createMuPDF(options: {
    gauge: Gauge;
    reads: Reads;
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): void;
    /** What MuPDF's own errors are thrown as. */
    Failure: new (message: string) => Error;
    /** Receives MuPDF's message about an error that it recovers from. */
    report(message: string): void;
  }): Promise<{
    mupdf: typeof MuPDF.default;
    libmupdf: LibMuPDF;
    scope: Scope;
    own(handle: object): void;
    long: LongCalls;
    forget(): void;
  }>;

  /** Runs `work`, then destroys every handle on the engine that it made, but for the one that it gives back. */
  export type Scope = <T>(work: () => T) => T;
}

/** Reads from the handle of a stream, and the number of the callback that asks for it, which the glue sets. */
interface Reads {
  code: number;
  read(handle: never, memory: Uint8Array, offset: number, length: number, position: number): number;
}

/** What the glue of an engine asks of its fuel gauge. */
interface Gauge {
  /** A function of the instance as one that others have their turn beside. */
  long<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R>;
  /** When JavaScript has made a handle on something of the instance. */
  handle(): void;
  /** Around a callback that calls into the instance again. */
  enter(): void;
  leave(): void;
}

/** jSquash's codecs: emscripten's glue, which wasm/prepare.ts has edited. */
type CodecFactory<Codec> = (options: {
  noInitialRun: true;
  gauge: Gauge;
  /** What the codec finds in place of the global object. */
  globals: Readonly<Record<string, unknown>>;
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): WebAssembly.Exports;
  print(): void;
  printErr(): void;
}) => Promise<Codec>;

/** Bytes of a codec's own memory, to be filled and then given to it. */
interface ReservedBytes {
  readonly length: number;
  set(bytes: Uint8Array, at: number): void;
}

/** Bytes that are written where a codec wants them. */
interface CodecBytes {
  readonly length: number;
  /** Fills `target`, which is as long. */
  writeTo(target: Uint8Array): void;
}

declare module "*/wasm/generated/mozjpeg-encoder.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/webp-encoder.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/webp-decoder.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/mozjpeg-encoder.js" {
  import type { EncodeOptions } from "@jsquash/jpeg/codec/enc/mozjpeg_enc.d.ts";

  const factory: CodecFactory<{
    /** `data`: RGBA. Gives a copy of the file. */
    encode(data: Uint8Array | CodecBytes, width: number, height: number, options: EncodeOptions): Promise<Uint8Array>;
  }>;
  export default factory;
}

declare module "*/wasm/generated/webp-encoder.js" {
  import type { EncodeOptions } from "@jsquash/webp/codec/enc/webp_enc.d.ts";

  const factory: CodecFactory<{
    /** `data`: RGBA. Gives a copy of the file, null where it cannot be encoded. */
    encode(
      data: Uint8Array | ReservedBytes,
      width: number,
      height: number,
      options: EncodeOptions,
    ): Promise<Uint8Array | null>;
    /** Room for `length` bytes, which the next `encode` takes over. */
    reserve(length: number): ReservedBytes;
  }>;
  export default factory;
}

declare module "*/wasm/generated/webp-decoder.js" {
  const factory: CodecFactory<{
    /** Gives what the global `ImageData` makes of the pixels, null where the file is damaged. */
    decode(data: Uint8Array): Promise<unknown>;
  }>;
  export default factory;
}

declare module "*/wasm/generated/tesseract.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm/generated/models.js" {
  /** Codes of the models that are in place, sorted. */
  export const models: Readonly<Record<"best" | "fast", readonly string[]>>;
}

/** tesseract.js-core: emscripten's glue and Tesseract's own API (baseapi.h). Addresses are those of the instance's memory. */
declare module "*/wasm/generated/tesseract.js" {
  /** The level: blocks 0, paragraphs 1, lines 2, words 3. */
  type Level = 0 | 1 | 2 | 3;

  export interface PageIterator {
    Begin(): void;
    Next(level: Level): boolean;
    /** Writes four ints: pixels, origin top-left. False where there is nothing. */
    BoundingBox(level: Level, left: number, top: number, right: number, bottom: number): boolean;
    /**
     * Writes three ints and a float. The first int is the direction of the page's top (0 up, 1 right, 2 down, 3 left). The second is the writing
     * direction (0 left to right, 1 right to left, 2 top to bottom). The third is the order of lines; the float is their slope.
     */
    Orientation(page: number, writing: number, lines: number, deskew: number): void;
    IsAtBeginningOf(level: Level): boolean;
  }

  export interface ResultIterator extends PageIterator {
    GetUTF8Text(level: Level): string;
    /** 0 to 100. */
    Confidence(level: Level): number;
    WordRecognitionLanguage(): string;
  }

  export interface TessBaseAPI {
    /** 0 where it worked. `engine`: 1, the neural one; this build has no other. */
    Init(folder: null, languages: string, engine: 1): Promise<number>;
    SetPageSegMode(mode: number): void;
    SetVariable(name: string, value: string): boolean;
    SetImage(pixels: number, width: number, height: number, bytesPerPixel: number, bytesPerLine: number): void;
    /** The part of the image that is read from now on. */
    SetRectangle(left: number, top: number, width: number, height: number): void;
    AnalyseLayout(): Promise<PageIterator>;
    /** How much the lines of the layout rise to the left, as a slope; y down. */
    GetGradient(): number;
    /** 0 where it worked. */
    Recognize(monitor: null): Promise<number>;
    GetIterator(): ResultIterator;
    /** Frees the image and the recognized text. */
    Clear(): void;
    End(): void;
  }

  export interface Tesseract {
    readonly HEAPU8: Uint8Array;
    readonly TessBaseAPI: new () => TessBaseAPI;
    readonly FS: {
      /** Keeps a reference to `bytes`, without a copy. */
      writeFile(path: string, bytes: Uint8Array): void;
      unlink(path: string): void;
    };
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    destroy(object: TessBaseAPI | PageIterator): void;
    /** The address of an object; 0 for none. */
    getPointer(object: PageIterator): number;
  }

  const factory: CodecFactory<Tesseract>;
  export default factory;
}
