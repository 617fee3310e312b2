/**
 * The meaning of MuPDF's messages. It has no codes for most errors, so they are recognized by their words: here, and nowhere else. A test looks for
 * each part in the binary, so that a version of MuPDF that uses other words does not pass unnoticed.
 */
export const MESSAGES = {
  /** Too little memory, its own guard against streams that inflate endlessly, or an image of more than 2 GiB, which it does not even try. */
  lackOfMemory: [
    ["alloc (", "failed"],
    ["alloc array (", "failed"],
    ["out of memory"],
    ["Out of memory"],
    ["cannot deflate buffer"],
    ["compression bomb detected"],
    ["Overly large image"],
    ["Overly wide image"],
  ],
  /** A library in it gave up, mostly for lack of memory: MuPDF continues without the image. */
  skipped: [["library error: "], ["system error: "], ["openjpeg error: ", "memory"]],
  /** It lacks parts of JBIG2, or the data is damaged: all samples of the image are 0. */
  undecodable: [["cannot decode jbig2 image"]],
  /** It reads all of a file, since an object is not where the cross-reference table places it. */
  repair: [["repairing PDF document"]],
  /** An encryption dictionary that has no password, or that it does not know. */
  unknownEncryption: [
    ["encryption handler"],
    ["encryption method"],
    ["encryption version"],
    ["unknown crypt revision"],
    ["crypt filter"],
    ["Crypt Filter"],
  ],
} as const;

/** Whether a message of MuPDF has this meaning. */
export const means = (message: string, meaning: keyof typeof MESSAGES): boolean =>
  MESSAGES[meaning].some((parts) => parts.every((part) => message.includes(part)));
