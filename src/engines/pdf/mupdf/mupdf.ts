import type * as MuPDF from "mupdf";
import { createMuPDF, type LibMuPDF, type LongCalls, type Scope } from "../../../../wasm/generated/mupdf.js";
import { ofIsolate } from "../../../isolate.ts";
import { limits, MiB } from "../../../limits.ts";
import { tooLargeToRepair } from "../../file-errors.ts";
import { decompressedTooLarge } from "../../limit-errors.ts";
import { FuelGauge } from "../../fuel-gauge.ts";
import { noWork, unlimitedWork, type Work } from "../../work.ts";
import { JpegEncoder } from "../../image/jpeg/encode.ts";
import { checkAbi } from "./abi-check.ts";
import { DRAND48, SBRK_END } from "./abi.ts";
import { Budget } from "./budget.ts";
import { type Changes, changesOf } from "./changes.ts";
import { linkColors } from "./color-links.ts";
import { freeUnused, reserveObjects, skipNumbers } from "./xref-room.ts";
import { mapPages } from "./page-map.ts";
import { cmykProfile } from "./cmyk-profile.ts";
import { type FileEntry, fileEntriesOf, fileEntryOf } from "./file-entries.ts";
import { fileOffsets } from "./xref-tables.ts";
import { firstIn, type ObjectPlace, placesOf, shareData } from "./places.ts";
import { meaningOf, MuPDFFailure } from "./failures.ts";
import { type Callback, type ReadHandle, Reads } from "./reads.ts";
import { decodePartsOfJpx } from "./jpx.ts";
import { means } from "./messages.ts";
import { type Crypt, cryptOf, setFileKey, shareFileKey } from "./crypt.ts";
import { Values } from "./values.ts";
import type { Ranges } from "../../memory/ranges.ts";
import { HeapFile, type ParkedFiles, RequestFiles } from "./request-files.ts";
import { chunksOf } from "../../memory/chunks.ts";
import {
  type AllowHeap,
  capGrowth,
  clearBetween,
  type EngineBytes,
  HOLES,
  type InputBytes,
  snapshotOf,
} from "../../memory/heap.ts";

/** An instance as requests get it: its heap without the trailing zeros, its stack pointer, and where its random numbers have their state. */
interface Snapshot {
  readonly heap: Uint8Array;
  readonly stack: number;
  readonly randomState: number;
}

/**
 * Every instance begins the same, so the snapshot is taken once: of the first instance that passes the check of abi.ts, with the conversion of
 * color-links.ts.
 */
const checked = ofIsolate((): Snapshot | undefined => undefined);

/** Bytes that are copied at once. */
const STEP = 65_536;

/**
 * Files of a request of more than this many bytes share their data with copies. Below, arena, copies, and output fit side by side, and
 * MuPDF's own writer is faster.
 */
const LARGE_FILES = 8 * MiB;

/** Fuel per byte of a content stream that is read: about 20 ns. */
const READ_WORK = 2;

function takeSnapshot(heap: Uint8Array, stack: number): Snapshot {
  const used = snapshotOf(heap);
  let constants = SBRK_END;
  while (constants < used.length && DRAND48.constants.some((byte, index) => used[constants + index] !== byte))
    constants++;
  if (constants >= used.length) throw new Error("MuPDF keeps its random numbers in another way than expected");
  return { heap: used, stack, randomState: constants - DRAND48.STATE_SIZE };
}

/** Compiled modules: MuPDF, and those of wasm/tick.ts, wasm/callback.ts, and wasm/jpx.ts. */
export interface EngineModules {
  readonly module: WebAssembly.Module;
  readonly jpx: WebAssembly.Module;
  readonly tick: WebAssembly.Module;
  readonly callback: WebAssembly.Module;
}

/** A `WebAssembly.Global` of type i32. */
interface StackPointer {
  value: number;
}

interface InstanceMemory {
  readonly memory: WebAssembly.Memory;
  readonly stack: StackPointer;
}

/** The state of a request that its next instance takes over. */
export interface Parked {
  readonly files: ParkedFiles;
  /** Bytes of JavaScript values, the files among them. */
  readonly claimed: number;
  readonly ranges: Ranges | undefined;
}

/** The bytes [start, end) of a file. */
export interface FileRange {
  readonly start: number;
  readonly end: number;
}

/**
 * One MuPDF instance, leased to one request at a time. Between requests `reset` restores heap and wrapper to the state of a new
 * instance, so that no data of a client remains, and nothing waits for the garbage collector.
 */
