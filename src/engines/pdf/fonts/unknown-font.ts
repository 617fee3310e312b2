/** The error of readers of font programs that they do not understand. */

/** A font program that is damaged, or has something that is not known here. */
export class UnknownFont extends Error {}

/** The result of reading a font program. Undefined if the program is not understood. Tables that are cut off make a DataView throw a RangeError. */
export function ifUnderstood<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnknownFont || error instanceof RangeError) return undefined;
    throw error;
  }
}
