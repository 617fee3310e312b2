/** Reads the directory of compound files (MS-CFB), which are the documents of Office 97 to 2003 and encrypted ones of later versions. */
import type { InputBytes } from "../memory/heap.ts";
import { ParseMeter } from "../parse-meter.ts";
import type { Work } from "../work.ts";

/** How a compound file begins (2.2). */
export const COMPOUND_SIGNATURE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

const HEADER_BYTES = 512;
/** Locations of sectors of the FAT in the header. */
const IN_HEADER = 109;
const ENTRY_BYTES = 128;
/** The type of an entry that is none. */
const UNUSED = 0;
/** Numbers above are not those of sectors or entries. */
const MOST_NUMBER = 0xfffffffa;

const utf16 = new TextDecoder("utf-16le");

/**
 * The names of the streams and storages at the root; empty if the directory is damaged.
 * @throws Refusal `limit_exceeded` (entries, work)
 */
export async function rootNames(work: Work, bytes: InputBytes): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  if (bytes.length < HEADER_BYTES) return names;
  const meter = new ParseMeter(work, "compound");
  const file = new Sectors(bytes, meter);
  const directory = await file.chain(file.header(48));
  const entries = (directory.length * file.size) / ENTRY_BYTES;
  const entry = (id: number): DataView => {
    const at = id * ENTRY_BYTES;
    return file.view(directory[Math.floor(at / file.size)] ?? MOST_NUMBER, at % file.size, ENTRY_BYTES);
  };
  if (entries === 0) return names;
  const seen = new Set<number>();
  const waiting = [entry(0).getUint32(76, true)];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id >= entries || seen.has(id)) continue;
    seen.add(id);
    meter.element();
    await meter.pause();
    const view = entry(id);
    const length = Math.min(Math.max(view.getUint16(64, true) - 2, 0), 62);
    if (view.getUint8(66) !== UNUSED) names.add(utf16.decode(new Uint8Array(view.buffer, view.byteOffset, length)));
    // Entries of one storage are a tree (2.6.4).
    waiting.push(view.getUint32(68, true), view.getUint32(72, true));
  }
  return names;
}

class Sectors {
  /** In bytes. */
  readonly size: number;
  readonly #bytes: InputBytes;
  readonly #meter: ParseMeter;
  readonly #header: DataView;
  /** Locations of the FAT that do not fit into the header, those found so far, and the sector with the next ones. */
  readonly #more: number[] = [];
  #next: number;

  constructor(bytes: InputBytes, meter: ParseMeter) {
    this.#bytes = bytes;
    this.#meter = meter;
    this.#header = copyOf(bytes, 0, HEADER_BYTES);
    this.size = this.#header.getUint16(30, true) === 12 ? 4_096 : 512;
    this.#next = this.header(68);
  }

  header(at: number): number {
    return this.#header.getUint32(at, true);
  }

  /** A part of a sector; zeros where the file has ended. */
  view(sector: number, start: number, length: number): DataView {
    this.#meter.bytes(length);
    const at = (sector + 1) * this.size + start;
    return copyOf(this.#bytes, at, length);
  }

  /** The numbers of the sectors that begin with this one, up to the first that is not in the file. */
  async chain(first: number): Promise<readonly number[]> {
    const sectors: number[] = [];
    const most = Math.ceil(this.#bytes.length / this.size);
    for (let sector = first; sector < most && sectors.length < most; sector = this.#after(sector)) {
      this.#meter.element();
      await this.#meter.pause();
      sectors.push(sector);
    }
    return sectors;
  }

  /** The next sector of a chain, as the FAT has it (2.3). */
  #after(sector: number): number {
    const perSector = this.size / 4;
    const table = this.#tableAt(Math.floor(sector / perSector));
    return table > MOST_NUMBER ? table : this.view(table, (sector % perSector) * 4, 4).getUint32(0, true);
  }

  /** Where a sector of the FAT is (2.5). */
  #tableAt(index: number): number {
    if (index < IN_HEADER) return this.header(76 + index * 4);
    const perSector = this.size / 4 - 1;
    while (this.#more.length <= index - IN_HEADER) {
      if (this.#next > MOST_NUMBER) return MOST_NUMBER + 1;
      this.#meter.element();
      const view = this.view(this.#next, 0, this.size);
      for (let at = 0; at < perSector; at += 1) this.#more.push(view.getUint32(at * 4, true));
      this.#next = view.getUint32(perSector * 4, true);
    }
    return this.#more[index - IN_HEADER] ?? MOST_NUMBER + 1;
  }
}

/** A part of a file, with zeros behind its end. */
function copyOf(bytes: InputBytes, start: number, length: number): DataView {
  const copy = new Uint8Array(length);
  if (start < bytes.length) copy.set(bytes.view(start, Math.min(start + length, bytes.length)));
  return new DataView(copy.buffer);
}