export class PdfEngine {
  /** MuPDF's own API, bound to this instance. */
  readonly mupdf: typeof MuPDF.default;
  /** The functions of the instance and its heap: for this folder only. */
  readonly lib: LibMuPDF;
  /** The request's files. */
  readonly files: RequestFiles;
  /** Looks at values of documents without handles. */
  readonly values: Values;
  readonly #memory: WebAssembly.Memory;
  readonly #gauge: FuelGauge;
  readonly #forget: () => void;
  readonly #own: (handle: object) => void;
  /**
   * Runs `work`, then destroys every engine handle it created, except the one it returns. Without it, handles last as long as
   * the lease, which matters only in long loops.
   */
  readonly scope: Scope;
  /** MuPDF calls that can take long: other requests get their turn meanwhile. */
  readonly long: LongCalls;
  /** Runs `work`, which may draw. Throws a MuPDF error if something was silently skipped for lack of memory. */
  readonly complete = <T>(work: () => Promise<T>): Promise<T> => this.#budget.complete(work);
  /** The request's file that does not fit into memory, if it has one. */
  ranges: Ranges | undefined;
  /** The request's encoder of pictures. */
  jpeg = new JpegEncoder(noWork());
  #budget = new Budget(() => true, 0);
  readonly #stack: StackPointer;
  readonly #snapshot: Snapshot;
  #decodedBytes = 0;
  /** How often MuPDF has warned that an image cannot be decoded. */
  #undecodable = 0;
  #sharesFiles = false;
  /** Object numbers of the pages of documents that are read in ranges. */
  readonly #pages = new WeakMap<MuPDF.PDFDocument, readonly number[]>();
  #failed = false;

