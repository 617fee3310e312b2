/** The files of a request in the heap of its engine. */
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { bodyTooLong } from "../../limit-errors.ts";
import { chunksOf } from "../../memory/chunks.ts";
import { type Arena, type EngineBytes, HOLES, type InputBytes } from "../../memory/heap.ts";

/** Room behind the files of an arena in bytes, for the bytes that a step of a pipeline appends to the last one. */
const APPEND_ROOM = 1024 * 1024;

/** Space for files, one after the other. */
interface ArenaMemory {
  pointer: number;
  readonly capacity: number;
  readonly copies: boolean;
  readonly files: HeapFile[];
  used: number;
}

/** Memory that files lie in: the heap of an instance, or a copy of an arena outside of it. */
type FileMemory = Pick<LibMuPDF, "HEAPU8">;

/** Bytes in the heap of an instance. Between two operations on a file, `RequestFiles` may move it. */
export class HeapFile implements InputBytes {
  pointer: number;
  readonly length: number;
  readonly view: InputBytes["view"];
  readonly free: () => void;
  #memory: FileMemory;

  constructor(memory: FileMemory, pointer: number, length: number, free = (): void => {}) {
    this.#memory = memory;
    this.pointer = pointer;
    this.length = length;
    this.view = (start, end) =>
      this.#memory.HEAPU8.subarray(this.pointer + start, this.pointer + Math.min(end, length));
    this.free = free;
  }

  /** Its bytes are at this address of another memory now. */
  move(memory: FileMemory, pointer: number): void {
    this.#memory = memory;
    this.pointer = pointer;
  }
}

/** The files of a request while it has no engine. They can be read. */
export interface ParkedFiles {
  readonly arenas: readonly (ArenaMemory & { readonly bytes: Uint8Array })[];
  readonly kept: ReadonlySet<InputBytes>;
  readonly bytes: number;
}

const sumOf = (files: readonly HeapFile[]): number => files.reduce((sum, { length }) => sum + length, 0);

/** The arenas of a request, and which of their files are still needed. */
export class RequestFiles {
  readonly #lib: LibMuPDF;
  readonly #malloc: (size: number) => number;
  #arenas: ArenaMemory[] = [];
  /** Files that are still needed when an operation frees its own. */
  #kept: ReadonlySet<InputBytes> = new Set();
  #bytes = 0;

  /** `malloc`: allocates in the heap. @throws Refusal `limit_exceeded`, `overloaded` (memory) */
  constructor(lib: LibMuPDF, malloc: (size: number) => number) {
    this.#lib = lib;
    this.#malloc = malloc;
  }

  /** Bytes of the files that the request sent, or of those that the current step of a pipeline has. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Where the last arena ends in the heap. */
  get end(): number {
    return this.#arenas.reduce((most, { pointer, capacity }) => Math.max(most, pointer + capacity), 0);
  }

