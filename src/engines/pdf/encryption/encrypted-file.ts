/**
 * Encrypts a finished file in place: all of its strings and streams, with the platform's AES. MuPDF has written it with
 * nearly all objects in object streams, so few strings are outside one. MuPDF's own encryption would derive the key and
 * initialization vectors from the clock.
 */
import type { Buffer } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { Work } from "../../work.ts";
import type { FileEncryption, PlatformCrypto } from "./parameters.ts";
import { aesCbc, AES_BLOCK } from "./object-cipher.ts";
import type { InputBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { hex } from "../../../bytes/hex.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { StringSpan } from "../syntax/objects.ts";
import { versionOf, type WrittenObject, writtenObjects } from "../objects/written-objects.ts";
import { keptIn, readXref, ROW, xrefTableOf, type WrittenXref } from "../objects/written-xref.ts";
import { deflate } from "../../flate/deflate.ts";

/** Bytes of a stream encrypted per step: WebCrypto's results are outside the engine's heap. */
const CHUNK = 256 * 1024;

/** Strings encrypted at once. */
const AT_ONCE = 256;

/** Fuel per string that is encrypted, 10 microseconds, and per byte of an object that is read. */
const STRING_WORK = 4_000;
const BYTE_WORK = 10;

/** Room in bytes for the header, encryption dictionary, trailer, and other parts of nearly constant length. */
const FRAME = 4096;

/** Most bytes by which a stream can grow: initialization vector, padding, and digits of its length. */
const STREAM_GROWTH = 2 * AES_BLOCK + 10;

/** Encrypts the contents of `file`, which becomes the result. `ids`: the file identifier, one character per byte. */
export async function encryptFile(
  engine: PdfEngine,
  file: Buffer,
  encryption: FileEncryption,
  ids: readonly [string, string],
  crypto: PlatformCrypto,
): Promise<InputBytes> {
  const plain = file.asUint8Array();
  const version = Math.max(encryption.version, versionOf(plain));
  const { xref, growth } = await survey(engine.work, plain);

  // Moves the plain file to the end of the buffer; the encrypted one grows from the start and never overtakes the read
  // position.
  const length = plain.length;
  const room = new engine.mupdf.Buffer(new Uint8Array(growth));
  file.writeBuffer(room);
  room.destroy();
  const bytes = file.asUint8Array();
  bytes.copyWithin(growth, 0, length);

  const writer = new Writer(engine.work, bytes, encryption, crypto);
  writer.text(`%PDF-${Math.floor(version / 10)}.${version % 10}\n%\u00e2\u00e3\u00cf\u00d3\n\n`);
  for (const object of writtenObjects(bytes, growth)) {
    if (object.isXref) break;
    if (xref.rows.getUint8(object.number * ROW) !== 1) throw new Error(`object ${object.number} is not in the table`);
    if (writer.at > object.start) throw new Error("the encrypted file overtook the plain one");
    xref.rows.setUint32(object.number * ROW + 1, writer.at);
    await writer.object(object);
  }
  await writeEnd(writer, xref, encryption.dictionary, ids);
  const end = writer.at;
  // Clears what is left of the plain file.
  bytes.fill(0, end);
  return engine.bytesOf(file, end);
}

/**
 * Reads the file once: its cross-references, and the most bytes by which encryption can lengthen it.
 * @throws Refusal `limit_exceeded`
 */
async function survey(work: Work, bytes: Uint8Array): Promise<{ xref: WrittenXref; growth: number }> {
  let growth = FRAME;
  let strings = 0;
  const numbers: number[] = [];
  for (const object of writtenObjects(bytes, 0)) {
    numbers.push(object.number);
    work.spend((object.head.end - object.head.start) * BYTE_WORK);
    await work.pause();
    strings += object.strings.length;
    if (strings > limits.encryptedStrings) throw tooManyStrings(strings);
    for (const string of object.strings) {
      const { start, end } = string;
      growth += Math.max(0, 2 * (encryptedLength(string.valueIn(bytes).length) + 1) - (end - start));
    }
    if (object.isXref) {
      const xref = await readXref(work, bytes, object);
      return { xref, growth: growth + xref.rows.byteLength };
    }
    if (object.stream) growth += STREAM_GROWTH;
  }
  const xref = xrefTableOf(bytes, numbers);
  return { xref, growth: growth + xref.rows.byteLength };
}

const tooManyStrings = (actual: number): Refusal =>
  new Refusal("limit_exceeded", "The PDF has too many strings outside of its object streams to be encrypted.", {
    limit: limits.encryptedStrings,
    actual,
  });

const encryptedLength = (length: number): number => AES_BLOCK + (Math.floor(length / AES_BLOCK) + 1) * AES_BLOCK;

async function writeEnd(
  writer: Writer,
  { number, trailer, rows }: WrittenXref,
  dictionary: string,
  ids: readonly [string, string],
): Promise<void> {
  const place = (index: number): void => {
    rows.setUint8(index * ROW, 1);
    rows.setUint32(index * ROW + 1, writer.at);
    rows.setUint16(index * ROW + 5, 0);
  };
  const identifiers = ids.map((id) => `<${hex(bytesOf(id))}>`).join("");
  place(number + 1);
  writer.text(`${number + 1} 0 obj\n${dictionary}\nendobj\n\n`);
  place(number);
  const start = writer.at;
  const data = await deflate(new Uint8Array(rows.buffer));
  writer.text(
    `${number} 0 obj\n<</Type/XRef${keptIn(trailer)}/Encrypt ${number + 1} 0 R/ID[${identifiers}]/Size ${number + 2}\
/W[1 4 2]/Filter/FlateDecode/Length ${data.length}>>\nstream\n`,
  );
  writer.bytes(data);
  writer.text(`\nendstream\nendobj\n\nstartxref\n${start}\n%%EOF\n`);
}

class Writer {
  /** Offset of the next byte. */
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #encryption: FileEncryption;
  readonly #crypto: PlatformCrypto;
  readonly #work: Work;

  constructor(work: Work, bytes: Uint8Array, encryption: FileEncryption, crypto: PlatformCrypto) {
    this.#work = work;
    this.#bytes = bytes;
    this.#encryption = encryption;
    this.#crypto = crypto;
  }

  /** Writes text with one byte per character. */
  text(text: string): void {
    this.bytes(bytesOf(text));
  }

  bytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Writes an object with its strings and stream encrypted (ISO 32000-2, 7.6.3, Algorithms 1 and 1.A). */
  async object(object: WrittenObject): Promise<void> {
    const { number, generation, head, strings, stream, lengthDigits } = object;
    const encrypted = strings.length > 0 || stream !== undefined;
    const key = encrypted ? await this.#encryption.keyFor(number, generation) : undefined;
    this.text(`${number} ${generation} obj`);
    let from = head.start;
    const changes = lengthDigits ? [...strings, lengthDigits].toSorted((a, b) => a.start - b.start) : strings;
    for (let at = 0; at < changes.length; at += AT_ONCE) {
      const some = changes.slice(at, at + AT_ONCE);
      this.#work.spend(some.length * STRING_WORK);
      await this.#work.pause();
      const replaced = await Promise.all(
        some.map(async (change) => {
          if (change instanceof StringSpan)
            return key && `<${hex(await aesCbc(this.#crypto, key, change.valueIn(this.#bytes)))}>`;
          return stream && String(encryptedLength(stream.end - stream.start));
        }),
      );
      for (const [index, { start, end }] of some.entries()) {
        const text = replaced[index];
        if (text === undefined) continue;
        this.#move(from, start);
        this.text(text);
        from = end;
      }
    }
    this.#move(from, head.end);
    if (stream && key) await this.#stream(key, stream.start, stream.end);
    this.text(stream ? "\nendstream\nendobj\n\n" : "endobj\n\n");
  }

  /** Writes bytes of the plain file. */
  #move(start: number, end: number): void {
    this.#bytes.copyWithin(this.at, start, end);
    this.at += end - start;
  }

  /** AES-CBC in chunks: the last block of each is the initialization vector of the next. */
  async #stream(key: CryptoKey, start: number, end: number): Promise<void> {
    let iv = this.#iv();
    // The vector is written last: there may be no room for it before the first chunk has been read.
    for (let from = start, first = true; first || from < end; from += CHUNK, first = false) {
      const to = Math.min(from + CHUNK, end);
      const padded = await this.#cbc(key, iv, this.#bytes.subarray(from, to));
      const piece = to < end ? padded.subarray(0, to - from) : padded;
      if (first) this.bytes(iv);
      this.bytes(piece);
      iv = piece.slice(-AES_BLOCK);
    }
  }

  #iv(): Uint8Array<ArrayBuffer> {
    return this.#crypto.getRandomValues(new Uint8Array(AES_BLOCK));
  }

  async #cbc(key: CryptoKey, iv: Uint8Array<ArrayBuffer>, data: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#crypto.subtle.encrypt({ name: "AES-CBC", iv }, key, data));
  }
}