  private constructor(
    parts: Awaited<ReturnType<typeof createMuPDF>>,
    { memory, stack }: InstanceMemory,
    gauge: FuelGauge,
    onFailure: (engine: PdfEngine) => void,
  ) {
    this.mupdf = parts.mupdf;
    this.lib = parts.libmupdf;
    this.files = new RequestFiles(parts.libmupdf, (size) => this.#malloc(size));
    this.values = new Values(parts.libmupdf);
    this.#forget = parts.forget;
    this.#own = parts.own;
    this.scope = parts.scope;
    this.long = parts.long;
    this.#memory = memory;
    this.#stack = stack;
    this.#gauge = gauge;
    capGrowth(memory, (bytes) => this.#budget.allows(bytes));
    onFailure(this);
    this.#snapshot = checked.value ?? takeSnapshot(this.lib.HEAPU8, stack.value);
    // No request pays for what makes an instance.
    gauge.work = unlimitedWork();
    if (!checked.value) {
      checkAbi(this);
      this.#restore();
      linkColors(this.mupdf);
      this.#snapshot = checked.value = takeSnapshot(this.lib.HEAPU8, stack.value);
    }
    this.settle();
    this.reset();
  }

  /** `tick`: the module that fuel gauges need; `callback`: the one that `Reads` needs; `jpx`: the one that `decodePartsOfJpx` needs. */
  static async create({ module, tick, callback, jpx }: EngineModules): Promise<PdfEngine> {
    const gauge = new FuelGauge(tick);
    const reads = new Reads();
    let memory: WebAssembly.Memory | undefined;
    let stack: StackPointer | undefined;
    let engine: PdfEngine | undefined;
    class Failure extends MuPDFFailure {
      constructor(message: string) {
        super(message);
        if (engine) engine.#failed = true;
      }
    }
    const parts = await createMuPDF({
      gauge,
      reads,
      Failure,
      report: (message) => {
        const ranges = engine?.ranges;
        if (ranges && means(message, "repair")) ranges.refuse(tooLargeToRepair(ranges.heldBytes));
        if (engine && means(message, "skipped")) engine.#budget.recordSkipped();
        if (engine && means(message, "undecodable")) engine.#undecodable++;
      },
      instantiateWasm(imports, done) {
        const { a: callbacks } = imports as { a: { a: Callback } };
        imports["a"] = { ...callbacks, a: reads.attach(callback, callbacks.a, gauge) };
        const instance = new WebAssembly.Instance(module, imports);
        stack = instance.exports["$stack"] as unknown as StackPointer;
        memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
        gauge.attach(instance);
        if (memory) decodePartsOfJpx(jpx, instance, memory);
        done(instance);
      },
    });
    if (memory === undefined || stack === undefined) throw new Error("MuPDF exports no memory");
    return new PdfEngine(parts, { memory, stack }, gauge, (made) => (engine = made));
  }

  /** Bytes of wasm memory that the instance holds. */
  get heapBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * Whether an error has passed through the instance. Each one leaves its frames on the wasm stack, which only a new instance
   * recovers, so such an instance is not kept. Nor is one whose last call is suspended: it would continue in the heap of the next request.
   */
  get failed(): boolean {
    return this.#failed || this.#gauge.broken || this.#gauge.running;
  }

  /** The work of the request that holds the instance. */
  get work(): Work {
    return this.#gauge.work;
  }

  /** Prepares the instance for a request with this memory and work budget. */
  begin(allowHeap: AllowHeap, work: Work): void {
    this.#gauge.work = work;
    this.jpeg = new JpegEncoder(work);
    this.#budget = new Budget(allowHeap, this.heapBytes);
  }

  /** Counts the fuel that the request spent last, after it has ended. */
  settle(): void {
    this.#gauge.settle();
  }

  /** Resets the instance to its initial state; every pointer into it becomes invalid. */
  reset(): void {
    this.#restore();
    this.files.forget();
    this.jpeg = new JpegEncoder(noWork());
    this.ranges = undefined;
    this.#gauge.work = noWork();
    this.#budget = new Budget(() => true, 0);
  }

  /**
   * Undoes everything that the request did in the instance, except that its files stay: for work that starts again. An
   * exception may have left its frames on the stack.
   */
  restart(): void {
    const files = this.files.takeOut();
    this.#restore();
    this.#budget.restart();
    this.files.putBack(files);
  }

  /**
   * Takes out the data that outlast the instance while the request waits without one. Documents must be closed.
   * @throws Refusal as `claim`: the files are copied; and the error that restarts the work if it lacks a part of a file
   */
  park(): Parked {
    this.ranges?.requirePresent();
    const { ranges } = this;
    this.claim(this.files.arenaBytes);
    return { files: this.files.takeOut(), claimed: this.claimed, ranges };
  }

  /** Puts it into this instance, which `begin` has prepared. @throws Refusal `limit_exceeded`, `overloaded` (memory) */
  unpark({ files, claimed, ranges }: Parked): void {
    this.ranges = ranges;
    this.files.putBack(files);
    this.claim(claimed - files.arenas.reduce((sum, { used }) => sum + used, 0));
  }

  #restore(): void {
    const { heap, stack } = this.#snapshot;
    clearBetween(this.#memory.buffer, heap.byteLength, this.#heapEnd());
    this.lib.HEAPU8.set(heap);
    this.#seed();
    this.#stack.value = stack;
    this.#failed = false;
    this.#decodedBytes = 0;
    this.#sharesFiles = false;
    this.#forget();
  }

  /** Seeds MuPDF's random numbers: from the snapshot, every request would write the same file identifiers. */
  #seed(): void {
    const { randomState } = this.#snapshot;
    crypto.getRandomValues(this.lib.HEAPU8.subarray(randomState, randomState + DRAND48.STATE_SIZE));
  }

  /**
   * The end of the heap that was ever allocated: the value that `sbrk` keeps, which only grows. Nothing was written behind it. In a memory that once
   * held a large document, a search for leftovers takes longer than a small request takes in total.
   */
  #heapEnd(): number {
    const end = this.lib.HEAPU32[SBRK_END >> 2] ?? 0;
    if (end % 8 !== 0 || end < this.files.end || end > this.heapBytes) throw new Error("MuPDF's heap ends elsewhere");
    return end;
  }

  /**
   * Makes the output of an operation the input of the next one, and frees everything except the files that are kept. Each operation has the memory
   * and the limits of a request of its own. `inRanges`: the next one can read in ranges a file that is partly in storage; otherwise it is fetched.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory)
   */
  async adopt(output: EngineBytes, { inRanges }: { inRanges: boolean }): Promise<InputBytes> {
    // Decoded objects of the document before.
    this.emptyStore();
    this.#decodedBytes = 0;
    this.#sharesFiles = false;
    const { ranges } = this;
    this.ranges = undefined;
    const { stored } = output;
    if (stored && ranges && inRanges) {
      // The appended bytes so far stay claimed; the ranges are claimed again when they are opened.
      this.claim(-ranges.memoryBytes);
      this.files.free();
      return ranges.followedBy(stored, output.length);
    }
    this.#budget.restart();
    return this.files.replaceBy(output);
  }

  /**
   * A contiguous copy of bytes in the heap.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory)
   */
  contiguous(bytes: EngineBytes): InputBytes {
    const pointer = this.#malloc(bytes.length);
    for (let at = 0; at < bytes.length; at += STEP) this.lib.HEAPU8.set(bytes.view(at, at + STEP), pointer + at);
    return this.bytesOf(new this.mupdf.Buffer(this.lib._wasm_new_buffer_from_data(pointer, bytes.length)));
  }

