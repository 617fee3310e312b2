/** Writes the bytes of a PDF file, or of an update of one: objects as they come, then the cross-references (ISO 32000-2, 7.5). */
import { limits } from "../../../limits.ts";
import { concat } from "../../../bytes/concat.ts";
import { hex } from "../../../bytes/hex.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { tooManyStrings } from "../../limit-errors.ts";
import { deflate } from "../../flate/deflate.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { FileParts, ownBytes } from "../../memory/joined-bytes.ts";
import type { Work } from "../../work.ts";
import type { Cipher, Plaintext } from "../encryption/object-cipher.ts";
import type { SerializedPiece } from "../objects/serialize.ts";
import { type CrossReferenceRow, writeSection } from "./cross-references.ts";

/** Fuel per string that is encrypted, 10 microseconds, and per byte of a stream. */
const STRING_WORK = 4_000;
const BYTE_WORK = 1;

/** Strings and streams that are encrypted at once, and their bytes. */
const AT_ONCE = { count: 256, bytes: 256 * 1024 };

/** The comment after the header tells programs that transfer files that this one is binary (7.5.2). */
const BINARY = "%\u00e2\u00e3\u00cf\u00d3\n";

export interface FileTarget {
  /** A new file, with its version times 10; or what an update continues, by offsets from the header of its file. */
  readonly begins: { readonly version: number } | { readonly at: number; readonly previous: number };
  /** One more than the highest object number that is known to be used. Numbers from here on are the writer's. */
  readonly size: number;
  readonly references: "table" | "stream";
  /** Encrypts strings and streams. */
  readonly cipher?: Cipher | undefined;
  /** The most objects, and bytes of them, in an object stream; where it is missing, each object is by itself. Needs a stream of references. */
  readonly packing?: { readonly objects: number; readonly bytes: number } | undefined;
}

export interface ObjectName {
  readonly number: number;
  readonly generation: number;
}

/** An object for a file. */
export interface SourceObject extends ObjectName {
  /** The object, or the dictionary of a stream without its `Length`. `isSecret`: strings that are to be encrypted are pieces of their own. */
  syntax(isSecret: boolean): readonly SerializedPiece[] | Promise<readonly SerializedPiece[]>;
  readonly stream?: SourceStream | undefined;
  /** Whether readers need it to decrypt: it is neither packed nor encrypted. */
  readonly isOpen?: boolean;
}

export interface SourceStream {
  readonly data: EngineBytes;
  /** Whether the file gets the bytes unchanged: encrypted before, or never. */
  readonly isFinal?: boolean;
}

/** Data that is encrypted later, and the function that then puts it into the file. */
interface Waiting extends Plaintext {
  readonly put: (encrypted: readonly Uint8Array[]) => void;
}

/** The request for which a file is written. */
interface Host {
  readonly work: Work;
  /** Counts memory in bytes. */
  claim(bytes: number): void;
}

export class PdfWriter {
  readonly #host: Host;
  readonly #target: FileTarget;
  readonly #parts = new FileParts();
  readonly #rows: CrossReferenceRow[] = [];
  /** Offset of the first byte. */
  readonly #start: number;
  #size: number;
  /** Objects for the next object stream. */
  #packed: { readonly number: number; readonly text: string }[] = [];
  #packedBytes = 0;
  /** Strings that were to be encrypted so far. */
  #strings = 0;
  /** What the file has room for and is not encrypted yet: several at once take less time. */
  #waiting: Waiting[] = [];
  #waitingBytes = 0;

  constructor(host: Host, target: FileTarget) {
    const { begins, size } = target;
    this.#host = host;
    this.#target = target;
    this.#size = size;
    this.#start = "at" in begins ? begins.at : 0;
    // The file that is continued may end without a line feed.
    if ("at" in begins) this.#parts.text("\n");
    else this.#parts.text(`%PDF-${Math.floor(begins.version / 10)}.${begins.version % 10}\n${BINARY}`);
  }

  /** Reserves a number for an object that is written later. */
  reserve(): number {
    return this.#size++;
  }

  /** Writes an object of plain syntax, and returns its number. */
  async add(syntax: string, number = this.reserve()): Promise<number> {
    await this.put({ number, generation: 0, syntax: () => [syntax] });
    return number;
  }

  /** Writes a stream: `entries` of its dictionary, without `Length`, and its bytes. Returns its number. */
  async addStream(entries: string, data: EngineBytes): Promise<number> {
    const number = this.reserve();
    await this.put({ number, generation: 0, syntax: () => [`<<${entries}>>`], stream: { data } });
    return number;
  }

  /** Marks a number as not used. `generation`: that of its next use. */
  free({ number, generation }: ObjectName): void {
    this.#rows.push({ number, generation, deleted: true, offset: 0 });
  }

