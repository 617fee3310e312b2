import { chunksOf } from "../../engines/memory/chunks.ts";
import type { FileOwner } from "../../files/file.ts";
import type { FileStore } from "../../files/file.ts";
import { openFile } from "../../files/read.ts";
import type { Database } from "../../jobs/job.ts";
import { concat } from "../../bytes/concat.ts";
import {
  type FinishedParts,
  headersOfParts,
  type OutputFile,
  type PartOutput,
  type ResultHeaders,
} from "../../operations/definition/define.ts";

/*
 * The file that keeps what a part of a job made, until the result is made of it: a head in JSON, and then its files. Each
 * name and each piece of a file comes after its length in four bytes, and a length of 0 ends a file.
 */

interface Head {
  readonly headers: ResultHeaders;
  readonly value?: unknown;
}

export async function* packed(output: PartOutput): AsyncGenerator<Uint8Array, void> {
  const head: Head = { headers: output.headers, ...(output.kind === "json" && { value: output.value }) };
  yield* framed(new TextEncoder().encode(JSON.stringify(head)));
  if (output.kind === "json") return;
  for await (const { name, bytes } of output.entries) {
    yield* framed(new TextEncoder().encode(name));
    for await (const chunk of chunksOf(bytes)) if (chunk.length > 0) yield* framed(chunk);
    yield* framed(new Uint8Array(0));
  }
}

function* framed(bytes: Uint8Array): Generator<Uint8Array, void> {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  yield length;
  if (bytes.length > 0) yield bytes;
}

/** Opens what the parts of a job made. `files`: the IDs of their files, in the order of their pages. */
export async function finishedParts(
  db: Database,
  store: FileStore,
  owner: FileOwner,
  files: readonly string[],
): Promise<FinishedParts> {
  // Each is looked up in the database once, and read twice.
  const sources = new Map<string, Awaited<ReturnType<typeof openFile>>["source"]>();
  const open = async (id: string): Promise<Unpacked> => {
    const source = sources.get(id) ?? (await openFile(db, store, owner, id, new Date())).source;
    sources.set(id, source);
    return Unpacked.of(source.stream(0, source.length));
  };
  const headers: ResultHeaders[] = [];
  for (const id of files) {
    const part = await open(id);
    headers.push(part.head.headers);
    await part.close();
  }
  return {
    headers: headersOfParts(headers),
    async *values() {
      for (const id of files) yield (await open(id)).head.value;
    },
    async *files() {
      for (const id of files) yield* (await open(id)).files();
    },
  };
}

class Unpacked {
  readonly head: Head;
  readonly #reader: FrameReader;

  private constructor(head: Head, reader: FrameReader) {
    this.head = head;
    this.#reader = reader;
  }

  static async of(chunks: AsyncGenerator<Uint8Array, void>): Promise<Unpacked> {
    const reader = new FrameReader(chunks);
    const head = await reader.frame();
    if (head === undefined) throw new Error("the file of a part is empty");
    return new Unpacked(JSON.parse(new TextDecoder().decode(head)) as Head, reader);
  }

  /** Reads no more. */
  close(): Promise<unknown> {
    return this.#reader.close();
  }

  async *files(): AsyncGenerator<OutputFile, void> {
    for (let name = await this.#reader.frame(); name !== undefined; name = await this.#reader.frame()) {
      yield { name: new TextDecoder().decode(name), bytes: this.#reader.frames() };
    }
  }
}

/** Reads lengths and what follows them. */
class FrameReader {
  readonly #chunks: AsyncGenerator<Uint8Array, void>;
  #rest: Uint8Array[] = [];
  #bytes = 0;

  constructor(chunks: AsyncGenerator<Uint8Array, void>) {
    this.#chunks = chunks;
  }

  close(): Promise<unknown> {
    return this.#chunks.return();
  }

  /** The next frame; undefined at the end of the file. */
  async frame(): Promise<Uint8Array | undefined> {
    const length = await this.#take(4);
    if (length === undefined) return undefined;
    const size = new DataView(length.buffer, length.byteOffset).getUint32(0);
    const frame = await this.#take(size);
    if (frame === undefined) throw new Error("the file of a part ends early");
    return frame;
  }

  /** The frames up to an empty one. */
  async *frames(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const frame = await this.frame();
      if (frame === undefined) throw new Error("the file of a part ends early");
      if (frame.length === 0) return;
      yield frame;
    }
  }

  async #take(length: number): Promise<Uint8Array | undefined> {
    while (this.#bytes < length) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      // The source may use its buffer again.
      this.#rest.push(next.value.slice());
      this.#bytes += next.value.length;
    }
    const all = this.#rest.length === 1 ? (this.#rest[0] ?? new Uint8Array(0)) : concat(this.#rest);
    this.#rest = [all.subarray(length)];
    this.#bytes -= length;
    return all.subarray(0, length);
  }
}
