import { constants, deflateRawSync } from "node:zlib";
import { concatenate, latin1 } from "../fixtures/pdf-writer.ts";

const MIB = 1024 * 1024;

/** The Adler-32 sum (RFC 1950) after `count` bytes of one value. */
function adlerOfRun(a: number, b: number, value: number, count: number): [number, number] {
  const [n, v, m] = [BigInt(count), BigInt(value), 65_521n];
  const nextB = (BigInt(b) + n * BigInt(a) + (v * n * (n + 1n)) / 2n) % m;
  return [Number((BigInt(a) + n * v) % m), Number(nextB)];
}

/** A piece of a deflate stream that ends on a byte. */
function block(data: Uint8Array, last: boolean): Uint8Array {
  return new Uint8Array(
    deflateRawSync(data, { level: 9, finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH }),
  );
}

/**
 * A zlib stream of `head`, then a character `count` times, which is a multiple of 1 MiB, then `tail`. One compressed MiB is written again and
 * again: deflate blocks that end on a byte (a sync flush) can be joined, so this costs milliseconds.
 */
export function deflatedRun(count: number, character: string, head = "", tail = ""): Uint8Array {
  if (count % MIB !== 0) throw new Error("only whole mebibytes");
  const value = character.charCodeAt(0);
  const run = block(new Uint8Array(MIB).fill(value), false);
  let [a, b] = [1, 0];
  for (const byte of latin1(head)) [a, b] = adlerOfRun(a, b, byte, 1);
  [a, b] = adlerOfRun(a, b, value, count);
  for (const byte of latin1(tail)) [a, b] = adlerOfRun(a, b, byte, 1);
  const checksum = new Uint8Array([b >> 8, b & 255, a >> 8, a & 255]);
  const middle = Array.from({ length: count / MIB }, () => run);
  return concatenate([
    new Uint8Array([0x78, 0xda]),
    block(latin1(head), false),
    ...middle,
    block(latin1(tail), true),
    checksum,
  ]);
}