  /** @throws Refusal `limit_exceeded`; CipherFailure */
  async put({ number, generation, syntax, stream, isOpen = false }: SourceObject): Promise<void> {
    if (this.#target.packing && !stream && generation === 0 && !isOpen) {
      return this.#pack(number, (await syntax(false)).join(""));
    }
    const object = { number, generation };
    const cipher = isOpen ? undefined : this.#target.cipher;
    const pieces = await syntax(cipher?.encryptsStrings === true);
    this.#rows.push({ ...object, deleted: false, offset: this.#start + this.#parts.length });
    this.#parts.text(`${number} ${generation} obj\n`);
    const streamCipher = stream?.isFinal === true || !cipher?.encryptsStreams ? undefined : cipher;
    const length = stream && (streamCipher?.lengthOf("streams", stream.data.length) ?? stream.data.length);
    await this.#print(object, length === undefined ? pieces : withLength(pieces, length), cipher);
    if (stream) {
      this.#parts.text("stream\n");
      if (streamCipher) await this.#encrypt(streamCipher, { object, use: "streams", data: stream.data });
      else this.#parts.bytes(stream.data);
      this.#parts.text("\nendstream");
    }
    this.#parts.text("\nendobj\n");
  }

  /** Ends the file. `trailer`: its entries, but for those that only this section has. */
  async end(trailer: string): Promise<EngineBytes> {
    await this.#flush();
    await this.#encryptWaiting();
    const { begins, references } = this.#target;
    await writeSection(this.#parts, this.#rows, {
      start: this.#start,
      ...("at" in begins && { previous: begins.previous }),
      size: this.#size,
      trailer,
      asStream: references === "stream",
    });
    return this.#parts.joined();
  }

  /** Writes the text of an object. Its strings are encrypted. */
  async #print(object: ObjectName, pieces: readonly SerializedPiece[], cipher: Cipher | undefined): Promise<void> {
    this.#strings += pieces.reduce((count, piece) => (typeof piece === "string" ? count : count + 1), 0);
    if (this.#strings > limits.encryptedStrings) throw tooManyStrings(this.#strings);
    for (const piece of pieces) {
      if (typeof piece === "string") this.#parts.text(piece);
      else if (cipher) {
        this.#parts.text("<");
        await this.#encrypt(cipher, { object, use: "strings", data: ownBytes(piece) });
        this.#parts.text(">");
      }
    }
  }

  /** Leaves room for data that is encrypted later. */
  async #encrypt(cipher: Cipher, plaintext: Plaintext): Promise<void> {
    const { use, data } = plaintext;
    const length = cipher.lengthOf(use, data.length);
    const isString = use === "strings";
    const put = this.#parts.later(isString ? 2 * length : length);
    this.#waiting.push({ ...plaintext, put: isString ? (bytes) => put([bytesOf(hex(concat(bytes)))]) : put });
    this.#waitingBytes += data.length;
    this.#host.work.spend(isString ? STRING_WORK : data.length * BYTE_WORK);
    if (!isString) this.#host.claim(length);
    if (this.#waiting.length >= AT_ONCE.count || this.#waitingBytes >= AT_ONCE.bytes) await this.#encryptWaiting();
  }

  async #encryptWaiting(): Promise<void> {
    const waiting = this.#waiting;
    [this.#waiting, this.#waitingBytes] = [[], 0];
    const encrypted = (await this.#target.cipher?.encrypt(waiting)) ?? [];
    for (const [index, { data, put }] of waiting.entries()) {
      put(encrypted[index] ?? []);
      data.free();
    }
    await this.#host.work.pause();
  }

  async #pack(number: number, text: string): Promise<void> {
    this.#packed.push({ number, text });
    this.#packedBytes += text.length;
    const { objects = 0, bytes = 0 } = this.#target.packing ?? {};
    if (this.#packed.length >= objects || this.#packedBytes >= bytes) await this.#flush();
  }

  /** Writes the objects that are packed as an object stream (7.5.7). */
  async #flush(): Promise<void> {
    const packed = this.#packed;
    if (packed.length === 0) return;
    [this.#packed, this.#packedBytes] = [[], 0];
    const container = this.reserve();
    const places: string[] = [];
    let offset = 0;
    for (const [index, { number, text }] of packed.entries()) {
      this.#rows.push({ number, generation: 0, deleted: false, offset: index, container });
      places.push(`${number} ${offset}`);
      offset += text.length + 1;
    }
    const head = places.join(" ");
    const data = await deflate(bytesOf(`${head}\n${packed.map(({ text }) => text).join("\n")}`));
    this.#host.claim(data.length);
    await this.put({
      number: container,
      generation: 0,
      syntax: () => [`<</Type/ObjStm/N ${packed.length}/First ${head.length + 1}/Filter/FlateDecode>>`],
      stream: { data: ownBytes(data) },
    });
  }
}

/** The dictionary of a stream, with the length of its data in bytes. */
function withLength(pieces: readonly SerializedPiece[], length: number): SerializedPiece[] {
  const last = pieces.at(-1);
  if (typeof last !== "string" || !last.endsWith(">>")) throw new Error("a stream has no dictionary");
  return [...pieces.slice(0, -1), `${last.slice(0, -">>".length)}/Length ${length}>>`];
}
