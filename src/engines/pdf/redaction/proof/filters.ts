/** Decodes streams whose result may be text (ISO 32000-2, 7.4.2 to 7.4.5). */
import { inflateWhole } from "../../../flate/inflate.ts";
import { latin1 } from "../../../../bytes/latin1.ts";
import type { Work } from "../../../work.ts";

/** Fuel per byte. */
const WORK = 4;

/** The decoded bytes; undefined if a filter is another one, the data is damaged, or there are more than `most`. */
export async function decodeFilters(
  work: Work,
  data: Uint8Array,
  filters: readonly string[],
  most: number,
): Promise<Uint8Array | undefined> {
  let bytes: Uint8Array | undefined = data;
  for (const filter of filters) {
    if (bytes === undefined) return undefined;
    work.spend(bytes.length * WORK);
    await work.pause();
    if (filter === "FlateDecode" || filter === "Fl") bytes = await inflateWhole(work, bytes, most);
    else {
      bytes = DECODERS[filter]?.(bytes, most);
      work.spend((bytes?.length ?? 0) * WORK);
    }
  }
  return bytes;
}

const DECODERS: Readonly<Record<string, (data: Uint8Array, most: number) => Uint8Array | undefined>> = {
  ASCIIHexDecode: fromHex,
  AHx: fromHex,
  ASCII85Decode: fromBase85,
  A85: fromBase85,
  RunLengthDecode: fromRuns,
  RL: fromRuns,
  LZWDecode: fromLzw,
  LZW: fromLzw,
};

function fromHex(data: Uint8Array): Uint8Array {
  const digits = (latin1(data).split(">", 1)[0] ?? "").replaceAll(/[^\da-fA-F]/g, "");
  return Uint8Array.from({ length: Math.ceil(digits.length / 2) }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2).padEnd(2, "0"), 16),
  );
}

function fromBase85(data: Uint8Array): Uint8Array {
  const out: number[] = [];
  let [value, count] = [0, 0];
  const flush = (bytes: number): void => {
    for (let at = 0; at < bytes; at++) out.push(Math.floor(value / 256 ** (3 - at)) & 0xff);
    [value, count] = [0, 0];
  };
  for (const byte of data) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && count === 0) flush(4);
    if (byte < 0x21 || byte > 0x75) continue;
    value = value * 85 + byte - 0x21;
    if (++count === 5) flush(4);
  }
  if (count > 1) {
    const missing = 5 - count;
    const left = count - 1;
    for (let at = 0; at < missing; at++) value = value * 85 + 84;
    flush(left);
  }
  return Uint8Array.from(out);
}

function fromRuns(data: Uint8Array, most: number): Uint8Array | undefined {
  const out: number[] = [];
  for (let at = 0; at < data.length && out.length <= most;) {
    const length = data[at++] ?? 128;
    if (length === 128) break;
    if (length < 128) {
      for (const byte of data.subarray(at, at + length + 1)) out.push(byte);
      at += length + 1;
    } else {
      for (let time = 0; time < 257 - length; time++) out.push(data[at] ?? 0);
      at++;
    }
  }
  return out.length > most ? undefined : Uint8Array.from(out);
}

/** With an early change of the code length, as is the default (7.4.4.3). */
function fromLzw(data: Uint8Array, most: number): Uint8Array | undefined {
  const [CLEAR, END, FIRST, MOST_BITS] = [256, 257, 258, 12];
  const out: number[] = [];
  let table: Uint8Array[] = [];
  let last: Uint8Array | undefined;
  let [bits, held, buffer] = [9, 0, 0];
  for (const byte of data) {
    buffer = ((buffer << 8) | byte) & 0xff_ffff;
    held += 8;
    if (held < bits) continue;
    held -= bits;
    const code = (buffer >> held) & ((1 << bits) - 1);
    if (code === END || out.length > most) break;
    if (code === CLEAR) {
      [table, last, bits] = [[], undefined, 9];
      continue;
    }
    const known = code < CLEAR ? Uint8Array.of(code) : table[code - FIRST];
    const entry = known ?? (last && Uint8Array.of(...last, last[0] ?? 0));
    if (!entry) return undefined;
    for (const value of entry) out.push(value);
    if (last && table.length < 4096 - FIRST) table.push(Uint8Array.of(...last, entry[0] ?? 0));
    last = entry;
    bits = Math.min(MOST_BITS, Math.max(9, 32 - Math.clz32(table.length + FIRST + 1)));
  }
  return out.length > most ? undefined : Uint8Array.from(out);
}
