import type { default as MuPDF } from "mupdf";
import { FZ_BUFFER, FZ_COLORSPACE } from "./abi.ts";

/** The ICC profile by which MuPDF shows DeviceCMYK. */
export function cmykProfile({ ColorSpace }: typeof MuPDF, memory: WebAssembly.Memory): Uint8Array {
  const heap = new DataView(memory.buffer);
  const space = ColorSpace.DeviceCMYK.pointer as unknown as number;
  const buffer = heap.getUint32(space + FZ_COLORSPACE.icc_buffer, true);
  const start = heap.getUint32(buffer + FZ_BUFFER.data, true);
  const length = heap.getUint32(buffer + FZ_BUFFER.len, true);
  return new Uint8Array(memory.buffer, start, length).slice();
}
