/** Bytes that are read in ranges, from wherever they are stored. */
export interface ByteSource {
  /** Size in bytes. */
  readonly length: number;
  /** The bytes [start, end), complete. Throws if they cannot be read. */
  read(start: number, end: number): Promise<Uint8Array>;
}