  /** A MuPDF buffer over bytes of the heap, without copying. */
  bufferOf(file: InputBytes): MuPDF.Buffer {
    const pointer = this.lib._wasm_new_buffer_from_data(file.pointer, file.length);
    // An extra reference that is never dropped: the bytes belong to the arena, so MuPDF must not free them.
    this.lib._wasm_keep_buffer(pointer);
    return new this.mupdf.Buffer(pointer);
  }

  /** A stream over bytes, without copying; those that are not in memory are fetched as MuPDF reads them. */
  streamOf(bytes: EngineBytes): MuPDF.Stream {
    const { stored } = bytes;
    const handle: ReadHandle = {
      fileSize: () => bytes.length,
      read: (memory, offset, length, position) => {
        const present = stored?.present(position) || length;
        const part = bytes.view(position, Math.min(position + Math.min(length, present), bytes.length));
        memory.set(part, offset);
        return part.length;
      },
      waits: (position) => position < bytes.length && stored?.present(position) === 0,
      fetch: async (position) => stored?.fetch(position),
      close: () => undefined,
    };
    return new this.mupdf.Stream(handle);
  }

  /** A stream over the request's file that does not fit into memory. There is only one. */
  streamOfRanges(ranges: Ranges): MuPDF.Stream {
    this.ranges = ranges;
    this.claim(ranges.memoryBytes);
    return this.streamOf(ranges);
  }

  /** A copy of bytes in a MuPDF buffer that can grow to `capacity` without moving. */
  async copied(bytes: EngineBytes, capacity: number): Promise<MuPDF.Buffer> {
    const buffer = new this.mupdf.Buffer(this.lib._wasm_new_buffer(Math.max(capacity, bytes.length)));
    for await (const chunk of chunksOf(bytes)) {
      const piece = new this.mupdf.Buffer(chunk);
      buffer.writeBuffer(piece);
      piece.destroy();
    }
    return buffer;
  }

  /** Runs `work`, which draws. Whether all that it drew could be decoded: of JBIG2 that could not, MuPDF draws samples of 0. */
  async decodesAll(work: () => Promise<void>): Promise<boolean> {
    const before = this.#undecodable;
    await work();
    return this.#undecodable === before;
  }

  /** The finished bytes of a MuPDF buffer, or the first `length` of them. They now own the buffer. */
  bytesOf(buffer: MuPDF.Buffer, length = buffer.getLength()): InputBytes {
    this.#own(buffer);
    return new HeapFile(this.lib, buffer.asUint8Array().byteOffset, length, () => buffer.destroy());
  }

  /**
   * Makes a contiguous hole for an output about as large as the input. MuPDF's output buffer grows by half its
   * size with realloc: in such a hole it grows in place; elsewhere the old and new buffers exist side by side.
   */
  makeRoom(): void {
    try {
      this.lib._wasm_free(this.lib._wasm_malloc(Math.ceil((this.files.bytes + 1) * HOLES.output)));
    } catch (error) {
      // Without the hole, the output may still fit.
      if (!(error instanceof MuPDFFailure)) throw error;
    }
  }

  /** Drops MuPDF's cache, mostly decoded images. */
  emptyStore(): void {
    this.lib._wasm_empty_store();
  }

  /** How MuPDF reads an encrypted document; undefined if it is not encrypted. */
  cryptOf(document: MuPDF.PDFDocument): Crypt | undefined {
    return cryptOf(this.lib, document);
  }

  /** Gives an encrypted document its file key; see crypt.ts. */
  setFileKey(document: MuPDF.PDFDocument, key: Uint8Array): void {
    setFileKey(this.lib, document, key);
  }

  /** Gives a document the file key of another one with the same encryption dictionary; see crypt.ts. */
  shareFileKey(from: MuPDF.PDFDocument, to: MuPDF.PDFDocument): void {
    shareFileKey(this.lib, from, to);
  }