  /**
   * Reserves `capacity` bytes for files. `copies`: the operation works on copies, which are allocated before the arena, so that `free` leaves
   * one large hole for the output after them.
   */
  arena(capacity: number, { copies = false }: { copies?: boolean } = {}): Arena {
    const arena = this.#allocate({ capacity, copies });
    let start = 0;
    return {
      write: (chunk) => {
        const actual = arena.used + chunk.byteLength;
        if (actual > capacity) throw bodyTooLong(capacity, actual);
        this.#append(arena, chunk);
        this.#bytes += chunk.byteLength;
      },
      seal: () => {
        const file = new HeapFile(this.#lib, arena.pointer + start, arena.used - start);
        start = arena.used;
        arena.files.push(file);
        return file;
      },
    };
  }

  /** Of the files, those that operations after the current one need. */
  keep(files: Iterable<InputBytes>): void {
    this.#kept = new Set(files);
  }

  /**
   * Frees the arenas before the request ends: the files in them must not be read anymore. An operation that has copied its data calls this, so that
   * the output can reuse the input's memory. Files that later operations need move elsewhere, unless they take most of an arena.
   */
  free(): void {
    const arenas = this.#arenas;
    this.#arenas = [];
    for (const arena of arenas) {
      const needed = arena.files.filter((file) => this.#kept.has(file));
      if (sumOf(needed) * 2 > arena.used) {
        arena.files.splice(0, arena.files.length, ...needed);
        this.#arenas.push(arena);
        continue;
      }
      if (needed.length > 0) this.#move(needed);
      this.#lib._wasm_free(arena.pointer);
    }
  }

  /** Makes the output of an operation the file of the next one, and frees everything except the files that are kept. */
  async replaceBy(output: EngineBytes): Promise<InputBytes> {
    const unchanged = this.#arenas.flatMap(({ files }) => files).find((file) => file === output);
    // An output with a buffer of its own does not need the input any more.
    if (!unchanged && output instanceof HeapFile) this.free();
    const input = unchanged ?? (await this.#appended(output)) ?? (await this.#copied(output));
    this.#kept = new Set([...this.#kept, input]);
    this.free();
    this.#bytes = this.#arenas.reduce((sum, { used }) => sum + used, 0);
    return input;
  }

  /** Bytes of the arenas, which `takeOut` copies. */
  get arenaBytes(): number {
    return this.#arenas.reduce((sum, { used }) => sum + used, 0);
  }

  /** Moves the files out of the heap. They can be read until `putBack`, which another instance may do, and afterwards. */
  takeOut(): ParkedFiles {
    const arenas = this.#arenas.map((arena) => {
      const bytes = this.#lib.HEAPU8.slice(arena.pointer, arena.pointer + arena.used);
      for (const file of arena.files) file.move({ HEAPU8: bytes }, file.pointer - arena.pointer);
      return { ...arena, bytes };
    });
    const parked = { arenas, kept: this.#kept, bytes: this.#bytes };
    this.forget();
    return parked;
  }

  /** Puts files that were taken out into the heap. @throws Refusal `limit_exceeded`, `overloaded` (memory) */
  putBack({ arenas, kept, bytes: total }: ParkedFiles): void {
    for (const { bytes, ...arena } of arenas) {
      const pointer = this.#place(arena);
      this.#lib.HEAPU8.set(bytes, pointer);
      for (const file of arena.files) file.move(this.#lib, pointer + file.pointer);
      this.#arenas.push({ ...arena, pointer });
    }
    this.#kept = kept;
    this.#bytes = total;
  }

  /** The heap was cleared: there are no files. */
  forget(): void {
    this.#arenas = [];
    this.#kept = new Set();
    this.#bytes = 0;
  }

  #allocate({ capacity, copies }: Pick<ArenaMemory, "capacity" | "copies">): ArenaMemory {
    const arena: ArenaMemory = { pointer: this.#place({ capacity, copies }), capacity, copies, files: [], used: 0 };
    this.#arenas.push(arena);
    return arena;
  }

  #place({ capacity, copies }: Pick<ArenaMemory, "capacity" | "copies">): number {
    const before = copies ? this.#malloc(Math.ceil(capacity * HOLES.copies) + HOLES.objects) : 0;
    const pointer = this.#malloc(capacity + APPEND_ROOM);
    if (before > 0) this.#lib._wasm_free(before);
    return pointer;
  }

  #append(arena: ArenaMemory, chunk: Uint8Array): void {
    this.#lib.HEAPU8.set(chunk, arena.pointer + arena.used);
    arena.used += chunk.byteLength;
  }

  #move(files: readonly HeapFile[]): void {
    const arena = this.#allocate({ capacity: sumOf(files), copies: false });
    for (const file of files) {
      const to = arena.pointer + arena.used;
      this.#lib.HEAPU8.copyWithin(to, file.pointer, file.pointer + file.length);
      file.pointer = to;
      arena.used += file.length;
      arena.files.push(file);
    }
  }

  /** The file that output continues, with the rest in the room behind it; undefined if that is not possible. */
  async #appended({ length, continues }: EngineBytes): Promise<InputBytes | undefined> {
    if (!continues) return undefined;
    const { file, rest } = continues;
    const arena = this.#arenas.find(({ files }) => files.some((known) => known === file));
    const known = arena?.files.find((other) => other === file);
    if (!arena || !known || this.#kept.has(known)) return undefined;
    const end = known.pointer + known.length - arena.pointer;
    if (end !== arena.used || arena.used + rest.length > arena.capacity + APPEND_ROOM) return undefined;
    for await (const chunk of chunksOf(rest)) this.#append(arena, chunk);
    const whole = new HeapFile(this.#lib, known.pointer, length);
    arena.files.splice(arena.files.indexOf(known), 1, whole);
    return whole;
  }

  async #copied(bytes: EngineBytes): Promise<InputBytes> {
    const arena = this.arena(bytes.length);
    for await (const chunk of chunksOf(bytes)) arena.write(chunk);
    return arena.seal();
  }
}
