import type { EngineBytes } from "../../bytes/heap.ts";
import { joinedBytes, ownBytes } from "../../bytes/joined-bytes.ts";
import { bytesOf } from "../../bytes/latin1.ts";

/** A part of a file in the making. */
export class FileParts {
  readonly #parts: EngineBytes[] = [];
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds characters up to 255, one byte each. */
  text(text: string): void {
    this.bytes(ownBytes(bytesOf(text)));
  }

  bytes(bytes: EngineBytes): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  joined(): EngineBytes {
    return joinedBytes(this.#parts);
  }
}