  /** Marks unused object numbers of a document as free; see xref-room.ts. */
  freeUnused(document: MuPDF.PDFDocument): void {
    freeUnused(this.lib, this.#memory, document);
  }

  /** Where objects lie in the file of a document; see places.ts. */
  placesOf(document: MuPDF.PDFDocument, numbers: readonly number[]): Map<number, ObjectPlace> {
    return placesOf(this.#memory, document, numbers);
  }

  /** The entries of objects in the cross-references of a document's file, by their numbers; see file-entries.ts. */
  fileEntriesOf(document: MuPDF.PDFDocument): Map<number, FileEntry> {
    return fileEntriesOf(this.#memory, document);
  }

  /** The same of one object; undefined if it is free. */
  fileEntryOf(document: MuPDF.PDFDocument, number: number): FileEntry | undefined {
    return fileEntryOf(this.#memory, document, number);
  }

  /** The ICC profile of DeviceCMYK; see cmyk-profile.ts. */
  cmykProfile(): Uint8Array {
    return cmykProfile(this.mupdf, this.#memory);
  }

  /** Position of the header in a document's file, from which its offsets count. */
  headerOf(document: MuPDF.PDFDocument): number {
    return fileOffsets(this.#memory, document).header;
  }

  /** Whether the request's files are so large that copies share their data. */
  get hasLargeFiles(): boolean {
    return this.ranges === undefined && this.files.bytes > LARGE_FILES;
  }

  /** Whether streams share the data of the request's files (`shareData`), which then stay where they are: no `files.free` before the output is out. */
  get sharesFiles(): boolean {
    return this.#sharesFiles;
  }

  /** Makes parts of a file the data of streams, by their numbers; see places.ts. */
  shareData(document: MuPDF.PDFDocument, file: InputBytes, parts: ReadonlyMap<number, FileRange>): void {
    const ranges = [...parts].map(
      ([number, { start, end }]) => [number, { pointer: file.pointer + start, length: end - start }] as const,
    );
    this.#sharesFiles = true;
    shareData(this.lib, this.#memory, document, new Map(ranges));
  }

  /** The first object in each of some object streams, by their numbers; see places.ts. */
  firstIn(document: MuPDF.PDFDocument, streams: ReadonlySet<number>): number[] {
    return streams.size === 0 ? [] : firstIn(this.#memory, document, streams);
  }

  /** Tells MuPDF the object numbers of a document's pages, or reminds it of them; see page-map.ts. */
  mapPages(document: MuPDF.PDFDocument, pages = this.#pages.get(document)): void {
    if (pages === undefined) return;
    this.#pages.set(document, pages);
    mapPages(this.lib, this.#memory, document, pages);
  }

  /** Makes room for `count` new objects in a document's cross-reference table; see xref-room.ts. */
  reserveObjects(document: MuPDF.PDFDocument, count: number): void {
    reserveObjects(this.lib, this.#memory, document, count);
  }

  /** Keeps new objects from numbers up to this one; see xref-room.ts. */
  skipNumbers(document: MuPDF.PDFDocument, number: number): void {
    skipNumbers(this.lib, document, number);
  }

  /** The changes in a document since it was opened; see changes.ts. */
  changesOf(document: MuPDF.PDFDocument): Changes {
    return changesOf(this.#memory, document);
  }

  /**
   * Counts decompressed bytes, and the work of reading them unless that is counted elsewhere.
   * @throws Refusal `limit_exceeded`
   */
  countDecoded(bytes: number, workPerByte = READ_WORK): void {
    this.work.spend(bytes * workPerByte);
    this.#decodedBytes += bytes;
    if (this.#decodedBytes > limits.decompressedBytes) throw decompressedTooLarge(this.#decodedBytes);
  }

  /** Bytes that are claimed. */
  get claimed(): number {
    return this.#budget.claimed;
  }

  /**
   * Counts bytes of JavaScript values that the request is about to hold: they share the isolate's memory with the heap.
   * @throws Refusal `limit_exceeded`, `overloaded`
   */
  claim(bytes: number): void {
    try {
      this.#budget.claim(bytes, this.heapBytes);
    } catch (error) {
      this.#failed = true; // The large heap is in the way: the next request gets another instance.
      throw error;
    }
  }

  /** Whether an error is MuPDF's own verdict on a part of the document, not a trap or a lack of memory. */
  isFailure(error: unknown): boolean {
    return error instanceof MuPDFFailure && this.#budget.denied === false;
  }

  /** Throws the `Refusal` due if part of a page was skipped because the heap could not grow. */
  refuseSkipped(): void {
    this.#budget.refuseSkipped();
  }

  /** Whether the work can continue without the part that failed: MuPDF reported it itself, even if for lack of memory. */
  outlives(error: unknown): boolean {
    if (!(error instanceof MuPDFFailure)) return false;
    this.#budget.denied = false;
    return true;
  }

  /** Translates an error if the document is at fault; otherwise returns the error itself. */
  explain(error: unknown): unknown {
    // Stack overflow: its frames stay on the stack.
    this.#failed ||= error instanceof RangeError;
    return meaningOf(error, this.#budget.denied);
  }

  #malloc(size: number): number {
    try {
      return this.lib._wasm_malloc(size);
    } catch (error) {
      throw this.explain(error);
    }
  }
}
